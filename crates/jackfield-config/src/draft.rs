//! A server as a person means it, in no file yet: what a form holds and what is written in any dialect.

use std::time::Duration;

use crate::definition::{Definition, HttpProtocol, Transport};

/// A server to be written. Its strings are as they will stand in the file: variables in the syntax of its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub name: String,
    pub transport: DraftTransport,
    pub enabled: bool,
    /// For spawn and handshake together.
    pub timeout: Option<Duration>,
}

/// How to reach the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftTransport {
    Stdio { command: String, args: Vec<String>, env: Vec<(String, String)>, cwd: Option<String> },
    Http { url: String, headers: Vec<(String, String)>, protocol: HttpProtocol },
}

impl Draft {
    /// What a definition says, as it is written in its file.
    pub fn of(definition: &Definition) -> Draft {
        let raw = |pairs: &[(String, crate::value::ValueExpr)]| {
            pairs.iter().map(|(name, value)| (name.clone(), value.raw.clone())).collect()
        };
        let transport = match &definition.transport {
            Transport::Stdio { command, args, env, cwd } => DraftTransport::Stdio {
                command: command.raw.clone(),
                args: args.iter().map(|arg| arg.raw.clone()).collect(),
                env: raw(env),
                cwd: cwd.as_ref().map(|cwd| cwd.raw.clone()),
            },
            Transport::Http { url, headers, protocol } => {
                DraftTransport::Http { url: url.raw.clone(), headers: raw(headers), protocol: *protocol }
            }
            Transport::Unknown => {
                DraftTransport::Stdio { command: String::new(), args: Vec::new(), env: Vec::new(), cwd: None }
            }
        };
        let enabled = definition.enabled.unwrap_or(true);
        Draft { name: definition.name.clone(), transport, enabled, timeout: definition.timeout }
    }

    /// A server that runs a command.
    pub fn stdio(name: impl Into<String>, command: impl Into<String>, args: Vec<String>) -> Draft {
        let transport = DraftTransport::Stdio { command: command.into(), args, env: Vec::new(), cwd: None };
        Draft { name: name.into(), transport, enabled: true, timeout: None }
    }

    /// A server that is reached by HTTP.
    pub fn http(name: impl Into<String>, url: impl Into<String>, protocol: HttpProtocol) -> Draft {
        let transport = DraftTransport::Http { url: url.into(), headers: Vec::new(), protocol };
        Draft { name: name.into(), transport, enabled: true, timeout: None }
    }
}

/// A url as it is typed: without a scheme it gets https, on this machine http.
pub fn with_scheme(url: &str) -> String {
    let url = url.trim();
    if url.contains("://") || url.is_empty() {
        return url.to_owned();
    }
    let host = url.split(['/', '?', '#']).next().unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let here = name == "localhost" || name == "::1" || name.starts_with("127.");
    format!("{}://{url}", if here { "http" } else { "https" })
}

/// A name for the variable that holds something of a server: `my-server` and `TOKEN` give `MY_SERVER_TOKEN`.
pub fn variable_name(server: &str, what: &str) -> String {
    let word: String = server
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    let word = word.trim_matches('_');
    let lead = if word.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    if word.is_empty() { what.to_owned() } else { format!("{lead}{word}_{what}") }
}

/// A command line as its words, as a POSIX shell takes them apart; `None` if a quote is not closed.
pub fn split_command_line(line: &str) -> Option<Vec<String>> {
    shell_words::split(line).ok()
}

/// Programs that run another one, which is named in their arguments.
const RUNNERS: &[&str] = &[
    "npx", "uvx", "bunx", "bun", "pnpm", "pnpx", "yarn", "pipx", "docker", "podman", "uv", "node", "python",
    "python3", "cmd", "deno", "env",
];

/// Words that tell a runner what to do.
const VERBS: &[&str] = &["run", "exec", "dlx", "x", "/c", "/C", "tool"];

/// Options of container runners and others that take the next word.
const TAKE_ONE: &[&str] = &[
    "-e",
    "--env",
    "--env-file",
    "-v",
    "--volume",
    "--mount",
    "--name",
    "--network",
    "--net",
    "-p",
    "--publish",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "--platform",
    "--directory",
    "--python",
    "--with",
];

/// What a command runs in the end.
fn program(command: &str, args: &[String]) -> String {
    let mut command = command;
    let mut args = args.iter().map(String::as_str);
    loop {
        let base = base_name(command).trim_end_matches(".exe").trim_end_matches(".cmd");
        if !RUNNERS.contains(&base) {
            return if command.contains(['@', '/', ':']) || base_name(command) != command {
                package_name(command)
            } else {
                base.to_owned()
            };
        }
        let mut next = None;
        while let Some(word) = args.next() {
            if TAKE_ONE.contains(&word) {
                args.next();
            } else if !word.starts_with('-') && !VERBS.contains(&word) {
                next = Some(word);
                break;
            }
        }
        match next {
            // It only carries another server's url.
            Some(word) if word == "mcp-remote" || word.starts_with("mcp-remote@") => {
                let url = args.find(|word| word.contains("://"));
                return url.map_or_else(|| package_name(word), host_name);
            }
            Some(word) if RUNNERS.contains(&word) => command = word,
            Some(word) => return package_name(word),
            None => return base.to_owned(),
        }
    }
}

