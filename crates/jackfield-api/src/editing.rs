//! Editing, as the window and the command line ask for it: forms, previews, history, files as text.

mod add;
pub mod diff;
pub mod form;
mod history;
mod registry;
mod text;

use jackfield_config::draft::Draft;
use jackfield_config::edit::plan::PlanError;
use jackfield_config::host::Format;
use jackfield_config::source::{SourceId, SourceReading, SourceSpec};
use jackfield_config::write::{self, Abilities};
use jackfield_config::{Definition, Entry, ReadState, Scope, mask};
use jackfield_engine::engine::edits::{Operation, Prepared, Previewed};
use jackfield_engine::writer::{Versions, WriteError};
use jackfield_engine::{EngineError, fs};

use crate::api::{Api, engine_error, server_id};
use crate::error::ApiError;
use crate::wire::{
    self, Conflict, ConflictField, DiffKind, EditOutcome, EditPreview, EditRequest, ErrorCode, FieldProblem,
    FieldValue, FilePreview, FormTransport, FormView, Language, ServerForm, TargetRow, TimeoutUnit,
};
use crate::{detail, rows};

impl Api {
    /// Every file a server can be written to, by priority.
    pub fn targets(&self) -> Vec<TargetRow> {
        let catalog = self.engine().catalog();
        let mut told: Vec<&str> = Vec::new();
        let mut targets = Vec::new();
        for reading in &catalog.sources {
            let spec = &reading.spec;
            if matches!(spec.scope, Scope::Managed | Scope::Plugin)
                || spec.is_unread_by_host()
                || !spec.holds_servers()
                || spec.read_only().is_some()
            {
                continue;
            }
            let locked = locked(reading);
            let default = locked.is_none() && spec.scope == Scope::User && !told.contains(&spec.host.id);
            if default {
                told.push(spec.host.id);
            }
            targets.push(self.target(reading, default));
        }
        targets
    }

    fn target(&self, reading: &SourceReading, default: bool) -> TargetRow {
        let spec = &reading.spec;
        TargetRow {
            id: spec.id.0.to_string(),
            host: spec.host.id.to_owned(),
            host_name: spec.host.name.to_owned(),
            mark: spec.host.mark.to_owned(),
            scope: rows::scope(spec.scope),
            path: spec.path.display().to_string(),
            display_path: self.engine().paths().display(&spec.path),
            exists: reading.state != ReadState::Missing,
            locked: locked(reading),
            note: spec.note.map(str::to_owned),
            default,
            language: language(spec.format),
            abilities: abilities(&write::abilities(spec)),
        }
    }

    /// A server, to be edited.
    ///
    /// # Errors
    /// If there is none, or it is written in a way that a form cannot show.
    pub fn server_form(&self, id: &str) -> Result<FormView, ApiError> {
        let catalog = self.engine().catalog();
        let entry = self.entry(&server_id(id))?;
        let definition = &entry.definition;
        let reading = catalog.sources.iter().find(|reading| reading.spec.id == definition.source.id);
        let reading = reading.ok_or_else(|| ApiError::no_server(&definition.name))?;
        Ok(FormView {
            id: id.to_owned(),
            target: self.target(reading, false),
            form: form::of(&Draft::of(definition), &write::abilities(&definition.source)),
            other_keys: write::other_keys(definition),
        })
    }

    /// What an edit would do. Nothing is written.
    ///
    /// # Errors
    /// If it is about something that is not there. What is wrong with a form is in the preview.
    pub async fn preview_edit(&self, edit: EditRequest) -> Result<EditPreview, ApiError> {
        let typed = self.typed(&edit);
        let mut preview = EditPreview {
            problems: Vec::new(),
            values: Vec::new(),
            files: Vec::new(),
            notes: Vec::new(),
            notice: String::new(),
            can_save: true,
        };
        if let Some(typed) = &typed {
            preview.problems = typed.problems();
            if let [TypedForm { draft: Ok((draft, _)), .. }] = typed.forms.as_slice() {
                preview.values = self.values(&typed.spec, draft);
            }
        }
        let wrong = |preview: &EditPreview| {
            preview.problems.iter().any(|problem| problem.severity == wire::Severity::Error)
        };
        if wrong(&preview) {
            preview.can_save = false;
            return Ok(preview);
        }
        let translated = typed.as_ref().map(Typed::notes).unwrap_or_default();
        match self.engine().preview(self.operation(edit)?).await {
            Ok(Previewed { prepared, files }) => {
                let Prepared { notice, mut notes, .. } = prepared.clone();
                notes.splice(0..0, translated);
                preview.files = files.iter().map(|file| self.file_preview(file)).collect();
                preview.can_save = preview.files.iter().any(|file| file.added + file.removed > 0)
                    || files.iter().any(|file| file.before != file.after)
                    || files.is_empty()
                    || prepared.edits.iter().any(|edit| edit.work == jackfield_engine::writer::Work::Private);
                (preview.notice, preview.notes) = (notice, notes);
            }
            Err(error) => {
                let error = self.edit_error(error);
                if error.code == ErrorCode::Conflict {
                    // Saving shows both sides.
                    let message = format!("{}. Saving shows both sides", error.message);
                    let problem =
                        FieldProblem { severity: wire::Severity::Warning, ..form::problem("", message) };
                    preview.problems.push(problem);
                    return Ok(preview);
                }
                if error.problems.is_empty() && error.code != ErrorCode::Invalid {
                    return Err(error);
                }
                if error.problems.is_empty() {
                    preview.problems.push(form::problem("", error.message));
                } else {
                    preview.problems = error.problems;
                }
                preview.can_save = false;
            }
        }
        Ok(preview)
    }

