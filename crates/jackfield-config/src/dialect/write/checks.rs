//! What is wrong with a draft before it is written, by field.

use std::sync::Arc;

use crate::diagnostic::Severity;
use crate::dialect::Untyped;
use crate::draft::{Draft, DraftTransport};
use crate::host::Dialect;
use crate::source::SourceSpec;
use crate::validate;

/// What is wrong with a field: `name`, `type`, `command`, `args.0`, `env.KEY`, `cwd`, `url`, `headers.KEY`, `timeout`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldProblem {
    pub field: String,
    pub severity: Severity,
    pub message: String,
}

/// Names that Claude Code keeps for itself.
const RESERVED: &[&str] =
    &["workspace", "claude-in-chrome", "computer-use", "Claude Preview", "Claude Browser"];

const TWICE: &str = "This name is there twice. A file can hold one of them only";

/// Names that an earlier pair has already: in a file, one of the two would be lost.
fn twice(pairs: &[(String, String)]) -> impl Iterator<Item = &str> {
    let seen = |index: usize, name: &str| pairs[..index].iter().any(|(other, _)| other == name);
    pairs
        .iter()
        .enumerate()
        .filter(move |(index, (name, _))| seen(*index, name))
        .map(|(_, (name, _))| &**name)
}

/// What the host's own rules say about a name that we create, after [`validate::new_name`].
pub(crate) fn host_name_rule(name: &str, spec: &SourceSpec) -> Result<(), String> {
    let host = spec.host.name;
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if matches!(spec.dialect, Dialect::Codex | Dialect::ClaudeCode) && !plain {
        return Err(format!("{host} takes letters, numbers, dash and underscore only"));
    }
    if spec.dialect == Dialect::ClaudeCode && RESERVED.contains(&name) {
        return Err(format!("{host} keeps the name `{name}` for itself"));
    }
    Ok(())
}

/// Checks a draft for a source. Findings that are no errors do not keep it from being saved.
pub fn check(draft: &Draft, spec: &Arc<SourceSpec>) -> Vec<FieldProblem> {
    let mut problems = Vec::new();
    let mut add = |field: &str, severity, message: String| {
        problems.push(FieldProblem { field: field.to_owned(), severity, message });
    };
    let spelling = super::spelling_of(spec);
    match &draft.transport {
        DraftTransport::Stdio { command, args, env, .. } => {
            if command.trim().is_empty() {
                add("command", Severity::Error, "Say which program to run".to_owned());
            } else if let Some((program, rest)) = validate::split_command(command).and_then(|words| {
                let (program, rest) = words.split_first()?;
                Some(((*program).to_owned(), rest.to_vec()))
            }) {
                let message = format!(
                    "This looks like a whole command line. Write `{program}` here, and {} as arguments",
                    rest.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
                );
                add("command", Severity::Warning, message);
            }
            for (index, arg) in args.iter().enumerate() {
                if arg.starts_with("~/") {
                    let message = "No shell expands `~` here. Write the whole path".to_owned();
                    add(&format!("args.{index}"), Severity::Warning, message);
                }
            }
            for name in twice(env) {
                add(&format!("env.{name}"), Severity::Error, TWICE.to_owned());
            }
            for (name, _) in env.iter().filter(|(name, _)| name.contains(['=', '\0'])) {
                add(&format!("env.{name}"), Severity::Error, "A variable's name has no `=`".to_owned());
            }
        }
        DraftTransport::Http { url, headers, .. } => {
            if spelling.untyped == Untyped::NoRemote {
                let message = format!("{} takes only commands in this file", spec.host.name);
                add("type", Severity::Error, message);
            }
            if url.trim().is_empty() {
                add("url", Severity::Error, "Say where the server is".to_owned());
            }
            for name in twice(headers) {
                add(&format!("headers.{name}"), Severity::Error, TWICE.to_owned());
            }
            for (name, value) in headers {
                let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
                if !name.chars().all(token) {
                    add(
                        &format!("headers.{name}"),
                        Severity::Error,
                        "A header's name has letters, numbers and dashes only".to_owned(),
                    );
                } else if value.contains(['\n', '\r', '\0']) {
                    add(&format!("headers.{name}"), Severity::Error, "A header has one line".to_owned());
                }
            }
        }
    }
    // What the owner of the file would say to it all.
    let rendered = super::entry(draft, spec);
    let read = super::read_back(&rendered.value, &draft.name, spec);
    if problems.iter().all(|problem| problem.severity != Severity::Error) {
        let prefix = format!("Server \"{}\": ", draft.name);
        for words in &read.problems {
            let message = words.strip_prefix(&prefix).unwrap_or(words).to_owned();
            problems.push(FieldProblem { field: field_of(&message), severity: Severity::Error, message });
        }
    }
    problems
}

/// The field that the words of a reader are about.
fn field_of(message: &str) -> String {
    let named = message.strip_prefix('`').and_then(|rest| rest.split_once("` cannot be filled in: "));
    if let Some((field, _)) = named {
        return field.to_owned();
    }
    let field = if message.starts_with("url ") || message.contains("://") {
        "url"
    } else if message.starts_with("needs ") || message.starts_with("unknown server type") {
        "type"
    } else if message.contains("\"command\"") {
        "command"
    } else {
        ""
    };
    field.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Draft;
    use crate::read::testing::source;

    #[test]
    fn a_name_that_would_be_lost_is_told_at_its_field() {
        let pairs = |names: [&str; 3]| names.map(|name| (name.to_owned(), "1".to_owned())).to_vec();
        let draft = |transport| Draft { name: "s".to_owned(), transport, enabled: true, timeout: None };
        let stdio = DraftTransport::Stdio {
            command: "npx".to_owned(),
            args: Vec::new(),
            env: pairs(["A", "B", "A"]),
            cwd: None,
        };
        let http = DraftTransport::Http {
            url: "https://h.example/mcp".to_owned(),
            headers: pairs(["X-A", "X-B", "X-B"]),
            protocol: crate::definition::HttpProtocol::Streamable,
        };
        let spec = source("~/.cursor/mcp.json");
        for (transport, field) in [(stdio, "env.A"), (http, "headers.X-B")] {
            let found = check(&draft(transport), &spec);
            let [problem] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!((problem.field.as_str(), problem.severity), (field, Severity::Error));
        }
    }
}
