//! Lines of bytes, of a bounded length.

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// One step of reading.
#[derive(Debug)]
pub(super) enum Line<'a> {
    /// Without its line feed. The last line need not have had one.
    Whole(&'a [u8]),
    /// Its beginning; the rest is discarded when the next line is asked for.
    TooLong(&'a [u8]),
    End,
}

/// Reads lines from `R`.
#[derive(Debug)]
pub(super) struct Lines<R> {
    inner: BufReader<R>,
    line: Vec<u8>,
    limit: usize,
    /// In the middle of a line that was too long.
    discarding: bool,
    /// The line was handed out.
    taken: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(inner: R, limit: usize) -> Lines<R> {
        Lines {
            inner: BufReader::with_capacity(CHUNK, inner),
            line: Vec::new(),
            limit,
            discarding: false,
            taken: false,
        }
    }

    /// Reading errors count as the end: they are what a dead child's pipe gives. May be dropped and called again
    /// without loss.
    pub(super) async fn next(&mut self) -> Line<'_> {
        if std::mem::take(&mut self.taken) {
            self.line.clear();
            if self.line.capacity() > CHUNK {
                self.line.shrink_to(CHUNK);
            }
        }
        loop {
            let bytes = match self.inner.fill_buf().await {
                Ok(bytes) if !bytes.is_empty() => bytes,
                Ok(_) | Err(_) if self.line.is_empty() => return Line::End,
                Ok(_) | Err(_) => {
                    self.taken = true;
                    return Line::Whole(&self.line);
                }
            };
            let feed = bytes.iter().position(|byte| *byte == b'\n');
            let used = feed.map_or(bytes.len(), |at| at + 1);
            if !self.discarding {
                let room = self.limit - self.line.len();
                let text = &bytes[..feed.unwrap_or(bytes.len())];
                self.line.extend_from_slice(&text[..text.len().min(room)]);
                if text.len() > room {
                    self.discarding = feed.is_none();
                    self.inner.consume(used);
                    self.taken = true;
                    return Line::TooLong(&self.line);
                }
            }
            self.inner.consume(used);
            if feed.is_some() {
                if std::mem::take(&mut self.discarding) {
                    continue;
                }
                self.taken = true;
                return Line::Whole(&self.line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_whole_or_cut() {
        let mut lines = Lines::new(&b"a\n\nlonger than eight\nb\r\nlast"[..], 8);
        let mut seen = Vec::new();
        loop {
            seen.push(match lines.next().await {
                Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
                Line::TooLong(line) => format!("{}!", String::from_utf8_lossy(line)),
                Line::End => break,
            });
        }
        assert_eq!(seen, ["a", "", "longer t!", "b\r", "last"]);
    }
}
