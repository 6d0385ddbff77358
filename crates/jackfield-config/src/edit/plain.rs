//! What a text says, without how it says it; and what a change makes of that. The other side of every proof.

use serde_json::Value;

use super::structural::{ItemOp, Middle};
use super::{Change, Missing, Place, Target};

/// A value in which keys keep their order and duplicates, so that nothing can hide behind a parser's tolerance.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Plain {
    /// Numbers, booleans, dates, null: as written.
    Scalar(String),
    Text(String),
    Array(Vec<Plain>),
    Object(Vec<(String, Plain)>),
}

impl Plain {
    pub(super) fn of(value: &Value) -> Plain {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Plain::Scalar(value.to_string()),
            Value::String(text) => Plain::Text(text.clone()),
            Value::Array(items) => Plain::Array(items.iter().map(Plain::of).collect()),
            Value::Object(map) => {
                Plain::Object(map.iter().map(|(key, value)| (key.clone(), Plain::of(value))).collect())
            }
        }
    }

    /// Puts all keys in order, for formats whose tables have none.
    pub(super) fn sort(&mut self) {
        match self {
            Plain::Scalar(_) | Plain::Text(_) => {}
            Plain::Array(items) => items.iter_mut().for_each(Plain::sort),
            Plain::Object(members) => {
                members.iter_mut().for_each(|(_, value)| value.sort());
                members.sort();
            }
        }
    }

    /// Drops what is empty, for formats in which a table without anything in it need not be written.
    pub(super) fn drop_empty(&mut self) {
        if let Plain::Object(members) = self {
            members.iter_mut().for_each(|(_, value)| value.drop_empty());
            members.retain(|(_, value)| {
                *value != Plain::Object(Vec::new()) && *value != Plain::Array(Vec::new())
            });
        }
    }

    fn members(&mut self) -> Option<&mut Vec<(String, Plain)>> {
        match self {
            Plain::Object(members) => Some(members),
            Plain::Scalar(_) | Plain::Text(_) | Plain::Array(_) => None,
        }
    }

    fn items(&mut self) -> Option<&mut Vec<Plain>> {
        match self {
            Plain::Array(items) => Some(items),
            Plain::Scalar(_) | Plain::Text(_) | Plain::Object(_) => None,
        }
    }
}

/// Applies a change. `None` if it does not fit, which no editor lets come so far. `seen` is how the value that is set
/// reads so far: without it the new one takes its place as a whole.
pub(super) fn apply(root: &mut Plain, change: &Change, seen: Option<&Value>) -> Option<()> {
    let target = change.target();
    let path = target.path();
    // Where the root is a list, it is one when it has to be made, too.
    let list = target.list.then_some(target.root.len());
    match change {
        Change::Set { value, place, missing, .. } => {
            let (key, parents) = path.split_last()?;
            let create = (*missing != Missing::Refuse).then_some(*place);
            let parent = descend(root, parents, create, list)?;
            match child(parent, key) {
                Some(old) => match seen {
                    Some(seen) => merge(old, seen, value, list == Some(parents.len())),
                    None => *old = named(Plain::of(value), key, list == Some(parents.len())),
                },
                None => {
                    insert(parent, *place, key, named(Plain::of(value), key, list == Some(parents.len())))?
                }
            }
        }
        Change::Remove { .. } => remove(root, &path)?,
        Change::Rename { to, .. } => {
            let (key, parents) = path.split_last()?;
            match descend(root, parents, None, None)? {
                Plain::Object(members) => {
                    members.iter_mut().rfind(|(name, _)| name == key)?.0.clone_from(to);
                }
                list @ Plain::Array(_) => {
                    let entry = child(list, key)?;
                    *child(entry, "name")? = Plain::Text(to.clone());
                }
                Plain::Scalar(_) | Plain::Text(_) => return None,
            }
        }
        Change::ListAdd { item, .. } => {
            let (key, parents) = path.split_last()?;
            let parent = descend(root, parents, Some(Place::Last), None)?;
            if child(parent, key).is_none() {
                insert(parent, Place::Last, key, Plain::Array(Vec::new()))?;
            }
            let items = child(parent, key)?;
            if *items == Plain::Scalar("null".to_owned()) {
                *items = Plain::Array(Vec::new());
            }
            items.items()?.push(Plain::Text(item.clone()));
        }
        Change::ListRemove { item, prune, .. } => {
            let items = descend(root, &path, None, None)?.items()?;
            items.retain(|old| *old != Plain::Text(item.clone()));
            if let Some(prune) = prune.as_ref().filter(|prune| prunes(root, prune, &path)) {
                remove(root, prune)?;
            }
        }
    }
    Some(())
}

