//! From bytes to lines and columns.

use crate::diagnostic::Position;

const BLOCK: usize = 1024;

/// An index of a text. A column costs at most one block of counting, also in a file that is one long line.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// Characters before each block; none where each is one byte.
    blocks: Vec<usize>,
    ascii: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Lines<'a> {
        let bytes = text.as_bytes();
        let starts = std::iter::once(0)
            .chain(bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1))
            .collect();
        let mut count = 0;
        let ascii = text.is_ascii();
        let blocks = if ascii { &[] } else { bytes }
            .chunks(BLOCK)
            .map(|block| {
                let before = count;
                count += characters(block);
                before
            })
            .collect();
        Lines { text, starts, blocks, ascii }
    }

    /// The place of a byte; one behind the end counts as the end.
    pub(crate) fn position(&self, at: usize) -> Position {
        let at = at.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let column = self.characters_before(at).saturating_sub(self.characters_before(start)) + 1;
        Position {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    fn characters_before(&self, at: usize) -> usize {
        if self.ascii {
            return at;
        }
        let block = at / BLOCK;
        let from = block * BLOCK;
        let before = match self.blocks.get(block) {
            Some(before) => *before,
            // The end of a text whose last block is full.
            None => match self.blocks.last() {
                Some(last) => last + characters(&self.text.as_bytes()[from - BLOCK..from]),
                None => 0,
            },
        };
        before + characters(self.text.as_bytes().get(from..at).unwrap_or_default())
    }
}

fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let long = format!("{{\n\"ä\": 日x\n{}", "é".repeat(BLOCK));
        for text in ["", "a", "a\r\nb", "\n\n", &long, &"x".repeat(BLOCK), &"y".repeat(3 * BLOCK)] {
            let lines = Lines::new(text);
            for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let before = &text[..at];
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
                let got = lines.position(at);
                assert_eq!((got.line as usize, got.column as usize), (line, column), "byte {at}");
            }
        }
    }
}
