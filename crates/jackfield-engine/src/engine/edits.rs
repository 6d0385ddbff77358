//! What a person can have done to the files: from the wish to the edits of files, with the words that say what they do.
//! Nothing is written here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jackfield_config::diagnostic::{Fix, FixWork};
use jackfield_config::draft::Draft;
use jackfield_config::edit::plan::{self, Plan, PlanError};
use jackfield_config::edit::{self, Change, Missing, Place, Target};
use jackfield_config::host::Format;
use jackfield_config::places::display_path;
use jackfield_config::read::{self, Content};
use jackfield_config::settings::Settings;
use jackfield_config::source::{Encoding, SourceReading};
use jackfield_config::{
    Catalog, Definition, Entry, Judgement, ReadState, Scope, ServerId, SourceId, SourceSpec, SourceText,
};

use super::EngineError;
use crate::fs;
use crate::wipe::WipeGuard;
use crate::writer::{Blank, FileEdit, Preview, Work, WriteError, Writer, mode_of};

/// A wish.
#[derive(Debug, Clone)]
pub enum Operation {
    /// One or several, all or none.
    Add {
        source: SourceId,
        drafts: Vec<Draft>,
    },
    /// Only the fields in which `draft` differs from `base` are written.
    Edit {
        id: ServerId,
        base: Box<Draft>,
        draft: Box<Draft>,
    },
    Rename {
        id: ServerId,
        to: String,
    },
    Duplicate {
        id: ServerId,
        to: String,
    },
    Remove {
        id: ServerId,
    },
    /// To another source: copied, or moved.
    Transfer {
        id: ServerId,
        to: SourceId,
        name: Option<String>,
        keep: bool,
    },
    /// The whole text of a file, as a person made it from `base`.
    Text {
        source: SourceId,
        base: String,
        text: String,
    },
    /// One of the fixes of a finding, by the finding's key.
    Fix {
        finding: String,
        fix: usize,
    },
    /// Takes back a write, by its group in the journal.
    Undo {
        group: u64,
    },
    /// Puts back what a file said before it lost its servers.
    Restore {
        path: PathBuf,
    },
}

impl Operation {
    /// The server whose definition goes on in what it makes.
    pub(super) fn of(&self) -> Option<&ServerId> {
        match self {
            Operation::Edit { id, .. }
            | Operation::Rename { id, .. }
            | Operation::Duplicate { id, .. }
            | Operation::Transfer { id, .. } => Some(id),
            Operation::Add { .. }
            | Operation::Remove { .. }
            | Operation::Text { .. }
            | Operation::Fix { .. }
            | Operation::Undo { .. }
            | Operation::Restore { .. } => None,
        }
    }
}

impl Operation {
    /// The old name and the new one, if it gives another.
    fn renames<'a>(&'a self, catalog: &'a Catalog) -> Option<(&'a str, &'a str)> {
        let (id, to) = match self {
            Operation::Rename { id, to } => (id, to),
            Operation::Edit { id, draft, .. } => (id, &draft.name),
            Operation::Add { .. }
            | Operation::Duplicate { .. }
            | Operation::Remove { .. }
            | Operation::Transfer { .. }
            | Operation::Text { .. }
            | Operation::Fix { .. }
            | Operation::Undo { .. }
            | Operation::Restore { .. } => return None,
        };
        let from = catalog.get(id)?.definition.name.as_str();
        (from != to.as_str()).then_some((from, to.as_str()))
    }
}

/// What would be done.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub edits: Vec<FileEdit>,
    /// For the history: "Added `github`".
    pub title: String,
    /// Which file changed, and what the host notices and when.
    pub message: String,
    /// What the host notices and when; empty where that is not told.
    pub notice: String,
    pub notes: Vec<String>,
    /// The servers it is about, where they will be.
    pub servers: Vec<ServerId>,
    pub undoes: Option<u64>,
}

/// What would be done, and what the files would become.
#[derive(Debug, Clone)]
pub struct Previewed {
    pub prepared: Prepared,
    pub files: Vec<Preview>,
}

/// What was done.
#[derive(Debug, Clone)]
pub struct Applied {
    pub message: String,
    pub notes: Vec<String>,
    pub servers: Vec<ServerId>,
    /// Its group in the journal; `None` if there was nothing to change.
    pub group: Option<u64>,
}

/// What an operation needs to know.
pub(super) struct Scene<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) writer: &'a Writer,
    pub(super) wipe: &'a WipeGuard,
    pub(super) settings: &'a Settings,
    pub(super) settings_file: &'a Path,
    pub(super) home: &'a std::path::Path,
}

