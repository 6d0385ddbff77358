//! What a server said and what happened to it: a bounded list of lines, one per server.
//!
//! Owns the lines. Secrets are masked before a line is kept; nothing here is written to disk.

mod wire;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use jackfield_config::mask;
use tokio::sync::watch;

use crate::resolve::Secret;
use crate::status::Failure;

pub use wire::{Direction, WireEntry, WireLog};

/// Lines kept per server.
pub const MAX_LINES: usize = 2_000;
/// Bytes of text kept per server.
pub const MAX_BYTES: usize = 1024 * 1024;
/// A longer line is cut.
pub const MAX_LINE: usize = 16 * 1024;
/// Shorter secrets are not looked for: they would black out half of every line.
const SHORTEST_SECRET: usize = 4;
const CUT_MARK: &str = " … (cut)";
/// What a line costs beside its text.
const LINE_OVERHEAD: usize = 64;

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogKind {
    /// Told by us: started, connected, exited.
    Lifecycle,
    /// The server's stderr.
    Stderr,
    /// What came on the protocol's channel: stray lines of stdout, and MCP log messages.
    Stdout,
}

/// How a line is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tone {
    Neutral,
    Good,
    Wait,
    Bad,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// Counts from 1, without gaps.
    pub seq: u64,
    pub at: SystemTime,
    pub kind: LogKind,
    pub tone: Tone,
    pub text: String,
}

/// The log of one server. A clone is another handle to the same lines.
#[derive(Clone)]
pub struct ServerLog(Arc<Inner>);

struct Inner {
    ring: Mutex<Ring>,
    last: watch::Sender<u64>,
    wire: WireLog,
    listener: Option<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Default)]
struct Ring {
    lines: VecDeque<LogEntry>,
    bytes: usize,
    next: u64,
    secrets: Vec<String>,
    /// The last line before the process that runs now, or ran last, was started.
    started_after: u64,
}

impl fmt::Debug for ServerLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerLog").field("last_seq", &self.last_seq()).finish_non_exhaustive()
    }
}

impl Default for ServerLog {
    fn default() -> ServerLog {
        ServerLog::new()
    }
}

impl ServerLog {
    pub fn new() -> ServerLog {
        ServerLog::build(None)
    }

    /// Calls `listener` after every new line. It must be quick and must not log.
    pub fn with_listener(listener: impl Fn() + Send + Sync + 'static) -> ServerLog {
        ServerLog::build(Some(Box::new(listener)))
    }

    fn build(listener: Option<Box<dyn Fn() + Send + Sync>>) -> ServerLog {
        ServerLog(Arc::new(Inner {
            ring: Mutex::default(),
            last: watch::Sender::new(0),
            wire: WireLog::default(),
            listener,
        }))
    }

    /// Values that must not appear in lines from now on. Those set before stay masked too: a child that ran with the
    /// old value may still be writing.
    pub fn add_secrets(&self, secrets: &[Secret]) {
        let mut ring = self.ring();
        for secret in secrets {
            let value = secret.expose().trim();
            if value.len() >= SHORTEST_SECRET && !ring.secrets.iter().any(|known| known == value) {
                ring.secrets.push(value.to_owned());
            }
        }
    }

    /// Adds one line for each line of `text`.
    pub fn push(&self, kind: LogKind, tone: Tone, text: &str) {
        {
            let mut ring = self.ring();
            for line in text.lines() {
                ring.push(kind, tone, line);
            }
            self.0.last.send_replace(ring.next);
        }
        if let Some(listener) = &self.0.listener {
            listener();
        }
    }

    /// A line about the server's life.
    pub fn lifecycle(&self, tone: Tone, text: &str) {
        self.push(LogKind::Lifecycle, tone, text);
    }

    /// At most `limit` lines after `seq`, and how many lines after `seq` are no longer there.
    pub fn after(&self, seq: u64, limit: usize) -> (Vec<LogEntry>, u64) {
        let ring = self.ring();
        let first = ring.lines.front().map_or(ring.next + 1, |line| line.seq);
        let dropped = first.saturating_sub(seq + 1);
        let skip = usize::try_from((seq + 1).saturating_sub(first)).unwrap_or(usize::MAX);
        (ring.lines.iter().skip(skip).take(limit).cloned().collect(), dropped)
    }

    /// From here on, lines of stderr are those of a process that is about to be started. The number of the last line
    /// before it.
    pub(crate) fn process_starts(&self) -> u64 {
        let mut ring = self.ring();
        ring.started_after = ring.next;
        ring.next
    }

    /// The last `count` lines of stderr, oldest first, of the process that was started last: a server that is started
    /// again within one attempt would otherwise seem to say everything twice.
    pub fn tail_stderr(&self, count: usize) -> Vec<String> {
        let started_after = self.ring().started_after;
        self.tail_stderr_after(started_after, count)
    }

    /// The last `count` lines of stderr that came after `seq`.
    pub fn tail_stderr_after(&self, seq: u64, count: usize) -> Vec<String> {
        let ring = self.ring();
        let stderr = ring.lines.iter().rev().take_while(|line| line.seq > seq);
        let stderr = stderr.filter(|line| line.kind == LogKind::Stderr && !line.text.trim().is_empty());
        let mut tail: Vec<String> = stderr.take(count).map(|line| line.text.clone()).collect();
        tail.reverse();
        tail
    }

