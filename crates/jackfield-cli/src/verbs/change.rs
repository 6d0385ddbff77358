//! The verbs that change files: what they have in common, and the small ones.

use jackfield_api::Api;
use jackfield_api::wire::{DiffKind, EditPreview, EditRequest, FilePreview, Severity, TargetRow};
use jackfield_config::Entry;
use jackfield_engine::ConnectWhen;
use serde::Serialize;

use crate::args::editing::{How, Renamed, To, Transfer};
use crate::args::{Common, Server};
use crate::output::{self, Exit, Failure, Ink, ink};
use crate::session;

/// What is printed with `--json`.
#[derive(Serialize)]
struct Outcome<'a> {
    message: &'a str,
    notes: &'a [String],
    /// To undo it.
    entry: Option<u64>,
}

/// Does an edit, or shows what it would do.
pub(super) async fn apply(common: &Common, api: &Api, edit: EditRequest, how: How) -> Result<Exit, Failure> {
    if how.dry_run {
        let preview = api.preview_edit(edit).await?;
        api.engine().shutdown().await;
        return show_preview(common, &preview);
    }
    let outcome = api.apply_edit(edit).await?;
    api.engine().shutdown().await;
    if common.json {
        let (message, notes) = (outcome.message.as_str(), outcome.notes.as_slice());
        output::json(&Outcome { message, notes, entry: outcome.entry })?;
    } else {
        output::data(&output::inert(&outcome.message));
        tell(&outcome.notes);
    }
    Ok(Exit::Done)
}

pub(super) fn tell(notes: &[String]) {
    for note in notes {
        output::talk(&output::inert(&format!("Note: {note}")));
    }
}

fn show_preview(common: &Common, preview: &EditPreview) -> Result<Exit, Failure> {
    if common.json {
        output::json(preview)?;
    } else {
        output::data(&preview.files.iter().map(diff).collect::<String>());
        for problem in &preview.problems {
            let place = if problem.field.is_empty() { String::new() } else { format!("{}: ", problem.field) };
            output::talk(&output::inert(&format!("{place}{}", problem.message)));
        }
        tell(&preview.notes);
        output::talk("Nothing was written.");
    }
    let wrong = preview.problems.iter().any(|problem| problem.severity == Severity::Error);
    Ok(if wrong { Exit::Failed } else { Exit::Done })
}

/// A difference as it is read in a terminal.
pub(super) fn diff(file: &FilePreview) -> String {
    let new = if file.creates { " (new file)" } else { "" };
    let mut out = format!("{}{new}\n", ink(&output::inert(&file.display_path), Ink::Bold));
    for line in &file.lines {
        let text = output::inert_line(&line.text);
        out.push_str(&match line.kind {
            DiffKind::Same => format!("  {text}\n"),
            DiffKind::Added => format!("{}\n", ink(&format!("+ {text}"), Ink::Good)),
            DiffKind::Removed => format!("{}\n", ink(&format!("- {text}"), Ink::Bad)),
            DiffKind::Gap => format!("{}\n", ink("  …", Ink::Faint)),
        });
    }
    out
}

/// The file that the options name; by default the user's file of xcsh.
pub(super) fn target(api: &Api, to: &To) -> Result<TargetRow, Failure> {
    let scope = match to.scope.as_deref() {
        None => None,
        Some(word @ ("user" | "project")) => Some(word),
        Some(_) => return Err(Failure::usage("Invalid --scope value. Use project or user.")),
    };
    let host = to.host.as_deref().or(to.path.is_none().then_some("xcsh"));
    let targets = api.targets();
    if let Some(host) = host {
        session::known_host(host)?;
    }
    let here = |target: &TargetRow| scope_word(target) == "project";
    if scope == Some("project") && !targets.iter().any(here) {
        return Err(Failure::usage("There is no project here.")
            .hint("Go to its folder, or name it with --project FOLDER."));
    }
    let path = to.path.as_ref().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
    let mut fitting = targets.into_iter().filter(|target| {
        let own = std::path::Path::new(&target.path);
        host.is_none_or(|host| host == target.host)
            && scope.is_none_or(|scope| scope == scope_word(target))
            && path
                .as_ref()
                .is_none_or(|path| own == path || own.canonicalize().is_ok_and(|own| own == *path))
    });
    let scope = scope.or_else(|| path.is_none().then_some("user"));
    let found: Vec<TargetRow> =
        fitting.by_ref().filter(|target| scope.is_none_or(|scope| scope == scope_word(target))).collect();
    // One that is there is meant rather than one that would be made.
    let best = found.iter().find(|target| target.exists && target.locked.is_none()).or_else(|| found.first());
    match best {
        // Why one cannot be written to is told with its place when it is tried.
        Some(target) => Ok(target.clone()),
        None => Err(Failure::new(format!(
            "{} has no {} file that servers can be written to.",
            host.and_then(jackfield_config::host::by_id).map_or("That tool", |host| host.name),
            scope.unwrap_or("such")
        ))
        .hint("See jackfield sources --all.")),
    }
}

fn scope_word(target: &TargetRow) -> &'static str {
    use jackfield_api::wire::Scope;
    match target.scope {
        Scope::User => "user",
        Scope::Project => "project",
        Scope::Local => "local",
        Scope::Managed => "managed",
        Scope::Plugin => "plugin",
    }
}

pub(crate) async fn rename(common: &Common, args: Renamed) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let entry = session::pick(api.engine(), &args.server)?;
    let edit = EditRequest::Rename { id: entry.definition.id.to_string(), name: args.to };
    apply(common, &api, edit, args.how).await
}

pub(crate) async fn duplicate(common: &Common, args: Renamed) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let entry = session::pick(api.engine(), &args.server)?;
    let edit = EditRequest::Duplicate { id: entry.definition.id.to_string(), name: args.to };
    apply(common, &api, edit, args.how).await
}

/// Refuses to guess which of several definitions is meant.
pub(crate) async fn remove(common: &Common, server: &Server, how: How) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let entry = session::pick(api.engine(), server)?;
    let catalog = api.engine().catalog();
    let same: Vec<&Entry> =
        catalog.entries.iter().filter(|other| other.definition.name == entry.definition.name).collect();
    let which = &server.which;
    if same.len() > 1 && which.host.is_none() && which.scope.is_none() && which.path.is_none() {
        let places = same.iter().map(|other| {
            let source = &other.definition.source;
            let path = api.engine().paths().display(&source.path);
            format!("\n  --host {} --scope {}  ({path})", source.host.id, source.scope.as_str())
        });
        let message = format!("\"{}\" is defined {} times; say which one:", server.name, same.len());
        return Err(Failure::usage(output::inert(&format!("{message}{}", places.collect::<String>()))));
    }
    let edit = EditRequest::Remove { id: entry.definition.id.to_string() };
    apply(common, &api, edit, how).await
}

pub(crate) async fn transfer(common: &Common, args: Transfer, keep: bool) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let entry = session::pick(api.engine(), &args.server)?;
    let to = To { host: args.to, scope: args.to_scope, path: args.to_path };
    let edit = EditRequest::Copy {
        id: entry.definition.id.to_string(),
        source: target(&api, &to)?.id,
        name: args.rename,
        keep,
    };
    apply(common, &api, edit, args.how).await
}
