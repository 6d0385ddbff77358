//! Commands with which tools add a server: `claude mcp add`, `codex mcp add`, `gemini mcp add`, `code --add-mcp`.

use super::{Import, ImportError, Imported, assignment, json, told};
use crate::definition::HttpProtocol;
use crate::draft::{self, Draft, DraftTransport};
use crate::host::HostId;

/// The server in a command; nothing if it is none that adds one.
pub(super) fn recognise(text: &str) -> Option<Result<Import, ImportError>> {
    let line = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let line = line.trim().trim_start_matches("$ ");
    let first = line.split_whitespace().next()?;
    let tool = first.rsplit('/').next().unwrap_or(first);
    let (id, name): (HostId, &str) = match tool {
        "claude" => ("claude-code", "claude"),
        "codex" => ("codex", "codex"),
        "gemini" => ("gemini", "gemini"),
        "qwen" => ("qwen", "qwen"),
        "code" | "code-insiders" => ("vscode", "code"),
        _ => return None,
    };
    let what = format!("A `{name}` command");
    let Some(words) = draft::split_command_line(line) else {
        return Some(Err(ImportError::Broken { what, why: "a quote is not closed".to_owned() }));
    };
    let words: Vec<&str> = words.iter().map(String::as_str).skip(1).collect();
    match words.as_slice() {
        ["--add-mcp", config, ..] => Some(json(config, id).map(|found| Import { what, ..found })),
        ["mcp", "add-json", rest @ ..] => Some(add_json(what, id, rest)),
        ["mcp", "add", rest @ ..] => Some(add(what, id, rest)),
        _ => None,
    }
}

fn add_json(what: String, id: HostId, words: &[&str]) -> Result<Import, ImportError> {
    let mut plain = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "-s" | "--scope" => {
                words.next();
            }
            word if word.starts_with('-') => {}
            word => plain.push(word),
        }
    }
    let [name, config] = plain.as_slice() else {
        return Err(ImportError::Broken { what, why: "it needs a name and the JSON of a server".to_owned() });
    };
    let mut found = json(config, id)?;
    for server in &mut found.drafts {
        (*name).clone_into(&mut server.draft.name);
    }
    Ok(Import { what, ..found })
}

fn add(what: String, id: HostId, words: &[&str]) -> Result<Import, ImportError> {
    let broken = |why: &str| ImportError::Broken { what: what.clone(), why: why.to_owned() };
    let (mut plain, mut env, mut headers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut transport, mut url, mut bearer) = (None, None, None);
    let mut rest: Option<Vec<String>> = None;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let (option, mut value) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((option, value)) => (option, Some(value)),
            None => (*word, None),
        };
        let mut next = |at: &mut usize| {
            value.take().or_else(|| {
                let value = words.get(*at).copied();
                *at += 1;
                value
            })
        };
        match option {
            "--" => {
                rest = Some(words[at..].iter().map(|word| (*word).to_owned()).collect());
                break;
            }
            "-s" | "--scope" | "--callback-port" | "--client-id" | "--timeout" => {
                next(&mut at);
            }
            "-t" | "--transport" => transport = next(&mut at),
            "--url" => url = next(&mut at),
            "--bearer-token-env-var" => bearer = next(&mut at),
            "-e" | "--env" => {
                let first = next(&mut at).ok_or_else(|| broken("`--env` has no value"))?;
                env.push(assignment(first).ok_or_else(|| broken("`--env` needs NAME=value"))?);
                // Several may follow one option.
                while let Some(more) = words.get(at).and_then(|word| assignment(word)) {
                    env.push(more);
                    at += 1;
                }
            }
            "-H" | "--header" => {
                let header = next(&mut at).ok_or_else(|| broken("`--header` has no value"))?;
                let (name, value) =
                    header.split_once(':').ok_or_else(|| broken("`--header` needs `Name: value`"))?;
                headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            // Once the command has begun, its options are its own.
            option if option.starts_with('-') && plain.len() < 2 => {}
            _ => plain.push((*word).to_owned()),
        }
    }
    let mut plain = plain.into_iter();
    let name = plain.next().ok_or_else(|| broken("it names no server"))?;
    let mut words: Vec<String> = plain.collect();
    words.extend(rest.unwrap_or_default());
    let remote = transport.is_some_and(|word| word != "stdio")
        || url.is_some()
        || (words.len() == 1 && words[0].contains("://"));
    let draft = if remote {
        let url = url
            .map(str::to_owned)
            .or_else(|| words.first().cloned())
            .ok_or_else(|| broken("it has no url"))?;
        let protocol = if transport == Some("sse") { HttpProtocol::Sse } else { HttpProtocol::Streamable };
        if let Some(variable) = bearer {
            headers.push(("Authorization".to_owned(), format!("Bearer ${{{variable}}}")));
        }
        let transport = DraftTransport::Http { url, headers, protocol };
        Draft { name, transport, enabled: true, timeout: None }
    } else {
        let mut words = words.into_iter();
        let command = words.next().ok_or_else(|| broken("it has no command"))?;
        let transport = DraftTransport::Stdio { command, args: words.collect(), env, cwd: None };
        Draft { name, transport, enabled: true, timeout: None }
    };
    let found = told(vec![Imported { draft, host: Some(id), notes: Vec::new() }]);
    Ok(Import { what, ..found })
}
