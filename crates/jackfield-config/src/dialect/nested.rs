//! Cline's newer entries keep the way to the server in an object of its own, `transport`, beside what is said of the
//! server: read and changed as if all stood in one.

use serde_json::{Map, Value};

use super::Spelling;
use crate::format::{Kind, Member, Node};

pub(super) const WITHIN: &str = "transport";

/// The key of that object, where this entry has one that says the way; else Cline looks beside it.
pub(super) fn key(entry: &Node, spelling: &Spelling) -> Option<&'static str> {
    let inner = entry.get(WITHIN)?;
    (may_nest(spelling) && says_the_way(|key| inner.get(key).is_some(), spelling)).then_some(WITHIN)
}

/// Whether entries of this dialect may have such an object.
pub(super) fn may_nest(spelling: &Spelling) -> bool {
    spelling.keys.contains(&WITHIN) && !spelling.type_keys.contains(&WITHIN)
}

fn says_the_way(has: impl Fn(&str) -> bool, spelling: &Spelling) -> bool {
    spelling.commands.iter().chain(spelling.urls.iter().map(|(url, _)| url)).any(|key| has(key))
}

/// Whether a key says how to reach the server.
pub(super) fn is_inner(key: &str, spelling: &Spelling) -> bool {
    spelling.type_keys.contains(&key)
        || spelling.commands.contains(&key)
        || spelling.urls.iter().any(|(url, _)| *url == key)
        || spelling.headers.first() == Some(&key)
        || spelling.cwd == Some(key)
        || key == spelling.env
        || key == "args"
}

/// The entry as one object. What says the way beside the object counts for nothing.
pub(super) fn flat(entry: &Node, spelling: &Spelling) -> Node {
    let inner = entry.get(WITHIN).and_then(Node::as_object).unwrap_or_default();
    let outer = entry.as_object().unwrap_or_default();
    let said = |key: &str| key == WITHIN || is_inner(key, spelling) || inner.iter().any(|own| own.key == key);
    let members: Vec<Member> =
        inner.iter().chain(outer.iter().filter(|member| !said(&member.key))).cloned().collect();
    Node { kind: Kind::Object(members), span: entry.span.clone() }
}

/// Does something with such an entry as one object, and puts it back in its two.
pub(super) fn changed(
    entry: &mut Map<String, Value>,
    spelling: &Spelling,
    work: impl FnOnce(&mut Map<String, Value>),
) {
    let says = |inner: &Value| says_the_way(|key| inner.get(key).is_some(), spelling);
    if may_nest(spelling) && entry.get(WITHIN).is_some_and(says) {
        in_two(entry, WITHIN, |key| is_inner(key, spelling), work);
    } else {
        work(entry);
    }
}

/// The same for any object within an entry; `is_inner` says which keys belong there, also such that are not there yet.
pub(super) fn in_two(
    entry: &mut Map<String, Value>,
    name: &str,
    is_inner: impl Fn(&str) -> bool,
    work: impl FnOnce(&mut Map<String, Value>),
) {
    let Some(Value::Object(inner)) = entry.get(name).cloned() else {
        work(entry);
        return;
    };
    let belongs = |key: &str| inner.contains_key(key) || is_inner(key);
    let mut whole = inner.clone();
    for (key, value) in entry.iter().filter(|(key, _)| key.as_str() != name && !belongs(key)) {
        whole.insert(key.clone(), value.clone());
    }
    work(&mut whole);
    let (within, beside): (Map<String, Value>, Map<String, Value>) =
        whole.into_iter().partition(|(key, _)| belongs(key));
    entry.retain(|key, _| key == name || belongs(key) || beside.contains_key(key));
    entry.insert(name.to_owned(), Value::Object(within));
    for (key, value) in beside {
        entry.insert(key, value);
    }
}
