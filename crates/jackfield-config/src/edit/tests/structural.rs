//! A whole entry set anew: only what differs is touched.

use proptest::prelude::*;
use serde_json::json;

use super::random::{Layout, entries, layout, value, write_json, write_toml};
use super::*;
use crate::edit::structural::seen;

fn target(root: &str, keys: &[&str]) -> Target {
    Target { root: strings(&[root]), keys: strings(keys), list: false }
}

fn set(target: Target, value: Value) -> Change {
    Change::Set { target, value, place: Place::Last, missing: Missing::Create }
}

fn sets(format: Format, before: &str, value: Value, after: &str) {
    let edited = apply(before, format, &set(target("s", &["x"]), value))
        .unwrap_or_else(|error| panic!("{error}\n{before}"));
    assert_eq!(edited.text, after, "\nbefore:\n{before}");
    assert!(!edited.inserted && edited.created.is_none());
}

#[test]
fn json_keeps_what_both_have() {
    let before = "{\n  \"s\": {\n    \"x\": { // mine\n      /* run */ \"command\": \"npx\",\n      \"args\": [\n        // yes\n        \"-y\",\n        \"a\", // the package\n        \"--port\", \"1\"\n      ],\n      \"env\": { \"A\": \"1\", /* b */ \"B\": \"\\u0032\" }, // secrets\n      \"timeout\": 3e1\n    }\n  }\n}\n";
    let old = json!({"command": "npx", "args": ["-y", "a", "--port", "1"], "env": {"A": "1", "B": "2"}, "timeout": 3e1});
    let with = |key: &str, value: Value| {
        let mut new = old.clone();
        new[key] = value;
        new
    };
    // The spelling of what stays is nobody's business.
    sets(JSON, before, with("command", "uvx".into()), &before.replace("npx", "uvx"));
    sets(JSON, before, with("args", json!(["-y", "b", "--port", "1"])), &before.replace("\"a\"", "\"b\""));
    sets(
        JSON,
        before,
        with("args", json!(["-y", "a", "z", "--port", "1"])),
        &before.replace("// the package\n", "// the package\n        \"z\",\n"),
    );
    sets(
        JSON,
        before,
        with("args", json!(["-y", "a"])),
        &before.replace("\"a\", //", "\"a\" //").replace("        \"--port\", \"1\"\n", ""),
    );
    sets(
        JSON,
        before,
        with("env", json!({"A": "1", "B": "2", "C": "3"})),
        &before.replace("2\" }", "2\", \"C\": \"3\" }"),
    );
    sets(
        JSON,
        before,
        with("env", json!({"A": "9", "B": "2"})),
        &before.replace("\"A\": \"1\"", "\"A\": \"9\""),
    );
    sets(JSON, before, with("url", "u".into()), &before.replace("3e1", "3e1,\n      \"url\": \"u\""));
    let mut less = old.clone();
    less.as_object_mut().unwrap().shift_remove("timeout");
    sets(JSON, before, less, &before.replace(" }, // secrets\n      \"timeout\": 3e1", " } // secrets"));
    let same = apply(before, JSON, &set(target("s", &["x"]), old.clone()));
    assert_eq!(same, Err(EditError::Already));
    let loss = apply(before, JSON, &set(target("s", &["x"]), with("env", "A=1".into()))).unwrap_err();
    assert_eq!(loss.to_string(), "`env` is an object, not a single value, at line 11, column 14");
}

