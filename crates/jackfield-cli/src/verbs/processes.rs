//! `jackfield processes`: MCP servers that are running and were not started by Jackfield.

use jackfield_api::wire::ForeignProcess;
use jackfield_engine::ConnectWhen;
use serde::Serialize;

use crate::args::Common;
use crate::output::{self, Exit, Failure, Ink};
use crate::{session, table};

/// `jackfield processes --json`.
#[derive(Serialize)]
struct Listed<'a> {
    processes: &'a [ForeignProcess],
}

pub(crate) async fn run(common: &Common, end: Option<u32>) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let found = api.foreign_processes().await?;
    if let Some(pid) = end {
        let process = found.iter().find(|process| process.pid == pid).ok_or_else(|| {
            Failure::new(format!("{pid} is no MCP server that fits a definition."))
                .hint("See jackfield processes.")
        })?;
        api.end_process(pid, process.started).await?;
        api.engine().shutdown().await;
        output::talk(&output::inert(&format!("Asked {pid} to end: {}", process.command_line)));
        return Ok(Exit::Done);
    }
    api.engine().shutdown().await;
    if common.json {
        output::json(&Listed { processes: &found })?;
    } else if found.is_empty() {
        output::talk("No other program runs one of these servers.");
    } else {
        let rows: Vec<Vec<table::Cell>> = found.iter().map(row).collect();
        output::data(&table::lines(&rows));
    }
    Ok(Exit::Done)
}

fn row(process: &ForeignProcess) -> Vec<table::Cell> {
    let (whose, ink) = match (&process.parent, process.orphan) {
        (Some(parent), _) => (format!("of {parent}"), Ink::Faint),
        (None, true) => ("left over".to_owned(), Ink::Wait),
        (None, false) => (String::new(), Ink::Faint),
    };
    vec![
        (process.pid.to_string(), Ink::Plain),
        (process.name.clone(), Ink::Bold),
        (whose, ink),
        (format!("{} MB", process.usage.memory_bytes / 1_000_000), Ink::Plain),
        (process.command_line.clone(), Ink::Faint),
    ]
}
