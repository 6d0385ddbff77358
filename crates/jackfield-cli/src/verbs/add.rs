//! `jackfield add`: by options, from a text, from the registry, or step by step.

mod registry;

use std::io::{BufRead as _, IsTerminal as _, Read as _};

use jackfield_api::Api;
use jackfield_api::editing::form;
use jackfield_api::wire::{EditRequest, FormPair, FormTransport, NewServer, ServerForm, TargetRow};
use jackfield_config::draft;
use jackfield_engine::ConnectWhen;

use crate::args::Common;
use crate::args::editing::Add;
use crate::output::{self, Exit, Failure};
use crate::session;
use crate::verbs::change;
use crate::verbs::edit::typed;

pub(crate) async fn run(common: &Common, args: Add) -> Result<Exit, Failure> {
    check(&args)?;
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let target = change::target(&api, &args.to)?;
    let nothing_said = args.name.is_none() && args.url.is_none() && args.command.is_empty();
    let form = match (&args.from, &args.registry) {
        (Some(from), _) => return from_text(common, &api, &args, from, &target).await,
        (None, Some(name)) if name.contains('/') => {
            registry::form(common, &api, &args, name, &target).await?
        }
        (None, Some(words)) => return registry::search(common, &api, words).await,
        (None, None) if nothing_said => step_by_step()?,
        (None, None) => by_options(&args, &target)?,
    };
    add(common, &api, &args, form, target).await
}

async fn add(
    common: &Common,
    api: &Api,
    args: &Add,
    form: ServerForm,
    target: TargetRow,
) -> Result<Exit, Failure> {
    let edit = EditRequest::Add { source: target.id, form: Box::new(form), from: None };
    change::apply(common, api, edit, args.how).await
}

/// What can be said before anything is read.
fn check(args: &Add) -> Result<(), Failure> {
    if args.url.is_some() && !args.command.is_empty() {
        return Err(Failure::usage("Use either --url or -- <command...>, not both."));
    }
    if args.url.is_some() && !args.env.is_empty() {
        return Err(Failure::usage("--env is for a command; a server behind a url gets --header."));
    }
    if args.url.is_some() && args.cwd.is_some() {
        return Err(Failure::usage("--cwd is for a command; a server behind a url starts in no folder."));
    }
    if args.url.is_none() && !args.command.is_empty() && !args.header.is_empty() {
        return Err(Failure::usage("--header is for --url; a command gets --env."));
    }
    if args.token.is_some() && args.url.is_none() {
        return Err(Failure::usage("--token requires --url (HTTP/SSE transport)."));
    }
    if args.transport.as_deref().is_some_and(|word| word != "http" && word != "sse") {
        return Err(Failure::usage("Invalid --transport value. Use http or sse."));
    }
    let elsewhere = args.from.is_some() || args.registry.is_some();
    let something = args.url.is_some() || !args.command.is_empty() || args.name.is_some();
    if args.registry.is_some() && !args.command.is_empty() {
        return Err(Failure::usage("The registry says what to run; leave out -- COMMAND."));
    }
    let fields = !args.env.is_empty()
        || !args.header.is_empty()
        || args.cwd.is_some()
        || args.timeout.is_some()
        || args.transport.is_some();
    if args.from.is_some() && fields {
        return Err(Failure::usage(
            "The text says it all; change the server with jackfield edit afterwards.",
        ));
    }
    if args.url.is_none() && args.transport.is_some() {
        return Err(Failure::usage("--transport requires --url."));
    }
    if args.name.is_none() && something && !elsewhere {
        return Err(Failure::usage("Server name required."));
    }
    if args.name.is_some() && args.url.is_none() && args.command.is_empty() && !elsewhere {
        return Err(Failure::usage("Say what to add: --url URL, or -- COMMAND ARGUMENTS."));
    }
    Ok(())
}

