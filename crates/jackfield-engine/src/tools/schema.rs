//! JSON schemas of tools: kept as sent, but for one thing that clients stumble over.

use serde_json::{Map, Value};

/// Deeper schemas are left alone.
const MAX_DEPTH: usize = 64;

/// Keywords whose value is a schema.
const ONE: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas. `items` may be one in older dialects.
const LIST: &[&str] = &["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords whose value maps names to schemas. The names are data: a property may be called `properties`.
const MAP: &[&str] =
    &["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Gives every object schema without `properties` empty ones.
pub fn complete(schema: &mut Value) {
    visit(schema, 0);
}

fn visit(schema: &mut Value, depth: usize) {
    let Value::Object(schema) = schema else { return };
    if depth > MAX_DEPTH {
        return;
    }
    let is_object = match schema.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(_) | None => false,
    };
    if is_object && !schema.contains_key("properties") {
        schema.insert("properties".to_owned(), Value::Object(Map::new()));
    }
    for (keyword, value) in schema.iter_mut() {
        let keyword = keyword.as_str();
        match value {
            Value::Object(named) if MAP.contains(&keyword) => {
                named.values_mut().for_each(|schema| visit(schema, depth + 1));
            }
            Value::Object(_) if ONE.contains(&keyword) => visit(value, depth + 1),
            Value::Array(list) if LIST.contains(&keyword) => {
                list.iter_mut().for_each(|schema| visit(schema, depth + 1));
            }
            _ => {}
        }
    }
}

/// Puts what `change` gives in the place of titles and descriptions, at any depth.
pub(super) fn each_text(schema: &mut Value, change: &dyn Fn(&str) -> Option<String>) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(text) if matches!(key.as_str(), "title" | "description") => {
                        if let Some(changed) = change(text) {
                            *text = changed;
                        }
                    }
                    value => each_text(value, change),
                }
            }
        }
        Value::Array(values) => {
            for value in values {
                each_text(value, change);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(mut given: Value, wanted: Value) {
        complete(&mut given);
        assert_eq!(given.to_string(), wanted.to_string());
    }

    #[test]
    fn missing_properties_are_added_everywhere() {
        check(json!({"type": "object"}), json!({"type": "object", "properties": {}}));
        check(
            json!({"type": "object", "properties": {"a": {"type": "object"}, "b": {"items": {"type": ["object", "null"]}}}}),
            json!({"type": "object", "properties": {"a": {"type": "object", "properties": {}},
                "b": {"items": {"type": ["object", "null"], "properties": {}}}}}),
        );
        check(
            json!({"anyOf": [{"type": "object"}], "$defs": {"x": {"type": "object"}}}),
            json!({"anyOf": [{"type": "object", "properties": {}}], "$defs": {"x": {"type": "object", "properties": {}}}}),
        );
    }

    #[test]
    fn names_and_data_are_left_alone() {
        let schema = json!({
            "z": 1,
            "type": "object",
            "properties": {
                "const": {"type": "string"}, "nullable": {"type": "boolean"},
                "properties": {"type": "string"}, "$defs": {"type": "number"}, "type": {"const": {"type": "object"}}
            },
            "default": {"type": "object"}, "examples": [{"type": "object"}], "x-vendor": {"type": "object"},
        });
        check(schema.clone(), schema);
    }
}
