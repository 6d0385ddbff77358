//! What Claude Code's settings switch off, in whatever file a server is.

use crate::definition::{Definition, Transport};
use crate::discover::fits;
use crate::host::{Dialect, Scope};
use crate::source::{ClaudeRule, ClaudeRules};

/// Why the settings keep this server from running, in words; nothing if they do not.
pub(super) fn off(settings: &[&ClaudeRules], definition: &Definition) -> Option<String> {
    let source = &definition.source;
    if source.dialect != Dialect::ClaudeCode && !source.is_claude_shared() || source.is_unread_by_host() {
        return None;
    }
    for rules in settings {
        if rules.denied.iter().any(|rule| meets(rule, definition)) {
            return Some(format!("`deniedMcpServers` in {}", rules.path));
        }
        if rules.allowed.as_ref().is_some_and(|allowed| !is_allowed(allowed, definition)) {
            return Some(format!("`allowedMcpServers` in {}, which does not name it", rules.path));
        }
    }
    let plugin = plugin(definition)?;
    // The first file that knows the plugin decides.
    let known = |rules: &ClaudeRules| rules.plugins.iter().find(|(id, _)| *id == plugin).map(|(_, on)| *on);
    let (on, path) = settings.iter().find_map(|rules| Some((known(rules)?, &rules.path)))?;
    (!on).then(|| format!("`enabledPlugins` in {path}"))
}

fn meets(rule: &ClaudeRule, definition: &Definition) -> bool {
    match (rule, &definition.transport) {
        (ClaudeRule::Name(name), _) => *name == definition.name,
        (ClaudeRule::Command(words), Transport::Stdio { command, args, .. }) => {
            words.iter().eq(std::iter::once(&command.raw).chain(args.iter().map(|arg| &arg.raw)))
        }
        (ClaudeRule::Url(pattern), Transport::Http { url, .. }) => fits(&url.raw, pattern),
        (ClaudeRule::Command(_) | ClaudeRule::Url(_), _) => false,
    }
}

/// Where commands are listed, a program must be one of them, and a name alone is not enough; so for urls.
fn is_allowed(allowed: &[ClaudeRule], definition: &Definition) -> bool {
    let strict = allowed.iter().any(|rule| match definition.transport {
        Transport::Stdio { .. } => matches!(rule, ClaudeRule::Command(_)),
        Transport::Http { .. } => matches!(rule, ClaudeRule::Url(_)),
        Transport::Unknown => false,
    });
    allowed.iter().any(|rule| !(strict && matches!(rule, ClaudeRule::Name(_))) && meets(rule, definition))
}

/// The id of the plugin that a definition belongs to: `plugin@marketplace`.
fn plugin(definition: &Definition) -> Option<String> {
    if definition.source.scope != Scope::Plugin {
        return None;
    }
    let mut parts = definition.source.path.components().map(|part| part.as_os_str().to_string_lossy());
    parts.by_ref().find(|part| part == "cache")?;
    let (marketplace, plugin) = (parts.next()?, parts.next()?);
    Some(format!("{plugin}@{marketplace}"))
}
