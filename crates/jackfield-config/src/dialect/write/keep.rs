//! A draft written into an entry that is there: only what differs is touched, in the words that the entry uses.
//!
//! Both the entry as it means now and as it is wanted are written by the tables, and the difference of the two is put
//! into the entry. What the tables would write otherwise than the entry does is brought to the entry's way first.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{entry, spelling_of, timeout_value};
use crate::dialect::helpers::{VIBE_AUTH, VIBE_FORMAT, VIBE_HEADER};
use crate::dialect::{Spelling, nested};
use crate::draft::{Draft, DraftTransport};
use crate::host::Dialect;
use crate::source::SourceSpec;

type Entry = Map<String, Value>;

/// Lists of variables by their names, of which the order and what we do not know stay.
const NAMES: &[&str] = &["env_vars", "env_keys"];

/// Changes `old`, which means `now`, so that it means `wanted`.
pub(super) fn write_into(old: &mut Entry, now: &Draft, wanted: &Draft, spec: &SourceSpec) {
    let work = |old: &mut Entry| write_flat(old, now, wanted, spec);
    let kind = old.get("auth").and_then(|auth| auth.get("type")).and_then(Value::as_str);
    if spec.dialect == Dialect::Vibe && kind == Some("static") {
        nested::in_two(old, "auth", |key| VIBE_AUTH.contains(&key), work);
    } else {
        nested::changed(old, spelling_of(spec), work);
    }
}

fn write_flat(old: &mut Entry, now: &Draft, wanted: &Draft, spec: &SourceSpec) {
    let spelling = spelling_of(spec);
    let other_transport = is_stdio(now) != is_stdio(wanted);
    if other_transport {
        forget_transport(old, spelling);
    }
    time(old, now.timeout, wanted.timeout, spelling);
    let (Value::Object(mut before), Value::Object(mut after)) =
        (entry(now, spec).value, entry(wanted, spec).value)
    else {
        return;
    };
    for rendered in [&mut before, &mut after] {
        for (key, _) in spelling.timeouts {
            rendered.shift_remove(*key);
        }
        stay(rendered, old, spec, spelling);
    }
    urls(old, wanted, spelling, &after);
    command(old, &mut before, &mut after, spelling);
    for (key, value) in &after {
        if other_transport || before.get(key) != Some(value) {
            let own = own_key(old, key, spelling);
            put(old, &own, before.get(key), value);
        }
    }
    let kept: Vec<String> = after.keys().map(|key| own_key(old, key, spelling)).collect();
    for (key, value) in before.iter().filter(|(key, _)| !after.contains_key(*key)) {
        let key = own_key(old, key, spelling);
        if !kept.contains(&key) {
            take(old, &key, value);
        }
    }
}

fn is_stdio(draft: &Draft) -> bool {
    match draft.transport {
        DraftTransport::Stdio { .. } => true,
        DraftTransport::Http { .. } => false,
    }
}

/// Takes out what belongs to the one transport or the other, also what means nothing now, such as an empty `args`.
fn forget_transport(old: &mut Entry, spelling: &Spelling) {
    let stdio = spelling.commands.iter().chain(&spelling.cwd).chain(&spelling.env_names).chain(&["args"]);
    let http = spelling.urls.iter().map(|(key, _)| key).chain(spelling.bearer).chain(spelling.token);
    let http = http.chain(&["env_http_headers", "api_key_header", "api_key_format"]);
    for key in stdio.chain(http) {
        old.shift_remove(*key);
    }
    for path in [&[spelling.env][..], spelling.headers] {
        take_path(old, path);
    }
    if nested::may_nest(spelling) {
        old.shift_remove(nested::WITHIN);
    }
}

/// Takes out the last key of a path, and those above it that hold nothing else.
fn take_path(old: &mut Entry, path: &[&str]) {
    let Some((first, rest)) = path.split_first() else { return };
    if !rest.is_empty() {
        let Some(Value::Object(inner)) = old.get_mut(*first) else { return };
        take_path(inner, rest);
        if !inner.is_empty() {
            return;
        }
    }
    old.shift_remove(*first);
}

