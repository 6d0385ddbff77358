//! Claude Code's settings: they hold no servers, and say which servers of other files may run.

use serde_json::Value;

use super::{finding, names};
use crate::diagnostic::{Code, Severity};
use crate::format::{Lines, Node};
use crate::host::Scope;
use crate::source::{CLAUDE_OFF_SHARED, ClaudeRule, ClaudeRules, HostDisabled, SourceReading};

/// Reads the lists of a settings file. `path` is how the file is shown.
pub(super) fn read(reading: &mut SourceReading, root: &Node, lines: &Lines<'_>, path: &str) {
    let list = CLAUDE_OFF_SHARED;
    let off = names(reading, root, list, list, lines).unwrap_or_default();
    let by = format!("`{list}` in {path}");
    reading.host_disabled.extend(off.into_iter().map(|name| HostDisabled { name, list, by: by.clone() }));
    let value = |key: &str| root.get(key).map(Node::to_value);
    // Only the organisation says which servers there may be at all.
    let managed = reading.spec.scope == Scope::Managed;
    let rules = |key: &str| {
        value(key).filter(|_| managed).as_ref().and_then(Value::as_array).map(|items| rules(items))
    };
    let plugins = value("enabledPlugins");
    let plugins = plugins.as_ref().and_then(Value::as_object);
    reading.claude = Some(ClaudeRules {
        denied: rules("deniedMcpServers").unwrap_or_default(),
        allowed: rules("allowedMcpServers"),
        plugins: plugins
            .into_iter()
            .flatten()
            .filter_map(|(id, on)| Some((id.clone(), on.as_bool()?)))
            .collect(),
        path: path.to_owned(),
    });
    inert(reading, root, lines);
}

fn rules(items: &[Value]) -> Vec<ClaudeRule> {
    let rule = |item: &Value| {
        let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
        let command = item.get("serverCommand").and_then(Value::as_array).map(|words| {
            ClaudeRule::Command(words.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        });
        command
            .or_else(|| text("serverUrl").map(ClaudeRule::Url))
            .or_else(|| text("serverName").map(ClaudeRule::Name))
    };
    items.iter().filter_map(rule).collect()
}

/// Servers that somebody wrote here, where nobody looks for them.
fn inert(reading: &mut SourceReading, root: &Node, lines: &Lines<'_>) {
    let Some(member) = root.member("mcpServers") else { return };
    let count = member.value.as_object().map_or(0, <[_]>::len);
    if count == 0 {
        return;
    }
    let (what, them) =
        if count == 1 { ("a server".to_owned(), "it") } else { (format!("{count} servers"), "them") };
    let place = match reading.spec.scope {
        Scope::Project | Scope::Local => "`.mcp.json` at the root of the project",
        Scope::Managed | Scope::User | Scope::Plugin => "`mcpServers` in `~/.claude.json`",
    };
    let title = format!("Claude Code reads no servers from its settings, and there is {what} here");
    let detail = format!("No application reads {them} here. Move {them} to {place}.");
    let mut diagnostic = finding(&reading.spec, Code::UnreadFile, Severity::Warning, title, detail);
    diagnostic.position = Some(lines.position(member.key_span.start));
    reading.diagnostics.push(diagnostic);
}
