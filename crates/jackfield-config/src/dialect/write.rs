//! A draft in a host's own words: the way back from [`entry`](super::entry), by the same tables.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

pub use super::Unit;
use super::helpers::{VIBE_FORMAT, VIBE_HEADER};
pub use super::schema::schema;
use super::{CommandShape, Shape, Spelling, Untyped, Word, entry, spelling};
use crate::definition::{Definition, HttpProtocol};
use crate::draft::{self, Draft, DraftTransport};
use crate::format::{Kind, Node};
use crate::host::Dialect;
use crate::source::SourceSpec;
use crate::value::VariableSyntax;

mod checks;
mod keep;
mod revise;
mod translate;

pub(crate) use checks::host_name_rule;
pub use checks::{FieldProblem, check};
pub use revise::{FieldConflict, merge, revised};
pub(crate) use translate::carried;
pub use translate::{between, other_keys, translate};

/// An entry, and what a person should know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    pub value: Value,
    pub notes: Vec<String>,
}

/// What a dialect can express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abilities {
    pub transports: Vec<TransportKind>,
    pub env: bool,
    pub cwd: bool,
    pub headers: bool,
    /// Nothing where it has no time to start.
    pub timeout: Option<Unit>,
    /// Whether an entry has a switch of its own.
    pub switch: bool,
    /// The forms of variables it evaluates.
    pub variables: Vec<&'static str>,
}

/// How a server can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportKind {
    Stdio,
    Http,
    Sse,
    Auto,
}

/// Which shape an entry of this source has. opencode's second one stands below `servers`.
pub(crate) fn shape_of(spec: &SourceSpec) -> Shape {
    let second = spec.dialect == Dialect::OpenCode && spec.root.last().is_some_and(|key| key == "servers");
    if second { Shape::Second } else { Shape::First }
}

fn spelling_of(spec: &SourceSpec) -> &'static Spelling {
    spelling(spec.dialect, shape_of(spec))
}

/// The key of the switch in an entry of this source, and the value that means on.
pub(crate) fn switch(spec: &SourceSpec) -> Option<(&'static str, bool)> {
    spelling_of(spec).switch
}

/// What can be written to a source.
pub fn abilities(spec: &SourceSpec) -> Abilities {
    let spelling = spelling_of(spec);
    let mut transports = vec![TransportKind::Stdio];
    for (protocol, kind) in [
        (HttpProtocol::Streamable, TransportKind::Http),
        (HttpProtocol::Sse, TransportKind::Sse),
        (HttpProtocol::Auto, TransportKind::Auto),
    ] {
        if word_for(spelling, protocol).is_some()
            || spelling.untyped == Untyped::Takes(protocol)
            || spelling.urls.iter().any(|(_, takes)| *takes == Some(protocol))
        {
            transports.push(kind);
        }
    }
    Abilities {
        transports,
        env: true,
        cwd: spelling.cwd.is_some(),
        headers: !spelling.headers.is_empty(),
        timeout: spelling.timeouts.first().map(|(_, unit)| *unit),
        switch: spelling.switch.is_some(),
        variables: spec.host.variables.examples(),
    }
}

pub(crate) fn word_for(spelling: &Spelling, protocol: HttpProtocol) -> Option<&'static str> {
    spelling.types.iter().find(|(_, word)| *word == Word::Http(protocol)).map(|(word, _)| *word)
}