    /// Does an edit.
    ///
    /// # Errors
    /// If a field is not accepted, the file says something else now, or it cannot be written. Then nothing has changed.
    pub async fn apply_edit(&self, edit: EditRequest) -> Result<EditOutcome, ApiError> {
        let applied =
            self.engine().apply(self.operation(edit)?).await.map_err(|error| self.edit_error(error))?;
        Ok(EditOutcome {
            message: applied.message,
            notes: applied.notes,
            id: applied.servers.first().map(ToString::to_string),
            entry: applied.group,
        })
    }

    /// What the forms of an edit say; nothing where there are none, or no such source.
    fn typed(&self, edit: &EditRequest) -> Option<Typed> {
        let added = |source: &str, servers: &[(&ServerForm, Option<&str>)]| {
            let spec = self.reading(source)?.spec;
            let abilities = write::abilities(&spec);
            let forms = servers.iter().map(|(form, from)| TypedForm {
                name: form.name.clone(),
                draft: form::draft(form, None, &abilities).map(|draft| in_words_of(&draft, *from, &spec)),
            });
            Some(Typed { forms: forms.collect(), spec })
        };
        match edit {
            EditRequest::Add { source, form, from } => added(source, &[(form, from.as_deref())]),
            EditRequest::AddSeveral { source, servers } => {
                let servers: Vec<_> =
                    servers.iter().map(|server| (&server.form, server.from.as_deref())).collect();
                added(source, &servers)
            }
            EditRequest::Edit { id, form, .. } => {
                let definition = self.entry(&server_id(id)).ok()?.definition;
                let spec = definition.source.clone();
                let draft = form::draft(form, Some(&Draft::of(&definition)), &write::abilities(&spec));
                let draft = draft.map(|draft| (draft, Vec::new()));
                Some(Typed { forms: vec![TypedForm { name: form.name.clone(), draft }], spec })
            }
            EditRequest::Rename { .. }
            | EditRequest::Duplicate { .. }
            | EditRequest::Remove { .. }
            | EditRequest::Copy { .. }
            | EditRequest::Text { .. }
            | EditRequest::Fix { .. }
            | EditRequest::Undo { .. }
            | EditRequest::Restore { .. } => None,
        }
    }

    fn operation(&self, edit: EditRequest) -> Result<Operation, ApiError> {
        let filled = |form: &ServerForm, definition: Option<&Definition>, spec: &SourceSpec| {
            let now = definition.map(Draft::of);
            form::draft(form, now.as_ref(), &write::abilities(spec)).map(Box::new).map_err(ApiError::invalid)
        };
        Ok(match edit {
            EditRequest::Add { ref source, .. } | EditRequest::AddSeveral { ref source, .. } => {
                let typed = self.typed(&edit).ok_or_else(|| no_source(source))?;
                Operation::Add { source: typed.spec.id.clone(), drafts: typed.drafts()? }
            }
            EditRequest::Edit { id, base, form } => {
                let id = server_id(&id);
                let Entry { definition, .. } = self.entry(&id)?;
                Operation::Edit {
                    base: filled(&base, Some(&definition), &definition.source)?,
                    draft: filled(&form, Some(&definition), &definition.source)?,
                    id,
                }
            }
            EditRequest::Rename { id, name } => Operation::Rename { id: server_id(&id), to: name },
            EditRequest::Duplicate { id, name } => Operation::Duplicate { id: server_id(&id), to: name },
            EditRequest::Remove { id } => Operation::Remove { id: server_id(&id) },
            EditRequest::Copy { id, source, name, keep } => {
                Operation::Transfer { id: server_id(&id), to: SourceId(source.into()), name, keep }
            }
            EditRequest::Text { source, base, text } => {
                let known = self.given_text(&base).ok_or_else(|| {
                    ApiError::new(ErrorCode::Stale, "The file was opened too long ago").hint("Open it again.")
                })?;
                Operation::Text { source: SourceId(source.into()), base: known, text }
            }
            EditRequest::Fix { finding, fix } => Operation::Fix { finding, fix: fix as usize },
            EditRequest::Undo { entry } => Operation::Undo { group: entry },
            EditRequest::Restore { path } => Operation::Restore { path: path.into() },
        })
    }

