//! Bytes, lines and white space, without knowledge of any format.

use std::ops::Range;

use crate::diagnostic::Position;

/// Replaces `range` by `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

impl Splice {
    pub(super) fn cut(range: Range<usize>) -> Splice {
        Splice { range, text: String::new() }
    }

    pub(super) fn insert(at: usize, text: impl Into<String>) -> Splice {
        Splice { range: at..at, text: text.into() }
    }

    pub(super) fn replace(range: Range<usize>, text: impl Into<String>) -> Splice {
        Splice { range, text: text.into() }
    }
}

/// Applies splices; of two at one place the earlier in the list comes first. `None` if they overlap or do not fit.
pub(super) fn splice(text: &str, splices: &[Splice]) -> Option<String> {
    let mut ordered: Vec<&Splice> = splices.iter().collect();
    ordered.sort_by_key(|splice| splice.range.start);
    let mut out = String::with_capacity(text.len() + splices.iter().map(|s| s.text.len()).sum::<usize>());
    let mut at = 0;
    for splice in ordered {
        out.push_str(text.get(at..splice.range.start)?);
        out.push_str(&splice.text);
        at = splice.range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Line and column of a byte offset.
pub(super) fn position(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let line_begin = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Position {
        line: count(before.bytes().filter(|byte| *byte == b'\n').count() + 1),
        column: count(before[line_begin..].chars().count() + 1),
    }
}

/// Where the line that holds `at` begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |newline| newline + 1)
}

/// Where the line that holds `at` ends, without its line end.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |end| at + end)
}

/// The white space at the beginning of the line that holds `at`, at most up to `at`.
pub(super) fn indent_of(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    &line[..line.len() - line.trim_start().len()]
}

/// The first line end of the text; a line feed if it has none.
pub(super) fn eol(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        Some(_) | None => "\n",
    }
}

/// The end of the blanks (no line ends) that begin at `at`.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    at + rest.len() - rest.trim_start_matches(is_blank).len()
}

/// The begin of the blanks (no line ends) that end at `at`.
pub(super) fn blanks_before(text: &str, at: usize) -> usize {
    text[..at].trim_end_matches(is_blank).len()
}

/// The length of the line end at `at`, if there is one.
pub(super) fn newline_at(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    if rest.starts_with("\r\n") {
        Some(2)
    } else if rest.starts_with(['\n', '\r']) {
        Some(1)
    } else {
        None
    }
}

/// The line end, if there is one, that ends at `at`.
pub(super) fn newline_before(text: &str, at: usize) -> usize {
    let rest = &text[..at];
    if rest.ends_with("\r\n") {
        at - 2
    } else if rest.ends_with(['\n', '\r']) {
        at - 1
    } else {
        at
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() && c != '\n' && c != '\r'
}

/// How comments are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    Slashes,
    Hash,
}

/// A piece of what stands between tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trivia {
    Blank,
    Newline,
    Comment { lines: bool },
}

/// Everything from `at` to the next token.
pub(super) fn trivia(text: &str, at: usize, comments: Comments) -> Vec<(Trivia, Range<usize>)> {
    let mut pieces = Vec::new();
    let mut at = at;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let line_comment = match comments {
            Comments::Slashes => rest.starts_with("//"),
            Comments::Hash => rest.starts_with('#'),
        };
        let (piece, len) = if let Some(len) = newline_at(text, at) {
            (Trivia::Newline, len)
        } else if is_blank(first) {
            (Trivia::Blank, skip_blanks(text, at) - at)
        } else if line_comment {
            (Trivia::Comment { lines: false }, rest.find(['\n', '\r']).unwrap_or(rest.len()))
        } else if comments == Comments::Slashes && rest.starts_with("/*") {
            let len = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
            (Trivia::Comment { lines: rest[..len].contains(['\n', '\r']) }, len)
        } else {
            break;
        };
        pieces.push((piece, at..at + len));
        at += len;
    }
    pieces
}

/// Where the trivia that begin at `at` end.
pub(super) fn skip_trivia(text: &str, at: usize, comments: Comments) -> usize {
    trivia(text, at, comments).last().map_or(at, |(_, range)| range.end)
}