#[test]
fn toml_keeps_what_both_have() {
    let before = "# top\n[s.x] # mine\ncommand = 'npx' # run\nargs = [\n  # yes\n  \"-y\",\n  'a', # the package\n]\nsince = 1979-05-27\nbig = 1_000\n\n# below\n[s.x.env] # secrets\nA = \"1\" # a\n\n[t]\n";
    let old =
        json!({"command": "npx", "args": ["-y", "a"], "since": "1979-05-27", "big": 1000, "env": {"A": "1"}});
    let with = |key: &str, value: Value| {
        let mut new = old.clone();
        new[key] = value;
        new
    };
    let toml = Format::Toml;
    sets(toml, before, with("command", "uvx".into()), &before.replace("'npx'", "\"uvx\""));
    sets(
        toml,
        before,
        with("args", json!(["-y", "a", "b"])),
        &before.replace("# the package\n", "# the package\n  \"b\",\n"),
    );
    sets(toml, before, with("args", json!(["a"])), &before.replace("  \"-y\",\n", ""));
    sets(
        toml,
        before,
        with("env", json!({"A": "1", "B": "2"})),
        &before.replace("# a\n", "# a\nB = \"2\"\n"),
    );
    sets(
        toml,
        before,
        with("headers", json!({"X": "1"})),
        &before.replace("# a\n", "# a\n\n[s.x.headers]\nX = \"1\"\n"),
    );
    let mut less = old.clone();
    less.as_object_mut().unwrap().shift_remove("env");
    sets(toml, before, less, &before.replace("[s.x.env] # secrets\nA = \"1\" # a\n", ""));
    assert_eq!(apply(before, toml, &set(target("s", &["x"]), old)), Err(EditError::Already));
    // An entry of a list, whose name the new value need not say.
    let list = "[[s]]\nname = \"x\" # n\nargs = [\"a\"] # c\n";
    let of = Target { list: true, ..target("s", &["x"]) };
    let edited = apply(list, toml, &set(of, json!({"args": ["a", "b"]}))).unwrap();
    assert_eq!(edited.text, list.replace("[\"a\"]", "[\"a\", \"b\"]"));
}

#[test]
fn yaml_keeps_what_both_have() {
    let before = "# top\nbase: &b {timeout: 300}\ns:\n  x: # mine\n    <<: *b\n    cmd: npx # run\n    args: [-y, '3.13', a] # flow\n    more:\n    # first\n    - one # 1\n\n    - \"two\"\n    env:\n      A: '1' # a\n      B: 2\n\n  y: {}\n";
    let old = json!({"timeout": 300, "cmd": "npx", "args": ["-y", "3.13", "a"], "more": ["one", "two"], "env": {"A": "1", "B": 2}});
    let with = |key: &str, value: Value| {
        let mut new = old.clone();
        new[key] = value;
        new
    };
    let yaml = Format::Yaml;
    sets(yaml, before, with("cmd", "uvx".into()), &before.replace("npx", "uvx"));
    sets(yaml, before, with("args", json!(["-y", "3.13", "b, c"])), &before.replace(", a]", ", \"b, c\"]"));
    sets(yaml, before, with("args", json!(["-y", "3.13"])), &before.replace(", a]", "]"));
    sets(yaml, before, with("args", json!(["-y", "z", "3.13", "a"])), &before.replace("-y,", "-y, z,"));
    sets(
        yaml,
        before,
        with("more", json!(["one", "1.5", "two"])),
        &before.replace("# 1\n", "# 1\n    - \"1.5\"\n"),
    );
    sets(yaml, before, with("more", json!(["two"])), &before.replace("    - one # 1\n", ""));
    sets(yaml, before, with("env", json!({"A": "1", "B": 3})), &before.replace("B: 2", "B: 3"));
    // What comes by a merge is overridden in its place, and cannot be taken out there.
    sets(yaml, before, with("timeout", 5.into()), &before.replace("B: 2\n", "B: 2\n    timeout: 5\n"));
    let mut less = old.clone();
    less.as_object_mut().unwrap().shift_remove("timeout");
    let error = apply(before, yaml, &set(target("s", &["x"]), less)).unwrap_err();
    assert!(error.to_string().ends_with("it comes from another place by a merge"), "{error}");
    assert_eq!(apply(before, yaml, &set(target("s", &["x"]), old)), Err(EditError::Already));
}

