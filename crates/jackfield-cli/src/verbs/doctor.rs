//! `jackfield doctor`: everything that is wrong, where, and how to put it right.

use jackfield_api::contract;
use jackfield_api::wire::{EditRequest, Finding, Severity};
use jackfield_engine::ConnectWhen;
use serde::Serialize;

use crate::args::editing::How;
use crate::args::{Common, Wait};
use crate::output::{self, Exit, Failure};
use crate::session;
use crate::verbs::{change, list, show};

/// `jackfield doctor --json`.
#[derive(Serialize)]
struct Report {
    diagnostics: Vec<contract::ListedDiagnostic>,
}

pub(crate) async fn run(common: &Common, wait: &Wait, fix: Option<&str>, how: How) -> Result<Exit, Failure> {
    if let Some(code) = fix {
        return put_right(common, code, how).await;
    }
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

/// Applies the first fix of every finding of this code, one after the other: each may change what the next sees.
async fn put_right(common: &Common, code: &str, how: How) -> Result<Exit, Failure> {
    let known = jackfield_config::Code::ALL.iter().any(|known| known.as_str() == code);
    if code != "all" && !known {
        return Err(Failure::usage(format!("There is no code `{code}`.")).hint("See jackfield doctor."));
    }
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    // A mere note says what somebody may want; only its own code puts it right.
    let of_code = |found: &Finding| found.code == code || (code == "all" && found.severity != Severity::Info);
    let (mut done, mut tried) = (0, std::collections::HashSet::new());
    let mut failed = None;
    loop {
        let findings = api.findings();
        let next = findings
            .iter()
            .find(|found| of_code(found) && !found.fixes.is_empty() && !tried.contains(&found.id));
        let Some(found) = next else { break };
        tried.insert(found.id.clone());
        let edit = EditRequest::Fix { finding: found.id.clone(), fix: 0 };
        if how.dry_run {
            let preview = api.preview_edit(edit).await?;
            output::data(&preview.files.iter().map(change::diff).collect::<String>());
            done += 1;
            continue;
        }
        match api.apply_edit(edit).await {
            Ok(outcome) => {
                done += 1;
                output::talk(&output::inert(&format!("{}: {}", found.fixes[0].title, outcome.message)));
            }
            Err(error) => failed = Some(Failure::from(error)),
        }
    }
    let left = api.findings().iter().filter(|found| of_code(found)).count();
    api.engine().shutdown().await;
    if let Some(failure) = failed {
        return Err(failure);
    }
    let verb = match (how.dry_run, done) {
        (true, _) => "could be",
        (false, 1) => "was",
        (false, _) => "were",
    };
    output::talk(&format!("{done} {verb} put right; {left} left."));
    Ok(Exit::Done)
}

fn severity(found: &Finding) -> u8 {
    match found.severity {
        Severity::Info => 0,
        Severity::Warning => 1,
        Severity::Error => 2,
    }
}
