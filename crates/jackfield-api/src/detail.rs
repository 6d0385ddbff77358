//! All about one server, for the detail column and `jackfield show`.

use jackfield_config::{Definition, Entry, Judgement, ServerId};
use jackfield_engine::Engine;
use jackfield_engine::log::{LogEntry, LogKind, Tone};
use jackfield_engine::resolve::evaluate;
use jackfield_engine::status::Phase;

use crate::error::ApiError;
use crate::{insight, rows, wire};

/// Lines of a server's life that "recent" shows.
const RECENT: usize = 50;

/// # Errors
/// If there is no such server.
pub fn detail(engine: &Engine, id: &ServerId) -> Result<wire::ServerDetail, ApiError> {
    let catalog = engine.catalog();
    let (position, entry) = catalog
        .entries
        .iter()
        .enumerate()
        .find(|(_, entry)| entry.definition.id == *id)
        .ok_or_else(|| ApiError::no_server(&id.0))?;
    let definition = &entry.definition;
    let status = rows::status_of(engine, definition);
    let row = rows::server_row(&catalog, entry, position, status.as_deref(), std::time::SystemTime::now());
    let (session, hint, stderr_tail) = match status.as_deref().map(|status| &status.phase) {
        Some(Phase::Ready(session)) => (
            Some(wire::SessionInfo {
                name: session.server_name.clone(),
                version: session.server_version.clone(),
                title: session.server_title.clone(),
                protocol: session.protocol.clone(),
                instructions: session.instructions.clone(),
                connected_at: rows::millis(session.connected_at),
                connect_ms: session.connect_ms,
                pid: session.pid,
            }),
            None,
            Vec::new(),
        ),
        Some(Phase::Failed(failure) | Phase::Retrying { failure, .. }) => {
            (None, Some(failure.hint.clone()).filter(|hint| !hint.is_empty()), failure.stderr_tail.clone())
        }
        Some(Phase::Idle | Phase::Connecting { .. } | Phase::NeedsSignIn { .. } | Phase::Stopped) | None => {
            (None, None, Vec::new())
        }
    };
    // Nothing of an unapproved definition is evaluated; the review shows it as written.
    let unapproved = matches!(entry.judgement, Judgement::NeedsApproval | Judgement::ProjectOff);
    let sent = if unapproved { Vec::new() } else { engine.resolver().describe(definition) };
    let recent = engine.server(id).map_or_else(Vec::new, |server| {
        let log = server.log();
        let (lines, _) = log.after(0, usize::MAX);
        lines.iter().rev().filter(|line| line.kind == LogKind::Lifecycle).take(RECENT).map(log_line).collect()
    });
    Ok(wire::ServerDetail {
        session,
        sent: sent.into_iter().map(|value| sent_value(engine, definition, value)).collect(),
        defined: defined(engine, entry),
        findings: catalog
            .diagnostics
            .iter()
            .filter(|found| rows::is_about(found, definition))
            .map(|found| rows::finding(found, engine.paths()))
            .chain(status.as_deref().map(|status| left_out(&status.phase, entry, engine)).unwrap_or_default())
            .collect(),
        recent,
        review: unapproved.then(|| review(engine, entry)).flatten(),
        stderr_tail,
        hint,
        insight: engine
            .server(id)
            .zip(status.as_deref())
            .map(|(server, status)| insight::of(&server, status)),
        row,
    })
}

/// Findings of the files, and those that only connecting could make: failures, values that commands did not give.
pub fn with_failures(engine: &Engine, mut found: Vec<wire::Finding>) -> Vec<wire::Finding> {
    let catalog = engine.catalog();
    for entry in &catalog.entries {
        let Some(status) = rows::status_of(engine, &entry.definition) else { continue };
        found.extend(left_out(&status.phase, entry, engine));
        let told = match &status.phase {
            Phase::Failed(failure) | Phase::Retrying { failure, .. } => {
                Some((failure.message.clone(), failure.hint.clone()))
            }
            Phase::NeedsSignIn { message } => Some((message.clone(), String::new())),
            Phase::Connecting { .. } => {
                let last =
                    engine.server(&entry.definition.id).and_then(|server| server.log().tail_stderr(1).pop());
                let detail = match last {
                    Some(line) => format!("The last line on its stderr: {line}"),
                    None => "It has said nothing yet.".to_owned(),
                };
                let title = format!("`{}` is still connecting", entry.definition.name);
                let code = jackfield_config::Code::StillConnecting;
                found.push(about(entry, engine, code, jackfield_config::Severity::Warning, title, detail));
                None
            }
            Phase::Idle | Phase::Ready(_) | Phase::Stopped => None,
        };
        // A missing command was told by looking at the file.
        let known = found.iter().any(|known| {
            known.server.as_ref() == Some(&entry.definition.name)
                && known.code == jackfield_config::Code::CommandNotFound.as_str()
        });
        if let Some((message, hint)) = told.filter(|_| !known) {
            let title = format!("`{}` cannot be connected: {message}", entry.definition.name);
            let code = jackfield_config::Code::ConnectFailed;
            found.push(about(entry, engine, code, jackfield_config::Severity::Error, title, hint));
        }
    }
    found
}

/// Values that were left out at connect time and could not be told before: outputs of commands, files.
fn left_out(phase: &Phase, entry: &Entry, engine: &Engine) -> Vec<wire::Finding> {
    let Phase::Ready(session) = phase else { return Vec::new() };
    let unforeseen = session.left_out.iter().filter(|left| !left.foreseen);
    unforeseen
        .map(|left| {
            let title = format!("`{}` was left out: {}", left.name, left.why);
            let code = jackfield_config::Code::ValueLeftOut;
            about(entry, engine, code, jackfield_config::Severity::Error, title, String::new())
        })
        .collect()
}