/// Whether something is at this path, and it is hollow.
pub(super) fn is_hollow(root: &mut Plain, path: &[String]) -> bool {
    fn hollow(value: &Plain) -> bool {
        match value {
            Plain::Object(members) => members.iter().all(|(_, value)| hollow(value)),
            Plain::Array(items) => items.is_empty(),
            Plain::Scalar(_) | Plain::Text(_) => false,
        }
    }
    descend(root, path, None, None).is_some_and(|value| hollow(value))
}

/// Whether `now` is what remains of `good` once things have been taken out below the roots.
pub(super) fn is_remainder(now: &Plain, good: &Plain, roots: &[&[String]]) -> bool {
    let of = |members: &[(String, Plain)], key: &str| {
        members.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
    };
    let at_root = roots.iter().any(|root| root.is_empty());
    match (now, good) {
        (Plain::Scalar(word), _) if at_root && word == "null" => true,
        (Plain::Array(now), Plain::Array(good)) if at_root => now.iter().all(|item| good.contains(item)),
        (Plain::Object(now), Plain::Object(good)) if at_root => {
            now.iter().all(|(key, value)| of(good, key).as_ref() == Some(value))
        }
        (Plain::Object(now), Plain::Object(good)) => {
            now.iter().all(|(key, _)| of(good, key).is_some())
                && good.iter().all(|(key, before)| {
                    let deeper: Vec<&[String]> = roots
                        .iter()
                        .filter_map(|root| root.split_first().filter(|(first, _)| *first == key))
                        .map(|(_, rest)| rest)
                        .collect();
                    match of(now, key) {
                        Some(value) if deeper.is_empty() => value == *before,
                        Some(value) => is_remainder(&value, before, &deeper),
                        None => !deeper.is_empty(),
                    }
                })
        }
        (now, good) => now == good,
    }
}

/// Whether something is at this path.
pub(super) fn has(mut root: Plain, path: &[String]) -> bool {
    let Some((key, parents)) = path.split_last() else { return true };
    descend(&mut root, parents, None, None).is_some_and(|parent| child(parent, key).is_some())
}

/// Makes `old`, which reads as `seen`, read as `new`: members and items that read the same stay as they are written.
fn merge(old: &mut Plain, seen: &Value, new: &Value, entry: bool) {
    if seen == new {
        return;
    }
    match (old, seen, new) {
        (Plain::Object(members), Value::Object(before), Value::Object(after)) => {
            // What no reader sees, like a merge key, stays; and so does the name of a list's entry.
            members.retain(|(key, _)| {
                after.contains_key(key) || !before.contains_key(key) || (entry && key == "name")
            });
            for (key, value) in after {
                match (members.iter_mut().rfind(|(name, _)| name == key), before.get(key)) {
                    (Some((_, old)), Some(seen)) => merge(old, seen, value, false),
                    (Some((_, old)), None) => *old = Plain::of(value),
                    (None, Some(seen)) if seen == value => {}
                    (None, Some(_) | None) => members.push((key.clone(), Plain::of(value))),
                }
            }
        }
        (Plain::Array(items), Value::Array(before), Value::Array(after)) if items.len() == before.len() => {
            let Middle { start, old, new } = Middle::of(before, after);
            for index in (0..old.min(new)).map(|index| start + index).filter(|at| before[*at] != after[*at]) {
                items[index] = Plain::of(&after[index]);
            }
            let kept = start + old.min(new);
            items.splice(kept..start + old, after[kept..start + new].iter().map(Plain::of));
        }
        (other, _, _) => *other = Plain::of(new),
    }
}

/// What is done to one item of a list.
pub(super) fn apply_item(root: &mut Plain, target: &Target, op: &ItemOp) -> Option<()> {
    let items = at(root, target)?.items()?;
    match op {
        ItemOp::Replace(index, value) => *items.get_mut(*index)? = Plain::of(value),
        ItemOp::Insert(index, value) if *index <= items.len() => items.insert(*index, Plain::of(value)),
        ItemOp::Remove(index) if *index < items.len() => drop(items.remove(*index)),
        ItemOp::Insert(..) | ItemOp::Remove(_) => return None,
    }
    Some(())
}