    pub(crate) fn reading(&self, source: &str) -> Option<SourceReading> {
        self.engine().catalog().sources.iter().find(|reading| *reading.spec.id.0 == *source).cloned()
    }

    fn file_preview(&self, file: &jackfield_engine::writer::Preview) -> FilePreview {
        let format = self.format_of(&file.path);
        let before = file.before.as_deref().unwrap_or_default();
        let after = file.after.as_deref().unwrap_or_default();
        let lines = diff::lines(before, after, format);
        FilePreview {
            path: file.path.display().to_string(),
            display_path: self.engine().paths().display(&file.path),
            creates: file.before.is_none(),
            added: diff::count(&lines, DiffKind::Added),
            removed: diff::count(&lines, DiffKind::Removed),
            lines,
        }
    }

    /// The format of a file, by the source it is; JSON with comments for our own.
    fn format_of(&self, path: &std::path::Path) -> Format {
        let catalog = self.engine().catalog();
        let source = catalog.sources.iter().find(|reading| *reading.spec.path == *path);
        source.map_or(Format::JSONC, |reading| reading.spec.format)
    }

    /// What the fields that are more than text come to now.
    fn values(&self, spec: &std::sync::Arc<SourceSpec>, draft: &Draft) -> Vec<FieldValue> {
        // Nothing of what came with a project is evaluated before it was approved; what the user types is the user's.
        let Some(definition) = write::as_read(draft, spec) else { return Vec::new() };
        self.engine()
            .resolver()
            .describe_fields(&definition)
            .into_iter()
            .filter(|value| value.origin != jackfield_engine::resolve::evaluate::Origin::Literal)
            .map(|value| FieldValue {
                origin: detail::origin(value.origin),
                field: value.field,
                value: value.value,
                from: value.from,
            })
            .collect()
    }

    /// A failure of an edit, with what belongs to a form.
    pub(crate) fn edit_error(&self, error: EngineError) -> ApiError {
        match error {
            EngineError::Plan(plan) => self.plan_error(*plan),
            EngineError::Edit(WriteError::Conflict { path, why, versions }) => {
                let Versions { path: file, ours, theirs } = *versions;
                let format = self.format_of(&file);
                let message = format!("Cannot edit {path}: it was changed meanwhile, and {why}");
                let mut error = ApiError::new(ErrorCode::Conflict, message).hint("Nothing was written.");
                let now = fs::hash(theirs.as_bytes());
                self.give_text(&theirs);
                error.conflict = Some(Box::new(Conflict {
                    path: file.display().to_string(),
                    display_path: path,
                    fields: Vec::new(),
                    lines: diff::lines(&theirs, &ours, format),
                    now,
                }));
                error
            }
            other => engine_error(other),
        }
    }

    fn plan_error(&self, error: PlanError) -> ApiError {
        let message = error.to_string();
        match error {
            PlanError::Name(_) | PlanError::Exists { .. } | PlanError::Twice(_) => {
                let mut error = ApiError::invalid(vec![form::problem("name", message.clone())]);
                error.message = message;
                error
            }
            PlanError::Invalid(problems) => {
                let mut error = ApiError::invalid(problems.into_iter().map(field_problem).collect());
                error.message = message;
                error
            }
            PlanError::Conflict { path, fields } => {
                let mut error = ApiError::new(ErrorCode::Conflict, message).hint("Nothing was written.");
                let shown = |field: &str, value: Option<String>| {
                    let key = field.split_once('.').map_or(field, |(_, key)| key).to_owned();
                    value.map(|value| mask::value(Some(&key), &value))
                };
                error.conflict = Some(Box::new(Conflict {
                    path: path.clone(),
                    display_path: path,
                    lines: Vec::new(),
                    now: String::new(),
                    fields: fields
                        .into_iter()
                        .map(|conflict| ConflictField {
                            base: shown(&conflict.field, conflict.base),
                            ours: shown(&conflict.field, conflict.ours),
                            theirs: shown(&conflict.field, conflict.theirs),
                            field: conflict.field,
                        })
                        .collect(),
                }));
                error
            }
            PlanError::NotFound { .. } => ApiError::new(ErrorCode::NotFound, message),
            PlanError::Locked(_) => ApiError::new(ErrorCode::Edit, message),
        }
    }
}