/// Another entry that has much in common with the old one.
fn mutated(old: &Value, other: &Value, choices: &[u8], nulls: bool) -> Value {
    let mut at = 0;
    let mut next = || {
        at += 1;
        choices.get(at % choices.len().max(1)).copied().unwrap_or(0)
    };
    mutate(old, other, &mut next, nulls)
}

fn mutate(old: &Value, other: &Value, next: &mut impl FnMut() -> u8, nulls: bool) -> Value {
    let spare: Vec<Value> = match other {
        Value::Object(map) => map.values().cloned().collect(),
        single => vec![single.clone()],
    };
    let spare: Vec<Value> =
        spare.into_iter().map(|value| if nulls { value } else { without_null(&value) }).collect();
    let pick =
        |n: u8| spare.get(usize::from(n) % spare.len().max(1)).cloned().unwrap_or_else(|| json!("new"));
    match old {
        Value::Object(map) => {
            let mut new = serde_json::Map::new();
            for (key, value) in map {
                match next() % 4 {
                    0 => {}
                    1 => drop(new.insert(key.clone(), mutate(value, other, next, nulls))),
                    _ => drop(new.insert(key.clone(), value.clone())),
                }
            }
            if next().is_multiple_of(3) {
                new.insert("new key".to_owned(), pick(next()));
            }
            Value::Object(new)
        }
        Value::Array(items) => {
            let mut new = items.clone();
            match next() % 4 {
                0 => new.insert(usize::from(next()) % (items.len() + 1), pick(next())),
                1 if !items.is_empty() => drop(new.remove(usize::from(next()) % items.len())),
                2 if !items.is_empty() => new[usize::from(next()) % items.len()] = pick(next()),
                _ => new.clear(),
            }
            Value::Array(new)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => match next() % 2 {
            0 => pick(next()),
            _ => json!("other"),
        },
    }
}

fn without_null(value: &Value) -> Value {
    match value {
        Value::Null => json!(0),
        Value::Array(items) => Value::Array(items.iter().map(without_null).collect()),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), without_null(value))).collect(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Sets an entry anew; asks what it reads as then, and for every byte around it.
fn check(text: &str, format: Format, root: &str, name: &str, new: &Value) -> Result<(), TestCaseError> {
    let target = target(root, &[name]);
    let edited = match apply(text, format, &set(target.clone(), new.clone())) {
        Ok(edited) => edited.text,
        Err(EditError::Already) => text.to_owned(),
        Err(error) => return Err(TestCaseError::fail(format!("{error}\n{new}\n{text}"))),
    };
    let reads = seen(&edited, format, &target);
    let same = match format {
        // There a table need not be written if nothing is in it.
        Format::Toml => reads.as_ref().map_or_else(|| json!({}), without_empty) == without_empty(new),
        Format::Json { .. } | Format::Yaml | Format::Script => reads.as_ref() == Some(new),
    };
    prop_assert!(same, "{:?}\nwanted {}\n{}\n=>\n{}", reads, new, text, edited);
    let remove = Change::Remove { target };
    let own = match format {
        Format::Json { .. } => crate::edit::json::own_range(text, &remove),
        Format::Toml => return Ok(()),
        Format::Yaml => crate::edit::yaml::own_range(text, &remove),
        Format::Script => None,
    };
    let own = own.unwrap();
    prop_assert!(edited.starts_with(&text[..own.start]), "{}\n=>\n{}", text, edited);
    prop_assert!(
        edited.ends_with(text[own.end..].trim_start_matches(['\r', '\n'])),
        "{}\n=>\n{}",
        text,
        edited
    );
    Ok(())
}

fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().map(|(key, value)| (key.clone(), without_empty(value)));
            kept.filter(|(_, value)| *value != json!({}) && *value != json!([])).collect()
        }
        other => other.clone(),
    }
}