fn by_options(args: &Add, target: &TargetRow) -> Result<ServerForm, Failure> {
    let mut form = form::empty(args.name.as_deref().unwrap_or_default());
    match (&args.url, args.command.split_first()) {
        (Some(url), _) => {
            form.transport = match args.transport.as_deref() {
                Some("sse") => FormTransport::Sse,
                Some(_) | None => FormTransport::Http,
            };
            form.url = typed(&draft::with_scheme(url));
        }
        (None, Some((command, rest))) => {
            form.command = typed(command);
            form.args = rest.iter().map(|arg| typed(arg)).collect();
        }
        (None, None) => {}
    }
    let pair = |(name, value): &(String, String)| FormPair { name: name.clone(), value: typed(value) };
    form.env = args.env.iter().map(pair).collect();
    form.headers = args.header.iter().map(pair).collect();
    form.cwd.clone_from(&args.cwd);
    form.timeout = args.timeout.clone().unwrap_or_default();
    if let Some(token) = &args.token {
        let value = match args.plaintext {
            true => token.clone(),
            false => reference(&form.name, target)?,
        };
        form.headers
            .push(FormPair { name: "Authorization".to_owned(), value: typed(&format!("Bearer {value}")) });
    }
    Ok(form)
}

/// A variable in the target's own form, in place of a token that is not to stand in a file.
fn reference(name: &str, target: &TargetRow) -> Result<String, Failure> {
    let variable = draft::variable_name(name, "TOKEN");
    let form = target.abilities.variables.iter().find(|form| form.contains("NAME"));
    let Some(form) = form else {
        return Err(Failure::new(format!(
            "{} evaluates no variables, so the token would stand in its file.",
            target.host_name
        ))
        .hint("Use --plaintext to write it there."));
    };
    output::talk(&format!(
        "The token is not written to the file. Set the variable {variable} to it, where {} is started.",
        target.host_name
    ));
    Ok(form.replace("NAME", &variable))
}

async fn from_text(
    common: &Common,
    api: &Api,
    args: &Add,
    from: &str,
    target: &TargetRow,
) -> Result<Exit, Failure> {
    let text = if from == "-" {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).map_err(|error| Failure::new(error.to_string()))?;
        text
    } else {
        from.to_owned()
    };
    let found = api.import(&text)?;
    if args.name.is_some() && found.servers.len() > 1 {
        return Err(Failure::usage("The text has several servers; they keep their names."));
    }
    if !common.json {
        output::talk(&output::inert(&format!("{}.", found.what)));
    }
    let mut servers = Vec::new();
    for mut server in found.servers {
        if let Some(name) = &args.name {
            server.form.name.clone_from(name);
        }
        if !common.json {
            output::talk(&output::inert(&format!("{}:\n  {}", server.form.name, server.lines.join("\n  "))));
            change::tell(&server.notes);
        }
        servers.push(NewServer { form: server.form, from: server.from });
    }
    let edit = EditRequest::AddSeveral { source: target.id.clone(), servers };
    change::apply(common, api, edit, args.how).await
}

fn step_by_step() -> Result<ServerForm, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage("Server name required.").hint("See jackfield add --help."));
    }
    let name = ask("Name")?;
    let what = ask("Command with its arguments, or url")?;
    let mut form = form::empty(&name);
    if what.contains("://") {
        form.transport = FormTransport::Http;
        form.url = typed(&what);
        return Ok(form);
    }
    let words = draft::split_command_line(&what)
        .ok_or_else(|| Failure::usage("The quotes in the command do not match."))?;
    let (command, rest) = words.split_first().ok_or_else(|| Failure::usage("Say what to run."))?;
    form.command = typed(command);
    form.args = rest.iter().map(|arg| typed(arg)).collect();
    loop {
        let line = ask("A variable as NAME=VALUE, or nothing")?;
        match line.split_once('=') {
            Some((name, value)) => form.env.push(FormPair { name: name.to_owned(), value: typed(value) }),
            None if line.is_empty() => return Ok(form),
            None => output::talk("Expected NAME=VALUE."),
        }
    }
}

fn ask(question: &str) -> Result<String, Failure> {
    output::talk(&format!("{question}:"));
    let mut answer = String::new();
    let read =
        std::io::stdin().lock().read_line(&mut answer).map_err(|error| Failure::new(error.to_string()))?;
    if read == 0 {
        return Err(Failure::new("Nothing was added."));
    }
    Ok(answer.trim().to_owned())
}
