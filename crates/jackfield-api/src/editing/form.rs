//! A definition as a form shows it, and back. Secrets stay on this side.

use std::time::Duration;

use jackfield_config::draft::{Draft, DraftTransport};
use jackfield_config::write::{Abilities, Unit};
use jackfield_config::{HttpProtocol, mask};

use crate::wire::{FieldProblem, FormPair, FormText, FormTransport, ServerForm, Severity};

/// The form of a server as it stands in a file.
pub fn of(draft: &Draft, abilities: &Abilities) -> ServerForm {
    let mut form = empty(&draft.name);
    form.enabled = draft.enabled;
    form.timeout = draft.timeout.map_or_else(String::new, |timeout| timeout_text(timeout, abilities));
    match &draft.transport {
        DraftTransport::Stdio { command, args, env, cwd } => {
            form.transport = FormTransport::Stdio;
            form.command = masked("command", command, &mask::command_line(command));
            let shown = mask::args(args);
            form.args = args
                .iter()
                .zip(&shown)
                .enumerate()
                .map(|(index, (arg, shown))| masked(&format!("args.{index}"), arg, shown))
                .collect();
            form.env = pairs("env", env);
            form.cwd.clone_from(cwd);
        }
        DraftTransport::Http { url, headers, protocol } => {
            form.transport = match protocol {
                HttpProtocol::Streamable => FormTransport::Http,
                HttpProtocol::Sse => FormTransport::Sse,
                HttpProtocol::Auto => FormTransport::Auto,
            };
            form.url = masked("url", url, &mask::url(url));
            form.headers = pairs("headers", headers);
        }
    }
    form
}

/// A form with the values in it: of a server that is nowhere yet, so its secrets are the person's own.
pub fn open(draft: &Draft, abilities: &Abilities) -> ServerForm {
    let mut form = of(draft, abilities);
    let plain = |text: &mut FormText, value: &str| *text = typed(value);
    match &draft.transport {
        DraftTransport::Stdio { command, args, env, .. } => {
            plain(&mut form.command, command);
            form.args.iter_mut().zip(args).for_each(|(text, arg)| plain(text, arg));
            form.env.iter_mut().zip(env).for_each(|(pair, (_, value))| plain(&mut pair.value, value));
        }
        DraftTransport::Http { url, headers, .. } => {
            plain(&mut form.url, url);
            form.headers.iter_mut().zip(headers).for_each(|(pair, (_, value))| plain(&mut pair.value, value));
        }
    }
    form
}

/// What the form says. `now` is the entry as it stands, for the values that are kept.
///
/// # Errors
/// Fields that say nothing that could be written.
pub fn draft(
    form: &ServerForm,
    now: Option<&Draft>,
    abilities: &Abilities,
) -> Result<Draft, Vec<FieldProblem>> {
    let mut problems = Vec::new();
    let mut text = |field: &str, text: &FormText| {
        let Some(keep) = &text.keep else { return text.text.clone() };
        now.and_then(|now| kept(now, keep)).unwrap_or_else(|| {
            problems.push(problem(field, "The value in the file is not there any more; type it again"));
            String::new()
        })
    };
    let transport = match form.transport {
        FormTransport::Stdio => DraftTransport::Stdio {
            command: text("command", &form.command),
            args: form
                .args
                .iter()
                .enumerate()
                .map(|(index, arg)| text(&format!("args.{index}"), arg))
                .collect(),
            env: form
                .env
                .iter()
                .map(|pair| (pair.name.clone(), text(&format!("env.{}", pair.name), &pair.value)))
                .collect(),
            cwd: form.cwd.clone().filter(|cwd| !cwd.trim().is_empty()),
        },
        FormTransport::Http | FormTransport::Sse | FormTransport::Auto => DraftTransport::Http {
            url: text("url", &form.url).trim().to_owned(),
            headers: form
                .headers
                .iter()
                .map(|pair| (pair.name.clone(), text(&format!("headers.{}", pair.name), &pair.value)))
                .collect(),
            protocol: match form.transport {
                FormTransport::Sse => HttpProtocol::Sse,
                FormTransport::Auto => HttpProtocol::Auto,
                FormTransport::Http | FormTransport::Stdio => HttpProtocol::Streamable,
            },
        },
    };
    for (group, pairs) in [("env", &form.env), ("headers", &form.headers)] {
        for (index, pair) in pairs.iter().enumerate() {
            if pair.name.trim().is_empty() {
                problems
                    .push(problem(&format!("{group}.{}", pair.name), "Give it a name, or remove the line"));
            } else if pairs[..index].iter().any(|other| other.name == pair.name) {
                problems.push(problem(&format!("{group}.{}", pair.name), "This name is there twice"));
            }
        }
    }
    let timeout = match timeout(&form.timeout, abilities) {
        Ok(timeout) => timeout,
        Err(words) => {
            problems.push(problem("timeout", words));
            None
        }
    };
    if problems.is_empty() {
        Ok(Draft { name: form.name.clone(), transport, enabled: form.enabled, timeout })
    } else {
        Err(problems)
    }
}

