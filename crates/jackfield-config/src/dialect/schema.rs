//! A JSON schema of a source's file, from the dialect's table: for completion and for telling slips while typing.

use serde_json::{Map, Value, json};

use super::{CommandShape, Spelling, Unit, spelling, write};
use crate::source::SourceSpec;

/// The schema of the whole file; what the host keeps beside its servers is left open.
pub fn schema(spec: &SourceSpec) -> Value {
    let entry = entry(spelling(spec.dialect, write::shape_of(spec)));
    let servers = if spec.list {
        json!({ "type": "array", "items": entry })
    } else {
        json!({ "type": "object", "additionalProperties": entry })
    };
    spec.root
        .iter()
        .rev()
        .fold(servers, |inner, key| json!({ "type": "object", "properties": { key: inner } }))
}

fn entry(spelling: &Spelling) -> Value {
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let mut properties = Map::new();
    for key in spelling.keys {
        let schema = if spelling.type_keys.contains(key) {
            let words: Vec<&str> = spelling.types.iter().map(|(word, _)| *word).collect();
            if words.is_empty() {
                json!({})
            } else {
                json!({ "enum": words, "description": "How the server is reached" })
            }
        } else if spelling.commands.contains(key) {
            match spelling.command {
                CommandShape::Text => json!({ "type": "string", "description": "The program to run" }),
                CommandShape::List => {
                    json!({ "type": "array", "items": { "type": "string" }, "description": "The program and its arguments" })
                }
                CommandShape::LineOrList | CommandShape::TextOrObject => {
                    json!({ "description": "The program to run" })
                }
            }
        } else if *key == "args" {
            strings.clone()
        } else if *key == spelling.env || spelling.headers == [*key] {
            map.clone()
        } else if spelling.urls.iter().any(|(url, _)| url == key) {
            json!({ "type": "string", "description": "Where the server listens" })
        } else if let Some((_, unit)) = spelling.timeouts.iter().find(|(timeout, _)| timeout == key) {
            let unit = match unit {
                Unit::Milliseconds => "milliseconds",
                Unit::Seconds => "seconds",
            };
            json!({ "type": "number", "description": format!("How long connecting may take, in {unit}") })
        } else if spelling.switch.is_some_and(|(switch, _)| switch == *key) {
            json!({ "type": "boolean" })
        } else {
            json!({})
        };
        properties.insert((*key).to_owned(), schema);
    }
    json!({ "type": "object", "properties": properties })
}
