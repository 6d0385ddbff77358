//! Texts in JSON, TOML and YAML, as one kind of tree with positions.
//!
//! Parsing is lenient where files are harmless (comments, trailing commas); what the owner of a file would not take is
//! told apart, by [`Notice`]s. The tree holds each key once: the last of a kind counts.

use std::ops::Range;

use crate::diagnostic::Position;
use crate::host::Format;

pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod script;
pub(crate) mod toml;
pub(crate) mod yaml;

pub(crate) use lines::Lines;

/// Deeper nesting is refused; no configuration is that deep, and recursion needs an end.
pub(crate) const MAX_DEPTH: usize = 128;

/// Bytes from where to where.
pub(crate) type Span = Range<usize>;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    /// As written.
    Number(String),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) value: Node,
}

/// Something odd in a text that could still be read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Notice {
    pub(crate) kind: NoticeKind,
    pub(crate) at: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NoticeKind {
    /// The key is there again at `again`. `path` is the way to it from the root, itself included.
    Duplicate { path: Vec<String>, again: usize },
    /// Only with a format that has none.
    Comment,
    /// Only with a format that has none.
    TrailingComma,
    /// A control character in a string, which strict parsers refuse.
    ControlCharacter,
    /// Half of a surrogate pair in a string, which only some parsers take.
    LoneSurrogate,
    /// A script comes here only under a condition.
    Undecided,
}

/// A parsed text; `root` is `None` for a blank one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parsed {
    pub(crate) root: Option<Node>,
    pub(crate) notices: Vec<Notice>,
}

/// Why a text does not parse.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct SyntaxError {
    /// In a few words, without a period.
    pub(crate) message: String,
    /// What to do about it; may be empty.
    pub(crate) hint: String,
    pub(crate) at: usize,
}

/// Parses a text that has no byte order mark any more.
pub(crate) fn parse(text: &str, format: Format) -> Result<Parsed, SyntaxError> {
    match format {
        Format::Json { comments, trailing_commas, bom: _ } => json::parse(text, comments, trailing_commas),
        Format::Toml => toml::parse(text),
        Format::Yaml => yaml::parse(text),
        Format::Script => script::parse(text),
    }
}

impl Node {
    pub(crate) fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Array(_) | Kind::Object(_) => None,
        }
    }

    pub(crate) fn as_object(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Array(_) => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Array(items) => Some(items),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Object(_) => None,
        }
    }

    /// The value of a key, if this is an object that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.member(key).map(|member| &member.value)
    }

    pub(crate) fn member(&self, key: &str) -> Option<&Member> {
        self.as_object()?.iter().find(|member| member.key == key)
    }

    /// The strings of an array; other items are left out.
    pub(crate) fn strings(&self) -> Vec<String> {
        self.as_array().unwrap_or_default().iter().filter_map(Node::as_str).map(str::to_owned).collect()
    }

    /// As a JSON value. A number that JSON cannot hold becomes a text.
    pub(crate) fn to_value(&self) -> serde_json::Value {
        use serde_json::Value;
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(on) => Value::Bool(*on),
            Kind::Number(text) => {
                let plain = text.replace('_', "");
                serde_json::from_str(&plain).unwrap_or_else(|_| Value::String(text.clone()))
            }
            Kind::String(text) => Value::String(text.clone()),
            Kind::Array(items) => Value::Array(items.iter().map(Node::to_value).collect()),
            Kind::Object(members) => Value::Object(
                members.iter().map(|member| (member.key.clone(), member.value.to_value())).collect(),
            ),
        }
    }

    /// What the value is, for a message.
    pub(crate) fn noun(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::String(_) => "a string",
            Kind::Array(_) => "an array",
            Kind::Object(_) => "an object",
        }
    }
}

impl SyntaxError {
    pub(crate) fn position(&self, lines: &Lines<'_>) -> Position {
        lines.position(self.at)
    }
}