/// What stands at a target.
pub(super) fn at<'p>(root: &'p mut Plain, target: &Target) -> Option<&'p mut Plain> {
    descend(root, &target.path(), None, None)
}

/// Whether nothing is left below the key `prune` if `item` is taken out of the list at `target`.
pub(super) fn empties(root: &mut Plain, item: &str, prune: &[String], target: &Target) -> bool {
    let Some(items) = at(root, target).and_then(Plain::items) else { return false };
    items.retain(|old| *old != Plain::Text(item.to_owned()));
    prunes(root, prune, &target.path())
}

/// An entry of a list says its own name.
fn named(value: Plain, key: &str, in_list: bool) -> Plain {
    match value {
        Plain::Object(mut members) if in_list && members.iter().all(|(name, _)| name != "name") => {
            members.insert(0, ("name".to_owned(), Plain::Text(key.to_owned())));
            Plain::Object(members)
        }
        other => other,
    }
}

/// Whether from the key `prune` down to the list at `path` there is nothing but an empty list.
fn prunes(root: &mut Plain, prune: &[String], path: &[String]) -> bool {
    let Some(below) = path.strip_prefix(prune).filter(|_| !prune.is_empty()) else { return false };
    let Some(mut at) = descend(root, prune, None, None) else { return false };
    for key in below {
        match at.members().map(Vec::as_mut_slice) {
            Some([(name, value)]) if name == key => at = value,
            Some(_) | None => return false,
        }
    }
    at.items().is_some_and(|items| items.is_empty())
}

fn remove(root: &mut Plain, path: &[String]) -> Option<()> {
    let (key, parents) = path.split_last()?;
    match descend(root, parents, None, None)? {
        Plain::Object(members) => {
            let at = members.iter().rposition(|(name, _)| name == key)?;
            members.remove(at);
        }
        Plain::Array(items) => {
            let at = items.iter().position(|item| name_of(item) == Some(key))?;
            items.remove(at);
        }
        Plain::Scalar(_) | Plain::Text(_) => return None,
    }
    Some(())
}

/// `list` is the depth at which a list is made instead of an object.
fn descend<'p>(
    root: &'p mut Plain,
    path: &[String],
    create: Option<Place>,
    list: Option<usize>,
) -> Option<&'p mut Plain> {
    let mut at = root;
    for (depth, key) in path.iter().enumerate() {
        let new =
            || if list == Some(depth + 1) { Plain::Array(Vec::new()) } else { Plain::Object(Vec::new()) };
        if let Some(place) = create {
            match child(at, key) {
                None => insert(at, place, key, named(new(), key, list == Some(depth)))?,
                // In YAML a key with nothing behind it stands for what will be there.
                Some(empty) if *empty == Plain::Scalar("null".to_owned()) => *empty = new(),
                Some(_) => {}
            }
        }
        at = child(at, key)?;
    }
    Some(at)
}

fn insert(parent: &mut Plain, place: Place, key: &str, value: Plain) -> Option<()> {
    match parent {
        Plain::Object(members) => {
            let at = match place {
                Place::First => 0,
                Place::Last => members.len(),
            };
            members.insert(at, (key.to_owned(), value));
        }
        Plain::Array(items) => items.push(value),
        Plain::Scalar(_) | Plain::Text(_) => return None,
    }
    Some(())
}

/// The occurrence of a key that is in effect; in a list, the entry of that name.
fn child<'p>(at: &'p mut Plain, key: &str) -> Option<&'p mut Plain> {
    match at {
        Plain::Object(members) => members.iter_mut().rfind(|(name, _)| name == key).map(|(_, value)| value),
        Plain::Array(items) => items.iter_mut().find(|item| name_of(item) == Some(key)),
        Plain::Scalar(_) | Plain::Text(_) => None,
    }
}

fn name_of(item: &Plain) -> Option<&str> {
    match item {
        Plain::Object(members) => members.iter().find_map(|(name, value)| match value {
            Plain::Text(text) if name == "name" => Some(text.as_str()),
            Plain::Scalar(_) | Plain::Text(_) | Plain::Array(_) | Plain::Object(_) => None,
        }),
        Plain::Scalar(_) | Plain::Text(_) | Plain::Array(_) => None,
    }
}