    /// The number of the last line, 0 if there was none.
    pub fn last_seq(&self) -> u64 {
        *self.0.last.borrow()
    }

    /// Tells the number of the last line whenever it changes.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.last.subscribe()
    }

    /// The messages of the protocol; off until it is switched on.
    pub fn wire(&self) -> &WireLog {
        &self.0.wire
    }

    /// Keeps a message, if that is wanted.
    pub(crate) fn on_the_wire(&self, direction: Direction, message: &impl serde::Serialize) {
        if self.0.wire.is_on()
            && let Ok(text) = serde_json::to_string(message)
        {
            self.0.wire.push(direction, self.masked(&text));
        }
    }

    /// `text` with this server's secrets masked.
    pub fn masked(&self, text: &str) -> String {
        mask::text(text, &self.ring().secrets)
    }

    /// `failure` with this server's secrets masked.
    pub fn masked_failure(&self, failure: Failure) -> Failure {
        Failure { message: self.masked(&failure.message), hint: self.masked(&failure.hint), ..failure }
    }

    /// `text` masked if it holds one of this server's secrets. For texts that are meant for models: what only looks
    /// like a secret may be an example there, and stays.
    pub(crate) fn masked_if_known(&self, text: &str) -> Option<String> {
        let ring = self.ring();
        ring.secrets.iter().any(|secret| text.contains(secret)).then(|| mask::text(text, &ring.secrets))
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.0.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    fn push(&mut self, kind: LogKind, tone: Tone, line: &str) {
        // Masked before it is cut, so that no half of a secret is left at the cut.
        let mut text = mask::text(&plain(line), &self.secrets);
        cut(&mut text, MAX_LINE);
        self.next += 1;
        self.bytes += text.len() + LINE_OVERHEAD;
        self.lines.push_back(LogEntry { seq: self.next, at: SystemTime::now(), kind, tone, text });
        while self.lines.len() > MAX_LINES || (self.bytes > MAX_BYTES && self.lines.len() > 1) {
            if let Some(old) = self.lines.pop_front() {
                self.bytes -= old.text.len() + LINE_OVERHEAD;
            }
        }
    }
}

/// Shortens a text that is longer, with a mark at its end.
fn cut(text: &mut String, longest: usize) {
    if text.len() > longest {
        let mut end = longest;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(CUT_MARK);
    }
}

/// Without escape sequences and other control characters. Of a line that was overwritten by carriage returns
/// (a progress bar), what was written last.
fn plain(line: &str) -> String {
    let line = line.trim_end_matches(['\r', '\n']);
    let line = line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or("");
    if !line.chars().any(char::is_control) {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                // CSI: parameters, then one final character.
                Some('[') => while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
                // OSC: up to BEL or ESC \.
                Some(']') => {
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' {
                            break;
                        }
                        if c == '\u{1b}' {
                            chars.next_if_eq(&'\\');
                            break;
                        }
                    }
                }
                // A character set: one more character.
                Some('(' | ')') => {
                    chars.next();
                }
                Some(_) | None => {}
            },
            '\t' => out.push('\t'),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_bounded_and_told() {
        let log = ServerLog::new();
        let told = log.subscribe();
        for n in 0..MAX_LINES + 5 {
            log.push(LogKind::Stderr, Tone::Neutral, &format!("line {n}"));
        }
        assert_eq!(log.last_seq(), 2005);
        assert_eq!(*told.borrow(), 2005);
        let (lines, dropped) = log.after(0, 3);
        assert_eq!(dropped, 5);
        assert_eq!(lines.iter().map(|line| line.seq).collect::<Vec<_>>(), [6, 7, 8]);
        let (lines, dropped) = log.after(2004, 100);
        assert_eq!((lines.len(), dropped), (1, 0));
        assert_eq!(log.after(2005, 100), (Vec::new(), 0));
        assert_eq!(log.tail_stderr(2), ["line 2003", "line 2004"]);
    }

    #[test]
    fn bytes_are_bounded_too() {
        let log = ServerLog::new();
        for _ in 0..200 {
            log.push(LogKind::Stderr, Tone::Neutral, &"x".repeat(20_000));
        }
        let (lines, dropped) = log.after(0, usize::MAX);
        assert!(lines.len() < 70 && dropped > 100);
        assert!(lines[0].text.ends_with("… (cut)"));
        assert!(lines[0].text.len() <= MAX_LINE + CUT_MARK.len());
    }

    #[test]
    fn escapes_go_and_secrets_are_masked() {
        let log = ServerLog::new();
        log.add_secrets(&[
            Secret::new("hunter22".into()),
            Secret::new("ab".into()),
            Secret::new("hunter22-long".into()),
        ]);
        log.push(LogKind::Stderr, Tone::Bad, "\u{1b}[31mred\u{1b}[0m hunter22 ab\u{7}\nhunter22-long");
        log.push(LogKind::Stderr, Tone::Bad, " 10%\r 50%\r100%\r\n\u{1b}]0;title\u{7}rest");
        let texts: Vec<String> = log.after(0, 9).0.into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["red •••••••• ab", "••••••••", "100%", "rest"]);
    }
}
