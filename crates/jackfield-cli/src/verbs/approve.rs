//! `jackfield approve NAME`: show exactly what would run, then allow it.

use std::io::{BufRead as _, IsTerminal as _};

use jackfield_api::wire::{Review, ReviewKind};
use jackfield_config::Judgement;
use jackfield_engine::ConnectWhen;

use crate::args::{Common, Server};
use crate::output::{self, Exit, Failure, Ink, ink};
use crate::session;

pub(crate) async fn run(common: &Common, server: &Server, yes: bool) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let entry = session::pick(api.engine(), server)?;
    let name = &entry.definition.name;
    if entry.judgement != Judgement::NeedsApproval {
        output::talk(&output::inert(&format!("`{name}` does not wait for approval.")));
        return Ok(Exit::Done);
    }
    let detail = api.server_detail(&entry.definition.id)?;
    let Some(review) = detail.review else { return Err(Failure::new("there is nothing to approve")) };
    if common.json && !yes {
        output::json(&review)?;
        return Ok(Exit::NeedsApproval);
    }
    let title = ink(&output::inert(name), Ink::Bold);
    let mut out = format!("{title} of {} would run:\n", output::inert(&review.project));
    out.push_str(&what(&review));
    if !review.changed.is_empty() {
        out.push_str("Changed since you approved it:\n");
        out.extend(review.changed.iter().map(|line| format!("  {}\n", output::inert(line))));
    }
    if !common.json {
        output::data(&out);
    }
    if !yes && !ask(name)? {
        return Ok(Exit::NeedsApproval);
    }
    api.approve(&entry.definition.id, &review.hash).await?;
    api.engine().shutdown().await;
    output::talk(&output::inert(&format!("`{name}` may run, as long as its definition stays as it is.")));
    Ok(Exit::Done)
}

/// Everything that is approved, a line each.
pub(super) fn what(review: &Review) -> String {
    let mut out: String =
        review.lines.iter().map(|line| format!("  {}\n", output::inert_line(line))).collect();
    for value in &review.values {
        let runs = if value.runs { "runs " } else { "" };
        let line = match value.kind {
            ReviewKind::Env => format!("variable {}: {runs}{}", value.name, value.value),
            ReviewKind::Header => format!("header {}: {runs}{}", value.name, value.value),
            ReviewKind::Folder => format!("in the folder {}", value.value),
            ReviewKind::EnvFile => format!("with the variables of the file {}", value.value),
            ReviewKind::HeadersHelper => format!("with the headers that this prints: {}", value.value),
        };
        out.push_str(&format!("  {}\n", output::inert_line(&line)));
    }
    out
}

fn ask(name: &str) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new("nobody is here to approve it")
            .hint(format!("Use: jackfield approve {name} --yes"))
            .exit(Exit::NeedsApproval));
    }
    output::talk("Allow it? [y/N]");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(|error| Failure::new(error.to_string()))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
