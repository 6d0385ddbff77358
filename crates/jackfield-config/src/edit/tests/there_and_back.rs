//! Random documents: an entry that is added, edited, renamed and removed leaves no trace, in every format.

use proptest::prelude::*;

use super::random::{entries, layout, value, write_json, write_toml};
use super::*;

fn target(root: &str, keys: &[&str], list: bool) -> Target {
    Target { root: strings(&[root]), keys: strings(keys), list }
}

fn set(target: Target, value: Value) -> Change {
    Change::Set { target, value, place: Place::Last, missing: Missing::Create }
}

/// An entry of a server, as we would write one.
fn server() -> impl Strategy<Value = Value> {
    let text = "[a-zA-Z0-9 ,:#{}\\[\\]\"'\\\\/=&*!|>%@`~é\u{1F600}\n\t-]{0,10}";
    (
        text,
        prop::collection::vec(text, 0..3),
        prop::collection::btree_map("[A-Z_]{1,5}", text, 0..3),
        any::<bool>(),
    )
        .prop_map(|(command, args, env, on)| {
            let mut entry = serde_json::json!({"command": command, "enabled": on, "timeout": 30});
            if !args.is_empty() {
                entry["args"] = serde_json::json!(args);
            }
            if !env.is_empty() {
                entry["env"] = serde_json::json!(env);
            }
            entry
        })
}

/// Adds, edits, renames and removes; the model inside the editor proves each step, here the bytes are asked for.
fn check(
    text: &str,
    format: Format,
    root: &str,
    list: bool,
    entry: &Value,
    other: &Value,
) -> Result<(), TestCaseError> {
    let fail = |change: &Change, text: &str, error: &EditError| {
        TestCaseError::fail(format!("{change:?}: {error}\n{text}"))
    };
    let step = |text: &str, change: Change| match apply(text, format, &change) {
        Ok(edited) => Ok(edited.text),
        Err(EditError::Already) => Ok(text.to_owned()),
        Err(error) => Err(fail(&change, text, &error)),
    };
    let at = |keys: &[&str]| target(root, keys, list);
    let mut now = step(text, set(at(&["zz new"]), entry.clone()))?;
    for (key, value) in other.as_object().unwrap() {
        if key != "env" {
            now = step(&now, set(at(&["zz new", key]), value.clone()))?;
        }
    }
    now = step(&now, set(at(&["zz new", "env", "A B"]), "x: #y".into()))?;
    now = step(&now, Change::Remove { target: at(&["zz new", "env", "A B"]) })?;
    now = step(&now, set(at(&["zz new", "command"]), other["command"].clone()))?;
    now = step(&now, Change::Rename { target: at(&["zz new"]), to: "zz.other".to_owned() })?;
    let back = step(&now, Change::Remove { target: at(&["zz.other"]) })?;
    prop_assert_eq!(back, text, "\nby way of\n{}", now);
    Ok(())
}

