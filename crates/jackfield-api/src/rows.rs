//! From the engine's state to the rows of the window. Pure: everything is handed in.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use jackfield_config::edit::toggle::{self, Means, NoPast};
use jackfield_config::{Catalog, Definition, Diagnostic, Entry, Judgement, ReadState, Transport, mask};
use jackfield_engine::paths::Paths;
use jackfield_engine::resolve::evaluate::quote;
use jackfield_engine::status::{self, FailureKind, Phase, ServerStatus};

use crate::wire::{
    Alert, Finding, FixRow, HostRow, Reason, RowAction, Scope, ServerRow, Severity, SourceRow, Status, Toggle,
};

/// Milliseconds since the epoch.
pub fn millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// The row of one definition. `position` is its place in the catalog; `since` is when the catalog was made, for
/// definitions without a task.
pub fn server_row(
    catalog: &Catalog,
    entry: &Entry,
    position: usize,
    status: Option<&ServerStatus>,
    since: SystemTime,
) -> ServerRow {
    let definition = &entry.definition;
    let verdict = status::verdict(catalog, entry, status);
    let findings = || catalog.diagnostics.iter().filter(|found| is_about(found, definition));
    let count = |severity| findings().filter(|found| found.severity == severity).count();
    let reason = verdict.reason.map(reason);
    ServerRow {
        id: definition.id.to_string(),
        name: definition.name.clone(),
        host: definition.source.host.id.to_owned(),
        scope: scope(definition.source.scope),
        rank: u32::try_from(position).unwrap_or(u32::MAX),
        transport: definition.transport.word().map(str::to_owned),
        summary: summary(definition),
        status: match verdict.view {
            status::View::Connected => Status::Connected,
            status::View::Connecting => Status::Connecting,
            status::View::Disconnected => Status::Disconnected,
        },
        action: reason.and_then(|reason| action(reason, status)),
        reason,
        message: verdict.message,
        since: millis(status.map_or(since, |status| status.since)),
        retry_at: status.and_then(|status| match &status.phase {
            Phase::Retrying { at, .. } => Some(millis(*at)),
            Phase::Idle
            | Phase::Connecting { .. }
            | Phase::Ready(_)
            | Phase::NeedsSignIn { .. }
            | Phase::Failed(_)
            | Phase::Stopped => None,
        }),
        tools: status.and_then(|status| status.tools).and_then(|count| u32::try_from(count).ok()),
        tools_cached: status.is_some_and(|status| status.tools_cached),
        latency_ms: status.and_then(|status| status.latency_ms),
        toggle: switch(catalog, entry),
        differs: match &entry.judgement {
            Judgement::Shadowed { differs, .. } => differs.iter().map(|field| (*field).to_owned()).collect(),
            Judgement::Run
            | Judgement::Disabled
            | Judgement::Denied
            | Judgement::HostDisabled { .. }
            | Judgement::Invalid
            | Judgement::NeedsApproval
            | Judgement::ProjectOff
            | Judgement::Elsewhere { .. }
            | Judgement::Filtered => Vec::new(),
        },
        shadowed_by: match &entry.judgement {
            Judgement::Shadowed { by, .. } => catalog.get(by).map(|winner| place(&winner.definition)),
            Judgement::Run
            | Judgement::Disabled
            | Judgement::Denied
            | Judgement::HostDisabled { .. }
            | Judgement::Elsewhere { .. }
            | Judgement::Invalid
            | Judgement::NeedsApproval
            | Judgement::ProjectOff
            | Judgement::Filtered => None,
        },
        errors: u32::try_from(count(jackfield_config::Severity::Error)).unwrap_or(u32::MAX),
        warnings: u32::try_from(count(jackfield_config::Severity::Warning)).unwrap_or(u32::MAX),
    }
}

/// Whether a finding is about this definition: the same file and the same name.
pub fn is_about(found: &Diagnostic, definition: &Definition) -> bool {
    found.server.as_deref() == Some(definition.name.as_str())
        && found.path.as_deref() == Some(&*definition.source.path)
}

/// "xcsh, user".
pub fn place(definition: &Definition) -> String {
    format!("{}, {}", definition.source.host.name, definition.source.scope.as_str())
}

