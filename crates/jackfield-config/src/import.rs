//! Servers out of a text that somebody found: any tool's configuration, a command that would add one, an install link, a
//! url, a command line. Nothing is run and nothing is fetched.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::definition::{Definition, HttpProtocol};
use crate::dialect::entry::{self, Place};
use crate::dialect::write::shape_of;
use crate::draft::{self, Draft, DraftTransport};
use crate::format;
use crate::host::{self, Format, Host, HostId};
use crate::source::SourceSpec;

mod commands;
mod links;
mod prose;

/// Longer texts are not looked at.
const LIMIT: usize = 1024 * 1024;

/// What was recognised.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// In a few words: "A `claude mcp add` command".
    pub what: String,
    pub drafts: Vec<Imported>,
}

/// One server of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// With strings in the syntax of `host`, or as xcsh takes them.
    pub draft: Draft,
    /// Whose syntax it is, where that can be told.
    pub host: Option<HostId>,
    pub notes: Vec<String>,
}

/// Nothing in the text is a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    #[error("There is nothing to read")]
    Empty,
    #[error("The text is longer than 1 MB")]
    TooLong,
    /// It looks like something, and that is broken.
    #[error("{what}, but {why}")]
    Broken { what: String, why: String },
    #[error(
        "No server was recognised. Paste the JSON, TOML or YAML of any tool, a `claude mcp add` command, an install link, a url, or the command that runs the server"
    )]
    Unknown,
}

/// Finds the servers in a text.
///
/// # Errors
/// If there are none, or what looks like some is broken.
pub fn recognise(text: &str) -> Result<Import, ImportError> {
    if text.len() > LIMIT {
        return Err(ImportError::TooLong);
    }
    let text = text.trim().trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(ImportError::Empty);
    }
    let blocks: Vec<&str> = prose::fenced(text).map(str::trim).filter(|block| !block.is_empty()).collect();
    // A configuration says more than a line that might be a command.
    let sure = blocks.iter().find_map(|block| {
        let found = links::recognise(block).or_else(|| structured(block))?;
        found.ok()
    });
    if let Some(found) = sure {
        return Ok(found);
    }
    match blocks.split_first() {
        None => whole(text),
        Some((first, rest)) => {
            whole(first).or_else(|wrong| rest.iter().find_map(|block| whole(block).ok()).ok_or(wrong))
        }
    }
}

/// A text without fences.
fn whole(text: &str) -> Result<Import, ImportError> {
    if let Some(found) = links::recognise(text) {
        return found;
    }
    match structured(text) {
        Some(Ok(found)) => Ok(found),
        wrong => match (prose::within(text), wrong) {
            (Some(found), _) => Ok(found),
            (None, Some(wrong)) => wrong,
            (None, None) => one_line(text),
        },
    }
}

/// A configuration, or a command of a tool; nothing if it looks like none.
fn structured(text: &str) -> Option<Result<Import, ImportError>> {
    if is_toml_header(text) {
        return Some(toml(text));
    }
    if is_json(text) {
        return Some(json(text, ""));
    }
    if let Some(found) = commands::recognise(text) {
        return Some(found);
    }
    if text.starts_with("[[") {
        return Some(toml(text));
    }
    if text.lines().count() > 1 { yaml(text).map(Ok) } else { None }
}

/// Whether it begins as JSON does: `[::1]` is an address, and `"C:\…"` a program.
fn is_json(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix('"') {
        return rest.split_once('"').is_some_and(|(_, rest)| rest.trim_start().starts_with(':'));
    }
    text.starts_with('{') || (text.starts_with('[') && !text.starts_with("[[") && !text.starts_with("[::"))
}

fn is_toml_header(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim();
        line.starts_with("[mcp_servers") || line.starts_with("[[mcp_servers")
    })
}

/// The roots under which servers are found, and whose they are.
const ROOTS: &[(&[&str], &str)] = &[
    (&["mcpServers"], ""),
    (&["servers"], "vscode"),
    (&["mcp", "servers"], "vscode"),
    (&["context_servers"], "zed"),
    (&["amp.mcpServers"], "amp"),
    (&["mcp_servers"], "codex"),
    (&["extensions"], "goose"),
    (&["mcp"], "opencode"),
];

fn json(text: &str, likely: HostId) -> Result<Import, ImportError> {
    let what = "This looks like JSON".to_owned();
    // A part of an object, as it is often shown: `"name": { … }`.
    let wrapped =
        if text.starts_with('"') { format!("{{{}}}", text.trim_end_matches(',')) } else { text.to_owned() };
    let parsed = format::parse(&wrapped, Format::JSONC)
        .map_err(|error| ImportError::Broken { what: what.clone(), why: error.message })?;
    let value = parsed.root.map_or(Value::Null, |root| root.to_value());
    servers_in(&value, likely).ok_or(ImportError::Broken { what, why: "there is no server in it".to_owned() })
}

