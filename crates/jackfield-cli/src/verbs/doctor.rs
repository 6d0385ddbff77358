//! `jackfield doctor`: everything that is wrong, where, and how to put it right.

use jackfield_api::contract;
use jackfield_api::wire::{Finding, Severity};
use serde::Serialize;

use crate::args::{Common, Wait};
use crate::output::{self, Exit, Failure};
use crate::session;
use crate::verbs::{list, show};

/// `jackfield doctor --json`.
#[derive(Serialize)]
struct Report {
    diagnostics: Vec<contract::ListedDiagnostic>,
}

pub(crate) async fn run(common: &Common, wait: &Wait) -> Result<Exit, Failure> {
    let api = session::start(common, session::connect_when(wait)).await?;
    let engine = api.engine();
    session::settle(engine, wait).await;
    let mut found: Vec<Finding> = api.findings();
    found.sort_by(|a, b| {
        (severity(b), &a.path, a.line, a.column).cmp(&(severity(a), &b.path, b.line, b.column))
    });
    let count = |wanted| found.iter().filter(|found| found.severity == wanted).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if common.json {
        output::json(&Report { diagnostics: found.into_iter().map(Into::into).collect() })?;
    } else if found.is_empty() {
        output::data("Nothing is wrong.");
    } else {
        output::data(&found.iter().map(show::finding).collect::<String>());
        output::talk(&match errors + warnings {
            0 => "Nothing is wrong.".to_owned(),
            _ => list::weights(errors, warnings),
        });
    }
    engine.shutdown().await;
    Ok(if errors > 0 { Exit::Trouble } else { Exit::Done })
}

fn severity(found: &Finding) -> u8 {
    match found.severity {
        Severity::Info => 0,
        Severity::Warning => 1,
        Severity::Error => 2,
    }
}
