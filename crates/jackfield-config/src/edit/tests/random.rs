//! Random documents: whatever an entry looks like, a switch goes in and out without a trace.

use proptest::prelude::*;

use super::*;

/// How a document is laid out; each place takes the next choice.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    eol: &'static str,
    unit: &'static str,
    choices: Vec<u8>,
    at: usize,
}

impl Layout {
    fn next(&mut self) -> u8 {
        self.at += 1;
        self.choices.get(self.at % self.choices.len().max(1)).copied().unwrap_or(0)
    }

    /// White space and comments between two tokens.
    fn gap(&mut self, depth: usize, slashes: bool) -> String {
        let line = format!("{}{}", self.eol, self.unit.repeat(depth));
        match self.next() % 12 {
            0 | 1 => String::new(),
            2..=4 => " ".to_owned(),
            5..=8 => line,
            9 if slashes => format!(" /* c{} */ ", self.at),
            10 if slashes => format!(" // c{}, \"}}{line}", self.at),
            11 if slashes => format!("{line}/* c{}{line}*/", self.at),
            _ => " \t ".to_owned(),
        }
    }
}

pub(super) fn write_json(value: &Value, layout: &mut Layout, depth: usize, out: &mut String) {
    let (open, close, members): (char, char, Vec<(Option<&String>, &Value)>) = match value {
        Value::Array(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
        Value::Object(map) => ('{', '}', map.iter().map(|(key, value)| (Some(key), value)).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string());
            return;
        }
    };
    out.push(open);
    for (index, (key, member)) in members.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&layout.gap(depth + 1, true));
        if let Some(key) = key {
            out.push_str(&quoted(key));
            out.push_str(if layout.next().is_multiple_of(4) { "/* : */ :" } else { ": " });
        }
        write_json(member, layout, depth + 1, out);
        out.push_str(&layout.gap(depth + 1, true));
    }
    if !members.is_empty() && layout.next().is_multiple_of(4) {
        out.push(',');
    }
    out.push_str(&layout.gap(depth, true));
    out.push(close);
}

pub(super) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::from),
        "[a-z ,:{}\\[\\]\"\\\\/é\u{1F600}\n]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,4}", "[a-z./~ \"\\\\é{,:]{0,6}", Just("__proto__".to_owned())]
}

pub(super) fn layout() -> impl Strategy<Value = Layout> {
    let eol = prop_oneof![Just("\n"), Just("\r\n")];
    let unit = prop_oneof![Just("  "), Just("\t"), Just("    ")];
    (eol, unit, prop::collection::vec(any::<u8>(), 1..40)).prop_map(|(eol, unit, choices)| Layout {
        eol,
        unit,
        choices,
        at: 0,
    })
}

/// Entries with names that differ, one of which is edited.
pub(super) fn entries() -> impl Strategy<Value = (Vec<(String, Value)>, usize)> {
    let members = prop::collection::vec((name(), value()), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()));
    (prop::collection::btree_map(name(), members, 1..4), any::<prop::sample::Index>()).prop_map(
        |(map, index)| {
            let index = index.index(map.len());
            (map.into_iter().collect(), index)
        },
    )
}

