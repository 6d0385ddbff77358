//! The whole of a text written in another way: it says the same, and its owner takes it.

use super::text::{self, Splice};
use super::{EditError, json};
use crate::host::Format;

/// In which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrite {
    /// JSON as the standard has it: no comments, no comma behind the last item, no control characters in strings.
    StrictJson,
    /// UTF-8 without a byte order mark. The text stays; its encoding is the writer's to change.
    WithoutMark,
}

/// Writes `text` in another way.
///
/// # Errors
/// If it does not parse; or [`EditError::Already`], if it is written so.
pub fn rewrite(text: &str, format: Format, how: Rewrite) -> Result<String, EditError> {
    match (how, format) {
        (Rewrite::StrictJson, Format::Json { .. }) => strict(text),
        (Rewrite::StrictJson | Rewrite::WithoutMark, _) => Err(EditError::Already),
    }
}

fn strict(text: &str) -> Result<String, EditError> {
    let before = json::plain(text)?;
    let mut splices: Vec<Splice> =
        json::comments(text).into_iter().map(|range| cut_comment(text, range)).collect();
    splices.extend(json::trailing_commas(text).into_iter().map(|at| Splice::cut(at..at + 1)));
    splices.extend(
        json::control_characters(text)
            .into_iter()
            .map(|(at, c)| Splice::replace(at..at + c.len_utf8(), escaped(c))),
    );
    if splices.is_empty() {
        return Err(EditError::Already);
    }
    let unproven = || EditError::Unproven { name: "the comments".to_owned() };
    let after = text::splice(text, &splices).ok_or_else(unproven)?;
    let same = json::plain(&after).is_ok_and(|after| after == before);
    if same { Ok(after) } else { Err(unproven()) }
}

fn escaped(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        other => format!("\\u{:04x}", u32::from(other)),
    }
}

/// A comment goes with its line if it has one to itself, else with the blanks before it.
fn cut_comment(text: &str, range: std::ops::Range<usize>) -> Splice {
    let begin = text::line_start(text, range.start);
    let rest = text::skip_blanks(text, range.end);
    let alone = text[begin..range.start].trim().is_empty();
    match text::newline_at(text, rest) {
        Some(len) if alone => Splice::cut(begin..rest + len),
        Some(_) => Splice::cut(text::blanks_before(text, range.start)..range.end),
        None if rest == text.len() && alone => Splice::cut(text::newline_before(text, begin)..rest),
        None => Splice::cut(range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_with_comments_becomes_json() {
        for (text, want) in [
            (
                "// a\n{\n  \"b\": 1, // c\n  /* d */\n  \"e\": [1, 2,],\n}\n",
                "{\n  \"b\": 1,\n  \"e\": [1, 2]\n}\n",
            ),
            ("{\"a\": /* b */ 1}", "{\"a\":  1}"),
            ("{\"a\": \"b\tc\"}", "{\"a\": \"b\\tc\"}"),
            ("{\r\n  \"a\": \"// b\",\r\n}", "{\r\n  \"a\": \"// b\"\r\n}"),
            ("{}\n// end", "{}"),
        ] {
            assert_eq!(rewrite(text, Format::JSONC, Rewrite::StrictJson).as_deref(), Ok(want), "{text}");
        }
        let strict = "{\n  \"a\": \"//\"\n}";
        assert_eq!(rewrite(strict, Format::JSONC, Rewrite::StrictJson), Err(EditError::Already));
        assert!(matches!(rewrite("{", Format::JSONC, Rewrite::StrictJson), Err(EditError::Syntax { .. })));
    }
}
