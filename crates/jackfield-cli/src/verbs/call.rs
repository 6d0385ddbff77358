//! `jackfield call SERVER TOOL [JSON]`, or `jackfield call EXPOSED_NAME [JSON]`.

use std::io::Read as _;
use std::time::Duration;

use jackfield_api::Api;
use jackfield_config::{Entry, ServerId};
use jackfield_engine::ConnectWhen;
use jackfield_engine::status::Phase;
use serde_json::Value;

use crate::args::{Common, Wait, Which};
use crate::output::{self, Exit, Failure};
use crate::session;

pub(crate) async fn run(
    common: &Common,
    words: &[String],
    timeout: Option<f64>,
    which: &Which,
) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let result = call(&api, common, words, timeout, which).await;
    api.engine().shutdown().await;
    result
}

async fn call(
    api: &Api,
    common: &Common,
    words: &[String],
    timeout: Option<f64>,
    which: &Which,
) -> Result<Exit, Failure> {
    let named = words.len() > 1 && session::pick_named(api.engine(), &words[0], which).is_ok();
    let (server, tool, arguments) = match words {
        [server, tool, rest @ ..] if named || words.len() == 3 => (Some(server), tool, rest.first()),
        // Two names, and nobody has the first.
        [server, tool] if !is_arguments(tool) => (Some(server), tool, None),
        [exposed, rest @ ..] => (None, exposed, rest.first()),
        [] => return Err(Failure::usage("which tool?")),
    };
    // A slip in the arguments is told before anything is started.
    let arguments = parse(arguments)?;
    let (id, tool) = match server {
        Some(server) => {
            let entry = session::pick_named(api.engine(), server, which)?;
            session::may_run(&entry)?;
            connect(api, &entry).await?;
            (entry.definition.id.clone(), tool.clone())
        }
        None => find(api, tool).await?,
    };
    let timeout = timeout.map(Duration::from_secs_f64);
    let outcome = api.call_tool(&id, &tool, arguments, None, timeout).await?;
    if common.json {
        output::json(&outcome.result)?;
    } else {
        output::data(&outcome.text);
    }
    Ok(if outcome.is_error { Exit::Failed } else { Exit::Done })
}

/// Connects one server and waits until it is up.
async fn connect(api: &Api, entry: &Entry) -> Result<(), Failure> {
    let id = &entry.definition.id;
    api.engine().connect(id).await.map_err(|error| Failure::new(error.to_string()))?;
    let Some(server) = api.engine().server(id) else { return Err(Failure::new("the server has no task")) };
    session::settled(&server).await;
    let status = server.status().borrow().clone();
    let name = &entry.definition.name;
    match &status.phase {
        Phase::Ready(_) => Ok(()),
        Phase::Failed(failure) | Phase::Retrying { failure, .. } => {
            let told = Failure::new(format!("Failed to connect to \"{name}\": {}", failure.message));
            Err(if failure.hint.is_empty() { told } else { told.hint(&failure.hint) })
        }
        Phase::NeedsSignIn { message } => {
            Err(Failure::new(format!("Failed to connect to \"{name}\": {message}")).exit(Exit::NeedsSignIn))
        }
        Phase::Idle | Phase::Connecting { .. } | Phase::Stopped => {
            Err(Failure::new(format!("Failed to connect to \"{name}\"")))
        }
    }
}

/// The tool of an exposed name: from what is known of the last connections, else by asking all servers.
async fn find(api: &Api, exposed: &str) -> Result<(ServerId, String), Failure> {
    let engine = api.engine();
    if engine.tools().by_exposed(exposed).is_none() {
        engine.connect_all().await.map_err(|error| Failure::new(error.to_string()))?;
        session::settle(engine, &Wait { wait: 30.0, no_connect: false }).await;
    }
    let tools = engine.tools();
    let Some(found) = tools.by_exposed(exposed) else {
        return Err(Failure::new(format!("There is no server and no tool named `{exposed}`."))
            .hint("See jackfield tools, or call one as: jackfield call SERVER TOOL [JSON]"));
    };
    let catalog = engine.catalog();
    let entry = catalog.get(&found.server).ok_or_else(|| Failure::new("the server has gone"))?;
    session::may_run(entry)?;
    connect(api, entry).await?;
    Ok((found.server.clone(), found.tool.name.clone()))
}

/// Whether a word is meant as the arguments of a call rather than as a name.
fn is_arguments(word: &str) -> bool {
    word == "-" || word.trim_start().starts_with(['{', '[', '"'])
}

fn parse(text: Option<&String>) -> Result<Value, Failure> {
    let text = match text.map(String::as_str) {
        None => return Ok(Value::Null),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
            text
        }
        Some(text) => text.to_owned(),
    };
    match serde_json::from_str(&text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Failure::usage("the arguments must be a JSON object, such as '{\"message\":\"hi\"}'")),
        Err(error) => Err(Failure::usage(format!("the arguments are not JSON: {error}"))),
    }
}
