//! `jackfield edit NAME`: fields by their names, or a new command.

use jackfield_api::wire::{EditRequest, FormPair, FormText, FormTransport, ServerForm};
use jackfield_engine::ConnectWhen;

use crate::args::Common;
use crate::args::editing::Edit;
use crate::output::{Exit, Failure};
use crate::session;
use crate::verbs::change;

pub(crate) async fn run(common: &Common, args: Edit) -> Result<Exit, Failure> {
    if args.set.is_empty() && args.unset.is_empty() && args.command.is_empty() {
        return Err(Failure::usage("Nothing to change.").hint(
            "Use --set FIELD=VALUE, --unset FIELD, or -- COMMAND ARGUMENTS; see jackfield edit --help.",
        ));
    }
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let entry = session::pick(api.engine(), &args.server)?;
    let id = entry.definition.id.to_string();
    let base = api.server_form(&id)?.form;
    let mut form = base.clone();
    if let Some((command, rest)) = args.command.split_first() {
        form.transport = FormTransport::Stdio;
        form.command = typed(command);
        form.args = rest.iter().map(|arg| typed(arg)).collect();
    }
    for (field, value) in &args.set {
        set(&mut form, field, value)?;
    }
    for field in &args.unset {
        unset(&mut form, field)?;
    }
    for (field, _) in &args.set {
        fits(&form, field)?;
    }
    let edit = EditRequest::Edit { id, base: Box::new(base), form: Box::new(form) };
    change::apply(common, &api, edit, args.how).await
}

pub(super) fn typed(text: &str) -> FormText {
    FormText { text: text.to_owned(), keep: None }
}

fn unknown(field: &str) -> Failure {
    Failure::usage(format!("There is no field `{field}`."))
        .hint("Fields: name, type, command, args.N, env.NAME, cwd, url, headers.NAME, timeout, enabled.")
}

fn set(form: &mut ServerForm, field: &str, value: &str) -> Result<(), Failure> {
    match field.split_once('.').unwrap_or((field, "")) {
        ("name", "") => form.name = value.to_owned(),
        ("type", "") => form.transport = transport(value)?,
        ("command", "") => form.command = typed(value),
        ("cwd", "") => form.cwd = Some(value.to_owned()),
        ("url", "") => {
            form.url = typed(value);
            if form.transport == FormTransport::Stdio {
                form.transport = FormTransport::Http;
            }
        }
        ("timeout", "") => value.clone_into(&mut form.timeout),
        ("enabled", "") => {
            form.enabled = match value {
                "true" => true,
                "false" => false,
                _ => return Err(Failure::usage("`enabled` is true or false.")),
            }
        }
        ("args", index) => {
            let index = index.parse::<usize>().map_err(|_| unknown(field))?;
            let count = form.args.len();
            match form.args.get_mut(index) {
                Some(arg) => *arg = typed(value),
                None if index == count => form.args.push(typed(value)),
                None => return Err(Failure::usage(format!("There are {count} arguments only."))),
            }
        }
        ("env", name) if !name.is_empty() => set_pair(&mut form.env, name, value),
        ("headers", name) if !name.is_empty() => set_pair(&mut form.headers, name, value),
        _ => return Err(unknown(field)),
    }
    Ok(())
}

/// Refuses a field that would be lost, because the other kind of server has it.
fn fits(form: &ServerForm, field: &str) -> Result<(), Failure> {
    let stdio = form.transport == FormTransport::Stdio;
    match field.split_once('.').map_or(field, |(kind, _)| kind) {
        kind @ ("command" | "args" | "env" | "cwd") if !stdio => {
            Err(Failure::usage(format!("A server behind a url has no `{kind}`."))
                .hint("Give it a command with -- COMMAND ARGUMENTS, or set `headers.NAME`."))
        }
        kind @ ("url" | "headers") if stdio => {
            Err(Failure::usage(format!("A server that is started has no `{kind}`."))
                .hint("Set `type` to http and `url`, or set `env.NAME`."))
        }
        _ => Ok(()),
    }
}

fn set_pair(pairs: &mut Vec<FormPair>, name: &str, value: &str) {
    match pairs.iter_mut().find(|pair| pair.name == name) {
        Some(pair) => pair.value = typed(value),
        None => pairs.push(FormPair { name: name.to_owned(), value: typed(value) }),
    }
}

fn unset(form: &mut ServerForm, field: &str) -> Result<(), Failure> {
    let missing = || Failure::new(format!("`{field}` is not set."));
    match field.split_once('.').unwrap_or((field, "")) {
        ("cwd", "") => form.cwd = None,
        ("timeout", "") => form.timeout.clear(),
        ("args", "") => form.args.clear(),
        ("args", index) => {
            let index = index.parse::<usize>().map_err(|_| unknown(field))?;
            if index >= form.args.len() {
                return Err(missing());
            }
            form.args.remove(index);
        }
        ("name" | "type" | "command" | "url" | "enabled", "") => {
            return Err(Failure::usage(format!(
                "`{field}` cannot be taken away, only set to something else."
            )));
        }
        ("env", name) => take(&mut form.env, name).ok_or_else(missing)?,
        ("headers", name) => take(&mut form.headers, name).ok_or_else(missing)?,
        _ => return Err(unknown(field)),
    }
    Ok(())
}

fn take(pairs: &mut Vec<FormPair>, name: &str) -> Option<()> {
    let index = pairs.iter().position(|pair| pair.name == name)?;
    pairs.remove(index);
    Some(())
}

pub(super) fn transport(word: &str) -> Result<FormTransport, Failure> {
    match word {
        "stdio" => Ok(FormTransport::Stdio),
        "http" => Ok(FormTransport::Http),
        "sse" => Ok(FormTransport::Sse),
        "auto" => Ok(FormTransport::Auto),
        _ => Err(Failure::usage("`type` is stdio, http, sse or auto.")),
    }
}
