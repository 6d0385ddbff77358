//! Keys that a host does not read, close to ones it does.

use crate::diagnostic::{Code, Severity};
use crate::dialect::fields::Fields;

/// Names that applications give to the same thing.
const SAME_THING: &[&[&str]] = &[
    &["url", "httpUrl", "serverUrl", "server_url", "baseUrl", "base_url", "uri", "endpoint"],
    &["headers", "http_headers", "httpHeaders"],
    &["env", "environment", "envs", "envVars"],
    &["command", "cmd", "executable"],
    &["args", "arguments"],
    &["cwd", "working_directory", "workingDirectory"],
    &["type", "transport", "transportType"],
    &["timeout", "startup_timeout_sec", "startup_timeout_ms", "timeoutMs"],
];

/// Tells each key that the host ignores though somebody meant it.
pub(crate) fn keys(fields: &mut Fields<'_>) {
    let node = fields.node;
    for member in node.as_object().unwrap_or_default() {
        let key = member.key.as_str();
        let known = fields.spelling.keys;
        // By convention a remark, in a format that has none.
        let remark = key.starts_with(['_', '$']) || key.starts_with("//");
        if known.contains(&key) || key == "enabled" || key == "disabled" || remark {
            continue;
        }
        let host = fields.host();
        let broken = !fields.problems.is_empty();
        let severity = if broken { Severity::Error } else { Severity::Warning };
        let title = format!("unknown key \"{key}\"");
        if let Some(meant) = suggest(key, known) {
            let detail = format!("{host} does not read it. Did you mean `{meant}`?");
            fields.find(Code::UnknownKey, severity, member.key_span.start, title, detail);
            if fields.member(meant).is_none() {
                fields.cure(format!("Rename it to `{meant}`"), vec![fields.renaming(key, meant)]);
            }
        } else if matches!(key, "cwd" | "envFile" | "headers") {
            let detail = format!(
                "{host} has no `{key}` in an entry and ignores it; so does Jackfield. Remove it, or move the server to an application that has it."
            );
            fields.find(Code::UnknownKey, Severity::Warning, member.key_span.start, title, detail);
        }
    }
}

/// The key that was meant, if it can be guessed.
pub(crate) fn suggest<'k>(key: &str, known: &[&'k str]) -> Option<&'k str> {
    let plain = |text: &str| {
        text.trim().chars().filter(|c| !"_- ".contains(*c)).collect::<String>().to_ascii_lowercase()
    };
    let written = plain(key);
    if written.is_empty() {
        return None;
    }
    let same = known.iter().find(|candidate| plain(candidate) == written);
    let group = || {
        let group = SAME_THING.iter().find(|group| group.iter().any(|name| plain(name) == written))?;
        known.iter().find(|candidate| group.contains(candidate))
    };
    let near = || {
        known
            .iter()
            .map(|candidate| (distance(&written, &plain(candidate)), candidate))
            .filter(|(distance, candidate)| {
                *distance <= if candidate.len() > 6 { 2 } else { 1 } && written.len() > 2
            })
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, candidate)| candidate)
    };
    same.or_else(group).or_else(near).copied()
}

/// How many letters must be changed, put in or taken out; long words are not compared.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > 2 || left.len() > 40 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(a != b)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions() {
        let gemini = ["command", "args", "env", "cwd", "url", "httpUrl", "headers", "timeout"];
        for (key, expected) in [
            ("httpUrl ", Some("httpUrl")),
            ("HTTPURL", Some("httpUrl")),
            ("http_url", Some("httpUrl")),
            ("environment", Some("env")),
            ("comand", Some("command")),
            ("header", Some("headers")),
            ("serverUrl", Some("url")),
            ("description", None),
            ("_note", None),
            ("", None),
            ("id", None),
        ] {
            assert_eq!(suggest(key, &gemini), expected, "{key}");
        }
        assert_eq!(suggest("cwd", &["command", "args", "env"]), None);
    }
}