/// Command line or url as written, with secrets masked.
pub fn summary(definition: &Definition) -> String {
    match &definition.transport {
        Transport::Stdio { command, args, .. } => {
            let args: Vec<String> = args.iter().map(|arg| arg.raw.clone()).collect();
            let command = mask::command_line(&command.raw);
            let words = std::iter::once(command).chain(mask::args(&args));
            words.map(|word| quote(&word)).collect::<Vec<_>>().join(" ")
        }
        Transport::Http { url, .. } => mask::url(&url.raw),
        Transport::Unknown => String::new(),
    }
}

fn switch(catalog: &Catalog, entry: &Entry) -> Toggle {
    let on = is_on(entry);
    if entry.judgement == Judgement::NeedsApproval {
        return Toggle { on, available: false, note: Some("Review it before it runs".to_owned()) };
    }
    match toggle::plan(catalog, entry, !on, &NoPast) {
        Ok(edits) => {
            let only_here = on && edits.iter().all(|edit| edit.means == Means::Denylist);
            let host = entry.definition.source.host.name;
            let note =
                only_here.then(|| format!("{host} has no switch: this is for Jackfield and its gateway"));
            Toggle { on, available: true, note }
        }
        Err(why) => Toggle { on, available: false, note: Some(why.to_string()) },
    }
}

/// Where the switch of a row stands: whether anything holds the definition off.
fn is_on(entry: &Entry) -> bool {
    let held = match &entry.judgement {
        Judgement::Denied | Judgement::HostDisabled { .. } | Judgement::NeedsApproval => true,
        Judgement::Run
        | Judgement::Shadowed { .. }
        | Judgement::Disabled
        | Judgement::Elsewhere { .. }
        | Judgement::Invalid
        | Judgement::ProjectOff
        | Judgement::Filtered => false,
    };
    !held && entry.definition.enabled != Some(false)
}

fn action(reason: Reason, status: Option<&ServerStatus>) -> Option<RowAction> {
    match reason {
        Reason::NeedsApproval => Some(RowAction::Review),
        Reason::Invalid => Some(RowAction::OpenFile),
        Reason::Retrying => Some(RowAction::Reconnect),
        Reason::Idle | Reason::Stopped | Reason::Filtered => Some(RowAction::Connect),
        Reason::NeedsSignIn => Some(RowAction::Details),
        Reason::Failed => match status.map(|status| &status.phase) {
            Some(Phase::Failed(failure)) => match failure.kind {
                FailureKind::NotFound | FailureKind::Permission | FailureKind::Config => {
                    Some(RowAction::OpenFile)
                }
                FailureKind::Refused
                | FailureKind::Unreachable
                | FailureKind::Timeout
                | FailureKind::SignIn
                | FailureKind::Forbidden
                | FailureKind::Http(_)
                | FailureKind::Tls
                | FailureKind::Exited
                | FailureKind::Protocol
                | FailureKind::ListTools => Some(RowAction::Reconnect),
            },
            Some(_) | None => Some(RowAction::Reconnect),
        },
        Reason::Disabled | Reason::Denied | Reason::HostDisabled | Reason::Shadowed | Reason::ProjectOff => {
            None
        }
    }
}

/// The hosts that have a file or a server here, in the order of priority.
pub fn host_rows(catalog: &Catalog, paths: &Paths) -> Vec<HostRow> {
    let mut rows: Vec<HostRow> = Vec::new();
    for reading in &catalog.sources {
        let host = reading.spec.host;
        let index = rows.iter().position(|row| row.id == host.id).unwrap_or_else(|| {
            rows.push(HostRow {
                id: host.id.to_owned(),
                name: host.name.to_owned(),
                mark: host.mark.to_owned(),
                servers: 0,
                errors: 0,
                warnings: 0,
                sources: Vec::new(),
            });
            rows.len() - 1
        });
        let count = u32::try_from(reading.definitions.len()).unwrap_or(u32::MAX);
        let of_this = |found: &&Diagnostic| found.path.as_deref() == Some(&*reading.spec.path);
        let weigh = |severity| {
            let found = catalog.diagnostics.iter().filter(of_this).filter(|found| found.severity == severity);
            u32::try_from(found.count()).unwrap_or(u32::MAX)
        };
        let row = &mut rows[index];
        // A file that is two sources (a user's and a project's) has its findings counted once.
        if !row.sources.iter().any(|source| std::path::Path::new(&source.path) == reading.spec.path.as_path())
        {
            row.errors += weigh(jackfield_config::Severity::Error);
            row.warnings += weigh(jackfield_config::Severity::Warning);
        }
        row.servers += count;
        let error = match &reading.state {
            ReadState::Unreadable(message) => Some(message.clone()),
            ReadState::Broken | ReadState::LastGood => catalog
                .diagnostics
                .iter()
                .filter(of_this)
                .find(|found| found.severity == jackfield_config::Severity::Error)
                .map(|found| found.title.clone()),
            ReadState::Missing | ReadState::Read => None,
        };
        row.sources.push(SourceRow {
            path: reading.spec.path.display().to_string(),
            display_path: paths.display(&reading.spec.path),
            scope: scope(reading.spec.scope),
            exists: reading.state != ReadState::Missing,
            servers: match reading.state {
                ReadState::Missing => Some(0),
                ReadState::Read => Some(count),
                ReadState::Broken | ReadState::LastGood | ReadState::Unreadable(_) => None,
            },
            error,
            note: reading.spec.note.map(str::to_owned),
        });
    }
    rows
}

