//! New values in YAML: in lines of their own, or in one line.

use serde_json::Value;

use super::Editor;
use crate::edit::{Target, quoted};
use crate::format::Kind;
use crate::format::yaml::scalar;

impl Editor<'_> {
    /// The lines of a key with all that is below it, indented, without the last line end.
    pub(super) fn block(
        &self,
        path: &[String],
        depth: usize,
        value: &Value,
        indent: usize,
        target: &Target,
    ) -> String {
        let pad = " ".repeat(indent);
        let key = format!("{pad}{}:", string(&path[depth]));
        let deeper = depth + 1;
        if deeper < path.len() {
            // The root of a list that has to be made.
            if target.list && deeper == target.root.len() {
                let entry = self.entry(path, deeper, value, indent + 2);
                return format!("{key}{}{entry}", self.eol);
            }
            return format!("{key}{}{}", self.eol, self.block(path, deeper, value, indent + 2, target));
        }
        match value {
            Value::Object(map) if !map.is_empty() => {
                format!("{key}{}{}", self.eol, self.value_block(value, indent + 2))
            }
            Value::Array(items) if !items.is_empty() => {
                format!("{key}{}{}", self.eol, self.value_block(value, indent + 2))
            }
            other => format!("{key} {}", single(other)),
        }
    }

    /// An entry of a list, with its dash.
    pub(super) fn entry(&self, path: &[String], depth: usize, value: &Value, indent: usize) -> String {
        let mut value = value.clone();
        for key in path[depth + 1..].iter().rev() {
            value = Value::Object([(key.clone(), value)].into_iter().collect());
        }
        if let Value::Object(map) = &mut value
            && !map.contains_key("name")
        {
            map.shift_insert(0, "name".to_owned(), Value::String(path[depth].clone()));
        }
        let lines = self.value_block(&value, indent + 2);
        format!("{}- {}", " ".repeat(indent), lines.trim_start())
    }

    pub(super) fn value_block(&self, value: &Value, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let lines: Vec<String> = match value {
            Value::Object(map) => map
                .iter()
                .map(|(key, value)| {
                    let path = [key.clone()];
                    let target = Target { root: Vec::new(), keys: Vec::new(), list: false };
                    self.block(&path, 0, value, indent, &target)
                })
                .collect(),
            Value::Array(items) => items
                .iter()
                .map(|item| match item {
                    Value::Object(map) if !map.is_empty() => {
                        format!("{pad}- {}", self.value_block(item, indent + 2).trim_start())
                    }
                    other => format!("{pad}- {}", single(other)),
                })
                .collect(),
            other => vec![format!("{pad}{}", single(other))],
        };
        lines.join(self.eol)
    }
}

/// A value in one line.
pub(super) fn single(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// A text, plain where every parser takes it as just that, else in double quotes.
pub(super) fn string(text: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || "_-./@+=$".contains(c);
    let safe = text.chars().all(word)
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '/' || c == '.')
        && text.chars().any(|c| c.is_ascii_alphabetic())
        && !["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
            .contains(&text.to_ascii_lowercase().as_str())
        && scalar(text, true) == Kind::String(text.to_owned());
    if safe { text.to_owned() } else { quoted(text).replace('\u{7f}', "\\x7f") }
}

/// A value between the brackets of another.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let members: Vec<String> =
                map.iter().map(|(key, value)| format!("{}: {}", string(key), flow(value))).collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => single(value),
    }
}
