//! JSON, with comments and trailing commas where they occur.

use std::borrow::Cow;
use std::collections::HashMap;

use jsonc_parser::ast::{Object, ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, ParseStringErrorKind, parse_to_ast,
};

use super::{Kind, MAX_DEPTH, Member, Node, Notice, NoticeKind, Parsed, Span, SyntaxError};

/// Parses a text. `comments` and `trailing_commas` say what the owner of the file takes.
pub(crate) fn parse(text: &str, comments: bool, trailing_commas: bool) -> Result<Parsed, SyntaxError> {
    let (text, lone) = without_lone_surrogates(text);
    let text = text.as_ref();
    check_depth(text)?;
    // Most files are as their owners want them, and are parsed once.
    let (parsed, as_wanted) = match ast(text, comments, trailing_commas) {
        Ok(parsed) => (parsed, true),
        Err(_) => (ast(text, true, true).map_err(|error| syntax_error(text, &error))?, false),
    };
    let mut notices = Vec::new();
    let root = parsed.map(|value| {
        let mut walk = Walk { text, path: Vec::new(), notices: &mut notices };
        walk.node(value)
    });
    if let Some(first) = lone.first() {
        notices.push(Notice { kind: NoticeKind::LoneSurrogate, at: first.start });
    }
    if !as_wanted
        && !comments
        && let Err(error) = ast(text, false, true)
    {
        notices.push(Notice { kind: NoticeKind::Comment, at: error.range().start });
    }
    if !as_wanted
        && !trailing_commas
        && let Err(error) = ast(text, true, false)
    {
        notices.push(Notice { kind: NoticeKind::TrailingComma, at: error.range().start });
    }
    Ok(Parsed { root, notices })
}

fn ast(text: &str, comments: bool, trailing_commas: bool) -> Result<Option<Value<'_>>, ParseError> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    let options = ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: trailing_commas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    parse_to_ast(text, &collect, &options).map(|result| result.value)
}

/// The text with `\uFFFD` for each half of a surrogate pair (`\ud83d`) that has no other half, and where those are. JSON
/// in JavaScript takes such halves; a Rust string cannot hold them. No position changes.
pub(crate) fn without_lone_surrogates(text: &str) -> (Cow<'_, str>, Vec<Span>) {
    let bytes = text.as_bytes();
    let mut lone: Vec<Span> = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        let start = at + found;
        match surrogate(bytes, start) {
            Some(half) if half < 0xDC00 => match surrogate(bytes, start + 6) {
                Some(other) if other >= 0xDC00 => at = start + 12,
                Some(_) | None => {
                    lone.push(start..start + 6);
                    at = start + 6;
                }
            },
            Some(_) => {
                lone.push(start..start + 6);
                at = start + 6;
            }
            None => at = start + 2,
        }
    }
    if lone.is_empty() {
        return (Cow::Borrowed(text), lone);
    }
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for span in &lone {
        clean.push_str(text.get(from..span.start).unwrap_or_default());
        clean.push_str("\\uFFFD");
        from = span.end;
    }
    clean.push_str(text.get(from..).unwrap_or_default());
    (Cow::Owned(clean), lone)
}

/// The half of a pair that is escaped at this place.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (digits.iter().all(u8::is_ascii_hexdigit) && (0xD800..0xE000).contains(&code)).then_some(code)
}

/// Refuses a nesting that would cost the parsers after this their stack.
fn check_depth(text: &str) -> Result<(), SyntaxError> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(byte) = bytes.get(at) {
                    match byte {
                        b'"' => break,
                        b'\\' => at += 2,
                        _ => at += 1,
                    }
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - at);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text
                    .get(at + 2..)
                    .and_then(|rest| rest.find("*/"))
                    .map_or(bytes.len(), |end| at + end + 3);
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(SyntaxError {
                        message: format!("nested deeper than {MAX_DEPTH} levels"),
                        hint: String::new(),
                        at,
                    });
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// Members of an object among which a name is looked for one by one.
const FEW: usize = 16;

struct Walk<'a, 'n> {
    text: &'a str,
    path: Vec<Cow<'a, str>>,
    notices: &'n mut Vec<Notice>,
}