fn toml(text: &str) -> Result<Import, ImportError> {
    let what = "This looks like TOML".to_owned();
    let parsed = format::parse(text, Format::Toml)
        .map_err(|error| ImportError::Broken { what: what.clone(), why: error.message })?;
    let value = parsed.root.map_or(Value::Null, |root| root.to_value());
    servers_in(&value, "codex")
        .ok_or(ImportError::Broken { what, why: "there is no server in it".to_owned() })
}

fn yaml(text: &str) -> Option<Import> {
    let parsed = format::parse(text, Format::Yaml).ok()?;
    servers_in(&parsed.root?.to_value(), "continue")
}

/// Servers under any root, or the value itself as a map of servers, or as one.
fn servers_in(value: &Value, likely: HostId) -> Option<Import> {
    for (keys, id) in ROOTS {
        let mut node = Some(value);
        for key in *keys {
            node = node.and_then(|node| node.get(key));
        }
        let host = if likely.is_empty() || *id == "goose" { *id } else { likely };
        let found = match node {
            Some(Value::Object(map)) if is_map_of_servers(map) => {
                map.iter().filter_map(|(name, entry)| imported(name, entry, host)).collect::<Vec<_>>()
            }
            Some(Value::Array(items)) => items
                .iter()
                .filter_map(|entry| {
                    imported(
                        entry.get("name")?.as_str()?,
                        entry,
                        if host == "codex" { "vibe" } else { "continue" },
                    )
                })
                .collect(),
            Some(_) | None => continue,
        };
        if !found.is_empty() {
            return Some(told(found));
        }
    }
    let map = value.as_object()?;
    // Claude Code's own file has more of them by project.
    if let Some(Value::Object(projects)) = map.get("projects") {
        let servers = projects.values().filter_map(|project| project.get("mcpServers")?.as_object());
        let found: Vec<Imported> =
            servers.flatten().filter_map(|(name, entry)| imported(name, entry, "claude-code")).collect();
        return (!found.is_empty()).then(|| told(found));
    }
    if is_server(map) {
        let name = map.get("name").and_then(Value::as_str).unwrap_or_default();
        return imported(name, value, likely).map(|found| told(vec![found]));
    }
    if is_map_of_servers(map) {
        let found: Vec<Imported> =
            map.iter().filter_map(|(name, entry)| imported(name, entry, likely)).collect();
        return (!found.is_empty()).then(|| told(found));
    }
    None
}

fn told(drafts: Vec<Imported>) -> Import {
    let host = drafts.first().and_then(|first| first.host).and_then(host::by_id);
    let count = if drafts.len() == 1 { "A server".to_owned() } else { format!("{} servers", drafts.len()) };
    let what = match host {
        Some(host) => {
            format!("{count}, as {} writes {}", host.name, if drafts.len() == 1 { "it" } else { "them" })
        }
        None => count,
    };
    Import { what, drafts }
}

const KEYS: &[&str] = &["command", "cmd", "executable", "url", "serverUrl", "httpUrl", "uri", "baseUrl"];

fn is_server(map: &Map<String, Value>) -> bool {
    KEYS.iter().any(|key| {
        map.get(*key).is_some_and(|value| value.is_string() || value.is_array() || value.is_object())
    }) && !map.values().all(Value::is_object)
}

fn is_map_of_servers(map: &Map<String, Value>) -> bool {
    map.values().any(|value| value.as_object().is_some_and(is_server))
}

/// One entry, as the host whose words it uses reads it.
fn imported(name: &str, entry: &Value, likely: HostId) -> Option<Imported> {
    let map = entry.as_object().filter(|map| is_server(map))?;
    let has = |key: &str| map.contains_key(key);
    let id = if !likely.is_empty() {
        likely
    } else if has("serverUrl") {
        "windsurf"
    } else if has("httpUrl") {
        "gemini"
    } else if has("environment") || map.get("command").is_some_and(Value::is_array) {
        "opencode"
    } else if has("cmd") || has("uri") {
        "goose"
    } else if has("baseUrl") {
        "mcporter"
    } else {
        match map.get("type").and_then(Value::as_str) {
            Some("streamableHttp") => "cline",
            Some("streamable-http") => "roo",
            _ => "",
        }
    };
    let host = host::by_id(id);
    let definition = read(name, entry, host.or_else(|| host::by_id("mcp.json"))?);
    if !definition.problems.is_empty()
        && matches!(definition.transport, crate::definition::Transport::Unknown)
    {
        return None;
    }
    let mut draft = Draft::of(&definition);
    // Whoever's words these are: what was off does not come on by being pasted.
    let says = |key: &str, off: bool| map.get(key).and_then(Value::as_bool) == Some(off);
    if says("disabled", true) || says("enabled", false) {
        draft.enabled = false;
    }
    if draft.name.is_empty() {
        draft.name = draft::suggest_name(&draft.transport);
    }
    Some(Imported { draft, host: host.map(|host| host.id), notes: Vec::new() })
}

/// An entry that stands in no file.
fn read(name: &str, entry: &Value, host: &'static Host) -> Definition {
    let spec = Arc::new(SourceSpec::nowhere(host));
    let mut entry = entry.clone();
    if let Value::Object(map) = &mut entry
        && matches!(host.id, "goose" | "continue" | "vibe")
    {
        map.entry("name").or_insert_with(|| Value::String(name.to_owned()));
    }
    let node = crate::dialect::write::to_node(&entry);
    entry::read(&spec, shape_of(&spec), &spec, name, &node, Place { at: 0, lines: None, home: None }).0
}

