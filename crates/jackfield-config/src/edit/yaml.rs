//! YAML: block mappings and lists, by lines, and lists between brackets. Other values in flow style, and whatever is
//! shared by an anchor, are left to a person.

mod items;
mod write;

use std::ops::Range;

use serde_json::Value;
use write::{single, string};

use super::plain::Plain;
use super::structural::ItemOp;
use super::text::{self, Splice};
use super::{Change, Draft, EditError, Missing, Place, Target, uncapitalized};
use crate::format::Kind;
use crate::format::yaml::scalar;
use crate::format::yaml::tree::{Item, Tree, What};

fn parse(text: &str) -> Result<Tree, EditError> {
    Tree::parse(text).map_err(|error| EditError::Syntax {
        message: uncapitalized(&error.message),
        position: text::position(text, error.at),
    })
}

/// The value of the text, aliases not followed; an empty file is an empty object.
pub(super) fn plain(text: &str) -> Result<Plain, EditError> {
    let tree = parse(text)?;
    Ok(tree.root.as_ref().filter(|root| !is_null(root)).map_or_else(|| Plain::Object(Vec::new()), to_plain))
}

fn to_plain(item: &Item) -> Plain {
    match &item.what {
        What::Scalar { text, plain } => match scalar(text, *plain) {
            Kind::String(text) => Plain::Text(text),
            Kind::Null => Plain::Scalar("null".to_owned()),
            Kind::Bool(on) => Plain::Scalar(on.to_string()),
            Kind::Number(text) => Plain::Scalar(text),
            Kind::Array(_) | Kind::Object(_) => Plain::Scalar(String::new()),
        },
        What::Alias(id) => Plain::Scalar(format!("*{id}")),
        What::List { items, .. } => Plain::Array(items.iter().map(to_plain).collect()),
        What::Map { pairs, .. } => Plain::Object(
            pairs
                .iter()
                .map(|(key, value)| (key.text().unwrap_or_default().to_owned(), to_plain(value)))
                .collect(),
        ),
    }
}

fn is_null(item: &Item) -> bool {
    matches!(&item.what, What::Scalar { text, plain } if scalar(text, *plain) == Kind::Null)
}

/// All comments with their places.
pub(super) fn comments(text: &str) -> Vec<(Range<usize>, String)> {
    let Ok(tree) = parse(text) else { return Vec::new() };
    let mut scalars = Vec::new();
    if let Some(root) = &tree.root {
        spans(root, &mut scalars);
    }
    scalars.sort_by_key(|span: &Range<usize>| span.start);
    let mut found = Vec::new();
    let mut at = 0;
    let mut next = scalars.iter().peekable();
    while let Some(hash) = text[at..].find('#').map(|hash| at + hash) {
        while next.peek().is_some_and(|span| span.end <= hash) {
            next.next();
        }
        if next.peek().is_some_and(|span| span.start <= hash && hash < span.end) {
            at = next.peek().map_or(hash + 1, |span| span.end.max(hash + 1));
            continue;
        }
        let end = text[hash..].find(['\n', '\r']).map_or(text.len(), |end| hash + end);
        let begins = text[..hash].chars().next_back().is_none_or(char::is_whitespace);
        if begins {
            found.push((hash..end, text[hash..end].trim_end().to_owned()));
        }
        at = if begins { end } else { hash + 1 };
    }
    found
}

fn spans(item: &Item, into: &mut Vec<Range<usize>>) {
    match &item.what {
        What::Scalar { .. } | What::Alias(_) => into.push(item.span.clone()),
        What::List { items, .. } => items.iter().for_each(|item| spans(item, into)),
        What::Map { pairs, .. } => pairs.iter().for_each(|(key, value)| {
            spans(key, into);
            spans(value, into);
        }),
    }
}

/// The lines that belong to the key a change replaces or removes.
pub(super) fn own_range(text: &str, change: &Change) -> Option<Range<usize>> {
    let tree = parse(text).ok()?;
    let path = match change {
        Change::Set { target, .. } | Change::Remove { target } => target.path(),
        Change::ListRemove { target, prune, .. } => prune.clone().unwrap_or_else(|| target.path()),
        Change::Rename { .. } | Change::ListAdd { .. } => return None,
    };
    let mut item = tree.root.as_ref()?;
    let mut start = item.span.start;
    for key in &path {
        let (from, value) = step(item, key)?;
        (start, item) = (from, value);
    }
    Some(start..text::line_end(text, item.span.end))
}