/// Writes a draft as this source's host reads it.
pub fn entry(draft: &Draft, spec: &SourceSpec) -> Rendered {
    let spelling = spelling_of(spec);
    let host = spec.host.name;
    let (mut map, mut notes) = (Map::new(), Vec::new());
    if spelling.named {
        map.insert("name".to_owned(), json!(draft.name));
    }
    match &draft.transport {
        DraftTransport::Stdio { command, args, env, cwd } => {
            let word = spelling.types.iter().find(|(_, word)| *word == Word::Stdio).map(|(word, _)| *word);
            if let (Some(word), Some(key)) =
                (word.filter(|_| spelling.writes_stdio), spelling.type_keys.first())
            {
                map.insert((*key).to_owned(), json!(word));
            }
            let key = spelling.commands.first().copied().unwrap_or("command");
            match spelling.command {
                CommandShape::List => {
                    let words: Vec<&String> = std::iter::once(command).chain(args).collect();
                    map.insert(key.to_owned(), json!(words));
                }
                // A program with a blank in its path, say, would be taken apart as a line.
                CommandShape::LineOrList if !is_one_word(command) => {
                    let words: Vec<&String> = std::iter::once(command).chain(args).collect();
                    map.insert(key.to_owned(), json!(words));
                }
                CommandShape::Text | CommandShape::LineOrList | CommandShape::TextOrObject => {
                    map.insert(key.to_owned(), json!(command));
                    // Zed takes no entry without the list.
                    if !args.is_empty() || spec.dialect == Dialect::Zed {
                        map.insert("args".to_owned(), json!(args));
                    }
                }
            }
            let mut env: Vec<(String, String)> = env.clone();
            if let Some(key) = spelling.env_names {
                let (named, rest): (Vec<_>, Vec<_>) = env
                    .into_iter()
                    .partition(|(name, value)| VariableSyntax::only_variable(value) == Some(name));
                env = rest;
                if !named.is_empty() {
                    let names: Vec<String> = named.into_iter().map(|(name, _)| name).collect();
                    map.insert(key.to_owned(), json!(names));
                }
            }
            put_pairs(&mut map, &[spelling.env], &env);
            match (cwd, spelling.cwd) {
                (Some(cwd), Some(key)) => {
                    map.insert(key.to_owned(), json!(cwd));
                }
                (Some(_), None) => notes.push(format!("{host} has no working directory: it is left out")),
                (None, _) => {}
            }
        }
        DraftTransport::Http { url, headers, protocol } => {
            let key = remote_type(spelling, *protocol, host, &mut notes);
            if let (Some(word), Some(key)) = (key, spelling.type_keys.first()) {
                map.insert((*key).to_owned(), json!(word));
            }
            let (url_key, typed) = url_key(spelling, *protocol);
            if typed {
                map.remove(spelling.type_keys.first().copied().unwrap_or("type"));
            }
            map.insert(url_key.to_owned(), json!(url));
            put_headers(&mut map, spec, spelling, headers, &mut notes);
        }
    }
    match (draft.timeout, spelling.timeouts.first()) {
        (Some(timeout), Some((key, unit))) => {
            let whole = match unit {
                Unit::Seconds if spelling.whole_timeouts && timeout.subsec_nanos() > 0 => {
                    let seconds = timeout.as_secs().saturating_add(1);
                    notes.push(format!("{host} takes whole seconds: the timeout becomes {seconds}"));
                    Duration::from_secs(seconds)
                }
                Unit::Seconds | Unit::Milliseconds => timeout,
            };
            map.insert((*key).to_owned(), timeout_value(whole, *unit));
        }
        (Some(_), None) => notes.push(format!("{host} has no timeout for connecting: it is left out")),
        (None, _) => {}
    }
    if spelling.says_on && draft.enabled {
        if let Some((key, on)) = spelling.switch {
            map.insert(key.to_owned(), json!(on));
        }
    } else if !draft.enabled {
        match spelling.switch {
            Some((key, on)) => {
                map.insert(key.to_owned(), json!(!on));
            }
            None => notes.push(format!("{host} has no switch in an entry: it will be on there")),
        }
    }
    Rendered { value: Value::Object(map), notes }
}

/// Whether a host that takes a line apart leaves this text whole.
fn is_one_word(text: &str) -> bool {
    draft::split_command_line(text).is_some_and(|words| words == [text])
}

/// The word for a remote server; nothing where the host takes one without a word as it should.
fn remote_type(
    spelling: &Spelling,
    protocol: HttpProtocol,
    host: &str,
    notes: &mut Vec<String>,
) -> Option<&'static str> {
    if spelling.untyped == Untyped::Takes(protocol)
        && (protocol == HttpProtocol::Auto || spelling.types.is_empty())
    {
        return None;
    }
    if let Some(word) = word_for(spelling, protocol) {
        return Some(word);
    }
    // opencode's only word tries both.
    if let Some(word) = word_for(spelling, HttpProtocol::Auto) {
        return Some(word);
    }
    match (protocol, spelling.untyped) {
        (_, Untyped::Takes(HttpProtocol::Auto)) => None,
        (HttpProtocol::Auto, _) => {
            let word = word_for(spelling, HttpProtocol::Streamable);
            notes.push(format!("{host} does not try both transports: it is written as streamable HTTP"));
            word
        }
        (HttpProtocol::Sse, _) => {
            notes.push(format!("{host} does not speak HTTP+SSE: it will try streamable HTTP"));
            word_for(spelling, HttpProtocol::Streamable)
        }
        (HttpProtocol::Streamable, _) => {
            let decided =
                spelling.urls.iter().any(|(_, protocol)| *protocol == Some(HttpProtocol::Streamable));
            if !decided {
                notes.push(format!("{host} takes a url as HTTP+SSE"));
            }
            None
        }
    }
}

/// The key for a url, and whether it says the transport by itself.
fn url_key(spelling: &Spelling, protocol: HttpProtocol) -> (&'static str, bool) {
    let plain = spelling.urls.iter().find(|(_, protocol)| protocol.is_none()).map_or("url", |(key, _)| *key);
    if spelling.types.is_empty()
        && let Some((key, _)) = spelling.urls.iter().find(|(_, own)| *own == Some(protocol))
    {
        return (key, true);
    }
    (plain, false)
}

