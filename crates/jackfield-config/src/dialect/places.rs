//! Where each field of an entry stands.

use super::{CommandShape, Spelling};
use crate::definition::FieldPlace;
use crate::format::{Lines, Node};

/// The places of all fields, by the names that are the same for every dialect; other keys go by their own.
pub(super) fn of(entry: &Node, spelling: &Spelling, lines: &Lines<'_>) -> Vec<FieldPlace> {
    let mut places = Vec::new();
    let mut note = |field: String, at: usize| {
        places.push(FieldPlace { field, position: lines.position(at), source: None });
    };
    for member in entry.as_object().unwrap_or_default() {
        let (key, value) = (member.key.as_str(), &member.value);
        let is = |keys: &[&str]| keys.contains(&key);
        if is(spelling.commands) {
            match value.as_array().filter(|_| spelling.command != CommandShape::Text) {
                Some(words) => {
                    words.iter().enumerate().for_each(|(index, word)| match index.checked_sub(1) {
                        None => note("command".to_owned(), word.span.start),
                        Some(arg) => note(format!("args.{arg}"), word.span.start),
                    })
                }
                None => note("command".to_owned(), value.span.start),
            }
        } else if key == "args" {
            for (index, arg) in value.as_array().unwrap_or_default().iter().enumerate() {
                note(format!("args.{index}"), arg.span.start);
            }
        } else if key == spelling.env {
            pairs("env", value, &mut note);
        } else if spelling.headers.first() == Some(&key) {
            let inner = spelling.headers[1..].iter().try_fold(value, |node, key| node.get(key));
            if let Some(inner) = inner {
                pairs("headers", inner, &mut note);
            }
        } else {
            let field = if spelling.urls.iter().any(|(url, _)| *url == key) {
                "url"
            } else if is(spelling.type_keys) {
                "type"
            } else if spelling.cwd == Some(key) {
                "cwd"
            } else if spelling.timeouts.iter().any(|(timeout, _)| *timeout == key) {
                "timeout"
            } else if spelling.switch.is_some_and(|(switch, _)| switch == key) {
                "enabled"
            } else {
                key
            };
            note(field.to_owned(), member.key_span.start);
        }
    }
    places
}

fn pairs(kind: &str, map: &Node, note: &mut dyn FnMut(String, usize)) {
    for member in map.as_object().unwrap_or_default() {
        note(format!("{kind}.{}", member.key), member.key_span.start);
    }
}
