//! `jackfield doctor`: everything that is wrong, where, and how to put it right.

use jackfield_api::contract;
use jackfield_api::wire::{EditRequest, FilePreview, Finding, Severity};
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

/// `jackfield doctor --fix CODE --json`.
#[derive(Serialize)]
struct Cured {
    cures: Vec<Cure>,
    /// Findings of the code that are there still.
    left: usize,
}

/// One fix that was applied, or with `--dry-run` would be.
#[derive(Serialize)]
struct Cure {
    code: String,
    title: String,
    message: String,
    notes: Vec<String>,
    /// To undo it.
    entry: Option<u64>,
    /// With `--dry-run`: what would change.
    files: Vec<FilePreview>,
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
    let mut cures: Vec<Cure> = Vec::new();
    let mut tried = std::collections::HashSet::new();
    let mut failed = None;
    loop {
        let findings = api.findings();
        let next = findings
            .iter()
            .find(|found| of_code(found) && !found.fixes.is_empty() && !tried.contains(&found.id));
        let Some(found) = next else { break };
        tried.insert(found.id.clone());
        let edit = EditRequest::Fix { finding: found.id.clone(), fix: 0 };
        let cure = |message, notes, entry, files| Cure {
            code: found.code.clone(),
            title: found.fixes[0].title.clone(),
            message,
            notes,
            entry,
            files,
        };
        let done = if how.dry_run {
            let preview = api.preview_edit(edit).await;
            preview.map(|preview| cure(String::new(), preview.notes, None, preview.files))
        } else {
            let outcome = api.apply_edit(edit).await;
            outcome.map(|done| cure(done.message, done.notes, done.entry, Vec::new()))
        };
        match done {
            Ok(cure) => {
                if !common.json {
                    tell(&cure);
                }
                cures.push(cure);
            }
            Err(error) => failed = Some(Failure::from(error)),
        }
    }
    let left = api.findings().iter().filter(|found| of_code(found)).count();
    api.engine().shutdown().await;
    if let Some(failure) = failed {
        return Err(failure);
    }
    if common.json {
        output::json(&Cured { cures, left })?;
        return Ok(Exit::Done);
    }
    let verb = match (how.dry_run, cures.len()) {
        (true, _) => "could be",
        (false, 1) => "was",
        (false, _) => "were",
    };
    output::talk(&format!("{} {verb} put right; {left} left.", cures.len()));
    Ok(Exit::Done)
}

fn tell(cure: &Cure) {
    output::data(&cure.files.iter().map(change::diff).collect::<String>());
    let what = if cure.message.is_empty() { String::new() } else { format!(": {}", cure.message) };
    output::talk(&output::inert(&format!("{}{what}", cure.title)));
    change::tell(&cure.notes);
}

fn severity(found: &Finding) -> u8 {
    match found.severity {
        Severity::Info => 0,
        Severity::Warning => 1,
        Severity::Error => 2,
    }
}
