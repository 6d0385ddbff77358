//! Where the secrets of a whole file stand.

use std::ops::Range;

use super::{args, url, value};
use crate::format::{self, Kind, Node, Span};
use crate::host::Format;

/// The places of all values that hold a secret, without their quotes, in order; `None` if the text does not parse.
pub fn spans(text: &str, format: Format) -> Option<Vec<Range<usize>>> {
    let parsed = format::parse(text, format).ok()?;
    let mut found = Vec::new();
    if let Some(root) = &parsed.root {
        walk(text, None, root, &mut found);
    }
    found.sort_by_key(|span| span.start);
    found.dedup();
    Some(found)
}

/// As [`spans`], of a text that does not parse: line by line, by keys, by the word before and by how values look. What
/// is half typed must not uncover the rest.
pub fn loose_spans(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // The last text that was no key: an option of a command, say.
    let mut before: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        for piece in pieces(line) {
            let held = &line[piece.value.clone()];
            let hidden = match (piece.key, before) {
                (_, _) if held.contains("://") => url(held) != held,
                (Some(key), _) => value(Some(key), held) != held,
                (None, Some(word)) => args(&[word.to_owned(), held.to_owned()])[1] != held,
                (None, None) => value(None, held) != held,
            };
            if hidden {
                found.push(at + piece.value.start..at + piece.value.end);
            }
            before = (piece.key.is_none() || held.starts_with('-')).then_some(held);
        }
        at += line.len();
    }
    found
}

/// A value in a line, and the key right before it.
struct Piece<'l> {
    key: Option<&'l str>,
    value: Range<usize>,
}

fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut key: Option<&str> = None;
    let mut rest = 0;
    let end = line.trim_end().len();
    while let Some(c) = line[rest..end].chars().next() {
        if c == '"' || c == '\'' {
            let start = rest + 1;
            let (stop, next) = closing(line, start, end, c);
            let behind = line[next..end].trim_start();
            if behind.starts_with([':', '=']) {
                key = Some(&line[start..stop]);
            } else {
                found.push(Piece { key, value: start..stop });
                key = None;
            }
            rest = next;
        } else if line[rest..end].starts_with("- ") {
            rest += 1;
        } else if c.is_alphanumeric() || "_$!~/.-".contains(c) {
            // A bare word: a key if a sign of assignment follows, else the value up to the end of the line.
            let word = line[rest..end].find([':', '=', ',', ' ', '"', '\'']).map_or(end, |to| rest + to);
            let behind = line[word..end].trim_start();
            if key.is_none() && (behind.starts_with(": ") || behind.starts_with('=') || behind == ":") {
                key = Some(&line[rest..word]);
                rest = word.max(rest + 1);
            } else {
                let stop = line[rest..end].find(" #").map_or(end, |to| rest + to);
                found.push(Piece { key, value: rest..stop });
                key = None;
                rest = end;
            }
        } else {
            rest += c.len_utf8();
        }
    }
    found
}

/// Where a quoted text ends, and where it goes on behind it. One without an end goes to the end of the line.
fn closing(line: &str, start: usize, end: usize, quote: char) -> (usize, usize) {
    let mut escaped = false;
    for (at, c) in line[start..end].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            c if c == quote => return (start + at, start + at + 1),
            _ => {}
        }
    }
    (end, end)
}

fn walk(text: &str, key: Option<&str>, node: &Node, found: &mut Vec<Range<usize>>) {
    match &node.kind {
        Kind::Object(members) => {
            for member in members {
                walk(text, Some(&member.key), &member.value, found);
            }
        }
        Kind::Array(items) => {
            let words: Option<Vec<String>> =
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
            match words {
                // What a secret is depends on the words before it.
                Some(words) => {
                    let shown = args(&words);
                    let hidden =
                        items.iter().zip(words.iter().zip(&shown)).filter(|(_, (word, shown))| word != shown);
                    found.extend(hidden.map(|(item, _)| inside(text, &item.span)));
                }
                None => items.iter().for_each(|item| walk(text, key, item, found)),
            }
        }
        Kind::String(held) => {
            let shown = if held.contains("://") { url(held) } else { value(key, held) };
            if shown != *held {
                found.push(inside(text, &node.span));
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) => {}
    }
}

/// The span without quotes around it.
fn inside(text: &str, span: &Span) -> Range<usize> {
    let written = text.get(span.clone()).unwrap_or_default();
    let quotes = ["\"\"\"", "'''", "\"", "'"].into_iter();
    let quote = quotes.filter(|quote| written.len() >= 2 * quote.len());
    match quote.into_iter().find(|quote| written.starts_with(quote) && written.ends_with(quote)) {
        Some(quote) => span.start + quote.len()..span.end - quote.len(),
        None => span.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str, format: Format) -> Vec<&str> {
        spans(text, format).unwrap().into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn values_arguments_headers_and_urls() {
        let text = r#"{"mcpServers": {"a": {"command": "npx", "args": ["--api-key", "abc123", "x"],
            "env": {"API_KEY": "k-1", "MODE": "fast", "OTHER_TOKEN": "${TOKEN}"},
            "headers": {"Authorization": "Bearer q"}, "url": "https://u:p@example.com/mcp"}}}"#;
        let found = hidden(text, Format::JSONC);
        assert_eq!(found, ["abc123", "k-1", "Bearer q", "https://u:p@example.com/mcp"]);
        let toml = "[mcp_servers.a.env]\nAPI_KEY = 'k-1'\nMODE = \"fast\"\n";
        assert_eq!(hidden(toml, Format::Toml), ["k-1"]);
        assert_eq!(spans("{", Format::JSONC), None);
    }

    /// Whatever is cut off or half typed, the secrets that a whole text has stay covered.
    #[test]
    fn a_text_that_does_not_parse_uncovers_nothing() {
        let json = r#"{"mcpServers": {"a": {"command": "npx", "args": ["--api-key", "abc123", "x"],
            "env": {"API_KEY": "k-1", "MODE": "fast", "OTHER_TOKEN": "${TOKEN}"},
            "headers": {"Authorization": "Bearer q"}, "url": "https://u:p@example.com/mcp"}}}"#;
        let toml = "[mcp_servers.a.env]\nAPI_KEY = 'k-1'\nMODE = \"fast\"\n[mcp_servers.";
        let yaml = "extensions:\n  a:\n    envs:\n      API_KEY: k-1 # mine\n      MODE: fast\n    args:\n      - --token\n      - t-2\n  b: [";
        let of = |text| loose_spans(text).into_iter().map(|span| &text[span]).collect::<Vec<&str>>();
        let all = ["abc123", "k-1", "Bearer q", "https://u:p@example.com/mcp"];
        assert_eq!(of(json), all);
        assert_eq!(of(toml), ["k-1"]);
        assert_eq!(of(yaml), ["k-1", "t-2"]);
        assert_eq!(of("\"Authorization\": \"Bearer cut"), ["Bearer cut"]);
        for (end, _) in json.char_indices() {
            let covered = loose_spans(&json[..end]);
            for secret in all {
                let Some(start) = json[..end].find(secret) else { continue };
                assert!(covered.iter().any(|span| span.contains(&start)), "{secret} in {}", &json[..end]);
            }
        }
    }
}
