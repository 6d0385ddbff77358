//! `jackfield list`: one line a definition.

use jackfield_api::contract::{self, ListedServer};
use jackfield_api::wire::{Reason, Severity, Status};

use crate::args::{Common, Wait};
use crate::output::{self, Exit, Failure, Ink};
use crate::{session, table};

pub(crate) async fn run(common: &Common, wait: &Wait) -> Result<Exit, Failure> {
    let api = session::start(common, session::connect_when(wait)).await?;
    let engine = api.engine();
    let settled = session::settle(engine, wait).await;
    let list = contract::list(engine);
    let trouble = !wait.no_connect && (!settled || list.servers.iter().any(should_run_and_does_not));
    if common.json {
        output::json(&list)?;
    } else {
        print(&list, engine.settings().enable_mcp, wait);
    }
    engine.shutdown().await;
    Ok(if trouble { Exit::Trouble } else { Exit::Done })
}

/// Not those that the user, a file or a pending approval keeps from running.
fn should_run_and_does_not(server: &ListedServer) -> bool {
    match server.reason {
        None => server.status == Status::Connecting,
        Some(Reason::Failed | Reason::Retrying | Reason::NeedsSignIn | Reason::Invalid) => true,
        Some(
            Reason::NeedsApproval
            | Reason::Idle
            | Reason::Disabled
            | Reason::Denied
            | Reason::HostDisabled
            | Reason::Shadowed
            | Reason::ProjectOff
            | Reason::Filtered
            | Reason::Stopped,
        ) => false,
    }
}

fn print(list: &contract::List, enabled: bool, wait: &Wait) {
    if !enabled {
        output::talk("MCP is switched off in Jackfield's settings (enable_mcp).");
    }
    if list.servers.is_empty() {
        output::talk("No MCP servers found. jackfield sources --all shows where was looked.");
        return;
    }
    let rows: Vec<Vec<table::Cell>> =
        list.servers.iter().map(|server| row(server, wait.no_connect)).collect();
    output::data(&table::lines(&rows));
    let count = |severity| list.diagnostics.iter().filter(|found| found.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if errors + warnings > 0 {
        output::talk(&format!("{} in the files: jackfield doctor explains", weights(errors, warnings)));
    }
}

/// "2 errors and 1 warning".
pub(super) fn weights(errors: usize, warnings: usize) -> String {
    let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    match (errors, warnings) {
        (0, warnings) => count(warnings, "warning"),
        (errors, 0) => count(errors, "error"),
        (errors, warnings) => format!("{} and {}", count(errors, "error"), count(warnings, "warning")),
    }
}

fn row(server: &ListedServer, at_rest: bool) -> Vec<table::Cell> {
    let (shape, word, colour) = state(server, at_rest);
    let tools = server.tools.map(|count| format!("{count} tools")).unwrap_or_default();
    let why = server.message.clone().unwrap_or_default();
    vec![
        (shape.to_owned(), colour),
        (server.name.clone(), Ink::Bold),
        (format!("{}, {}", server.host, scope_word(server)), Ink::Faint),
        (word.to_owned(), colour),
        (tools, Ink::Plain),
        (why, if colour == Ink::Bad { Ink::Bad } else { Ink::Plain }),
    ]
}

fn scope_word(server: &ListedServer) -> String {
    serde_json::to_value(server.scope)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Shape, word and colour; each tells alone.
pub(super) fn state(server: &ListedServer, at_rest: bool) -> (&'static str, &'static str, Ink) {
    match (server.status, server.reason) {
        (Status::Connected, _) => ("●", "connected", Ink::Good),
        (Status::Connecting, _) => ("◔", "connecting", Ink::Wait),
        (Status::Disconnected, None | Some(Reason::Idle)) if at_rest => ("○", "not asked", Ink::Faint),
        (Status::Disconnected, None | Some(Reason::Idle)) => ("○", "not connected", Ink::Faint),
        (Status::Disconnected, Some(reason)) => match reason {
            Reason::Failed => ("▲", "failed", Ink::Bad),
            Reason::NeedsSignIn => ("⚿", "needs sign-in", Ink::Wait),
            Reason::NeedsApproval => ("◇", "needs approval", Ink::Wait),
            Reason::Retrying => ("◔", "retrying", Ink::Wait),
            Reason::Idle => ("○", "not connected", Ink::Faint),
            Reason::Disabled => ("–", "disabled", Ink::Faint),
            Reason::Denied => ("–", "off in Jackfield", Ink::Faint),
            Reason::HostDisabled => ("–", "off in its tool", Ink::Faint),
            Reason::Shadowed => ("▣", "shadowed", Ink::Faint),
            Reason::Invalid => ("▲", "invalid", Ink::Bad),
            Reason::ProjectOff => ("–", "project off", Ink::Faint),
            Reason::Filtered => ("–", "set apart", Ink::Faint),
            Reason::Stopped => ("○", "stopped", Ink::Faint),
        },
    }
}
