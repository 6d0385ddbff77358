//! `jackfield tools [NAME]`.

use jackfield_api::contract::{self, ToolState};
use jackfield_config::Judgement;
use jackfield_engine::ConnectWhen;

use crate::args::{Common, Wait, Which};
use crate::output::{self, Exit, Failure, Ink};
use crate::{session, table};

pub(crate) async fn run(common: &Common, name: Option<&str>, wait: &Wait) -> Result<Exit, Failure> {
    let connect = if name.is_some() { ConnectWhen::OnRequest } else { session::connect_when(wait) };
    let api = session::start(common, connect).await?;
    let engine = api.engine();
    let mut settled = true;
    if let Some(name) = name {
        let entry = session::pick_named(engine, name, &Which::default())?;
        session::may_run(&entry)?;
        if !wait.no_connect && entry.judgement == Judgement::Run {
            engine.connect(&entry.definition.id).await.map_err(|error| Failure::new(error.to_string()))?;
            if let Some(server) = engine.server(&entry.definition.id) {
                settled = session::settle_one(&server, wait).await;
            }
        }
    } else {
        settled = session::settle(engine, wait).await;
    }
    let mut tools = contract::tools(engine);
    if let Some(name) = name {
        tools.tools.retain(|tool| tool.server == name);
        tools.errors.retain(|server, _| server == name);
    }
    let trouble = !settled || !tools.errors.is_empty();
    if common.json {
        output::json(&tools)?;
    } else {
        let rows: Vec<Vec<table::Cell>> = tools
            .tools
            .iter()
            .map(|tool| {
                let first =
                    tool.description.as_deref().unwrap_or_default().lines().next().unwrap_or_default();
                let mark = if tool.state == ToolState::Cached { "cached" } else { "" };
                vec![
                    (tool.server.clone(), Ink::Faint),
                    (tool.tool.clone(), Ink::Bold),
                    (mark.to_owned(), Ink::Wait),
                    (short(first), Ink::Plain),
                ]
            })
            .collect();
        output::data(&table::lines(&rows));
        for (server, message) in &tools.errors {
            output::talk(&output::inert(&format!("{server}: {message}")));
        }
    }
    engine.shutdown().await;
    Ok(if trouble { Exit::Trouble } else { Exit::Done })
}

/// A description's first line, cut where it would fill the screen.
fn short(text: &str) -> String {
    const MOST: usize = 90;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let cut: String = text.chars().take(MOST - 1).collect();
    format!("{}…", cut.trim_end())
}
