//! One-click cures for what is found in an entry: changes of its own keys.

use serde_json::{Value, json};

use super::fields::Fields;
use super::nested;
use crate::definition::HttpProtocol;
use crate::diagnostic::{Fix, FixWork};
use crate::edit::{Change, Missing, Place, Target};
use crate::format::{Kind, Node};

impl Fields<'_> {
    /// Adds a cure to the finding made last.
    pub(crate) fn cure(&mut self, title: impl Into<String>, changes: Vec<Change>) {
        // An entry that was merged from several files has no one place to cure it.
        if self.lines.is_none() || changes.is_empty() {
            return;
        }
        if let Some(finding) = self.diagnostics.last_mut() {
            finding.fixes.push(Fix { title: title.into(), work: FixWork::Changes(changes) });
        }
    }

    fn target(&self, path: &[String]) -> Target {
        let within =
            self.within.filter(|_| path.first().is_some_and(|key| nested::is_inner(key, self.spelling)));
        let own = std::iter::once(self.name.to_owned()).chain(within.map(str::to_owned));
        let keys = own.chain(path.iter().cloned()).collect();
        Target { root: self.spec.root.clone(), keys, list: self.spec.list }
    }

    pub(crate) fn setting(&self, path: &[&str], value: Value) -> Change {
        let path: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
        Change::Set { target: self.target(&path), value, place: Place::Last, missing: Missing::Create }
    }

    pub(crate) fn removing(&self, key: &str) -> Change {
        Change::Remove { target: self.target(&[key.to_owned()]) }
    }

    pub(crate) fn renaming(&self, key: &str, to: &str) -> Change {
        Change::Rename { target: self.target(&[key.to_owned()]), to: to.to_owned() }
    }

    /// Puts another text in the place of the one that begins at `at`.
    pub(crate) fn replacing(&self, at: usize, text: &str) -> Option<Change> {
        let (path, value) = find(self.node, at, text)?;
        Some(Change::Set { target: self.target(&path), value, place: Place::Last, missing: Missing::Refuse })
    }

    /// Where the way to the server has exactly this text; where the entry stands if that cannot be told.
    pub(crate) fn start_of(&self, text: &str) -> usize {
        fn find(node: &Node, text: &str) -> Option<usize> {
            match &node.kind {
                Kind::String(own) => (own == text).then_some(node.span.start),
                Kind::Array(items) => items.iter().find_map(|item| find(item, text)),
                Kind::Object(_) | Kind::Null | Kind::Bool(_) | Kind::Number(_) => None,
            }
        }
        let members = self.node.as_object().unwrap_or_default();
        members.iter().find_map(|member| find(&member.value, text)).unwrap_or(self.at)
    }

    /// Gives the whole entry another name.
    pub(crate) fn renaming_entry(&self, to: &str) -> Change {
        let target =
            Target { root: self.spec.root.clone(), keys: vec![self.name.to_owned()], list: self.spec.list };
        Change::Rename { target, to: to.to_owned() }
    }

    /// The field that holds this text at `at`: `args.0`, `env.KEY`.
    pub(super) fn field_at(&self, at: usize, text: &str) -> Option<String> {
        fn find(node: &Node, at: usize, text: &str) -> Option<Vec<String>> {
            match &node.kind {
                Kind::String(own) => (node.span.start == at && own.contains(text)).then(Vec::new),
                Kind::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
                    let mut path = find(item, at, text)?;
                    path.insert(0, index.to_string());
                    Some(path)
                }),
                Kind::Object(members) => members.iter().find_map(|member| {
                    let mut path = find(&member.value, at, text)?;
                    path.insert(0, member.key.clone());
                    Some(path)
                }),
                Kind::Null | Kind::Bool(_) | Kind::Number(_) => None,
            }
        }
        find(self.node, at, text).map(|path| path.join("."))
    }

    /// What an untyped url most likely is.
    pub(crate) fn typing(&self) -> Vec<Change> {
        let Some(key) = self.spelling.type_keys.first() else { return Vec::new() };
        let url = self.spelling.urls.iter().find_map(|(key, _)| self.node.get(key)).and_then(Node::as_str);
        let sse = url.is_some_and(|url| url.trim_end_matches('/').ends_with("/sse"));
        let protocol = if sse { HttpProtocol::Sse } else { HttpProtocol::Streamable };
        let word = super::write::word_for(self.spelling, protocol);
        word.map(|word| vec![self.setting(&[key], json!(word))]).unwrap_or_default()
    }
}

/// The keys that lead to a text, and what to set there: of a list the whole, with the one item replaced.
fn find(node: &Node, at: usize, text: &str) -> Option<(Vec<String>, Value)> {
    match &node.kind {
        Kind::String(_) if node.span.start == at => Some((Vec::new(), json!(text))),
        Kind::Array(items) => {
            let index = items.iter().position(|item| item.span.start == at && item.as_str().is_some())?;
            let mut values: Vec<Value> = items.iter().map(Node::to_value).collect();
            values[index] = json!(text);
            Some((Vec::new(), Value::Array(values)))
        }
        Kind::Object(members) => members.iter().find_map(|member| {
            let (mut path, value) = find(&member.value, at, text)?;
            path.insert(0, member.key.clone());
            Some((path, value))
        }),
        Kind::String(_) | Kind::Null | Kind::Bool(_) | Kind::Number(_) => None,
    }
}
