//! The whole of a text written in another way: it says the same, and its owner takes it.

use super::text::{self, Splice};
use super::{EditError, json};
use crate::host::Format;

/// In which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrite {
    /// JSON without comments.
    NoComments,
    /// JSON without a comma behind the last item.
    NoTrailingCommas,
    /// JSON with control characters in strings as escapes.
    Escapes,
    /// UTF-8 without a byte order mark. The text stays; its encoding is the writer's to change.
    WithoutMark,
}

/// Writes `text` in another way.
///
/// # Errors
/// If it does not parse; or [`EditError::Already`], if it is written so.
pub fn rewrite(text: &str, format: Format, how: Rewrite) -> Result<String, EditError> {
    match (how, format) {
        (Rewrite::NoComments, Format::Json { .. }) => respelled(text, |text| {
            json::comments(text).into_iter().map(|range| cut_comment(text, range)).collect()
        }),
        (Rewrite::NoTrailingCommas, Format::Json { .. }) => respelled(text, |text| {
            json::trailing_commas(text).into_iter().map(|at| Splice::cut(at..at + 1)).collect()
        }),
        (Rewrite::Escapes, Format::Json { .. }) => respelled(text, |text| {
            let characters = json::control_characters(text).into_iter();
            characters.map(|(at, c)| Splice::replace(at..at + c.len_utf8(), escaped(c))).collect()
        }),
        (Rewrite::NoComments | Rewrite::NoTrailingCommas | Rewrite::Escapes | Rewrite::WithoutMark, _) => {
            Err(EditError::Already)
        }
    }
}

/// The text with these splices, proved to say the same.
fn respelled(text: &str, splices: impl Fn(&str) -> Vec<Splice>) -> Result<String, EditError> {
    let before = json::plain(text)?;
    let splices = splices(text);
    if splices.is_empty() {
        return Err(EditError::Already);
    }
    let unproven = || EditError::Unproven { name: "the file".to_owned() };
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
    fn each_way_changes_only_what_it_is_about() {
        use Rewrite::{Escapes, NoComments, NoTrailingCommas};
        for (how, text, want) in [
            (
                NoComments,
                "// a\n{\n  \"b\": 1, // c\n  /* d */\n  \"e\": [1, 2,],\n}\n",
                "{\n  \"b\": 1,\n  \"e\": [1, 2,],\n}\n",
            ),
            (
                NoTrailingCommas,
                "// a\n{\n  \"b\": 1, // c\n  \"e\": [1, 2,],\n}\n",
                "// a\n{\n  \"b\": 1, // c\n  \"e\": [1, 2]\n}\n",
            ),
            (NoComments, "{\"a\": /* b */ 1}", "{\"a\":  1}"),
            (Escapes, "{\"a\": \"b\tc\"} // d", "{\"a\": \"b\\tc\"} // d"),
            (NoTrailingCommas, "{\r\n  \"a\": \"// b\",\r\n}", "{\r\n  \"a\": \"// b\"\r\n}"),
            (NoComments, "{}\n// end", "{}"),
        ] {
            assert_eq!(rewrite(text, Format::JSONC, how).as_deref(), Ok(want), "{text}");
        }
        let strict = "{\n  \"a\": \"//\"\n}";
        for how in [NoComments, NoTrailingCommas, Escapes] {
            assert_eq!(rewrite(strict, Format::JSONC, how), Err(EditError::Already));
            assert!(matches!(rewrite("{", Format::JSONC, how), Err(EditError::Syntax { .. })));
        }
    }
}