/// Blocks all the way down, lists here and there between brackets; comments behind and between.
fn write_block(value: &Value, depth: usize, next: &mut dyn FnMut() -> u8, eol: &str, out: &mut String) {
    let pad = "  ".repeat(depth);
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if next().is_multiple_of(5) {
                    out.push_str(&format!("{pad}# about: [it]{eol}"));
                }
                let block = match value {
                    Value::Object(map) => !map.is_empty(),
                    Value::Array(items) => {
                        !items.is_empty()
                            && items.iter().all(|item| !item.is_array())
                            && !next().is_multiple_of(3)
                    }
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
                };
                let comment = if next().is_multiple_of(4) { " # c" } else { "" };
                if block {
                    out.push_str(&format!("{pad}{}:{comment}{eol}", quoted(key)));
                    write_block(value, depth + 1, next, eol, out);
                } else {
                    out.push_str(&format!("{pad}{}: {value}{comment}{eol}", quoted(key)));
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                let comment = if next().is_multiple_of(4) { " # i" } else { "" };
                match item {
                    Value::Object(map) if !map.is_empty() => {
                        let mut lines = String::new();
                        write_block(item, depth + 1, &mut || 1, eol, &mut lines);
                        out.push_str(&format!("{pad}- {}", lines.trim_start()));
                    }
                    other => out.push_str(&format!("{pad}- {other}{comment}{eol}")),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 1..40)
}

fn json_text(entries: &[(String, Value)], layout: &mut Layout) -> String {
    let servers: serde_json::Map<String, Value> = entries.iter().cloned().collect();
    let mut text = String::new();
    write_json(&json!({"theme": "x", "servers": servers, "last": [1]}), layout, 0, &mut text);
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_json((entries, index) in entries(), mut layout in layout(), other in value(), choices in choices()) {
        let text = json_text(&entries, &mut layout);
        let (name, old) = &entries[index];
        let new = only_kinds(old, &mutated(old, &other, &choices, true));
        check(&text, JSON, "servers", name, &new)?;
    }

    #[test]
    fn in_toml((entries, index) in entries(), styles in prop::collection::vec(0..4_u8, 4), mut layout in layout(), other in value(), choices in choices()) {
        let text = write_toml(&entries, &styles, &mut layout);
        // Dates are read as texts, and stay what they are.
        let old = seen(&text, Format::Toml, &target("mcp_servers", &[&entries[index].0]));
        prop_assume!(old.is_some());
        let old = old.unwrap();
        let new = only_kinds(&old, &mutated(&old, &other, &choices, false));
        check(&text, Format::Toml, "mcp_servers", &entries[index].0, &new)?;
    }

    #[test]
    fn in_yaml((entries, index) in entries(), eol in prop_oneof![Just("\n"), Just("\r\n")], other in value(), choices in choices(), layout in choices()) {
        let mut at = 0;
        let mut next = || {
            at += 1;
            layout[at % layout.len()]
        };
        let servers: serde_json::Map<String, Value> = entries.iter().cloned().collect();
        let mut text = format!("model: x{eol}");
        write_block(&json!({"servers": servers, "last": [1]}), 0, &mut next, eol, &mut text);
        let read = seen(&text, Format::Yaml, &target("servers", &[&entries[index].0]));
        // Only what reads as it was meant; JSON's escapes are not all YAML's.
        prop_assume!(read.as_ref() == Some(&entries[index].1));
        let old = &entries[index].1;
        let new = only_kinds(old, &mutated(old, &other, &choices, true));
        check(&text, Format::Yaml, "servers", &entries[index].0, &new)?;
    }
}

/// Takes back what is refused: a single value in the place of an object or a list.
fn only_kinds(old: &Value, new: &Value) -> Value {
    match (old, new) {
        (Value::Object(before), Value::Object(after)) => after
            .iter()
            .map(|(key, value)| {
                let value = before.get(key).map_or_else(|| value.clone(), |old| only_kinds(old, value));
                (key.clone(), value)
            })
            .collect(),
        (Value::Object(_) | Value::Array(_), new) if !new.is_object() && !new.is_array() => old.clone(),
        (_, new) => new.clone(),
    }
}