/// The value of a key, or the entry of a list by its name, and where that begins.
fn step<'i>(item: &'i Item, key: &str) -> Option<(usize, &'i Item)> {
    match &item.what {
        What::Map { pairs, .. } => {
            let (key, value) = pairs.iter().rfind(|(name, _)| name.text() == Some(key))?;
            Some((key.span.start, value))
        }
        What::List { items, .. } => {
            let entry = items.iter().find(|item| named(item) == Some(key))?;
            Some((entry.span.start, entry))
        }
        What::Scalar { .. } | What::Alias(_) => None,
    }
}

fn named(item: &Item) -> Option<&str> {
    match &item.what {
        What::Map { pairs, .. } => {
            pairs.iter().find(|(key, _)| key.text() == Some("name")).and_then(|(_, value)| value.text())
        }
        What::Scalar { .. } | What::List { .. } | What::Alias(_) => None,
    }
}

pub(super) fn draft(text: &str, change: &Change) -> Result<Draft, EditError> {
    let tree = parse(text)?;
    let editor = Editor { text, eol: text::eol(text), tree: &tree };
    let path = change.target().path();
    let root = tree.root.as_ref().filter(|root| !is_null(root));
    let (splices, inserted, created) = match root {
        Some(root) => editor.change(root, change, &path)?,
        None => match change {
            Change::Set { .. } | Change::ListAdd { .. } => {
                if !is_bare(text) {
                    return Err(by_hand(&path[0], "the document is an empty value that is written out"));
                }
                let block = editor.block(&path, 0, &value_of(change), 0, change.target());
                let lead = if text.is_empty() || text.ends_with('\n') { "" } else { editor.eol };
                let splice = Splice::insert(text.len(), format!("{lead}{block}{}", editor.eol));
                (vec![splice], true, Some(vec![path[0].clone()]))
            }
            Change::Remove { .. } | Change::Rename { .. } | Change::ListRemove { .. } => {
                return Err(EditError::Already);
            }
        },
    };
    Ok(Draft { base: text.to_owned(), splices, inserted, created })
}

/// Whether there is nothing in the text but comments and the marks of a document.
fn is_bare(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line == "---" || line.starts_with(['#', '%']) || line.starts_with("--- #")
    })
}

/// Works out the splices for what is done to an item of a list, and where the item stands.
pub(super) fn item(
    text: &str,
    target: &Target,
    op: &ItemOp,
) -> Result<(Vec<Splice>, Option<Range<usize>>), EditError> {
    let tree = parse(text)?;
    let editor = Editor { text, eol: text::eol(text), tree: &tree };
    let missing = || EditError::NotFound { name: target.keys.join(".") };
    let mut at = tree.root.as_ref().ok_or_else(missing)?;
    let path = target.path();
    for (depth, key) in path.iter().enumerate() {
        editor.refuse_shared(at, key)?;
        if depth >= target.root.len() {
            editor.refuse_twice(at, key)?;
        }
        at = step(at, key).ok_or_else(missing)?.1;
    }
    editor.item(at, path.last().map_or("", String::as_str), op)
}

/// What a change writes.
fn value_of(change: &Change) -> Value {
    match change {
        Change::Set { value, .. } => value.clone(),
        Change::ListAdd { item, .. } => Value::Array(vec![Value::String(item.clone())]),
        Change::Remove { .. } | Change::Rename { .. } | Change::ListRemove { .. } => Value::Null,
    }
}

type Steps = (Vec<Splice>, bool, Option<Vec<String>>);

struct Editor<'t> {
    text: &'t str,
    eol: &'static str,
    tree: &'t Tree,
}