impl Scene<'_> {
    /// Works out what would be done. Reads files, writes none.
    pub(super) fn prepare(&self, operation: Operation) -> Result<Prepared, EngineError> {
        let (catalog, home) = (self.catalog, self.home);
        let follows = operation.renames(catalog).and_then(|(from, to)| self.still_chosen(from, to));
        let (plan, servers) = match operation {
            Operation::Add { source, drafts } => {
                let servers = drafts.iter().filter_map(|draft| self.id_at(&source, &draft.name)).collect();
                (plan::add_all(catalog, &source, &drafts, home)?, servers)
            }
            Operation::Edit { id, base, draft } => {
                let entry = self.entry(&id)?;
                let server = self.id_beside(entry, &draft.name);
                (plan::edit(catalog, entry, &base, &draft, home)?, Vec::from_iter(server))
            }
            Operation::Rename { id, to } => {
                let entry = self.entry(&id)?;
                (plan::rename(catalog, entry, &to, home)?, Vec::from_iter(self.id_beside(entry, &to)))
            }
            Operation::Duplicate { id, to } => {
                let entry = self.entry(&id)?;
                (plan::duplicate(catalog, entry, &to, home)?, Vec::from_iter(self.id_beside(entry, &to)))
            }
            Operation::Remove { id } => (plan::remove(catalog, self.entry(&id)?, home)?, Vec::new()),
            Operation::Transfer { id, to, name, keep } => {
                let entry = self.entry(&id)?;
                let project = self.reading(&to)?.spec.scope == Scope::Project;
                if entry.judgement == Judgement::NeedsApproval && !project {
                    return Err(EngineError::Unreviewed(entry.definition.name.clone()));
                }
                let server = self.id_at(&to, name.as_deref().unwrap_or(&entry.definition.name));
                (plan::transfer(catalog, entry, &to, name.as_deref(), keep, home)?, Vec::from_iter(server))
            }
            Operation::Text { source, base, text } => return self.text(&source, base, text),
            Operation::Fix { finding, fix } => return self.fix(&finding, fix),
            Operation::Undo { group } => return self.undo(group),
            Operation::Restore { path } => return self.restore(path),
        };
        let mut prepared = prepared(plan, servers);
        prepared.edits.extend(follows);
        for edit in &mut prepared.edits {
            if let Work::Changes { format, changes, made, blank } = &mut edit.work
                && let [Change::Remove { target }] = changes.as_slice()
            {
                let journal = self.writer.journal();
                *made = journal.made(&edit.path, &target.root);
                let made_in = made.as_deref().and_then(<[String]>::split_last).map(|(_, parent)| parent);
                let at = made_in.unwrap_or(&target.root).to_vec();
                *blank = journal.blank(&edit.path, *format, &at).map(|inside| Blank { at, inside });
            }
        }
        Ok(prepared)
    }

    /// A server that is connected at the start by its name is so under its new one.
    fn still_chosen(&self, from: &str, to: &str) -> Option<FileEdit> {
        let chosen = &self.settings.chosen;
        if !chosen.iter().any(|name| name == from) || chosen.iter().any(|name| name == to) {
            return None;
        }
        let list = ["chosen".to_owned()];
        let mut changes = vec![Change::list_add(&list, to)];
        if self.catalog.entries.iter().filter(|entry| entry.definition.name == from).count() < 2 {
            changes.push(Change::list_remove(&list, from));
        }
        Some(FileEdit {
            path: Arc::new(self.settings_file.to_owned()),
            mode: fs::Mode::Private,
            work: Work::Changes { format: Format::JSONC, changes, made: None, blank: None },
        })
    }

    fn entry(&self, id: &ServerId) -> Result<&Entry, EngineError> {
        self.catalog.get(id).ok_or_else(|| EngineError::NoServer(id.to_string()))
    }

    fn reading(&self, source: &SourceId) -> Result<&SourceReading, EngineError> {
        let found = self.catalog.sources.iter().find(|reading| reading.spec.id == *source);
        found.ok_or_else(|| EngineError::NoSource(source.0.to_string()))
    }

    fn id_at(&self, source: &SourceId, name: &str) -> Option<ServerId> {
        self.reading(source).ok().map(|reading| ServerId::of(&reading.spec, name))
    }

    /// The id of a server of another name in the same source.
    fn id_beside(&self, entry: &Entry, name: &str) -> Option<ServerId> {
        self.id_at(&entry.definition.source.id, name)
    }

    fn text(&self, source: &SourceId, base: String, text: String) -> Result<Prepared, EngineError> {
        let spec = &self.reading(source)?.spec;
        let path = display_path(self.home, &spec.path);
        if let Some(words) = self.newly_invalid(&spec.path, &base, &text) {
            return Err(EngineError::Invalid(words));
        }
        Ok(Prepared {
            edits: vec![FileEdit {
                path: Arc::clone(&spec.path),
                mode: mode_of(spec.scope),
                work: Work::Text { format: spec.format, base, text },
            }],
            title: format!("Edited {path}"),
            message: format!("Changed: `{path}`. {} notices {}.", spec.host.name, spec.host.notices),
            notice: format!("{} notices {}.", spec.host.name, spec.host.notices),
            notes: Vec::new(),
            servers: Vec::new(),
            undoes: None,
        })
    }

    /// The first entry that a new text of a file makes unusable; what was so before does not keep the rest from being
    /// saved.
    fn newly_invalid(&self, path: &Path, base: &str, text: &str) -> Option<String> {
        let read = |spec: &Arc<SourceSpec>, text: &str| {
            let text = SourceText { text: text.to_owned(), encoding: Encoding::Utf8 };
            read::read_source(spec, Content::Text(&text), self.home)
        };
        self.catalog.sources.iter().filter(|reading| *reading.spec.path == path).find_map(|reading| {
            let (before, after) = (read(&reading.spec, base), read(&reading.spec, text));
            let known = |new: &Definition| {
                before.definitions.iter().any(|old| old.name == new.name && old.problems == new.problems)
            };
            let broken = after.definitions.iter().find(|new| !new.problems.is_empty() && !known(new))?;
            let line = broken.position.map(|at| format!(" (line {})", at.line)).unwrap_or_default();
            Some(format!("{}{line}", broken.problems.first()?))
        })
    }

    fn fix(&self, key: &str, index: usize) -> Result<Prepared, EngineError> {
        let gone = || EngineError::NoFix;
        let finding = self.catalog.diagnostics.iter().find(|found| found.key() == key).ok_or_else(gone)?;
        let Fix { title, work } = finding.fixes.get(index).ok_or_else(gone)?;
        let path = finding.path.clone().ok_or_else(gone)?;
        let reading =
            self.catalog.sources.iter().find(|reading| reading.spec.path == path).ok_or_else(gone)?;
        let spec = &reading.spec;
        let mut notes = Vec::new();
        let work = match work {
            FixWork::Changes(changes) => {
                Work::Changes { format: spec.format, changes: changes.clone(), made: None, blank: None }
            }
            FixWork::Rewrite(rewrite) => Work::Rewrite { format: spec.format, rewrite: *rewrite },
            FixWork::Private => {
                let mode =
                    fs::mode(&path).map(|mode| format!(" (now 0{mode:o}, then 0600)")).unwrap_or_default();
                notes.push(format!(
                    "Only you can read `{}` then{mode}; what it says stays",
                    display_path(self.home, &path)
                ));
                Work::Private
            }
            FixWork::MoveAll { host, scope, file } => return self.move_all(reading, host, *scope, file),
        };
        let shown = display_path(self.home, &path);
        Ok(Prepared {
            edits: vec![FileEdit { path, mode: mode_of(spec.scope), work }],
            title: format!("{title} in {shown}"),
            message: format!("Changed: `{shown}`."),
            notice: String::new(),
            notes,
            servers: Vec::new(),
            undoes: None,
        })
    }

    /// Every server of a source to where the host reads them.
    fn move_all(
        &self,
        reading: &SourceReading,
        host: &str,
        scope: jackfield_config::Scope,
        file: &str,
    ) -> Result<Prepared, EngineError> {
        let target = self.catalog.sources.iter().find(|other| {
            other.spec.host.id == host
                && other.spec.scope == scope
                && other.spec.id != reading.spec.id
                && other.spec.path.ends_with(file)
        });
        let target = target.ok_or(EngineError::NoFix)?;
        let mut sum: Option<Prepared> = None;
        for definition in &reading.definitions {
            let entry = self.entry(&definition.id)?;
            let plan = plan::transfer(self.catalog, entry, &target.spec.id, None, false, self.home)?;
            match &mut sum {
                Some(sum) => {
                    sum.edits.extend(plan.edits.into_iter().map(FileEdit::from));
                    sum.notes.extend(plan.notes);
                }
                None => sum = Some(prepared(plan, Vec::new())),
            }
        }
        let mut sum = sum.ok_or(EngineError::NoFix)?;
        sum.title = format!(
            "Moved {} servers from {} to {}",
            reading.definitions.len(),
            display_path(self.home, &reading.spec.path),
            display_path(self.home, &target.spec.path)
        );
        Ok(sum)
    }

    fn undo(&self, group: u64) -> Result<Prepared, EngineError> {
        let groups = self.writer.journal().groups();
        let found = groups.iter().find(|entry| entry.id == group);
        let first = found.and_then(|entry| entry.records.first());
        let title = first.map(|record| record.title.clone()).unwrap_or_default();
        if found.is_some_and(|entry| entry.undone) {
            return Err(WriteError::NotUndoable("it was undone already").into());
        }
        let edits = self.writer.undo(group)?;
        let files = edits.iter().map(|edit| format!("`{}`", display_path(self.home, &edit.path)));
        let title = match title.strip_prefix("Undid: ") {
            Some(again) => again.to_owned(),
            None => format!("Undid: {title}"),
        };
        Ok(Prepared {
            message: format!("{title}. Changed: {}.", files.collect::<Vec<_>>().join(" and ")),
            notice: String::new(),
            edits,
            title,
            notes: Vec::new(),
            servers: Vec::new(),
            undoes: Some(group),
        })
    }

    /// A file that says other things by now keeps them: only the servers come back. One that says nothing new, or does
    /// not parse, comes back as it was, comments and all.
    fn restore(&self, path: PathBuf) -> Result<Prepared, EngineError> {
        let good =
            self.wipe.good(&path).ok_or(WriteError::NotUndoable("what the file said before is not kept"))?;
        let text = SourceText::decode(&good).map_err(|_| EngineError::NoFix)?;
        let readings = || self.catalog.sources.iter().filter(|reading| *reading.spec.path == path);
        let mode = readings().next().map_or(fs::Mode::Private, |reading| mode_of(reading.spec.scope));
        let now = fs::read_optional(&path)?;
        let blank = now.as_deref().is_none_or(|bytes| bytes.trim_ascii().is_empty());
        let broken = readings().any(|reading| reading.state != ReadState::Read);
        let shown = display_path(self.home, &path);
        let mut servers = 0;
        let roots: Vec<Vec<String>> = readings().map(|reading| reading.spec.root.clone()).collect();
        let format = readings().next().map(|reading| reading.spec.format);
        let nothing_new = || {
            let now = SourceText::decode(now.as_deref()?).ok()?;
            Some(edit::is_remainder(&now.text, &text.text, format?, &roots))
        };
        let work = if blank || broken || nothing_new() == Some(true) {
            vec![Work::Bytes { now: now.as_deref().map(fs::hash), bytes: Some(good.clone()) }]
        } else {
            let mut work = Vec::new();
            for reading in readings() {
                let before = read::read_source(&reading.spec, Content::Text(&text), self.home);
                let lost = before.definitions.iter().filter(|definition| {
                    !reading.definitions.iter().any(|there| there.name == definition.name)
                });
                let changes: Vec<Change> = lost
                    .filter_map(|definition| {
                        Some(Change::Set {
                            target: Target {
                                root: definition.source.root.clone(),
                                keys: vec![definition.name.clone()],
                                list: definition.source.list,
                            },
                            value: definition.entry_value()?,
                            place: Place::Last,
                            missing: Missing::Create,
                        })
                    })
                    .collect();
                servers += changes.len();
                if !changes.is_empty() {
                    work.push(Work::Changes {
                        format: reading.spec.format,
                        changes,
                        made: None,
                        blank: None,
                    });
                }
            }
            work
        };
        let notes = if servers > 0 {
            vec!["The rest of the file stays as it is now; only the servers come back.".to_owned()]
        } else {
            Vec::new()
        };
        let path = Arc::new(path);
        Ok(Prepared {
            edits: work.into_iter().map(|work| FileEdit { path: path.clone(), mode, work }).collect(),
            title: format!("Restored {shown}"),
            message: format!("Restored `{shown}`."),
            notice: String::new(),
            notes,
            servers: Vec::new(),
            undoes: None,
        })
    }
}

fn prepared(plan: Plan, servers: Vec<ServerId>) -> Prepared {
    Prepared {
        edits: plan.edits.into_iter().map(FileEdit::from).collect(),
        title: plan.title,
        message: plan.message,
        notice: plan.notice,
        notes: plan.notes,
        servers,
        undoes: None,
    }
}

impl From<PlanError> for EngineError {
    fn from(error: PlanError) -> EngineError {
        EngineError::Plan(Box::new(error))
    }
}
