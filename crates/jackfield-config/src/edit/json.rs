//! JSON, with comments and trailing commas or without.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult, parse_to_ast};
use serde_json::Value;

use super::group::Group;
use super::plain::Plain;
use super::structural::ItemOp;
use super::text::{self, Comments, Splice};
use super::{Change, Draft, EditError, Missing, Place, Target, quoted, uncapitalized};
use crate::format::json::without_lone_surrogates;

/// What is taken for JSON: everything that at least one host takes, and no more.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses what [`without_lone_surrogates`] returns: a text with the same positions, in which every string can be held.
fn parse(text: &str) -> Result<ParseResult<'_>, EditError> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    parse_to_ast(text, &collect, &OPTIONS).map_err(|error| EditError::Syntax {
        message: uncapitalized(&error.kind().to_string()),
        position: text::position(text, error.range().start),
    })
}

/// The value of the text; an empty file is an empty object.
pub(super) fn plain(text: &str) -> Result<Plain, EditError> {
    let (text, _) = without_lone_surrogates(text);
    Ok(parse(&text)?.value.map_or_else(|| Plain::Object(Vec::new()), |root| to_plain(&root)))
}

fn to_plain(node: &Node<'_>) -> Plain {
    match node {
        Node::StringLit(lit) => Plain::Text(lit.value.clone().into_owned()),
        Node::NumberLit(lit) => Plain::Scalar(lit.value.to_owned()),
        Node::BooleanLit(lit) => Plain::Scalar(lit.value.to_string()),
        Node::NullKeyword(_) => Plain::Scalar("null".to_owned()),
        Node::Array(array) => Plain::Array(array.elements.iter().map(to_plain).collect()),
        Node::Object(object) => Plain::Object(
            object
                .properties
                .iter()
                .map(|prop| (prop.name.as_str().to_owned(), to_plain(&prop.value)))
                .collect(),
        ),
    }
}

/// All comments with their places, and all halves of surrogate pairs, which no value shows. Empty if the text does not
/// parse.
pub(super) fn unseen(text: &str) -> Vec<(Range<usize>, String)> {
    let (clean, lone) = without_lone_surrogates(text);
    let tokens = parse(&clean).ok().and_then(|parsed| parsed.tokens).unwrap_or_default();
    let is_comment = |token: &Token<'_>| matches!(token, Token::CommentLine(_) | Token::CommentBlock(_));
    tokens
        .into_iter()
        .filter(|token| is_comment(&token.token))
        .map(|token| token.range.start..token.range.end)
        .chain(lone)
        .map(|range| (range.clone(), text[range].to_owned()))
        .collect()
}

/// Where comments stand. Empty if the text does not parse.
pub(super) fn comments(text: &str) -> Vec<Range<usize>> {
    tokens(text).into_iter().filter(|(token, _)| *token == Piece::Comment).map(|(_, range)| range).collect()
}

/// What stands between the brackets of an object that is empty.
pub(super) fn blank(text: &str, path: &[String]) -> Option<Range<usize>> {
    let (clean, _) = without_lone_surrogates(text);
    let parsed = parse(&clean).ok()?;
    let mut at = parsed.value.as_ref()?;
    for key in path {
        at = &at.as_object()?.properties.iter().rfind(|prop| prop.name.as_str() == key)?.value;
    }
    let range = at.as_object()?.range.start + 1..at.as_object()?.range.end - 1;
    text[range.clone()].trim().is_empty().then_some(range)
}

/// Where commas stand that nothing but a closing bracket follows.
pub(super) fn trailing_commas(text: &str) -> Vec<usize> {
    let tokens: Vec<_> = tokens(text).into_iter().filter(|(token, _)| *token != Piece::Comment).collect();
    let pairs = tokens.windows(2).filter(|pair| pair[0].0 == Piece::Comma && pair[1].0 == Piece::Close);
    pairs.map(|pair| pair[0].1.start).collect()
}

/// Control characters within strings, which the standard wants escaped.
pub(super) fn control_characters(text: &str) -> Vec<(usize, char)> {
    let strings = tokens(text).into_iter().filter(|(token, _)| *token == Piece::String);
    strings
        .flat_map(|(_, range)| {
            let inside = text[range.clone()].char_indices();
            inside.filter(|(_, c)| *c < ' ').map(move |(at, c)| (range.start + at, c))
        })
        .collect()
}