/// A time is written under the key that is there, in its unit.
fn time(old: &mut Entry, now: Option<Duration>, wanted: Option<Duration>, spelling: &Spelling) {
    if now == wanted {
        return;
    }
    let there = spelling.timeouts.iter().find(|(key, _)| old.contains_key(*key));
    match (wanted, there.or(spelling.timeouts.first())) {
        (Some(wanted), Some((key, unit))) => {
            old.insert((*key).to_owned(), timeout_value(wanted, *unit));
        }
        (None, _) => spelling.timeouts.iter().for_each(|(key, _)| {
            old.shift_remove(*key);
        }),
        (Some(_), None) => {}
    }
}

/// What the entry has in one of two places stays there: a text like `${X}` that Codex takes as it stands, and a token
/// by the name of its variable.
fn stay(rendered: &mut Entry, old: &Entry, spec: &SourceSpec, spelling: &Spelling) {
    let headers_in = |entry: &Entry| -> Option<Entry> {
        let (first, rest) = spelling.headers.split_first()?;
        let found = rest.iter().try_fold(entry.get(*first)?, |node, key| node.get(*key))?;
        found.as_object().cloned()
    };
    if let Some(list) = spelling.env_names {
        let texts = old.get(spelling.env).and_then(Value::as_object).cloned().unwrap_or_default();
        let names = rendered.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
        let (literal, named): (Vec<Value>, Vec<Value>) =
            names.into_iter().partition(|name| name.as_str().is_some_and(|name| texts.contains_key(name)));
        for name in literal.iter().filter_map(Value::as_str) {
            let text = json!(format!("${{{name}}}"));
            below(rendered, &[spelling.env], |env| env.insert(name.to_owned(), text));
        }
        set_or_take(rendered, list, Value::Array(named));
    }
    if spec.dialect == Dialect::Codex {
        let texts = headers_in(old).unwrap_or_default();
        let named = rendered.get("env_http_headers").and_then(Value::as_object).cloned().unwrap_or_default();
        let (literal, named): (Entry, Entry) =
            named.into_iter().partition(|(header, _)| texts.contains_key(header));
        for (header, variable) in literal {
            let text = format!("${{{}}}", variable.as_str().unwrap_or_default());
            below(rendered, spelling.headers, |headers| headers.insert(header, json!(text)));
        }
        set_or_take(rendered, "env_http_headers", Value::Object(named));
    }
    let header = |entry: &Entry| {
        headers_in(entry)?.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("authorization"))
    };
    // The tables write a header, the entry has the token in a key of its own.
    let token = spelling.token.iter().find(|key| old.contains_key(**key));
    let named = spelling.bearer.iter().any(|key| old.contains_key(*key));
    if let Some(key) = token.filter(|_| !named)
        && let Some((name, text)) = header(rendered)
        && let Some(token) = text.as_str().and_then(|text| text.strip_prefix("Bearer "))
    {
        below(rendered, spelling.headers, |headers| headers.shift_remove(&name));
        if headers_in(rendered).is_some_and(|headers| headers.is_empty()) {
            take_path(rendered, spelling.headers);
        }
        rendered.insert((*key).to_owned(), json!(token));
    }
    let Some(first) = spelling.bearer.first() else { return };
    if spec.dialect == Dialect::Vibe {
        vibe_texts(rendered, old);
        return;
    }
    let written = spelling.bearer.iter().find(|key| old.contains_key(**key));
    match (written, rendered.get(*first).and_then(Value::as_str).map(str::to_owned)) {
        // The tables name the variable, the entry has a text.
        (None, Some(variable)) => {
            if let Some((name, _)) = header(old) {
                rendered.shift_remove(*first);
                let text = json!(format!("Bearer ${{{variable}}}"));
                below(rendered, spelling.headers, |headers| headers.insert(name, text));
            }
        }
        // The tables write a header, the entry names the variable.
        (Some(key), None) => {
            let variable = old.get(*key).and_then(Value::as_str).unwrap_or_default();
            if let Some((name, text)) = header(rendered)
                && text.as_str() == Some(format!("Bearer ${{{variable}}}").as_str())
            {
                below(rendered, spelling.headers, |headers| headers.shift_remove(&name));
                if headers_in(rendered).is_some_and(|headers| headers.is_empty()) {
                    take_path(rendered, spelling.headers);
                }
                rendered.insert((*key).to_owned(), json!(variable));
            }
        }
        (Some(key), Some(variable)) if key != first => {
            rendered.shift_remove(*first);
            rendered.insert((*key).to_owned(), json!(variable));
        }
        (Some(_), Some(_)) | (None, None) => {}
    }
}