/// What forms say, and where it is to be written.
struct Typed {
    spec: std::sync::Arc<SourceSpec>,
    forms: Vec<TypedForm>,
}

struct TypedForm {
    name: String,
    /// With what its file cannot express; or what is wrong with it.
    draft: Result<(Draft, Vec<String>), Vec<FieldProblem>>,
}

impl Typed {
    /// What is wrong, before the file is asked. Where there are several forms, each problem says whose it is.
    fn problems(&self) -> Vec<FieldProblem> {
        let several = self.forms.len() > 1;
        let of_form = |form: &TypedForm| {
            let problems = match &form.draft {
                Ok((draft, _)) => write::check(draft, &self.spec).into_iter().map(field_problem).collect(),
                Err(problems) => problems.clone(),
            };
            let told = |problem: FieldProblem| FieldProblem {
                message: format!("`{}`: {}", form.name, problem.message),
                field: String::new(),
                ..problem
            };
            if several { problems.into_iter().map(told).collect() } else { problems }
        };
        self.forms.iter().flat_map(of_form).collect()
    }

    /// What cannot be expressed, each said once.
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for note in self.forms.iter().filter_map(|form| form.draft.as_ref().ok()).flat_map(|(_, notes)| notes)
        {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        notes
    }

    /// The drafts, if all can be made.
    fn drafts(self) -> Result<Vec<Draft>, ApiError> {
        self.forms
            .into_iter()
            .map(|form| form.draft.map(|(draft, _)| draft).map_err(ApiError::invalid))
            .collect()
    }
}

/// A draft with its variables in the words of its file.
fn in_words_of(draft: &Draft, from: Option<&str>, spec: &SourceSpec) -> (Draft, Vec<String>) {
    match from.and_then(jackfield_config::host::by_id) {
        Some(host) if host.id != spec.host.id => write::between(draft, host, spec),
        Some(_) | None => (draft.clone(), Vec::new()),
    }
}

pub(crate) fn no_source(id: &str) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("There is no source `{id}`"))
}

/// Why nothing can be written to a source now.
fn locked(reading: &SourceReading) -> Option<String> {
    if let Some(why) = reading.spec.read_only() {
        return Some(format!("Nothing can be written here: {why}"));
    }
    match &reading.state {
        ReadState::Unreadable(words) => Some(format!("It cannot be read: {words}")),
        ReadState::Broken | ReadState::LastGood => Some("It does not parse; repair it first".to_owned()),
        ReadState::Missing | ReadState::Read => match reading.spec.scope {
            Scope::Managed => Some("It is managed by your organisation".to_owned()),
            Scope::Plugin => Some("It belongs to a plugin".to_owned()),
            Scope::User | Scope::Local | Scope::Project => None,
        },
    }
}

fn field_problem(problem: write::FieldProblem) -> FieldProblem {
    FieldProblem {
        field: problem.field,
        severity: rows::severity(problem.severity),
        message: problem.message,
    }
}

fn language(format: Format) -> Language {
    match format {
        Format::Json { .. } => Language::Json,
        Format::Toml => Language::Toml,
        Format::Yaml => Language::Yaml,
        Format::Script => Language::Text,
    }
}

fn abilities(abilities: &Abilities) -> wire::Abilities {
    wire::Abilities {
        transports: abilities.transports.iter().map(|word| form_transport(*word)).collect(),
        env: abilities.env,
        cwd: abilities.cwd,
        headers: abilities.headers,
        timeout: abilities.timeout.map(|unit| match unit {
            write::Unit::Milliseconds => TimeoutUnit::Milliseconds,
            write::Unit::Seconds => TimeoutUnit::Seconds,
        }),
        switch: abilities.switch,
        variables: abilities.variables.iter().map(|form| (*form).to_owned()).collect(),
    }
}

fn form_transport(transport: write::TransportKind) -> FormTransport {
    match transport {
        write::TransportKind::Stdio => FormTransport::Stdio,
        write::TransportKind::Http => FormTransport::Http,
        write::TransportKind::Sse => FormTransport::Sse,
        write::TransportKind::Auto => FormTransport::Auto,
    }
}