#[derive(PartialEq, Eq)]
enum Piece {
    Comment,
    Comma,
    Close,
    String,
    Other,
}

fn tokens(text: &str) -> Vec<(Piece, Range<usize>)> {
    let (clean, _) = without_lone_surrogates(text);
    let tokens = parse(&clean).ok().and_then(|parsed| parsed.tokens).unwrap_or_default();
    tokens
        .into_iter()
        .map(|token| {
            let piece = match token.token {
                Token::CommentLine(_) | Token::CommentBlock(_) => Piece::Comment,
                Token::Comma => Piece::Comma,
                Token::CloseBrace | Token::CloseBracket => Piece::Close,
                Token::String(_) => Piece::String,
                Token::OpenBrace
                | Token::OpenBracket
                | Token::Colon
                | Token::Word(_)
                | Token::Boolean(_)
                | Token::Number(_)
                | Token::Null => Piece::Other,
            };
            (piece, token.range.start..token.range.end)
        })
        .collect()
}

/// The text that belongs to the key a change replaces or removes.
pub(super) fn own_range(text: &str, change: &Change) -> Option<Range<usize>> {
    let (text, _) = without_lone_surrogates(text);
    let parsed = parse(&text).ok()?;
    let mut at = parsed.value.as_ref()?;
    let mut range = None;
    let path = match change {
        Change::Set { target, .. } | Change::Remove { target } => target.path(),
        Change::Rename { .. } | Change::ListAdd { .. } => return None,
        Change::ListRemove { target, prune, .. } => prune.clone().unwrap_or_else(|| target.path()),
    };
    for key in &path {
        let prop = at.as_object()?.properties.iter().rfind(|prop| prop.name.as_str() == key)?;
        range = Some(prop.range.start..prop.range.end);
        at = &prop.value;
    }
    range
}

/// Works out the splices for a change.
pub(super) fn draft(text: &str, change: &Change) -> Result<Draft, EditError> {
    let (clean, _) = without_lone_surrogates(text);
    let parsed = parse(&clean)?;
    let Some(root) = &parsed.value else { return draft_empty(text, change) };
    let editor = Editor { text, unit: unit(text, root) };
    let (splices, inserted, created) = editor.change(root, change)?;
    Ok(Draft { base: text.to_owned(), splices, inserted, created })
}

/// Works out the splices for what is done to an item of a list, and where the item stands.
pub(super) fn item(
    text: &str,
    target: &Target,
    op: &ItemOp,
) -> Result<(Vec<Splice>, Option<Range<usize>>), EditError> {
    let (clean, _) = without_lone_surrogates(text);
    let parsed = parse(&clean)?;
    let missing = || EditError::NotFound { name: target.keys.join(".") };
    let root = parsed.value.as_ref().ok_or_else(missing)?;
    let editor = Editor { text, unit: unit(text, root) };
    let Found::Key { object, index, .. } = editor.find(root, target)? else { return Err(missing()) };
    let array = editor.array(target, &object.properties[index])?;
    let group = editor.array_group(array, &object.properties[index]);
    let colon = if group.airy { ": " } else { ":" };
    Ok(group.item(op, &|value, indent| editor.render(value, indent, colon)))
}

/// A file without a value gets an empty object first; comments in it stay.
fn draft_empty(text: &str, change: &Change) -> Result<Draft, EditError> {
    let eol = text::eol(text);
    let base = if text.trim().is_empty() {
        format!("{{{eol}}}{eol}")
    } else {
        let gap = if text.ends_with(['\n', '\r']) { "" } else { eol };
        format!("{text}{gap}{{{eol}}}{eol}")
    };
    let mut draft = draft(&base, change)?;
    draft.base = base;
    Ok(draft)
}

/// One level of indentation: that of the root's first member, if it has a line of its own.
fn unit<'t>(text: &'t str, root: &Node<'_>) -> &'t str {
    let first = match root {
        Node::Object(object) => object.properties.first().map(|prop| prop.range.start),
        Node::Array(_)
        | Node::StringLit(_)
        | Node::NumberLit(_)
        | Node::BooleanLit(_)
        | Node::NullKeyword(_) => None,
    };
    match first.map(|at| text::indent_of(text, at)) {
        Some(indent) if !indent.is_empty() => indent,
        Some(_) | None => "  ",
    }
}