/// A YAML document: comments, blank lines, quoted and plain scalars, flow values, anchors.
fn write_yaml(entries: &[(String, Value)], choices: &[u8], list: bool, eol: &str) -> String {
    let mut at = 0;
    let mut next = || {
        at += 1;
        choices.get(at % choices.len().max(1)).copied().unwrap_or(0)
    };
    let mut text = String::new();
    if next().is_multiple_of(3) {
        text.push_str(&format!("# head{eol}---{eol}"));
    }
    text.push_str(&format!("model: x # c: {{}}{eol}base: &base {{timeout: 300, \"a b\": [1, 2]}}{eol}"));
    text.push_str(&format!("servers:{}{eol}", if next().is_multiple_of(3) { " # here" } else { "" }));
    let indent = if next().is_multiple_of(2) { "  " } else { "    " };
    let step = if list && next().is_multiple_of(2) { "" } else { indent };
    for (name, entry) in entries {
        if next().is_multiple_of(4) {
            text.push_str(&format!("{step}# about {}{eol}", name.len()));
        }
        let pad = if list {
            text.push_str(&format!("{step}- name: {}{eol}", quoted(name)));
            format!("{step}  ")
        } else {
            text.push_str(&format!("{step}{}:{eol}", quoted(name)));
            format!("{step}{indent}")
        };
        if next().is_multiple_of(5) {
            text.push_str(&format!("{pad}<<: *base{eol}"));
        }
        text.push_str(&format!("{pad}kind: plain text{eol}"));
        for (key, value) in entry.as_object().unwrap() {
            if key == "kind" || key == "name" || key == "<<" {
                continue;
            }
            if next().is_multiple_of(6) {
                text.push_str(eol);
            }
            text.push_str(&format!(
                "{pad}{}: {value}{}{eol}",
                quoted(key),
                if next().is_multiple_of(4) { " # c" } else { "" }
            ));
        }
        if next().is_multiple_of(5) {
            text.push_str(&format!("{pad}note: |{eol}{pad}  two{eol}{pad}  lines # no comment{eol}"));
        }
    }
    if next().is_multiple_of(2) {
        text.push_str(&format!("{eol}# tail{eol}last: [1, 2]{eol}"));
    }
    if next().is_multiple_of(3) { text.trim_end().to_owned() } else { text }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_json((entries, _) in entries(), mut layout in layout(), entry in server(), other in server()) {
        let servers: serde_json::Map<String, Value> = entries.into_iter().collect();
        let mut text = String::new();
        write_json(&serde_json::json!({"theme": "x", "servers": servers, "last": [1]}), &mut layout, 0, &mut text);
        check(&text, JSON, "servers", false, &entry, &other)?;
    }

    #[test]
    fn in_toml((entries, _) in entries(), styles in prop::collection::vec(0..4_u8, 4), mut layout in layout(), entry in server(), other in server()) {
        let text = write_toml(&entries, &styles, &mut layout);
        check(&text, Format::Toml, "mcp_servers", false, &entry, &other)?;
    }

    #[test]
    fn in_a_list_of_tables(names in prop::collection::btree_set("[a-z]{1,4}", 0..3), eol in prop_oneof![Just("\n"), Just("\r\n")], entry in server(), other in server(), tail in any::<bool>()) {
        let mut text = format!("model = \"m\"{eol}");
        for name in &names {
            text.push_str(&format!("{eol}# about {name}{eol}[[mcp_servers]]{eol}name = \"{name}\" # n{eol}transport = \"stdio\"{eol}"));
        }
        if tail {
            text.push_str(&format!("{eol}[tools]{eol}a = 1{eol}"));
        }
        check(&text, Format::Toml, "mcp_servers", true, &entry, &other)?;
    }

    #[test]
    fn in_yaml((entries, _) in entries(), choices in prop::collection::vec(any::<u8>(), 1..40), list in any::<bool>(), eol in prop_oneof![Just("\n"), Just("\r\n")], entry in server(), other in server()) {
        let text = write_yaml(&entries, &choices, list, eol);
        // Only what reads is edited; JSON's escapes are not all YAML's.
        prop_assume!(crate::edit::check(&text, Format::Yaml).is_ok());
        check(&text, Format::Yaml, "servers", list, &entry, &other)?;
    }

    #[test]
    fn any_change_is_refused_or_proved(text in "[a-z:{}\\[\\]\\-#&*!|>'\"\n ,=.0-9]{0,60}", value in value(), keys in prop::collection::vec("[a-z]{1,3}", 1..4), kind in 0..5_u8, list in any::<bool>(), first in any::<bool>()) {
        let place = if first { Place::First } else { Place::Last };
        let target = Target { root: Vec::new(), keys, list };
        let change = match kind {
            0 => Change::Set { target, value, place, missing: Missing::Create },
            1 => Change::Remove { target },
            2 => Change::Rename { target, to: "new: name".to_owned() },
            3 => Change::ListAdd { target, item: "x: y".to_owned() },
            _ => Change::ListRemove { target, item: "a".to_owned(), prune: None },
        };
        for format in [JSON, Format::Toml, Format::Yaml] {
            // What matters is that it ends, and without a panic.
            let _ = apply(&text, format, &change);
        }
    }
}
