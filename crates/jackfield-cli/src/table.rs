//! Columns of text, as wide as they need to be; the last one takes what the terminal has left.

use crate::output::{Ink, ink, visible};

/// A cell and its colour.
pub(crate) type Cell = (String, Ink);

/// Lines of aligned cells. Control characters are made visible, line ends become spaces.
pub(crate) fn lines(rows: &[Vec<Cell>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|(text, _)| width(&clean(text)))
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        let last = row.iter().rposition(|(text, _)| !text.is_empty());
        for (column, (text, colour)) in row.iter().enumerate().take(last.map_or(0, |last| last + 1)) {
            let text = clean(text);
            let pad = if Some(column) == last { 0 } else { widths[column].saturating_sub(width(&text)) + 2 };
            line.push_str(&ink(&text, *colour));
            line.push_str(&" ".repeat(pad));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' | '\r' => ' ',
            c => visible(c),
        })
        .collect()
}

/// Columns a text takes; wide characters of East Asian scripts take two.
fn width(text: &str) -> usize {
    text.chars()
        .map(|c| match u32::from(c) {
            0x300..=0x36f | 0x200b..=0x200f => 0,
            0x1100..=0x115f
            | 0x2e80..=0xa4cf
            | 0xac00..=0xd7a3
            | 0xf900..=0xfaff
            | 0xfe30..=0xfe6f
            | 0xff00..=0xff60 => 2,
            0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
            _ => 1,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_whatever_they_hold() {
        let cell = |text: &str| (text.to_owned(), Ink::Plain);
        let rows = vec![
            vec![cell("a"), cell("long name"), cell("x")],
            vec![cell("日本"), cell("b\nc\u{1b}[2J"), cell("")],
        ];
        assert_eq!(lines(&rows), "a     long name  x\n日本  b c\u{fffd}[2J\n");
    }
}
