//! What goes over the wire between us and a server, as JSON: to find out who is wrong. Off until somebody asks, bounded,
//! masked before it is kept.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// Messages kept per server.
const MAX_MESSAGES: usize = 1_000;
/// Bytes of messages kept per server.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// A longer message is cut.
const MAX_MESSAGE: usize = 64 * 1024;

/// Who sent a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    ToServer,
    FromServer,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireEntry {
    /// Counts from 1, without gaps.
    pub seq: u64,
    pub at: SystemTime,
    pub direction: Direction,
    /// JSON, with secrets masked; cut where it is very long.
    pub text: String,
}

/// The last messages between us and one server.
#[derive(Debug, Default)]
pub struct WireLog {
    on: AtomicBool,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    messages: VecDeque<WireEntry>,
    bytes: usize,
    last: u64,
}

impl WireLog {
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Switched off, what was kept goes.
    pub fn set(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
        if !on {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.messages.clear();
            kept.bytes = 0;
        }
    }

    /// The messages after this one, at most so many, oldest first.
    pub fn after(&self, seq: u64, limit: usize) -> Vec<WireEntry> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.messages.iter().filter(|message| message.seq > seq).take(limit).cloned().collect()
    }

    pub(super) fn push(&self, direction: Direction, mut text: String) {
        super::cut(&mut text, MAX_MESSAGE);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.last += 1;
        kept.bytes += text.len();
        let entry = WireEntry { seq: kept.last, at: SystemTime::now(), direction, text };
        kept.messages.push_back(entry);
        while kept.messages.len() > MAX_MESSAGES || kept.bytes > MAX_BYTES {
            let Some(old) = kept.messages.pop_front() else { break };
            kept.bytes -= old.text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{CUT_MARK, ServerLog};
    use crate::resolve::Secret;

    #[test]
    fn messages_are_kept_while_it_is_on_and_never_with_a_secret() {
        let log = ServerLog::new();
        log.add_secrets(&[Secret::new("hunter22-long".to_owned())]);
        log.on_the_wire(Direction::ToServer, &serde_json::json!({"id": 1}));
        assert_eq!(log.wire().after(0, 9), []);
        log.wire().set(true);
        let message = serde_json::json!({"id": 2, "params": {"x": "a hunter22-long b", "api_key": "sk-0123456789abcdef0123"}});
        log.on_the_wire(Direction::ToServer, &message);
        log.on_the_wire(Direction::FromServer, &"é".repeat(MAX_MESSAGE));
        let kept = log.wire().after(0, 9);
        assert_eq!((kept.len(), kept[0].direction), (2, Direction::ToServer));
        assert!(
            !kept[0].text.contains("hunter22") && !kept[0].text.contains("0123456789abcdef"),
            "{}",
            kept[0].text
        );
        assert!(kept[1].text.ends_with(CUT_MARK) && kept[1].text.len() < MAX_MESSAGE + 20);
        for _ in 0..2 * MAX_MESSAGES {
            log.on_the_wire(Direction::FromServer, &"x".repeat(10_000));
        }
        let last = log.wire().after(0, usize::MAX);
        assert!(last.iter().map(|entry| entry.text.len()).sum::<usize>() <= MAX_BYTES);
        log.wire().set(false);
        assert_eq!(log.wire().after(0, 9), []);
    }
}
