//! From two texts to the lines a person looks at, with secrets masked.

use std::ops::Range;

use diffy::{DiffOptions, Line};
use jackfield_config::host::Format;
use jackfield_config::mask;

use crate::wire::{DiffKind, DiffLine};

/// Lines shown around what changes.
const CONTEXT: usize = 3;
/// Longer differences are cut; nobody reads them.
const LINES: usize = 2_000;

/// What differs from one text to the other.
pub fn lines(before: &str, after: &str, format: Format) -> Vec<DiffLine> {
    let (old, new) = (Masked::new(before, format), Masked::new(after, format));
    let mut options = DiffOptions::new();
    options.set_context_len(CONTEXT);
    let patch = options.create_patch(before, after);
    let mut lines = Vec::new();
    let mut end = 0;
    for hunk in patch.hunks() {
        let (mut left, mut right) = (hunk.old_range().start(), hunk.new_range().start());
        // Of an empty side the numbers begin at 0.
        let (first_left, first_right) = (left.max(1), right.max(1));
        if first_left > end + 1 && (end > 0 || first_left > 1) {
            lines.push(DiffLine { kind: DiffKind::Gap, text: String::new(), old: None, new: None });
        }
        (left, right) = (first_left, first_right);
        for line in hunk.lines() {
            let (kind, text, in_old, in_new) = match line {
                Line::Context(_) => (DiffKind::Same, new.line(right), true, true),
                Line::Delete(_) => (DiffKind::Removed, old.line(left), true, false),
                Line::Insert(_) => (DiffKind::Added, new.line(right), false, true),
            };
            lines.push(DiffLine {
                kind,
                text,
                old: in_old.then(|| number(left)),
                new: in_new.then(|| number(right)),
            });
            left += usize::from(in_old);
            right += usize::from(in_new);
        }
        end = left.saturating_sub(1);
        if lines.len() > LINES {
            lines.truncate(LINES);
            lines.push(DiffLine { kind: DiffKind::Gap, text: String::new(), old: None, new: None });
            return lines;
        }
    }
    if !lines.is_empty() && end < old.count() {
        lines.push(DiffLine { kind: DiffKind::Gap, text: String::new(), old: None, new: None });
    }
    lines
}

/// How many lines of a kind there are.
pub fn count(lines: &[DiffLine], kind: DiffKind) -> u32 {
    number(lines.iter().filter(|line| line.kind == kind).count())
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A text whose lines can be shown.
struct Masked<'t> {
    text: &'t str,
    lines: Vec<Range<usize>>,
    /// `None` where the text does not parse, and only the look of a line tells.
    secrets: Option<Vec<Range<usize>>>,
}

impl<'t> Masked<'t> {
    fn new(text: &'t str, format: Format) -> Masked<'t> {
        let mut at = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let range = at..at + line.trim_end_matches(['\n', '\r']).len();
            at += line.len();
            range
        });
        Masked { text, lines: lines.collect(), secrets: mask::spans(text, format) }
    }

    fn count(&self) -> usize {
        self.lines.len()
    }

    /// A line by its number, from 1.
    fn line(&self, number: usize) -> String {
        let Some(line) = number.checked_sub(1).and_then(|index| self.lines.get(index)) else {
            return String::new();
        };
        let written = &self.text[line.clone()];
        let Some(secrets) = &self.secrets else { return mask::text(written, &[]) };
        let mut shown = String::with_capacity(written.len());
        let mut at = line.start;
        for secret in secrets.iter().filter(|secret| secret.start < line.end && secret.end > line.start) {
            let (start, end) = (secret.start.max(at), secret.end.min(line.end));
            shown.push_str(&self.text[at..start]);
            shown.push_str(mask::MASK);
            at = end;
        }
        shown.push_str(&self.text[at..line.end]);
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let sign = |kind| match kind {
            DiffKind::Same => ' ',
            DiffKind::Added => '+',
            DiffKind::Removed => '-',
            DiffKind::Gap => '~',
        };
        let number = |n: Option<u32>| n.map_or("·".to_owned(), |n| n.to_string());
        let lines = lines(before, after, Format::JSONC);
        lines
            .iter()
            .map(|line| {
                format!("{}{} {} {}\n", sign(line.kind), number(line.old), number(line.new), line.text)
            })
            .collect()
    }

    #[test]
    fn lines_with_numbers_gaps_and_masks() {
        let before = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4,\n  \"token\": \"old-secret\",\n  \"f\": 6\n}\n";
        let after = before.replace("old-secret", "new-secret");
        assert_eq!(
            shown(before, &after),
            "~· · \n 3 3   \"b\": 2,\n 4 4   \"c\": 3,\n 5 5   \"d\": 4,\n-6 ·   \"token\": \"••••••••\",\n+· 6   \"token\": \"••••••••\",\n 7 7   \"f\": 6\n 8 8 }\n"
        );
        assert_eq!(shown("", "{\n}\n"), "+· 1 {\n+· 2 }\n");
        assert_eq!(shown("{}", "{}"), "");
        assert_eq!(shown("a\r\n", "b\r\n"), "-1 · a\n+· 1 b\n");
    }
}