fn about(
    entry: &Entry,
    engine: &Engine,
    code: jackfield_config::Code,
    severity: jackfield_config::Severity,
    title: String,
    detail: String,
) -> wire::Finding {
    let found = jackfield_config::Diagnostic {
        code,
        severity,
        title,
        detail,
        path: Some(entry.definition.source.path.clone()),
        position: entry.definition.position,
        server: Some(entry.definition.name.clone()),
        fixes: Vec::new(),
    };
    rows::finding(&found, engine.paths())
}

fn sent_value(engine: &Engine, definition: &Definition, value: evaluate::SentValue) -> wire::SentValue {
    wire::SentValue {
        place: place(engine, definition, &value.field),
        label: value.label,
        group: match value.group {
            evaluate::Group::Main => wire::SentGroup::Main,
            evaluate::Group::Env => wire::SentGroup::Env,
            evaluate::Group::Header => wire::SentGroup::Header,
        },
        value: value.value,
        origin: origin(value.origin),
        from: value.from,
    }
}

pub(crate) fn origin(origin: evaluate::Origin) -> wire::Origin {
    match origin {
        evaluate::Origin::Literal => wire::Origin::Literal,
        evaluate::Origin::Variable => wire::Origin::Variable,
        evaluate::Origin::Default => wire::Origin::Default,
        evaluate::Origin::Command => wire::Origin::Command,
        evaluate::Origin::Unset => wire::Origin::Unset,
    }
}

/// Where a field stands: in the definition's own file, or in a lower one that its host lays it over.
fn place(engine: &Engine, definition: &Definition, field: &str) -> Option<wire::FieldAt> {
    let place = definition.place_of(field)?;
    let catalog = engine.catalog();
    let path = match &place.source {
        None => &definition.source.path,
        Some(id) => &catalog.sources.iter().find(|reading| reading.spec.id == *id)?.spec.path,
    };
    Some(wire::FieldAt {
        path: path.display().to_string(),
        display_path: engine.paths().display(path),
        line: place.position.line,
        column: place.position.column,
    })
}

/// Every place that defines a server of this name, the one in use first.
fn defined(engine: &Engine, entry: &Entry) -> Vec<wire::DefinedAt> {
    let catalog = engine.catalog();
    let mut places: Vec<wire::DefinedAt> = catalog
        .entries
        .iter()
        .filter(|other| other.definition.name == entry.definition.name)
        .map(|other| {
            let (source, in_use) = (&other.definition.source, matches!(other.judgement, Judgement::Run));
            wire::DefinedAt {
                id: other.definition.id.to_string(),
                host: source.host.id.to_owned(),
                host_name: source.host.name.to_owned(),
                mark: source.host.mark.to_owned(),
                scope: rows::scope(source.scope),
                path: source.path.display().to_string(),
                display_path: engine.paths().display(&source.path),
                line: other.definition.position.map(|position| position.line),
                in_use,
                shadowed: matches!(other.judgement, Judgement::Shadowed { .. }),
                tag: tag(&other.judgement),
            }
        })
        .collect();
    places.sort_by_key(|place| !place.in_use);
    places
}

fn tag(judgement: &Judgement) -> String {
    match judgement {
        Judgement::Run => "In use".to_owned(),
        Judgement::Shadowed { differs, .. } => match differs.as_slice() {
            [] => "Shadowed, the same".to_owned(),
            fields => format!("Shadowed, differs in {}", fields.join(", ")),
        },
        Judgement::Disabled => "Disabled".to_owned(),
        Judgement::Denied => "Off in Jackfield".to_owned(),
        Judgement::HostDisabled { by } => format!("Off by {by}"),
        Judgement::Elsewhere { .. } => "Provided elsewhere".to_owned(),
        Judgement::Invalid => "Invalid".to_owned(),
        Judgement::NeedsApproval => "Needs approval".to_owned(),
        Judgement::ProjectOff => "Project servers are off".to_owned(),
        Judgement::Filtered => "Built into agents".to_owned(),
    }
}

/// Exactly what a person approves.
pub fn review(engine: &Engine, entry: &Entry) -> Option<wire::Review> {
    let review = engine.review(&entry.definition)?;
    Some(wire::Review {
        hash: entry.definition.hash.to_string(),
        lines: review.lines,
        values: review.values.into_iter().map(review_value).collect(),
        changed: review.changed,
        project: engine.paths().display(&review.project),
    })
}

fn review_value(value: jackfield_engine::engine::ReviewValue) -> wire::ReviewValue {
    use jackfield_engine::engine::ReviewKind;
    wire::ReviewValue {
        kind: match value.kind {
            ReviewKind::Env => wire::ReviewKind::Env,
            ReviewKind::Header => wire::ReviewKind::Header,
            ReviewKind::Folder => wire::ReviewKind::Folder,
            ReviewKind::EnvFile => wire::ReviewKind::EnvFile,
            ReviewKind::HeadersHelper => wire::ReviewKind::HeadersHelper,
        },
        name: value.name,
        value: value.value,
        runs: value.runs,
    }
}

/// A line of a log for the window.
pub fn log_line(line: &LogEntry) -> wire::LogLine {
    wire::LogLine {
        seq: line.seq,
        at: rows::millis(line.at),
        kind: match line.kind {
            LogKind::Lifecycle => wire::LogKind::Lifecycle,
            LogKind::Stderr => wire::LogKind::Stderr,
            LogKind::Stdout => wire::LogKind::Stdout,
        },
        tone: match line.tone {
            Tone::Neutral => wire::Tone::Neutral,
            Tone::Good => wire::Tone::Good,
            Tone::Wait => wire::Tone::Wait,
            Tone::Bad => wire::Tone::Bad,
        },
        text: line.text.clone(),
    }
}