/// A text like `${X}` in a header of Vibe is a text; the tables take it for a variable.
fn vibe_texts(rendered: &mut Entry, old: &Entry) {
    let text = |entry: &Entry, key: &str, or: &str| {
        entry.get(key).and_then(Value::as_str).map_or_else(|| or.to_owned(), str::to_owned)
    };
    let name = text(rendered, "api_key_header", VIBE_HEADER);
    let is_text =
        old.get("headers").and_then(Value::as_object).is_some_and(|texts| texts.contains_key(&name));
    let Some(Value::String(variable)) = rendered.get("api_key_env").cloned().filter(|_| is_text) else {
        return;
    };
    let format = text(rendered, "api_key_format", VIBE_FORMAT);
    let value = format.replace("{{", "{").replace("}}", "}").replace("{token}", &format!("${{{variable}}}"));
    for key in ["api_key_env", "api_key_header", "api_key_format"] {
        rendered.shift_remove(key);
    }
    below(rendered, &["headers"], |headers| headers.insert(name, json!(value)));
}

/// Does something with the object that a path leads to; it is made where it is not there.
fn below<T>(map: &mut Entry, path: &[&str], work: impl FnOnce(&mut Entry) -> T) {
    let Some((first, rest)) = path.split_first() else {
        work(map);
        return;
    };
    let inner = map.entry((*first).to_owned()).or_insert_with(|| json!({}));
    if let Value::Object(inner) = inner {
        below(inner, rest, work);
    }
}

fn set_or_take(map: &mut Entry, key: &str, value: Value) {
    let empty = value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty);
    if !empty {
        map.insert(key.to_owned(), value);
    } else if map.contains_key(key) {
        map.shift_remove(key);
    }
}

/// A key that says the transport by itself goes where another transport is wanted (Gemini's `httpUrl`).
fn urls(old: &mut Entry, wanted: &Draft, spelling: &Spelling, after: &Entry) {
    let DraftTransport::Http { protocol, .. } = &wanted.transport else { return };
    let against = |key: &str, says: &Option<_>| {
        says.is_some_and(|says| says != *protocol) || (says.is_none() && decides(spelling, after, key))
    };
    let gone: Vec<&str> = spelling
        .urls
        .iter()
        .filter(|(key, says)| old.contains_key(*key) && against(key, says))
        .map(|(key, _)| *key)
        .collect();
    if gone.is_empty() {
        return;
    }
    for key in gone {
        old.shift_remove(key);
    }
    let rendered = spelling.urls.iter().find_map(|(key, _)| after.get(*key).map(|url| (*key, url)));
    if let Some((key, url)) = rendered {
        old.insert(key.to_owned(), url.clone());
    }
}

/// Whether the wanted transport is said by the key of the url alone, and this is not the key.
fn decides(spelling: &Spelling, after: &Entry, key: &str) -> bool {
    !after.contains_key(key)
        && spelling.urls.iter().any(|(other, says)| says.is_some() && after.contains_key(*other))
}

