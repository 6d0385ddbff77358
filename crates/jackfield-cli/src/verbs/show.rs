//! `jackfield show NAME`: what is sent, where it is defined, what just happened.

use jackfield_api::wire::{DefinedAt, Finding, Reason, SentGroup, SentValue, ServerDetail, Severity};
use jackfield_config::Judgement;
use jackfield_engine::ConnectWhen;

use crate::args::{Common, Server, Wait};
use crate::output::{self, Exit, Failure, Ink, ink};
use crate::{session, table};

pub(crate) async fn run(common: &Common, server: &Server, wait: &Wait) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let entry = session::pick(api.engine(), server)?;
    let id = &entry.definition.id;
    if !wait.no_connect && entry.judgement == Judgement::Run {
        api.engine().connect(id).await.map_err(|error| Failure::new(error.to_string()))?;
        if let Some(server) = api.engine().server(id) {
            session::settle_one(&server, wait).await;
        }
    }
    let detail = api.server_detail(id)?;
    if common.json {
        output::json(&detail)?;
    } else {
        print(&detail);
    }
    api.engine().shutdown().await;
    Ok(match detail.row.reason {
        Some(Reason::NeedsApproval) => Exit::NeedsApproval,
        Some(Reason::NeedsSignIn) => Exit::NeedsSignIn,
        Some(_) | None => Exit::Done,
    })
}

fn print(detail: &ServerDetail) {
    let row = &detail.row;
    let mut out = format!("{}\n", ink(&output::inert(&row.name), Ink::Bold));
    let status = row.reason.map_or_else(|| word(&row.status), |reason| word(&reason));
    out.push_str(&format!("{}\n", status.replace('_', " ")));
    if let Some(message) = &row.message {
        out.push_str(&format!("{}\n", output::inert(message)));
    }
    if let Some(hint) = &detail.hint {
        out.push_str(&format!("{}\n", output::inert(hint)));
    }
    if let Some(session) = &detail.session {
        let name = session.title.as_ref().unwrap_or(&session.name);
        out.push_str(&output::inert(&format!(
            "{name} {}, protocol {}, connected in {} ms\n",
            session.version, session.protocol, session.connect_ms
        )));
    }
    if let Some(tools) = row.tools {
        out.push_str(&format!(
            "{tools} tools{}\n",
            if row.tools_cached { ", from the last connection" } else { "" }
        ));
    }
    if !detail.sent.is_empty() {
        out.push_str(&heading("What is sent"));
        out.push_str(&table::lines(&detail.sent.iter().map(sent).collect::<Vec<_>>()));
    }
    if let Some(review) = &detail.review {
        out.push_str(&heading("Waits for approval"));
        out.push_str(&super::approve::what(review));
        out.push_str(&format!("Allow it with jackfield approve {}\n", output::inert(&row.name)));
    }
    out.push_str(&heading("Where it is defined"));
    out.push_str(&table::lines(&detail.defined.iter().map(defined).collect::<Vec<_>>()));
    if !detail.findings.is_empty() {
        out.push_str(&heading("Findings"));
        out.extend(detail.findings.iter().map(finding));
    }
    if !detail.stderr_tail.is_empty() {
        out.push_str(&heading("Last lines on stderr"));
        out.extend(detail.stderr_tail.iter().map(|line| format!("  {}\n", output::inert(line))));
    }
    output::data(&out);
}

fn heading(text: &str) -> String {
    format!("\n{}\n", ink(text, Ink::Bold))
}

fn word<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

fn sent(value: &SentValue) -> Vec<table::Cell> {
    let label = match value.group {
        SentGroup::Main => value.label.clone(),
        SentGroup::Env => format!("${}", value.label),
        SentGroup::Header => format!("{}:", value.label),
    };
    let (text, colour) = match &value.value {
        Some(text) => (text.clone(), Ink::Plain),
        None => ("not sent".to_owned(), Ink::Wait),
    };
    let place = value.place.as_ref().map(|at| format!("{}:{}:{}", at.display_path, at.line, at.column));
    vec![
        (format!("  {label}"), Ink::Faint),
        (text, colour),
        (value.from.clone(), Ink::Faint),
        (place.unwrap_or_default(), Ink::Faint),
    ]
}

fn defined(place: &DefinedAt) -> Vec<table::Cell> {
    let path = match place.line {
        Some(line) => format!("{}:{line}", place.display_path),
        None => place.display_path.clone(),
    };
    let colour = if place.in_use { Ink::Good } else { Ink::Faint };
    vec![
        (format!("  {path}"), Ink::Plain),
        (place.host_name.clone(), Ink::Plain),
        (place.tag.clone(), colour),
    ]
}

/// A finding as the doctor prints it, too.
pub(super) fn finding(found: &Finding) -> String {
    let (word, colour) = match found.severity {
        Severity::Error => ("error", Ink::Bad),
        Severity::Warning => ("warning", Ink::Wait),
        Severity::Info => ("note", Ink::Faint),
    };
    let mut out = format!("  {}: {} [{}]\n", ink(word, colour), output::inert_line(&found.title), found.code);
    if let Some(path) = &found.display_path {
        let place = match (found.line, found.column) {
            (Some(line), Some(column)) => format!("{path}:{line}:{column}"),
            _ => path.clone(),
        };
        out.push_str(&format!("    at {}\n", output::inert_line(&place)));
    }
    if !found.detail.is_empty() {
        out.push_str(&format!("    {}\n", output::inert_line(&found.detail)));
    }
    out
}
