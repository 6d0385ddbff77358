//! Entries that are right as they are and hold no way to a server: somebody else has it.

use super::fields::Fields;
use crate::format::{Kind, Node};
use crate::host::Dialect;

/// Who provides the server, as a sentence without a period; nothing for an entry that should hold it itself.
pub(super) fn from(fields: &Fields<'_>) -> Option<String> {
    let spelling = fields.spelling;
    let has = |keys: &[&str]| keys.iter().any(|key| fields.member(key).is_some());
    let reaches = has(spelling.commands) || spelling.urls.iter().any(|(url, _)| has(&[url]));
    if reaches {
        return None;
    }
    let host = fields.host();
    match fields.spec.dialect {
        // Zed starts the server of an extension itself; the entry holds what the extension wants to know.
        Dialect::Zed => {
            let source = fields.member("source").and_then(|member| member.value.as_str());
            let extension = source == Some("extension") || fields.node.get("settings").is_some();
            (extension && source != Some("custom")).then(|| {
                format!(
                    "Provided by an extension of {host}, which alone can start it: there is no command here"
                )
            })
        }
        Dialect::OpenCode | Dialect::Kilo if spelling.switch.is_some_and(|(key, _)| key == "enabled") => {
            is_toggle(fields.node).then(|| {
                format!(
                    "Only a switch: {host} has the server from a plugin or from a file that is not read here"
                )
            })
        }
        _ => None,
    }
}

/// Nothing but `enabled`; remarks aside.
fn is_toggle(entry: &Node) -> bool {
    let members = entry.as_object().unwrap_or_default();
    let mut said = members.iter().filter(|member| !member.key.starts_with(['_', '$']));
    let flag = |node: &Node| matches!(node.kind, Kind::Bool(_));
    said.next().is_some_and(|member| member.key == "enabled" && flag(&member.value)) && said.next().is_none()
}
