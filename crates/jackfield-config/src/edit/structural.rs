//! A new value over one that is there, as the few small edits that differ: whatever both have keeps its bytes.
//!
//! What differs is told from the values as they are read, so that a number in another spelling, an alias, or a key that
//! comes by a merge is left alone unless it has to change. Each small edit is drafted and proved by itself, and the
//! whole once more.

use serde_json::Value;

use super::plain::{self, Plain};
use super::{
    Change, EditError, Edited, Missing, Place, Target, draft_item, prove_values, prove_with, text, values,
};
use crate::format::{self, Kind, Node};
use crate::host::Format;

/// A small edit.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    Key(Change),
    Item { target: Target, op: ItemOp },
}

/// What is done to one item of a list, by its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ItemOp {
    Replace(usize, Value),
    /// Before the item that stands there, or behind the last.
    Insert(usize, Value),
    Remove(usize),
}

/// Applies a change in parts, if it is one that has parts.
pub(super) fn apply(text: &str, format: Format, change: &Change) -> Option<Result<Edited, EditError>> {
    let seen = seen(text, format, change.target())?;
    let parts = match change {
        Change::Set { target, value, .. } => {
            let both = (seen.is_object() && value.is_object()) || (seen.is_array() && value.is_array());
            if !both {
                return None;
            }
            let mut old = values(text, format).ok()?;
            let written = plain::at(&mut old, target)?;
            let value = with_name(&seen, value, target);
            let mut parts = Vec::new();
            if let Err(error) = differences(&seen, written, &value, target, format, &mut parts) {
                return Some(Err(error));
            }
            // A list's entry is found by its name: that one changes last.
            parts.sort_by_key(|part| matches!(part, Part::Key(Change::Set { target: at, .. }) if target.list && at.keys.len() == target.keys.len() + 1 && at.keys.last().is_some_and(|key| key == "name")));
            parts
        }
        // JSON's editor does these by itself.
        Change::ListAdd { target, item } if format == Format::Toml => {
            let items = seen.as_array()?;
            if items.iter().any(|old| old == item) {
                return Some(Err(EditError::Already));
            }
            let op = ItemOp::Insert(items.len(), Value::String(item.clone()));
            vec![Part::Item { target: target.clone(), op }]
        }
        Change::ListRemove { target, item, prune } if matches!(format, Format::Toml | Format::Yaml) => {
            let items = seen.as_array()?;
            let mut old = values(text, format).ok()?;
            match prune.as_ref().filter(|prune| plain::empties(&mut old, item, prune, target)) {
                Some(prune) => vec![Part::Key(Change::Remove { target: Target::leaf(prune) })],
                None => (0..items.len())
                    .rev()
                    .filter(|index| items[*index] == *item)
                    .map(|index| Part::Item { target: target.clone(), op: ItemOp::Remove(index) })
                    .collect(),
            }
        }
        Change::ListAdd { .. }
        | Change::ListRemove { .. }
        | Change::Remove { .. }
        | Change::Rename { .. } => return None,
    };
    Some(apply_parts(text, format, change, &parts, &seen))
}

fn apply_parts(
    before: &str,
    format: Format,
    change: &Change,
    parts: &[Part],
    seen: &Value,
) -> Result<Edited, EditError> {
    let mut now = before.to_owned();
    for part in parts {
        now = match part {
            Part::Key(change) => super::one(&now, format, change)?.text,
            Part::Item { target, op } => apply_item(&now, format, target, op)?,
        };
    }
    if now == before {
        return Err(EditError::Already);
    }
    prove_values(before, &now, format, change, |root| plain::apply(root, change, Some(seen)))?;
    Ok(Edited { text: now, inserted: false, created: None })
}

fn apply_item(before: &str, format: Format, target: &Target, op: &ItemOp) -> Result<String, EditError> {
    let unproven = || EditError::Unproven { name: target.keys.join(".") };
    let (splices, own) = draft_item(before, format, target, op)?;
    let after = text::splice(before, &splices).ok_or_else(unproven)?;
    let change = Change::Remove { target: target.clone() };
    prove_with(before, &after, format, &change, own, |root| plain::apply_item(root, target, op))?;
    Ok(after)
}

