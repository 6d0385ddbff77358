//! `jackfield sources`: every file that is looked at, by priority.

use jackfield_api::contract;
use jackfield_engine::ConnectWhen;

use crate::args::Common;
use crate::output::{self, Exit, Failure, Ink};
use crate::{session, table};

pub(crate) async fn run(common: &Common, all: bool) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let engine = api.engine();
    let sources = contract::sources(engine);
    engine.shutdown().await;
    if common.json {
        output::json(&sources)?;
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<table::Cell>> = sources
        .sources
        .iter()
        .filter(|source| all || source.exists)
        .map(|source| {
            let scope = serde_json::to_value(source.scope).ok();
            let scope = scope.as_ref().and_then(|word| word.as_str()).unwrap_or_default().to_owned();
            let (state, colour) = match (&source.error, source.exists, source.servers) {
                (Some(error), ..) => (error.clone(), Ink::Bad),
                (None, false, _) => ("not there".to_owned(), Ink::Faint),
                (None, true, Some(1)) => ("1 server".to_owned(), Ink::Plain),
                (None, true, count) => (format!("{} servers", count.unwrap_or(0)), Ink::Plain),
            };
            let path = engine.paths().display(std::path::Path::new(&source.path));
            vec![(source.host.clone(), Ink::Bold), (scope, Ink::Faint), (path, Ink::Plain), (state, colour)]
        })
        .collect();
    if rows.is_empty() {
        output::talk("None of the files exists. jackfield sources --all shows where was looked.");
    } else {
        output::data(&table::lines(&rows));
    }
    Ok(Exit::Done)
}