/// A url or a command line.
fn one_line(text: &str) -> Result<Import, ImportError> {
    let single = |what: &str, draft: Draft| {
        let drafts = vec![Imported { draft, host: None, notes: Vec::new() }];
        Ok(Import { what: what.to_owned(), drafts })
    };
    let no_blanks = !text.contains(char::is_whitespace);
    let like_a_host = text.starts_with("[::")
        || text.split(['/', ':']).next().is_some_and(|host| {
            host == "localhost" || (host.contains('.') && !host.ends_with(".js") && !host.ends_with(".py"))
        });
    if no_blanks
        && (text.starts_with("http://")
            || text.starts_with("https://")
            || (like_a_host && !text.starts_with(['.', '/', '~'])))
    {
        let url = draft::with_scheme(text);
        let sse = url.trim_end_matches('/').ends_with("/sse");
        let mut draft = Draft::http("", url, if sse { HttpProtocol::Sse } else { HttpProtocol::Streamable });
        draft.name = draft::suggest_name(&draft.transport);
        return single("A url", draft);
    }
    // Lines that a shell would take as one.
    let line = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let line = line.trim().trim_start_matches("$ ");
    if line.lines().count() > 1 {
        return Err(ImportError::Unknown);
    }
    let broken =
        |why: &str| ImportError::Broken { what: "This looks like a command".to_owned(), why: why.to_owned() };
    let words = words(line).ok_or_else(|| broken("a quote is not closed"))?;
    if words.iter().any(|word| ["&&", "||", "|", ";", ">", "<", "&"].contains(&word.as_str())) {
        return Err(broken("it needs a shell. Paste only the command that runs the server"));
    }
    let mut words = words.into_iter().peekable();
    let mut env = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| assignment(word)) {
        env.push((name, value));
        words.next();
    }
    let command = words.next().ok_or(ImportError::Unknown)?;
    let args: Vec<String> = words.collect();
    if command.contains("://") {
        return Err(ImportError::Broken {
            what: "This looks like an address".to_owned(),
            why: "a server is reached by http or https".to_owned(),
        });
    }
    let installs = matches!(args.first().map(String::as_str), Some("install" | "i" | "add" | "clone"));
    if matches!(command.as_str(), "curl" | "wget")
        || (installs
            && matches!(
                command.as_str(),
                "npm" | "pip" | "pip3" | "pipx" | "brew" | "git" | "apt" | "apt-get"
            ))
    {
        return Err(broken("it fetches something. Paste the command that runs the server"));
    }
    let in_a_path = if command.contains(['/', '\\']) { " ()" } else { "" };
    let known = |c: char| c.is_alphanumeric() || "-_./\\:@+~".contains(c) || in_a_path.contains(c);
    let runnable = command.chars().all(known);
    let prose = args.is_empty() && !command.contains(['/', '\\', '-', '.']) && env.is_empty();
    let word =
        |arg: &&String| arg.trim_end_matches([',', '.', '?', '!', ':']).chars().all(char::is_alphabetic);
    let words = !command.contains(['/', '\\', '.', '-']) && !args.is_empty();
    let sentence = words
        && (args.iter().filter(word).count() > 3 && command.starts_with(char::is_uppercase)
            || args.iter().all(|arg| word(&arg)) && args.len() > 2 && !is_runner(&command));
    if !runnable || prose && command.len() > 20 || sentence {
        return Err(ImportError::Unknown);
    }
    let transport = DraftTransport::Stdio { command, args, env, cwd: None };
    let name = draft::suggest_name(&transport);
    single("A command", Draft { name, transport, enabled: true, timeout: None })
}

/// The words of a command line. With a path of Windows in it, a backslash is no escape.
fn words(line: &str) -> Option<Vec<String>> {
    let drive = |at: usize| {
        let before = line[..at].chars().next_back();
        before.is_some_and(|letter| letter.is_ascii_alphabetic())
            && !line[..at - 1].ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    let windows = line.match_indices(":\\").any(|(at, _)| drive(at));
    draft::split_command_line(&if windows { line.replace('\\', "\\\\") } else { line.to_owned() })
}

/// Programs that start others; their arguments may be words only.
fn is_runner(command: &str) -> bool {
    matches!(
        command,
        "npx"
            | "bunx"
            | "uvx"
            | "uv"
            | "pnpm"
            | "yarn"
            | "npm"
            | "bun"
            | "node"
            | "deno"
            | "python"
            | "python3"
            | "pipx"
            | "docker"
            | "podman"
            | "go"
            | "cargo"
            | "java"
            | "ruby"
            | "php"
            | "dotnet"
            | "sh"
            | "bash"
            | "cmd"
            | "wsl"
            | "ssh"
            | "nix"
    )
}

/// `NAME=value` before a command.
fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let plain = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    plain.then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests;