/// What is there, as it is read: aliases followed, merges done.
pub(super) fn seen(text: &str, format: Format, target: &Target) -> Option<Value> {
    let parsed = format::parse(text, format).ok()?;
    let mut at: &Node = parsed.root.as_ref()?;
    for key in target.path() {
        at = match &at.kind {
            Kind::Array(items) if target.list => {
                items.iter().find(|item| item.get("name").and_then(Node::as_str) == Some(&key))?
            }
            Kind::Null
            | Kind::Bool(_)
            | Kind::Number(_)
            | Kind::String(_)
            | Kind::Array(_)
            | Kind::Object(_) => at.get(&key)?,
        };
    }
    Some(at.to_value())
}

/// An entry of a list keeps its name, though the new value does not say it.
fn with_name(seen: &Value, new: &Value, target: &Target) -> Value {
    let mut new = new.clone();
    if let (true, Value::Object(map), Some(name)) =
        (target.list && target.keys.len() == 1, &mut new, seen.get("name"))
        && !map.contains_key("name")
    {
        map.insert("name".to_owned(), name.clone());
    }
    new
}

/// `written` is what stands in the text for `seen`.
fn differences(
    seen: &Value,
    written: &Plain,
    new: &Value,
    target: &Target,
    format: Format,
    into: &mut Vec<Part>,
) -> Result<(), EditError> {
    if seen == new {
        return Ok(());
    }
    let set = |target: Target, value: &Value| {
        Part::Key(Change::Set { target, value: value.clone(), place: Place::Last, missing: Missing::Create })
    };
    match (seen, new, written) {
        (Value::Object(before), Value::Object(after), Plain::Object(members)) => {
            let below = |key: &String| {
                let mut target = target.clone();
                target.keys.push(key.clone());
                target
            };
            let own = |key: &str| members.iter().rfind(|(name, _)| name == key).map(|(_, value)| value);
            for (key, value) in after {
                match (before.get(key), own(key)) {
                    // An object and a list do not come in each other's place where each is laid out in lines.
                    (Some(old), Some(_))
                        if other_container(old, value) && !matches!(format, Format::Json { .. }) =>
                    {
                        into.push(Part::Key(Change::Remove { target: below(key) }));
                        into.push(set(below(key), value));
                    }
                    (Some(old), Some(written)) => {
                        differences(old, written, value, &below(key), format, into)?
                    }
                    (Some(old), None) if old == value => {}
                    (Some(_) | None, Some(_) | None) => into.push(set(below(key), value)),
                }
            }
            for key in before.keys().filter(|key| !after.contains_key(*key)) {
                if own(key).is_none() {
                    let why = "it comes from another place by a merge";
                    return Err(EditError::Unsupported { name: key.clone(), why });
                }
                into.push(Part::Key(Change::Remove { target: below(key) }));
            }
        }
        (Value::Array(before), Value::Array(after), Plain::Array(_)) => {
            let middle = Middle::of(before, after);
            let item = |op| Part::Item { target: target.clone(), op };
            let both = middle.old.min(middle.new);
            for index in middle.start..middle.start + both {
                if before[index] != after[index] {
                    into.push(item(ItemOp::Replace(index, after[index].clone())));
                }
            }
            let kept = middle.start + both;
            for (offset, value) in after[kept..middle.start + middle.new].iter().enumerate() {
                into.push(item(ItemOp::Insert(kept + offset, value.clone())));
            }
            for index in (kept..middle.start + middle.old).rev() {
                into.push(item(ItemOp::Remove(index)));
            }
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
            _,
        ) => {
            into.push(set(target.clone(), new));
        }
    }
    Ok(())
}

fn other_container(old: &Value, new: &Value) -> bool {
    (old.is_array() && new.is_object()) || (old.is_object() && new.is_array())
}

/// Where two lists differ: as many items from `start` on, between those that both have.
pub(super) struct Middle {
    pub(super) start: usize,
    pub(super) old: usize,
    pub(super) new: usize,
}

impl Middle {
    pub(super) fn of(old: &[Value], new: &[Value]) -> Middle {
        let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let rest = (&old[start..], &new[start..]);
        let end = rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(a, b)| a == b).count();
        Middle { start, old: rest.0.len() - end, new: rest.1.len() - end }
    }
}
