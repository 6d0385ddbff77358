//! What a text says, without how it says it; and what a change makes of that. The other side of every proof.

use serde_json::Value;

use super::{Change, Missing, Place};

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

/// Applies a change. `None` if it does not fit, which no editor lets come so far.
pub(super) fn apply(root: &mut Plain, change: &Change) -> Option<()> {
    let path = change.target().path();
    match change {
        Change::Set { value, place, missing, .. } => {
            let (key, parents) = path.split_last()?;
            let members =
                descend(root, parents, (*missing == Missing::Create).then_some(*place))?.members()?;
            match last_of(members, key) {
                Some(old) => *old = Plain::of(value),
                None => insert(members, *place, key, Plain::of(value)),
            }
        }
        Change::Remove { .. } => remove(root, &path)?,
        Change::Rename { to, .. } => {
            let (key, parents) = path.split_last()?;
            let members = descend(root, parents, None)?.members()?;
            members.iter_mut().rfind(|(name, _)| name == key)?.0.clone_from(to);
        }
        Change::ListAdd { item, .. } => {
            let (key, parents) = path.split_last()?;
            let members = descend(root, parents, Some(Place::Last))?.members()?;
            if last_of(members, key).is_none() {
                members.push((key.clone(), Plain::Array(Vec::new())));
            }
            last_of(members, key)?.items()?.push(Plain::Text(item.clone()));
        }
        Change::ListRemove { item, prune, .. } => {
            let items = descend(root, &path, None)?.items()?;
            items.retain(|old| *old != Plain::Text(item.clone()));
            if let Some(prune) = prune.as_ref().filter(|prune| prunes(root, prune, &path)) {
                remove(root, prune)?;
            }
        }
    }
    Some(())
}

/// Whether from the key `prune` down to the list at `path` there is nothing but an empty list.
fn prunes(root: &mut Plain, prune: &[String], path: &[String]) -> bool {
    let Some(below) = path.strip_prefix(prune).filter(|_| !prune.is_empty()) else { return false };
    let Some(mut at) = descend(root, prune, None) else { return false };
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
    let members = descend(root, parents, None)?.members()?;
    let at = members.iter().rposition(|(name, _)| name == key)?;
    members.remove(at);
    Some(())
}

fn descend<'p>(root: &'p mut Plain, path: &[String], create: Option<Place>) -> Option<&'p mut Plain> {
    let mut at = root;
    for key in path {
        let members = at.members()?;
        if let (Some(place), None) = (create, last_of(members, key)) {
            insert(members, place, key, Plain::Object(Vec::new()));
        }
        at = last_of(members, key)?;
    }
    Some(at)
}

fn insert(members: &mut Vec<(String, Plain)>, place: Place, key: &str, value: Plain) {
    let at = match place {
        Place::First => 0,
        Place::Last => members.len(),
    };
    members.insert(at, (key.to_owned(), value));
}

/// The occurrence that is in effect.
fn last_of<'p>(members: &'p mut [(String, Plain)], key: &str) -> Option<&'p mut Plain> {
    members.iter_mut().rfind(|(name, _)| name == key).map(|(_, value)| value)
}