/// A finding for people and scripts.
pub fn finding(found: &Diagnostic, paths: &Paths) -> Finding {
    let path = found.path.as_deref();
    Finding {
        id: found.key(),
        code: found.code.to_string(),
        severity: severity(found.severity),
        title: found.title.clone(),
        detail: found.detail.clone(),
        path: path.map(|path| path.display().to_string()),
        display_path: path.map(|path| paths.display(path)),
        line: found.position.map(|position| position.line),
        column: found.position.map(|position| position.column),
        server: found.server.clone(),
        fixes: found.fixes.iter().map(|fix| FixRow { title: fix.title.clone() }).collect(),
    }
}

pub fn severity(severity: jackfield_config::Severity) -> Severity {
    match severity {
        jackfield_config::Severity::Info => Severity::Info,
        jackfield_config::Severity::Warning => Severity::Warning,
        jackfield_config::Severity::Error => Severity::Error,
    }
}

pub fn scope(scope: jackfield_config::Scope) -> Scope {
    match scope {
        jackfield_config::Scope::User => Scope::User,
        jackfield_config::Scope::Local => Scope::Local,
        jackfield_config::Scope::Project => Scope::Project,
        jackfield_config::Scope::Managed => Scope::Managed,
        jackfield_config::Scope::Plugin => Scope::Plugin,
    }
}

fn reason(reason: status::Reason) -> Reason {
    match reason {
        status::Reason::Failed => Reason::Failed,
        status::Reason::NeedsSignIn => Reason::NeedsSignIn,
        status::Reason::NeedsApproval => Reason::NeedsApproval,
        status::Reason::Retrying => Reason::Retrying,
        status::Reason::Idle => Reason::Idle,
        status::Reason::Disabled => Reason::Disabled,
        status::Reason::Denied => Reason::Denied,
        status::Reason::HostDisabled => Reason::HostDisabled,
        status::Reason::Shadowed => Reason::Shadowed,
        status::Reason::Invalid => Reason::Invalid,
        status::Reason::ProjectOff => Reason::ProjectOff,
        status::Reason::Filtered => Reason::Filtered,
        status::Reason::Stopped => Reason::Stopped,
    }
}

/// The status of a server by its handle, if it has a task.
pub fn status_of(engine: &jackfield_engine::Engine, definition: &Definition) -> Option<Arc<ServerStatus>> {
    engine.server(&definition.id).map(|server| server.status().borrow().clone())
}

/// A file that lost its servers, for people.
pub fn alert(alert: &jackfield_engine::wipe::Alert, paths: &Paths) -> Alert {
    use jackfield_engine::loader::Lost;
    let had = match alert.servers.len() {
        1 => "1 server".to_owned(),
        count => format!("{count} servers"),
    };
    Alert {
        path: alert.path.display().to_string(),
        display_path: paths.display(&alert.path),
        what: match alert.how {
            Lost::Emptied => format!("lost {had}"),
            Lost::Broken => format!("does not parse any more; it had {had}"),
            Lost::Gone => format!("is gone; it had {had}"),
        },
        servers: alert.servers.clone(),
        at: millis(alert.at),
        restorable: true,
        answered: alert.answered,
    }
}