/// A command that stands as a line, a list or an object, with what else is in it.
fn command(old: &mut Entry, before: &mut Entry, after: &mut Entry, spelling: &Spelling) {
    let key = spelling.commands.first().copied().unwrap_or("command");
    let written = spelling.commands.iter().copied().find(|key| old.contains_key(*key)).unwrap_or(key);
    let differs = |field: &str| before.get(field) != after.get(field);
    let changed = differs(key) || differs("args");
    match old.get(written) {
        // Zed's old object becomes what Zed writes now.
        Some(Value::Object(_)) if changed || differs(spelling.env) => {
            old.shift_remove(written);
            for field in [key, "args", spelling.env] {
                old.shift_remove(field);
                if let Some(value) = after.get(field) {
                    old.insert(field.to_owned(), value.clone());
                }
            }
        }
        // A list stays one.
        Some(Value::Array(_)) if changed && after.get(key).is_some_and(Value::is_string) => {
            let mut words: Vec<Value> = after.shift_remove(key).into_iter().collect();
            if let Some(Value::Array(args)) = after.shift_remove("args") {
                words.extend(args);
            }
            old.shift_remove("args");
            before.shift_remove(key);
            before.shift_remove("args");
            old.insert(written.to_owned(), Value::Array(words));
        }
        // A line with arguments in it is taken apart.
        Some(Value::String(line)) if changed && before.get(key).and_then(Value::as_str) != Some(line) => {
            for (target, field) in [(written, key), ("args", "args")] {
                old.shift_remove(target);
                if let Some(value) = after.get(field) {
                    old.insert(target.to_owned(), value.clone());
                }
            }
        }
        Some(_) | None => {}
    }
}

/// The key under which the entry has what the tables write under `key`.
fn own_key(old: &Entry, key: &str, spelling: &Spelling) -> String {
    let urls: Vec<&str> = spelling.urls.iter().map(|(key, _)| *key).collect();
    let group = [spelling.type_keys, spelling.commands, &urls].into_iter().find(|group| group.contains(&key));
    let written = group.and_then(|group| group.iter().find(|other| old.contains_key(**other)));
    written.map_or_else(|| key.to_owned(), |key| (*key).to_owned())
}

/// Sets a key; of maps only the members that differ, and in a list of variables those that are not named any more.
fn put(old: &mut Entry, key: &str, before: Option<&Value>, after: &Value) {
    match (old.get_mut(key), after) {
        (Some(Value::Object(old)), Value::Object(after)) => {
            let before = before.and_then(Value::as_object);
            let was = |name: &str| before.and_then(|before| before.get(name));
            for (name, value) in after.iter().filter(|(name, value)| was(name) != Some(*value)) {
                put(old, name, was(name), value);
            }
            for (name, value) in before.into_iter().flatten().filter(|(name, _)| !after.contains_key(*name)) {
                take(old, name, value);
            }
        }
        (Some(Value::Array(items)), Value::Array(names)) if NAMES.contains(&key) => {
            items.retain(|item| variable(item).is_none_or(|name| names.iter().any(|other| other == name)));
            for name in names {
                if !items.iter().any(|item| variable(item).is_some_and(|other| name == other)) {
                    items.push(name.clone());
                }
            }
        }
        (Some(_) | None, _) => {
            old.insert(key.to_owned(), after.clone());
        }
    }
}

/// Takes out what was there; other members of a map stay, and variables of another machine.
fn take(old: &mut Entry, key: &str, before: &Value) {
    let empty = match (old.get_mut(key), before) {
        (Some(Value::Object(inner)), Value::Object(before)) => {
            for (name, value) in before {
                take(inner, name, value);
            }
            inner.is_empty()
        }
        (Some(Value::Array(items)), Value::Array(_)) if NAMES.contains(&key) => {
            items.retain(|item| variable(item).is_none());
            items.is_empty()
        }
        (Some(_) | None, _) => true,
    };
    if empty {
        old.shift_remove(key);
    }
}

/// The variable of this machine that an item of Codex's `env_vars` names.
fn variable(item: &Value) -> Option<&str> {
    let remote = item.get("source").and_then(Value::as_str) == Some("remote");
    item.as_str().or_else(|| item.get("name").and_then(Value::as_str)).filter(|_| !remote)
}