fn put_headers(
    map: &mut Map<String, Value>,
    spec: &SourceSpec,
    spelling: &Spelling,
    headers: &[(String, String)],
    notes: &mut Vec<String>,
) {
    let mut headers: Vec<(String, String)> = headers.to_vec();
    if headers.is_empty() {
        return;
    }
    if spelling.headers.is_empty() {
        notes.push(format!("{} has no headers: they are left out", spec.host.name));
        return;
    }
    if spec.dialect == Dialect::Vibe {
        vibe_key(map, &mut headers);
    } else if spec.host.variables == VariableSyntax::None
        && let Some(key) = spelling.bearer.first()
        && let Some(index) = headers.iter().position(|(name, value)| {
            name.eq_ignore_ascii_case("authorization") && bearer_variable(value).is_some()
        })
    {
        let (_, value) = headers.remove(index);
        map.insert((*key).to_owned(), json!(bearer_variable(&value)));
    }
    if spec.dialect == Dialect::Codex {
        let (named, rest): (Vec<_>, Vec<_>) =
            headers.into_iter().partition(|(_, value)| VariableSyntax::only_variable(value).is_some());
        headers = rest;
        if !named.is_empty() {
            let named: Map<String, Value> = named
                .into_iter()
                .map(|(name, value)| (name, json!(VariableSyntax::only_variable(&value))))
                .collect();
            map.insert("env_http_headers".to_owned(), Value::Object(named));
        }
    }
    put_pairs(map, spelling.headers, &headers);
}

/// The first header with a variable in it, which Vibe has in keys of its own.
fn vibe_key(map: &mut Map<String, Value>, headers: &mut Vec<(String, String)>) {
    let Some(index) = headers.iter().position(|(_, value)| around_variable(value).is_some()) else { return };
    let (name, value) = headers.remove(index);
    let Some((before, variable, after)) = around_variable(&value) else { return };
    map.insert("api_key_env".to_owned(), json!(variable));
    if name != VIBE_HEADER {
        map.insert("api_key_header".to_owned(), json!(name));
    }
    let braces = |text: &str| text.replace('{', "{{").replace('}', "}}");
    let format = format!("{}{{token}}{}", braces(before), braces(after));
    if format != VIBE_FORMAT {
        map.insert("api_key_format".to_owned(), json!(format));
    }
}

/// A text with one `${NAME}` in it: what stands before, the name, what stands after.
fn around_variable(value: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = value.split_once("${")?;
    let (name, after) = rest.split_once('}')?;
    VariableSyntax::only_variable(&value[before.len()..before.len() + name.len() + 3])?;
    (!after.contains("${")).then_some((before, name, after))
}

fn bearer_variable(value: &str) -> Option<&str> {
    VariableSyntax::only_variable(value.strip_prefix("Bearer ")?)
}

fn put_pairs(map: &mut Map<String, Value>, path: &[&str], pairs: &[(String, String)]) {
    if pairs.is_empty() {
        return;
    }
    let pairs: Map<String, Value> = pairs.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let Some((first, rest)) = path.split_first() else { return };
    let value = rest.iter().rev().fold(Value::Object(pairs), |inner, key| json!({ *key: inner }));
    map.insert((*first).to_owned(), value);
}

fn timeout_value(timeout: Duration, unit: Unit) -> Value {
    match unit {
        Unit::Milliseconds => json!(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
        Unit::Seconds if timeout.subsec_nanos() == 0 => json!(timeout.as_secs()),
        Unit::Seconds => json!(timeout.as_secs_f64()),
    }
}

/// A draft as it would be read from this source.
pub fn as_read(draft: &Draft, spec: &Arc<SourceSpec>) -> Option<Definition> {
    let node = to_node(&entry(draft, spec).value);
    let place = entry::Place { at: 0, lines: None, home: None };
    let (definition, _) = entry::read(spec, shape_of(spec), spec, &draft.name, &node, place);
    Some(definition)
}

/// As [`as_read`], with what is wrong with it.
pub(crate) fn read_back(value: &Value, name: &str, spec: &Arc<SourceSpec>) -> Definition {
    let place = entry::Place { at: 0, lines: None, home: None };
    entry::read(spec, shape_of(spec), spec, name, &to_node(value), place).0
}

pub(crate) fn to_node(value: &Value) -> Node {
    let kind = match value {
        Value::Null => Kind::Null,
        Value::Bool(on) => Kind::Bool(*on),
        Value::Number(number) => Kind::Number(number.to_string()),
        Value::String(text) => Kind::String(text.clone()),
        Value::Array(items) => Kind::Array(items.iter().map(to_node).collect()),
        Value::Object(map) => Kind::Object(
            map.iter()
                .map(|(key, value)| crate::format::Member {
                    key: key.clone(),
                    key_span: 0..0,
                    value: to_node(value),
                })
                .collect(),
        ),
    };
    Node { kind, span: 0..0 }
}

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
mod tests;
