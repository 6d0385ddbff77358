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
}