/// Every byte of `before` is in `after`, in order, but for one gap: true of an insertion in one piece.
fn is_one_insertion(before: &str, after: &str) -> bool {
    let grown = after.len().checked_sub(before.len());
    let head = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    grown.is_some_and(|grown| {
        (0..=head).rev().any(|at| before[..].as_bytes()[at..] == after.as_bytes()[at + grown..])
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_switch_in_json((entries, index) in entries(), mut layout in layout()) {
        let servers: serde_json::Map<String, Value> = entries.iter().cloned().collect();
        let document = serde_json::json!({"theme": "x", "servers": servers, "last": [1]});
        let mut text = layout.gap(0, true);
        write_json(&document, &mut layout, 0, &mut text);
        text.push_str(&layout.gap(0, true));
        let (root, name) = (strings(&["servers"]), &entries[index].0);
        let off = apply(&text, JSON, &Change::set_flag(&root, name, "__off", false));
        let off = off.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert!(is_one_insertion(&text, &off.text), "{}\n=>\n{}", text, off.text);
        let on = apply(&off.text, JSON, &Change::remove_flag(&root, name, "__off"));
        let on = on.map_err(|error| TestCaseError::fail(format!("{error}\n{}", off.text)))?;
        prop_assert_eq!(&on.text, &text, "\n{}", off.text);
    }

    #[test]
    fn any_change_in_json((entries, index) in entries(), mut layout in layout(), new in value(), first in any::<bool>()) {
        let servers: serde_json::Map<String, Value> = entries.iter().cloned().collect();
        let mut text = String::new();
        write_json(&serde_json::json!({"servers": servers, "list": ["a", "b", "a"]}), &mut layout, 0, &mut text);
        let place = if first { Place::First } else { Place::Last };
        let target = |keys: &[&str]| Target { root: strings(&["servers"]), keys: strings(keys), list: false };
        let name = entries[index].0.as_str();
        // Each of these is proved inside; what is asked here is that none is refused.
        let add = Change::Set { target: target(&["new name"]), value: new.clone(), place, missing: Missing::Refuse };
        let added = apply(&text, JSON, &add).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let back = apply(&added.text, JSON, &Change::Remove { target: target(&["new name"]) });
        prop_assert!(back.is_ok(), "{:?}\n{}", back, added.text);
        let field = Change::Set { target: target(&[name, "new", "deep"]), value: new, place, missing: Missing::Create };
        let edited = apply(&text, JSON, &field);
        let blocked = entries[index].1.get("new").is_some_and(|old| !old.is_object());
        prop_assert!(edited.is_ok() || blocked, "{:?}\n{}", edited, text);
        let removed = apply(&text, JSON, &Change::Remove { target: target(&[name]) });
        prop_assert!(removed.is_ok(), "{:?}\n{}", removed, text);
        let list = strings(&["list"]);
        prop_assert!(apply(&text, JSON, &Change::list_add(&list, "c")).is_ok(), "{}", text);
        let gone = apply(&text, JSON, &Change::list_remove(&list, "a"));
        prop_assert!(gone.is_ok(), "{:?}\n{}", gone, text);
    }

    #[test]
    fn a_switch_in_toml((entries, index) in entries(), styles in prop::collection::vec(0..4_u8, 4), mut layout in layout()) {
        let text = write_toml(&entries, &styles, &mut layout);
        let (root, name) = (strings(&["mcp_servers"]), &entries[index].0);
        let off = apply(&text, Format::Toml, &Change::set_flag(&root, name, "__off", false));
        let off = off.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert!(is_one_insertion(&text, &off.text), "{}\n=>\n{}", text, off.text);
        let (gone, new) = changed_lines(&text, &off.text);
        prop_assert!(gone <= 1 && new == 1, "{}\n=>\n{}", text, off.text);
        let on = apply(&off.text, Format::Toml, &Change::remove_flag(&root, name, "__off"));
        let on = on.map_err(|error| TestCaseError::fail(format!("{error}\n{}", off.text)))?;
        prop_assert_eq!(&on.text, &text, "\n{}", off.text);
    }
}

/// Headers, inline tables, dotted keys, by entry; blank lines and comments between.
pub(super) fn write_toml(entries: &[(String, Value)], styles: &[u8], layout: &mut Layout) -> String {
    let eol = layout.eol;
    let comment = |layout: &mut Layout| match layout.next() % 4 {
        0 => format!(" # c, [x] = {}{eol}", layout.at),
        _ => eol.to_owned(),
    };
    let fields = |entry: &Value| -> Vec<(String, String)> {
        let map = entry.as_object().cloned().unwrap_or_default();
        map.iter().map(|(key, value)| (quoted(key), toml_value(value))).collect()
    };
    let (mut root, mut headers) = (String::new(), String::new());
    for (index, (name, entry)) in entries.iter().enumerate() {
        let name = quoted(name);
        let equals = if layout.next().is_multiple_of(3) { "=" } else { " = " };
        let fields = fields(entry);
        match styles.get(index).copied().unwrap_or(0) {
            1 => {
                let gap = if layout.next().is_multiple_of(2) { " " } else { "" };
                let inner: Vec<String> =
                    fields.iter().map(|(key, value)| format!("{key}{equals}{value}")).collect();
                root.push_str(&format!("mcp_servers.{name} = {{{gap}{}{gap}}}", inner.join(", ")));
                root.push_str(&comment(layout));
            }
            2 if !fields.is_empty() => {
                for (key, value) in &fields {
                    root.push_str(&format!("mcp_servers.{name}.{key}{equals}{value}"));
                    root.push_str(&comment(layout));
                }
            }
            _ => {
                headers.push_str(&format!("[other.{index}]{eol}[ other{index} ]"));
                headers.push_str(&comment(layout));
            }
        }
    }
    // Dotted keys at the root and headers below the same table exclude each other in TOML.
    if root.is_empty() {
        headers.clear();
        for (name, entry) in entries {
            headers.push_str(&format!("[mcp_servers.{}]", quoted(name)));
            headers.push_str(&comment(layout));
            let equals = if layout.next().is_multiple_of(3) { "=" } else { " = " };
            let indent = if layout.next().is_multiple_of(3) { layout.unit } else { "" };
            for (key, value) in fields(entry) {
                if layout.next().is_multiple_of(5) {
                    headers.push_str(&format!("# [no.header]{eol}"));
                }
                headers.push_str(&format!("{indent}{key}{equals}{value}"));
                headers.push_str(&comment(layout));
            }
        }
    } else {
        for (index, (name, entry)) in entries.iter().enumerate() {
            if styles.get(index).is_none_or(|style| !matches!(style, 1 | 2))
                || entry == &serde_json::json!({})
            {
                let line = format!("mcp_servers.{}", quoted(name));
                if !root.contains(&format!("{line} = ")) && !root.contains(&format!("{line}.")) {
                    root.push_str(&format!("{line} = {}{eol}", toml_value(entry)));
                }
            }
        }
    }
    let text = format!("model = \"m\"{eol}{root}{headers}");
    if layout.next().is_multiple_of(3) { text.trim_end().to_owned() } else { text }
}

fn toml_value(value: &Value) -> String {
    match value {
        Value::Null => "1979-05-27".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(toml_value).collect::<Vec<_>>().join(" , ")),
        Value::Object(map) => {
            let inner: Vec<String> =
                map.iter().map(|(key, value)| format!("{} = {}", quoted(key), toml_value(value))).collect();
            format!("{{{}}}", inner.join(", "))
        }
    }
}
