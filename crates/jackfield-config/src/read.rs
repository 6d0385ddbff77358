//! The text of one source, read: definitions and findings.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Fix, FixWork, Severity};
use crate::dialect::entry::{self, Place};
use crate::dialect::roots;
use crate::edit::Rewrite;
use crate::format::{self, Kind, Lines, Node, Notice, NoticeKind};
use crate::host::{Dialect, Format, Scope};
use crate::places::display_path;
use crate::source::{
    CLAUDE_OFF, CLAUDE_OFF_SHARED, Encoding, HostAllowed, HostDisabled, Identity, ReadState, SourceReading,
    SourceSpec, SourceText,
};

mod claude;

/// What the caller found at the path of a source.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    Missing,
    /// With the system's words.
    Unreadable(&'a str),
    Text(&'a SourceText),
}

/// Reads a source. Never fails: what is wrong is among the diagnostics. `home` is for paths in messages.
pub fn read_source(spec: &Arc<SourceSpec>, content: Content<'_>, home: &Path) -> SourceReading {
    let mut reading = SourceReading {
        spec: Arc::clone(spec),
        state: ReadState::Missing,
        definitions: Vec::new(),
        host_disabled: Vec::new(),
        host_allowed: None,
        claude: None,
        denylist: Vec::new(),
        diagnostics: Vec::new(),
    };
    match content {
        Content::Missing => {}
        Content::Unreadable(words) => {
            let title = format!("cannot read {}: {words}", display_path(home, &spec.path));
            reading.diagnostics.push(finding(
                spec,
                Code::FileUnreadable,
                Severity::Error,
                title,
                "Nothing is read from it. Check that it is a file of text, and that you may read it."
                    .to_owned(),
            ));
            reading.state = ReadState::Unreadable(words.to_owned());
        }
        Content::Text(text) => read_text(&mut reading, text, home),
    }
    if spec.read_only().is_some() {
        reading.diagnostics.iter_mut().for_each(|diagnostic| diagnostic.fixes.clear());
    }
    reading
}

fn finding(spec: &SourceSpec, code: Code, severity: Severity, title: String, detail: String) -> Diagnostic {
    let path = Some(Arc::clone(&spec.path));
    Diagnostic { code, severity, title, detail, path, position: None, server: None, fixes: Vec::new() }
}

fn read_text(reading: &mut SourceReading, source: &SourceText, home: &Path) {
    let spec = Arc::clone(&reading.spec);
    let text = source.text.as_str();
    let lines = Lines::new(text);
    encoding(reading, source.encoding);
    // Where Claude Code reads along, what it would not take is told; we take it.
    let strictness = if spec.is_claude_shared() { Format::STRICT_JSON } else { spec.format };
    let parsed = match format::parse(text, strictness) {
        Ok(parsed) => parsed,
        Err(error) => {
            let hint = if error.hint.is_empty() {
                "Correct the text at this place; nothing new is read from the file until it parses."
                    .to_owned()
            } else {
                error.hint.clone()
            };
            let mut diagnostic =
                finding(&spec, Code::FileSyntax, Severity::Error, error.message.clone(), hint);
            diagnostic.position = Some(error.position(&lines));
            reading.diagnostics.push(diagnostic);
            reading.state = ReadState::Broken;
            return;
        }
    };
    reading.state = ReadState::Read;
    for notice in &parsed.notices {
        tell(reading, notice, &lines);
    }
    let Some(root) = parsed.root else { return };
    if root.as_object().is_none() {
        let title = format!("the root of the file must be an object, not {}", root.noun());
        let detail = format!("No server is read from it. Write `{{ … }}`, as {} expects it.", spec.host.name);
        let mut diagnostic = finding(&spec, Code::WrongRoot, Severity::Error, title, detail);
        diagnostic.position = Some(lines.position(root.span.start));
        reading.diagnostics.push(diagnostic);
        return;
    }
    let (found, findings) = roots::find(&root, &spec);
    for root_finding in findings {
        let mut diagnostic =
            finding(&spec, root_finding.code, root_finding.severity, root_finding.title, root_finding.detail);
        diagnostic.position = Some(lines.position(root_finding.at));
        diagnostic.fixes.extend(root_finding.fix);
        reading.diagnostics.push(diagnostic);
    }
    for found in found {
        let place = Place { at: found.at, lines: Some(&lines), home: Some(home) };
        let (definition, diagnostics) =
            entry::read(&found.spec, found.shape, &spec, &found.name, found.node, place);
        reading.definitions.push(Arc::new(definition));
        reading.diagnostics.extend(diagnostics);
    }
    lists(reading, &root, &lines, home);
    unread(reading, home);
}

/// A mark or an encoding that the owner of the file does not take.
fn encoding(reading: &mut SourceReading, encoding: Encoding) {
    let spec = Arc::clone(&reading.spec);
    let what = match (encoding, spec.format) {
        (Encoding::Utf8, _)
        | (
            Encoding::Utf8Bom,
            Format::Json { bom: true, .. } | Format::Toml | Format::Yaml | Format::Script,
        )
        | (Encoding::Utf16Le | Encoding::Utf16Be, Format::Json { bom: true, .. }) => return,
        (Encoding::Utf8Bom, Format::Json { bom: false, .. }) => "begins with a byte order mark",
        (Encoding::Utf16Le | Encoding::Utf16Be, _) => "is UTF-16",
    };
    let title = format!("the file {what}, which {} does not take", spec.host.name);
    let detail =
        format!("{} reads nothing from it. Save it as UTF-8 without a byte order mark.", spec.host.name);
    let mut diagnostic = finding(&spec, Code::HostRefusesFile, Severity::Error, title, detail);
    let (title, work) = ("Save it as UTF-8".to_owned(), FixWork::Rewrite(Rewrite::WithoutMark));
    diagnostic.fixes.push(Fix { title, work });
    reading.diagnostics.push(diagnostic);
}

fn tell(reading: &mut SourceReading, notice: &Notice, lines: &Lines<'_>) {
    let spec = Arc::clone(&reading.spec);
    let host = spec.host.name;
    let refused = |what: &str, cure: &str| {
        // The file is nobody's alone: other tools may take it as it is.
        let (title, severity) = if spec.is_claude_shared() {
            (format!("Claude Code reads this file, too, and ignores it as it is: {what}"), Severity::Warning)
        } else {
            (format!("{host} would refuse this file: {what}"), Severity::Error)
        };
        let detail = format!("The servers in it are listed here all the same. {cure}");
        (Code::HostRefusesFile, severity, title, detail)
    };
    let (code, severity, title, detail) = match &notice.kind {
        NoticeKind::Comment => refused("it has a comment, and JSON has none", "Remove the comment."),
        NoticeKind::TrailingComma => refused("it has a comma behind the last item", "Remove the comma."),
        NoticeKind::ControlCharacter => {
            refused("a string has a line break or another control character in it", "Write `\\n` for a line break, or remove it.")
        }
        NoticeKind::LoneSurrogate => (
            Code::HostRefusesFile,
            Severity::Warning,
            "a string holds half of a character: an escape such as `\\ud83d` without the other half".to_owned(),
            "It is read as `\u{fffd}`. Applications written in JavaScript take it, others may refuse the file. Write the whole character, or remove the escape.".to_owned(),
        ),
        NoticeKind::Undecided => (
            Code::DecidedByScript,
            Severity::Warning,
            "a server is added here only if the script comes here".to_owned(),
            format!("{host} knows when it runs the script, which Jackfield does not do; so the server is not listed. Put the command at the top level of the script to have it always."),
        ),
        NoticeKind::Duplicate { path, again } => {
            // Elsewhere in a file of settings it is the owner's business.
            let related = path.iter().zip(&spec.root).all(|(key, root)| key == root);
            if !related {
                return;
            }
            let key = path.last().map_or("", String::as_str);
            let again = lines.position(*again);
            let title = format!("duplicate key \"{key}\"");
            let detail = format!(
                "The last one counts, in line {}; what stands in line {} is without effect. Remove one of the two.",
                again.line,
                lines.position(notice.at).line
            );
            (Code::DuplicateKey, Severity::Warning, title, detail)
        }
    };
    let mut diagnostic = finding(&spec, code, severity, title, detail);
    diagnostic.position = Some(lines.position(notice.at));
    let cure = match notice.kind {
        NoticeKind::Comment => Some(("Remove the comments", Rewrite::NoComments)),
        NoticeKind::TrailingComma => Some(("Remove the commas", Rewrite::NoTrailingCommas)),
        NoticeKind::ControlCharacter => Some(("Write the characters as escapes", Rewrite::Escapes)),
        NoticeKind::LoneSurrogate | NoticeKind::Undecided | NoticeKind::Duplicate { .. } => None,
    };
    let fix = |(title, how): (&str, Rewrite)| Fix { title: title.to_owned(), work: FixWork::Rewrite(how) };
    diagnostic.fixes.extend(cure.map(fix));
    reading.diagnostics.push(diagnostic);
}

/// The hosts' own lists by name, and Jackfield's denylist.
fn lists(reading: &mut SourceReading, root: &Node, lines: &Lines<'_>, home: &Path) {
    let spec = Arc::clone(&reading.spec);
    let path = display_path(home, &spec.path);
    match spec.dialect {
        Dialect::Xcsh if spec.scope == Scope::User && spec.path.ends_with("mcp.json") => {
            let names = names(reading, root, "disabledServers", "disabledServers", lines);
            reading.denylist = names.unwrap_or_default();
        }
        Dialect::Gemini | Dialect::Qwen => {
            let Some(mcp) = root.get("mcp").filter(|mcp| mcp.kind != Kind::Null) else { return };
            if mcp.as_object().is_none() {
                let title = format!("`mcp` must be an object, not {}", mcp.noun());
                let detail = "It is ignored. Write `{ \"excluded\": [\"name\"] }`, or remove the key.";
                tell_type(reading, lines, mcp.span.start, title, detail.to_owned());
                return;
            }
            let excluded = names(reading, mcp, "excluded", "mcp.excluded", lines).unwrap_or_default();
            reading.host_disabled = excluded
                .into_iter()
                .map(|name| HostDisabled { name, list: "excluded", by: format!("`mcp.excluded` in {path}") })
                .collect();
            reading.host_allowed = names(reading, mcp, "allowed", "mcp.allowed", lines).map(|names| {
                HostAllowed { names, identities: Vec::new(), by: format!("`mcp.allowed` in {path}") }
            });
        }
        Dialect::ClaudeCode if spec.scope == Scope::Local => {
            let Some(project) = spec.root.get(1) else { return };
            for member in roots::project_members(root, project) {
                for list in [CLAUDE_OFF, CLAUDE_OFF_SHARED] {
                    let names = names(reading, &member.value, list, list, lines).unwrap_or_default();
                    reading.host_disabled.extend(names.into_iter().map(|name| HostDisabled {
                        name,
                        list,
                        by: format!("`{list}` of the project in {path}"),
                    }));
                }
            }
        }
        Dialect::ClaudeSettings => claude::read(reading, root, lines, &path),
        Dialect::Codex => profiles(reading, root, lines),
        Dialect::CodexRequirements => reading.host_allowed = requirements(root, path),
        Dialect::RovoSettings => {
            let Some(mcp) = root.get("mcp") else { return };
            let list = CLAUDE_OFF;
            let shown = format!("mcp.{list}");
            let off = names(reading, mcp, list, &shown, lines).unwrap_or_default();
            let by = format!("`{shown}` in {path}");
            reading.host_disabled =
                off.into_iter().map(|name| HostDisabled { name, list, by: by.clone() }).collect();
        }
        _ => {}
    }
}

/// Servers in a profile's table, where Codex does not look for them.
fn profiles(reading: &mut SourceReading, root: &Node, lines: &Lines<'_>) {
    for profile in root.get("profiles").and_then(Node::as_object).unwrap_or_default() {
        let Some(servers) = profile.value.member("mcp_servers") else { continue };
        let name = &profile.key;
        let title = format!("Codex reads no servers from the profile `{name}` in this file");
        let detail = format!(
            "A profile of Codex has a file of its own, `{name}.config.toml` beside this one; Codex reads it with `--profile {name}`. Move the table there, or to the top level for all."
        );
        let mut diagnostic = finding(&reading.spec, Code::WrongRootKey, Severity::Warning, title, detail);
        diagnostic.position = Some(lines.position(servers.key_span.start));
        reading.diagnostics.push(diagnostic);
    }
}

/// The servers that an organisation lets Codex start, each by its name and what it is. Without the table, all are.
fn requirements(root: &Node, path: String) -> Option<HostAllowed> {
    let servers = root.get("mcp_servers")?.as_object()?;
    let identity = |server: &Node| {
        let identity = server.get("identity")?;
        let text = |key: &str| identity.get(key).and_then(Node::as_str).map(str::to_owned);
        text("command").map(Identity::Command).or_else(|| text("url").map(Identity::Url))
    };
    Some(HostAllowed {
        names: servers.iter().map(|member| member.key.clone()).collect(),
        identities: servers
            .iter()
            .filter_map(|member| Some((member.key.clone(), identity(&member.value)?)))
            .collect(),
        by: format!("`mcp_servers` in {path}"),
    })
}

/// The names on a list; `None` if there is no list. What is no list, or no name, is told and left out.
fn names(
    reading: &mut SourceReading,
    node: &Node,
    key: &str,
    shown: &str,
    lines: &Lines<'_>,
) -> Option<Vec<String>> {
    let list = node.get(key).filter(|list| list.kind != Kind::Null)?;
    let Some(items) = list.as_array() else {
        let title = format!("`{shown}` must be an array of strings, not {}", list.noun());
        let detail =
            "It is ignored. Write the names of servers in a list, such as `[\"name\"]`, or remove the key.";
        tell_type(reading, lines, list.span.start, title, detail.to_owned());
        return None;
    };
    if let Some(odd) = items.iter().find(|item| item.as_str().is_none()) {
        let title = format!("`{shown}` must hold strings only, not {}", odd.noun());
        let detail = "The item is left out; the others count. Write the name of a server in double quotes, or remove the item.";
        tell_type(reading, lines, odd.span.start, title, detail.to_owned());
    }
    Some(list.strings())
}

fn tell_type(reading: &mut SourceReading, lines: &Lines<'_>, at: usize, title: String, detail: String) {
    let mut diagnostic = finding(&reading.spec, Code::WrongType, Severity::Warning, title, detail);
    diagnostic.position = Some(lines.position(at));
    reading.diagnostics.push(diagnostic);
}

/// A file that we read for the user's sake, though its host does not.
fn unread(reading: &mut SourceReading, home: &Path) {
    let spec = Arc::clone(&reading.spec);
    if !spec.is_unread_by_host() || reading.definitions.is_empty() {
        return;
    }
    let title = format!("{} itself does not read {}", spec.host.name, display_path(home, &spec.path));
    let place = match spec.scope {
        Scope::Project | Scope::Local => "`.mcp.json` at the root of the project",
        Scope::Managed | Scope::User | Scope::Plugin => "`mcpServers` in `~/.claude.json`",
    };
    let detail = format!(
        "The servers in it are there for Jackfield only. Move them to {place}, where {} reads them.",
        spec.host.name
    );
    let mut diagnostic = finding(&spec, Code::UnreadFile, Severity::Warning, title, detail);
    let (host, file, scope) = match spec.scope {
        Scope::Project | Scope::Local => ("mcp.json", ".mcp.json", Scope::Project),
        Scope::Managed | Scope::User | Scope::Plugin => ("claude-code", ".claude.json", Scope::User),
    };
    let title = format!("Move them to {file}");
    diagnostic.fixes.push(Fix { title, work: FixWork::MoveAll { host, scope, file } });
    reading.diagnostics.push(diagnostic);
}

#[cfg(test)]
pub(crate) mod corpus_tests;
#[cfg(test)]
mod cures_tests;
#[cfg(test)]
mod forms_tests;
#[cfg(test)]
mod hosts_tests;
#[cfg(test)]
mod places_tests;
#[cfg(test)]
mod shapes_tests;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