type Steps = (Vec<Splice>, bool, Option<Vec<String>>);

/// Where a path leads.
enum Found<'a, 't> {
    Key {
        object: &'a Object<'t>,
        index: usize,
        airy: bool,
    },
    /// The first of the path's keys that is not there, and the object it is missing from.
    Nothing {
        object: &'a Object<'t>,
        depth: usize,
        airy: bool,
    },
}

struct Editor<'t> {
    text: &'t str,
    unit: &'t str,
}

impl<'t> Editor<'t> {
    fn change(&self, root: &Node<'t>, change: &Change) -> Result<Steps, EditError> {
        match change {
            Change::Set { target, value, place, missing } => match self.find(root, target)? {
                Found::Key { object, index, .. } => {
                    let old = &object.properties[index].value;
                    self.refuse_loss(target, old, value)?;
                    Ok((vec![self.replace(old, value, target)], false, None))
                }
                Found::Nothing { object, depth, airy } => {
                    let path = target.path();
                    if depth + 1 < path.len() && *missing == Missing::Refuse {
                        return Err(EditError::NotFound { name: path[depth].clone() });
                    }
                    let group = self.group_for(value.is_object(), object, airy);
                    Ok(self.insert(object, group, &path, depth, value, *place))
                }
            },
            Change::Remove { target } => match self.find(root, target)? {
                Found::Key { object, index, airy } => {
                    let entry = object.properties[index].value.as_object().is_some();
                    let group = self.group_for(entry, object, airy);
                    Ok((group.remove(index), false, None))
                }
                Found::Nothing { .. } => Err(EditError::Already),
            },
            Change::Rename { target, to } => match self.find(root, target)? {
                Found::Key { object, index, .. } => {
                    if let Some(other) = object.properties.iter().find(|prop| prop.name.as_str() == to) {
                        let position = text::position(self.text, other.range.start);
                        return Err(EditError::Exists { name: to.clone(), position });
                    }
                    let name = &object.properties[index].name;
                    Ok((vec![Splice::replace(name.start()..name.end(), quoted(to))], false, None))
                }
                Found::Nothing { .. } => {
                    let name = target.keys.last().cloned().unwrap_or_default();
                    Err(EditError::NotFound { name })
                }
            },
            Change::ListAdd { target, item } => match self.find(root, target)? {
                Found::Key { object, index, .. } => {
                    let array = self.array(target, &object.properties[index])?;
                    if array.elements.iter().any(|element| is_text(element, item)) {
                        return Err(EditError::Already);
                    }
                    let group = self.array_group(array, &object.properties[index]);
                    Ok((group.insert_last(&|_| quoted(item)), false, None))
                }
                Found::Nothing { object, depth, airy } => {
                    let list = Value::Array(vec![Value::String(item.clone())]);
                    let group = self.group_for(false, object, airy);
                    Ok(self.insert(object, group, &target.path(), depth, &list, Place::Last))
                }
            },
            Change::ListRemove { target, item, prune } => {
                let Found::Key { object, index, .. } = self.find(root, target)? else {
                    return Err(EditError::Already);
                };
                let prop = &object.properties[index];
                let array = self.array(target, prop)?;
                let listed: Vec<usize> = (0..array.elements.len())
                    .filter(|index| is_text(&array.elements[*index], item))
                    .collect();
                let path = target.path();
                if let Some(prune) = prune
                    .as_ref()
                    .filter(|prune| listed.len() == array.elements.len() && is_only(root, prune, &path))
                {
                    let Found::Key { object, index, airy } = self.find(root, &Target::leaf(prune))? else {
                        return Err(EditError::Already);
                    };
                    return Ok((self.group_for(false, object, airy).remove(index), false, None));
                }
                match listed.as_slice() {
                    [] => Err(EditError::Already),
                    [one] => Ok((self.array_group(array, prop).remove(*one), false, None)),
                    [.., last] => Ok((self.remove_each(array, prop, target, item, *last)?, false, None)),
                }
            }
        }
    }