impl Editor<'_> {
    fn change(&self, root: &Item, change: &Change, path: &[String]) -> Result<Steps, EditError> {
        let mut item = root;
        let mut parents: Vec<&Item> = Vec::new();
        for (depth, key) in path.iter().enumerate() {
            self.refuse_shared(item, key)?;
            if depth >= change.target().root.len() {
                self.refuse_twice(item, key)?;
            }
            let Some((_, next)) = step(item, key) else {
                return self.missing(item, change, path, depth);
            };
            parents.push(item);
            item = next;
        }
        let name = path.last().map_or("", String::as_str);
        let parent = parents.last().copied().unwrap_or(root);
        match change {
            Change::Set { value, .. } => Ok((vec![self.replace(parent, item, name, value)?], false, None)),
            Change::Remove { .. } => Ok((self.remove(parent, item, name)?, false, None)),
            Change::Rename { to, .. } => {
                if step(parent, to).is_some() {
                    let position = text::position(self.text, item.span.start);
                    return Err(EditError::Exists { name: to.clone(), position });
                }
                let at = match &parent.what {
                    What::Map { pairs, .. } => {
                        pairs.iter().find(|(key, _)| key.text() == Some(name)).map(|(key, _)| key)
                    }
                    What::List { .. } => match &item.what {
                        What::Map { pairs, .. } => {
                            pairs.iter().find(|(key, _)| key.text() == Some("name")).map(|(_, value)| value)
                        }
                        What::Scalar { .. } | What::List { .. } | What::Alias(_) => None,
                    },
                    What::Scalar { .. } | What::Alias(_) => None,
                };
                let at =
                    at.filter(|at| !at.anchored()).ok_or_else(|| by_hand(name, "its name has an anchor"))?;
                Ok((vec![Splice::replace(at.span.clone(), string(to))], false, None))
            }
            Change::ListAdd { item: word, .. } => Ok((self.list_add(item, name, word)?, false, None)),
            // What is done to a list that is there comes in parts.
            Change::ListRemove { .. } => Err(self.shape(item, name, "a list")),
        }
    }

    /// What is changed in here would change elsewhere, too.
    fn refuse_shared(&self, item: &Item, name: &str) -> Result<(), EditError> {
        if self.tree.is_shared(item) {
            return Err(by_hand(name, "an alias elsewhere stands for the same"));
        }
        Ok(())
    }

    fn refuse_twice(&self, item: &Item, key: &str) -> Result<(), EditError> {
        if let What::Map { pairs, .. } = &item.what {
            let mut same = pairs.iter().filter(|(name, _)| name.text() == Some(key));
            if let (Some(_), Some((again, _))) = (same.next(), same.next()) {
                let position = text::position(self.text, again.span.start);
                return Err(EditError::Duplicated { name: key.to_owned(), position });
            }
        }
        Ok(())
    }

    fn shape(&self, item: &Item, name: &str, wanted: &'static str) -> EditError {
        let found = match &item.what {
            What::Scalar { .. } => "a single value",
            What::List { .. } => "a list",
            What::Map { .. } => "a mapping",
            What::Alias(_) => "an alias",
        };
        let position = text::position(self.text, item.span.start);
        EditError::Shape { name: name.to_owned(), found, wanted, position }
    }

    /// A key on the way is not there.
    fn missing(
        &self,
        item: &Item,
        change: &Change,
        path: &[String],
        depth: usize,
    ) -> Result<Steps, EditError> {
        let (place, missing) = match change {
            Change::Set { place, missing, .. } => (*place, *missing),
            Change::ListAdd { .. } => (Place::Last, Missing::Create),
            Change::Remove { .. } | Change::ListRemove { .. } => return Err(EditError::Already),
            Change::Rename { .. } => return Err(EditError::NotFound { name: path[depth].clone() }),
        };
        if depth + 1 < path.len() && missing == Missing::Refuse {
            return Err(EditError::NotFound { name: path[depth].clone() });
        }
        let above = depth.checked_sub(1).map_or("the root of the file", |above| path[above].as_str());
        let value = value_of(change);
        let splice = match &item.what {
            What::Map { flow: true, pairs } if pairs.is_empty() && !item.anchored() => {
                let indent = self.indent_below(item.span.start);
                let block = self.block(path, depth, &value, indent, change.target());
                Splice::replace(self.with_blank_before(item.span.clone()), format!("{}{block}", self.eol))
            }
            What::Map { flow: true, .. } | What::List { flow: true, .. } => {
                return Err(by_hand(above, "it is written in one line"));
            }
            What::Map { pairs, .. } => {
                let Some((first, _)) = pairs.first() else { return Err(by_hand(above, "it is empty")) };
                let indent = self.column(first.span.start);
                let block = self.block(path, depth, &value, indent, change.target());
                let own_line = self.text[text::line_start(self.text, first.span.start)..first.span.start]
                    .trim()
                    .is_empty();
                match place {
                    Place::First if own_line => {
                        let at = text::line_start(self.text, first.span.start);
                        Splice::insert(at, format!("{block}{}", self.eol))
                    }
                    // The first stands behind a dash, or an anchor; the new one goes below it.
                    Place::First => self.line_after(pairs[0].1.span.end.max(first.span.end), &block),
                    Place::Last => self.line_after(self.end_of_pairs(pairs), &block),
                }
            }
            What::List { items, .. } if change.target().list => {
                let last = items.last().map_or(item.span.end, |last| self.end_of(last));
                let indent = items.first().map_or(0, |first| self.dash(first.span.start));
                let block = self.entry(path, depth, &value, indent);
                self.line_after(last, &block)
            }
            What::Scalar { .. } if is_null(item) && depth > 0 && !item.anchored() => {
                let indent = self.indent_below(item.span.start);
                let block = self.block(path, depth, &value, indent, change.target());
                Splice::replace(self.with_blank_before(item.span.clone()), format!("{}{block}", self.eol))
            }
            What::Alias(_) => return Err(by_hand(above, "it is an alias")),
            What::List { .. } | What::Scalar { .. } => return Err(self.shape(item, above, "a mapping")),
        };
        Ok((vec![splice], true, Some(path[..=depth].to_vec())))
    }

    fn replace(&self, parent: &Item, item: &Item, name: &str, value: &Value) -> Result<Splice, EditError> {
        if item.anchored() {
            return Err(by_hand(name, "it has an anchor that others may use"));
        }
        match &item.what {
            What::Alias(_) => Err(by_hand(name, "it is an alias")),
            What::Scalar { .. } if is_single(value) => {
                let blank = if item.is_empty() { " " } else { "" };
                Ok(Splice::replace(item.span.clone(), format!("{blank}{}", single(value))))
            }
            What::Scalar { .. } => {
                let indent = self.indent_below(item.span.start);
                let block = self.value_block(value, indent);
                Ok(Splice::replace(self.with_blank_before(item.span.clone()), format!("{}{block}", self.eol)))
            }
            What::List { flow, items } if value.is_array() && (!flow || items.is_empty()) => {
                let indent = match items.first().filter(|_| !flow) {
                    Some(first) => self.dash(first.span.start),
                    None => self.indent_below(item.span.start),
                };
                let lines = match items.first().filter(|_| !flow) {
                    Some(first) => self.line_of(first.span.start)..item.span.end,
                    None => self.with_blank_before(item.span.clone()),
                };
                let lead = if *flow { self.eol } else { "" };
                let empty = value.as_array().is_some_and(Vec::is_empty);
                if empty {
                    let end = self.text[..lines.start].trim_end().len();
                    return Ok(Splice::replace(end..item.span.end, " []"));
                }
                Ok(Splice::replace(lines, format!("{lead}{}", self.value_block(value, indent))))
            }
            What::List { .. } | What::Map { .. } if !value.is_array() && !value.is_object() => {
                Err(self.shape(item, name, "a single value"))
            }
            What::List { flow: true, .. } | What::Map { flow: true, .. } => {
                Err(by_hand(name, "it is written in one line"))
            }
            What::Map { pairs, .. } if value.is_object() => {
                let first = pairs.first().map_or(item.span.start, |(key, _)| key.span.start);
                let indent = self.column(first);
                let block = self.value_block(value, indent);
                // Behind a dash the first line has its place already.
                let dashed = matches!(parent.what, What::List { .. });
                let from = if dashed { first } else { self.line_of(first) };
                let block = if dashed { block.trim_start().to_owned() } else { block };
                Ok(Splice::replace(from..self.end_of(item), block))
            }
            What::List { .. } | What::Map { .. } => Err(self.shape(item, name, "something of the same kind")),
        }
    }

    fn remove(&self, parent: &Item, item: &Item, name: &str) -> Result<Vec<Splice>, EditError> {
        if has_anchor(item) {
            return Err(by_hand(name, "it has an anchor that others may use"));
        }
        match &parent.what {
            What::Map { flow: true, .. } | What::List { flow: true, .. } => {
                Err(by_hand(name, "it stands in one line with others"))
            }
            What::Map { pairs, .. } => {
                let index = pairs.iter().rposition(|(key, _)| key.text() == Some(name)).unwrap_or(0);
                let (key, value) = &pairs[index];
                let begin = self.line_of(key.span.start);
                let own_line = self.text[begin..key.span.start].trim().is_empty();
                if !own_line {
                    return Err(by_hand(name, "it stands in the line of a dash"));
                }
                let lines = self.lines(begin, self.end_of(value).max(key.span.end));
                if pairs.len() > 1 || parent.span.start == 0 {
                    return Ok(vec![Splice::cut(lines)]);
                }
                // A key with nothing below it would say null.
                let at = self.before_comments(lines.start);
                if self.text[..at].ends_with(':') {
                    Ok(vec![Splice::insert(at, " {}"), Splice::cut(lines)])
                } else {
                    Ok(vec![Splice::cut(lines)])
                }
            }
            What::List { items, .. } => {
                let lines = self.lines(self.line_of(item.span.start), self.end_of(item));
                if items.len() > 1 {
                    return Ok(vec![Splice::cut(lines)]);
                }
                let at = self.before_comments(lines.start);
                Ok(vec![Splice::insert(at, " []"), Splice::cut(lines)])
            }
            What::Scalar { .. } | What::Alias(_) => Err(EditError::Already),
        }
    }

    fn list_add(&self, item: &Item, name: &str, word: &str) -> Result<Vec<Splice>, EditError> {
        self.refuse_shared(item, name)?;
        match &item.what {
            What::List { items, .. } if items.iter().any(|item| item.text() == Some(word)) => {
                Err(EditError::Already)
            }
            What::List { items, flow: true } if items.is_empty() => {
                let indent = self.indent_below(item.span.start);
                let line = format!("{}{}- {}", self.eol, " ".repeat(indent), string(word));
                Ok(vec![Splice::replace(self.with_blank_before(item.span.clone()), line)])
            }
            What::List { items, .. } => {
                let op = ItemOp::Insert(items.len(), Value::String(word.to_owned()));
                self.item(item, name, &op).map(|(splices, _)| splices)
            }
            What::Scalar { .. } if is_null(item) => {
                let indent = self.indent_below(item.span.start);
                let line = format!("{}{}- {}", self.eol, " ".repeat(indent), string(word));
                Ok(vec![Splice::replace(self.with_blank_before(item.span.clone()), line)])
            }
            What::Scalar { .. } | What::Map { .. } | What::Alias(_) => Err(self.shape(item, name, "a list")),
        }
    }

    /// Where the last thing before `at` ends that is neither white space nor a comment.
    fn before_comments(&self, at: usize) -> usize {
        let comments = comments(self.text);
        let mut at = self.text[..at].trim_end().len();
        while let Some((comment, _)) = comments.iter().find(|(range, _)| range.start < at && at <= range.end)
        {
            at = self.text[..comment.start].trim_end().len();
        }
        at
    }

    fn line_of(&self, at: usize) -> usize {
        text::line_start(self.text, at)
    }

    /// How far in from the line's begin something stands; behind a dash it is the place behind it.
    fn column(&self, at: usize) -> usize {
        self.text[self.line_of(at)..at].chars().count()
    }

    /// Where the dash of an entry stands.
    fn dash(&self, at: usize) -> usize {
        let before = &self.text[self.line_of(at)..at];
        before.rfind('-').map_or(0, |dash| before[..dash].chars().count())
    }

    /// How far below a key its members stand.
    fn indent_below(&self, at: usize) -> usize {
        let line = &self.text[self.line_of(at)..at];
        let own = line.len() - line.trim_start_matches([' ', '-']).len();
        own + 2
    }

    fn with_blank_before(&self, span: Range<usize>) -> Range<usize> {
        text::blanks_before(self.text, span.start)..span.end
    }

    fn end_of_pairs(&self, pairs: &[(Item, Item)]) -> usize {
        pairs.last().map_or(0, |(key, value)| self.end_of(value).max(key.span.end))
    }

    /// Where the last thing below an item ends.
    fn end_of(&self, item: &Item) -> usize {
        match &item.what {
            What::Map { pairs, flow: false } => self.end_of_pairs(pairs).max(item.span.start),
            What::List { items, flow: false } => {
                items.last().map_or(item.span.end, |last| self.end_of(last)).max(item.span.start)
            }
            What::Scalar { .. } | What::Map { .. } | What::List { .. } | What::Alias(_) => item.span.end,
        }
    }

    /// Whole lines from `begin` to the one in which `end` stands, its line end included.
    fn lines(&self, begin: usize, end: usize) -> Range<usize> {
        let stop = text::line_end(self.text, end);
        match text::newline_at(self.text, stop) {
            Some(len) => begin..stop + len,
            // The last line has no end: the one before loses its own.
            None => text::newline_before(self.text, begin)..stop,
        }
    }

    fn line_after(&self, at: usize, line: &str) -> Splice {
        let stop = text::line_end(self.text, at);
        match text::newline_at(self.text, stop) {
            Some(len) => Splice::insert(stop + len, format!("{line}{}", &self.text[stop..stop + len])),
            None => Splice::insert(stop, format!("{}{line}", self.eol)),
        }
    }
}

/// It goes into one line.
fn is_single(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn has_anchor(item: &Item) -> bool {
    item.anchored()
        || match &item.what {
            What::Map { pairs, .. } => pairs.iter().any(|(key, value)| has_anchor(key) || has_anchor(value)),
            What::List { items, .. } => items.iter().any(has_anchor),
            What::Scalar { .. } | What::Alias(_) => false,
        }
}

fn by_hand(name: &str, why: &'static str) -> EditError {
    EditError::Unsupported { name: name.to_owned(), why }
}