impl<'a> Walk<'a, '_> {
    fn node(&mut self, value: Value<'a>) -> Node {
        let range = value.range();
        let kind = match value {
            Value::NullKeyword(_) => Kind::Null,
            Value::BooleanLit(literal) => Kind::Bool(literal.value),
            Value::NumberLit(literal) => Kind::Number(literal.value.to_owned()),
            Value::StringLit(literal) => {
                let raw = self.text.get(range.start..range.end).unwrap_or_default();
                if let Some(bad) = raw.bytes().position(|byte| byte < 0x20) {
                    let kind = NoticeKind::ControlCharacter;
                    self.notices.push(Notice { kind, at: range.start + bad });
                }
                Kind::String(literal.value.into_owned())
            }
            Value::Array(array) => {
                Kind::Array(array.elements.into_iter().map(|element| self.node(element)).collect())
            }
            Value::Object(object) => Kind::Object(self.members(object)),
        };
        Node { kind, span: range.start..range.end }
    }

    fn members(&mut self, object: Object<'a>) -> Vec<Member> {
        let mut members: Vec<Option<Member>> = Vec::with_capacity(object.properties.len());
        let many = object.properties.len() > FEW;
        let mut places: HashMap<Cow<'a, str>, usize> = HashMap::new();
        for property in object.properties {
            let name = property.name.range();
            let key_span = name.start..name.end;
            let key = match property.name {
                ObjectPropName::String(literal) => literal.value,
                ObjectPropName::Word(word) => Cow::Borrowed(word.value),
            };
            self.path.push(key.clone());
            let value = self.node(property.value);
            let earlier = if many {
                places.insert(key.clone(), members.len())
            } else {
                members.iter().rposition(|member| member.as_ref().is_some_and(|member| member.key == key))
            };
            if let Some(earlier) = earlier
                && let Some(earlier) = members.get_mut(earlier).and_then(Option::take)
            {
                let kind = NoticeKind::Duplicate {
                    path: self.path.iter().map(|key| key.clone().into_owned()).collect(),
                    again: key_span.start,
                };
                self.notices.push(Notice { kind, at: earlier.key_span.start });
            }
            self.path.pop();
            members.push(Some(Member { key: key.into_owned(), key_span, value }));
        }
        members.into_iter().flatten().collect()
    }
}

fn syntax_error(text: &str, error: &ParseError) -> SyntaxError {
    let at = error.range().start;
    let with = |error: SyntaxError, hint: &str| SyntaxError { hint: hint.to_owned(), ..error };
    let plain = |message: &str| SyntaxError { message: message.to_owned(), hint: String::new(), at };
    match error.kind() {
        ParseErrorKind::String(ParseStringErrorKind::UnterminatedStringLiteral) => SyntaxError {
            hint: "A double quote is missing, or something that wrote this file was interrupted.".to_owned(),
            ..plain("a string has no end")
        },
        ParseErrorKind::String(_) => bad_escape(text, at, &error.range().end),
        ParseErrorKind::UnterminatedObject | ParseErrorKind::UnterminatedArray
            if text.get(error.range().end..).is_none_or(|rest| rest.trim().is_empty()) =>
        {
            SyntaxError {
                message: "the text ends in the middle".to_owned(),
                hint: "Something that wrote this file was interrupted, or a closing bracket is missing."
                    .to_owned(),
                at: text.len(),
            }
        }
        ParseErrorKind::SingleQuotedStringsNotAllowed => {
            with(plain("a string in single quotes"), "Write double quotes; JSON has no others.")
        }
        ParseErrorKind::ExpectedComma => {
            with(plain("a comma is missing"), "Write a comma between this and what stands before it.")
        }
        ParseErrorKind::ExpectedStringObjectProperty | ParseErrorKind::UnexpectedTokenInObject => with(
            plain("a key in double quotes is expected"),
            "Write the key in double quotes, or remove what stands here.",
        ),
        ParseErrorKind::MultipleRootJsonValues => with(
            plain("there is more text behind the end of the JSON value"),
            "Remove it, or move it into the object before it.",
        ),
        kind => {
            let message = kind.to_string();
            let mut letters = message.chars();
            let lower = letters.next().map(|first| first.to_lowercase().chain(letters).collect());
            plain(lower.unwrap_or(message).trim_end_matches('.'))
        }
    }
}

/// The parser points at the string or the escape, by kind of error; people need the backslash.
fn bad_escape(text: &str, from: usize, to: &usize) -> SyntaxError {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut bad = from;
    while at < bytes.len() && at <= (*to).max(from + 1) {
        if bytes[at] == b'\\' {
            let next = bytes.get(at + 1).copied().unwrap_or(b' ');
            let hex = bytes.get(at + 2..at + 6).is_some_and(|four| four.iter().all(u8::is_ascii_hexdigit));
            let known = b"\"\\/bfnrt".contains(&next) || next == b'u' && hex;
            if !known {
                bad = at;
                break;
            }
            at += 1;
        }
        at += 1;
    }
    let shown: String = text.get(bad..).unwrap_or_default().chars().take(2).collect();
    if shown.starts_with('\\') {
        SyntaxError {
            message: format!("bad escape `{shown}`: a backslash in a JSON string must be doubled"),
            hint: format!(
                "Write `\\\\` for each backslash, such as `C:\\\\tools`, or use `/`. JSON has no escape `{shown}`."
            ),
            at: bad,
        }
    } else {
        SyntaxError {
            message: "bad escape after a backslash in a string".to_owned(),
            hint: String::new(),
            at,
        }
    }
}