    /// Follows a path; the rules for keys that are written twice are those of [`Target`].
    fn find<'a>(&self, root: &'a Node<'t>, target: &Target) -> Result<Found<'a, 't>, EditError> {
        let path = target.path();
        let mut object = self.object(root, "the root of the file")?;
        let mut airy = true;
        for (depth, key) in path.iter().enumerate() {
            let mut same = object.properties.iter().enumerate().filter(|(_, p)| p.name.as_str() == key);
            let count = same.clone().count();
            let Some((index, prop)) = same.next_back() else {
                return Ok(Found::Nothing { object, depth, airy });
            };
            if count > 1 && depth >= target.root.len() {
                let position = text::position(self.text, prop.range.start);
                return Err(EditError::Duplicated { name: key.clone(), position });
            }
            if depth + 1 == path.len() {
                return Ok(Found::Key { object, index, airy });
            }
            object = self.object(&prop.value, key)?;
            airy = self.colon(prop).ends_with(' ');
        }
        // Only an empty path comes here.
        Err(EditError::Unsupported { name: String::new(), why: "no key is named" })
    }

    fn object<'a>(&self, node: &'a Node<'t>, name: &str) -> Result<&'a Object<'t>, EditError> {
        node.as_object().ok_or_else(|| self.shape(node, name, "an object"))
    }

    fn array<'a>(&self, target: &Target, prop: &'a ObjectProp<'t>) -> Result<&'a Array<'t>, EditError> {
        let name = target.keys.last().map_or("", String::as_str);
        prop.value.as_array().ok_or_else(|| self.shape(&prop.value, name, "a list"))
    }

    fn shape(&self, node: &Node<'t>, name: &str, wanted: &'static str) -> EditError {
        let position = text::position(self.text, node.start());
        EditError::Shape { name: name.to_owned(), found: kind(node), wanted, position }
    }

    /// A scalar never takes the place of an object or a list: there is more in those than the user sees go.
    fn refuse_loss(&self, target: &Target, old: &Node<'t>, new: &Value) -> Result<(), EditError> {
        let whole = old.as_object().is_some() || old.as_array().is_some();
        if whole && !(new.is_object() || new.is_array()) {
            let name = target.keys.last().map_or("", String::as_str);
            return Err(self.shape(old, name, "a single value"));
        }
        Ok(())
    }

    fn replace(&self, old: &Node<'t>, value: &Value, target: &Target) -> Splice {
        let range = old.start()..old.end();
        let lines = self.text[range.clone()].contains('\n') || target.keys.len() < 2;
        let indent = text::indent_of(self.text, range.start);
        Splice::replace(range, self.render(value, lines.then_some(indent), ": "))
    }

    fn insert(
        &self,
        object: &Object<'t>,
        group: Group<'t>,
        path: &[String],
        depth: usize,
        value: &Value,
        place: Place,
    ) -> Steps {
        let mut value = value.clone();
        for key in path[depth + 1..].iter().rev() {
            value = Value::Object([(key.clone(), value)].into_iter().collect());
        }
        let colon = match object.properties.first() {
            Some(first) => self.colon(first),
            None if group.airy => ": ",
            None => ":",
        };
        let render = |indent: Option<&str>| {
            format!("{}{colon}{}", quoted(&path[depth]), self.render(&value, indent, colon))
        };
        let splices = match place {
            Place::First => group.insert_first(&render),
            Place::Last => group.insert_last(&render),
        };
        (splices, true, Some(path[..=depth].to_vec()))
    }

    /// Removes every occurrence of a string, one after the other; the outcome is one splice of the whole list.
    fn remove_each(
        &self,
        array: &Array<'t>,
        prop: &ObjectProp<'t>,
        target: &Target,
        item: &str,
        last: usize,
    ) -> Result<Vec<Splice>, EditError> {
        let change = Change::ListRemove { target: target.clone(), item: item.to_owned(), prune: None };
        let unproven = || EditError::Unproven { name: item.to_owned() };
        let once =
            text::splice(self.text, &self.array_group(array, prop).remove(last)).ok_or_else(unproven)?;
        let rest = draft(&once, &change)?;
        let end = text::splice(&once, &rest.splices).ok_or_else(unproven)?;
        let tail = self.text.len() - array.range.end;
        let list = end.get(array.range.start..end.len() - tail).ok_or_else(unproven)?;
        Ok(vec![Splice::replace(array.range.start..array.range.end, list)])
    }

    /// As [`Editor::object_group`]. Into an object with nothing in it an entry goes in lines of its own; a switch or a
    /// list does not.
    fn group_for(&self, entry: bool, object: &Object<'t>, airy: bool) -> Group<'t> {
        let group = self.object_group(object, airy);
        Group { spreads: group.spreads && entry, ..group }
    }

    fn object_group(&self, object: &Object<'t>, airy: bool) -> Group<'t> {
        Group {
            text: self.text,
            comments: Comments::Slashes,
            open: object.range.start + 1,
            close: object.range.end - 1,
            members: object.properties.iter().map(|prop| prop.range.start..prop.range.end).collect(),
            airy: object.properties.first().map_or(airy, |first| self.colon(first).ends_with(' ')),
            unit: self.unit,
            spreads: begins_its_line(self.text, object.range.start),
        }
    }

    fn array_group(&self, array: &Array<'t>, prop: &ObjectProp<'t>) -> Group<'t> {
        Group {
            text: self.text,
            comments: Comments::Slashes,
            open: array.range.start + 1,
            close: array.range.end - 1,
            members: array.elements.iter().map(|element| element.start()..element.end()).collect(),
            airy: self.colon(prop).ends_with(' '),
            unit: self.unit,
            spreads: false,
        }
    }

    /// The colon of a member with the blanks around it.
    fn colon(&self, prop: &ObjectProp<'t>) -> &'static str {
        let between = &self.text[prop.name.end()..prop.value.start()];
        let before = between.starts_with(' ') && between.trim_start().starts_with(':');
        let after = between.split(':').next_back().is_none_or(|after| !after.is_empty());
        match (before, after) {
            (true, true) => " : ",
            (true, false) => " :",
            (false, true) => ": ",
            (false, false) => ":",
        }
    }

    /// Writes a value: objects over several lines where there is an indentation, lists of scalars in one.
    fn render(&self, value: &Value, indent: Option<&str>, colon: &str) -> String {
        let gap = if colon.ends_with(' ') { " " } else { "" };
        let inner = indent.map(|indent| format!("{indent}{}", self.unit));
        let inner = inner.as_deref();
        let (open, close, members): (_, _, Vec<String>) = match value {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return value.to_string(),
            Value::Array(items) => ("[", "]", items.iter().map(|v| self.render(v, inner, colon)).collect()),
            Value::Object(map) => {
                let member = |(key, value): (&String, &Value)| {
                    format!("{}{colon}{}", quoted(key), self.render(value, inner, colon))
                };
                ("{", "}", map.iter().map(member).collect())
            }
        };
        let plain_list =
            value.as_array().is_some_and(|items| !items.iter().any(|v| v.is_object() || v.is_array()));
        match (indent, inner) {
            (Some(indent), Some(inner)) if !plain_list && !members.is_empty() => {
                let eol = text::eol(self.text);
                let lines = members.join(&format!(",{eol}{inner}"));
                format!("{open}{eol}{inner}{lines}{eol}{indent}{close}")
            }
            (Some(_) | None, Some(_) | None) => {
                format!("{open}{}{close}", members.join(&format!(",{gap}")))
            }
        }
    }
}

/// Whether nothing stands before a value in its line, or only its key.
fn begins_its_line(text: &str, start: usize) -> bool {
    let head = text[text::line_start(text, start)..start].trim();
    let key = head.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    head.is_empty() || key.is_some_and(|(_, rest)| rest.trim() == ":")
}

fn is_text(node: &Node<'_>, text: &str) -> bool {
    node.as_string_lit().is_some_and(|lit| lit.value == text)
}

/// Whether the key `prune` leads to nothing but the key at `path`.
fn is_only(root: &Node<'_>, prune: &[String], path: &[String]) -> bool {
    if prune.is_empty() || !path.starts_with(prune) {
        return false;
    }
    let mut at = root;
    for (depth, key) in path.iter().enumerate() {
        let Some(object) = at.as_object() else { return false };
        let Some(prop) = object.properties.iter().rfind(|prop| prop.name.as_str() == key) else {
            return false;
        };
        if depth >= prune.len() && object.properties.len() != 1 {
            return false;
        }
        at = &prop.value;
    }
    true
}

fn kind(node: &Node<'_>) -> &'static str {
    match node {
        Node::StringLit(_) => "a string",
        Node::NumberLit(_) => "a number",
        Node::BooleanLit(_) => "a boolean",
        Node::NullKeyword(_) => "null",
        Node::Object(_) => "an object",
        Node::Array(_) => "a list",
    }
}