/// An empty form.
pub fn empty(name: &str) -> ServerForm {
    ServerForm {
        name: name.to_owned(),
        transport: FormTransport::Stdio,
        command: typed(""),
        args: Vec::new(),
        env: Vec::new(),
        cwd: None,
        url: typed(""),
        headers: Vec::new(),
        timeout: String::new(),
        enabled: true,
    }
}

pub fn problem(field: &str, message: impl Into<String>) -> FieldProblem {
    FieldProblem { field: field.to_owned(), severity: Severity::Error, message: message.into() }
}

fn typed(text: &str) -> FormText {
    FormText { text: text.to_owned(), keep: None }
}

fn masked(place: &str, value: &str, shown: &str) -> FormText {
    if value == shown {
        typed(value)
    } else {
        FormText { text: shown.to_owned(), keep: Some(place.to_owned()) }
    }
}

fn pairs(group: &str, values: &[(String, String)]) -> Vec<FormPair> {
    let pair = |(name, value): &(String, String)| FormPair {
        name: name.clone(),
        value: masked(&format!("{group}.{name}"), value, &mask::value(Some(name), value)),
    };
    values.iter().map(pair).collect()
}

/// The value that stands at a place of the entry.
fn kept(now: &Draft, place: &str) -> Option<String> {
    let (group, name) = place.split_once('.').unwrap_or((place, ""));
    let find = |values: &[(String, String)]| {
        values.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
    };
    match (&now.transport, group) {
        (DraftTransport::Stdio { command, .. }, "command") => Some(command.clone()),
        (DraftTransport::Stdio { args, .. }, "args") => args.get(name.parse::<usize>().ok()?).cloned(),
        (DraftTransport::Stdio { env, .. }, "env") => find(env),
        (DraftTransport::Http { url, .. }, "url") => Some(url.clone()),
        (DraftTransport::Http { headers, .. }, "headers") => find(headers),
        (DraftTransport::Stdio { .. } | DraftTransport::Http { .. }, _) => None,
    }
}

fn timeout_text(timeout: Duration, abilities: &Abilities) -> String {
    match abilities.timeout {
        Some(Unit::Seconds) => {
            let seconds = timeout.as_secs_f64();
            if timeout.subsec_nanos() == 0 { timeout.as_secs().to_string() } else { seconds.to_string() }
        }
        Some(Unit::Milliseconds) | None => timeout.as_millis().to_string(),
    }
}

fn timeout(typed: &str, abilities: &Abilities) -> Result<Option<Duration>, &'static str> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Ok(None);
    }
    match abilities.timeout {
        Some(Unit::Seconds) => {
            let seconds = typed.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
            let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            duration.map(Some).ok_or("Seconds, a number greater than 0, such as 30")
        }
        Some(Unit::Milliseconds) | None => {
            let millis = typed.parse::<u64>().ok().filter(|millis| *millis > 0);
            millis
                .map(|millis| Some(Duration::from_millis(millis)))
                .ok_or("Milliseconds, a whole number from 1. For 30 seconds write 30000")
        }
    }
}