/// The part of a url's host that says whose it is: `https://mcp.linear.app/sse` → `linear`.
fn host_name(url: &str) -> String {
    let host = url.split("://").nth(1).unwrap_or(url).split(['/', '?', '#']).next().unwrap_or_default();
    if host.starts_with('[') {
        return "localhost".to_owned();
    }
    let host = host.split(':').next().unwrap_or_default();
    if host.starts_with(|c: char| c.is_ascii_digit()) {
        return if host.starts_with("127.") { "localhost".to_owned() } else { host.to_owned() };
    }
    let mut parts: Vec<&str> =
        host.split('.').filter(|part| !["mcp", "www", "api", "server"].contains(part)).collect();
    if parts.len() > 1 {
        parts.pop();
    }
    parts.last().copied().unwrap_or(host).to_owned()
}

/// A name for a server that has none, from what it runs or where it is.
pub fn suggest_name(transport: &DraftTransport) -> String {
    let found = match transport {
        DraftTransport::Stdio { command, args, .. } => program(command, args),
        DraftTransport::Http { url, .. } => host_name(url),
    };
    let name: String =
        found.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    let name = name.trim_matches(['-', '.']).to_owned();
    if name.is_empty() { "server".to_owned() } else { name }
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `@modelcontextprotocol/server-filesystem@1.2` → `filesystem`, `mcp-server-git` → `git`, `ghcr.io/o/github:1` → `github`.
fn package_name(word: &str) -> String {
    let last = base_name(word);
    let bare = last.split(['@', ':', '=']).next().unwrap_or(last);
    let endings = [".js", ".py", ".exe", ".cmd", ".bat"];
    let bare = endings.iter().find_map(|ending| bare.strip_suffix(ending)).unwrap_or(bare);
    let mut name = bare;
    for affix in ["mcp-server-", "server-", "mcp-"] {
        name = name.strip_prefix(affix).filter(|rest| !rest.is_empty()).unwrap_or(name);
    }
    for affix in ["-mcp-server", "-server", "-mcp"] {
        name = name.strip_suffix(affix).filter(|rest| !rest.is_empty()).unwrap_or(name);
    }
    // `@acme/mcp` is told by whose it is.
    let whose = word.strip_prefix('@').and_then(|word| word.split_once('/')).map(|(whose, _)| whose);
    match whose {
        Some(whose) if ["mcp", "server", "mcp-server", "cli"].contains(&name) => whose.to_owned(),
        Some(_) | None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes() {
        for (typed, url) in [
            ("mcp.linear.app/sse", "https://mcp.linear.app/sse"),
            ("localhost:3000/mcp", "http://localhost:3000/mcp"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("[::1]:80/x", "http://[::1]:80/x"),
            ("localhost.example.com", "https://localhost.example.com"),
            ("http://a", "http://a"),
        ] {
            assert_eq!(with_scheme(typed), url);
        }
    }

    #[test]
    fn names() {
        let run = |line: &str| {
            let words = split_command_line(line).unwrap();
            suggest_name(&Draft::stdio("", &words[0], words[1..].to_vec()).transport)
        };
        for (line, name) in [
            ("npx -y @modelcontextprotocol/server-filesystem /tmp", "filesystem"),
            ("uvx mcp-server-git", "git"),
            ("docker run -i --rm ghcr.io/github/github-mcp-server:1.2", "github"),
            ("/usr/local/bin/my-tool --stdio", "my-tool"),
            ("cmd /c npx -y foo-mcp@latest", "foo"),
            ("docker run -i --rm -e TOKEN -v /a:/b mcp/github:latest --x", "github"),
            ("npx mcp-remote https://mcp.linear.app/sse", "linear"),
            ("uv --directory /a/b run server.py", "server"),
            ("npx", "npx"),
            ("npx -y @acme/mcp", "acme"),
            ("npx -y @acme/mcp-server@latest", "acme"),
        ] {
            assert_eq!(run(line), name, "{line}");
        }
        let at = |url: &str| suggest_name(&Draft::http("", url, HttpProtocol::Streamable).transport);
        assert_eq!(at("https://mcp.linear.app/sse"), "linear");
        assert_eq!(at("https://api.githubcopilot.com/mcp/"), "githubcopilot");
        assert_eq!(at("http://localhost:3000"), "localhost");
        assert_eq!(at("http://[::1]:3000/mcp"), "localhost");
        assert_eq!(at("http://127.0.0.1:3000/mcp"), "localhost");
        assert_eq!(variable_name("my-server", "TOKEN"), "MY_SERVER_TOKEN");
        assert_eq!(variable_name("1x", "TOKEN"), "_1X_TOKEN");
        assert_eq!(variable_name("日本", "TOKEN"), "TOKEN");
    }
}
