//! Where a connection attempt stands, and what each of its stages took.

use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;
use tokio::time::Instant;

use crate::status::{Stage, Timings};

/// As the server's task sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) stage: Stage,
    pub(super) timings: Timings,
}

/// Kept by the attempt. A stage that is entered again, as after a change of protocol, adds up.
#[derive(Debug)]
pub(super) struct Stages {
    tell: watch::Sender<Progress>,
    since: Mutex<Instant>,
}

impl Stages {
    pub(super) fn new() -> (Stages, watch::Receiver<Progress>) {
        let first = Progress { stage: Stage::Resolving, timings: Timings::default() };
        let (tell, told) = watch::channel(first);
        (Stages { tell, since: Mutex::new(Instant::now()) }, told)
    }

    pub(super) fn enter(&self, next: Stage) {
        self.account(Some(next));
    }

    /// The attempt is over; what it was at counts to the end.
    pub(super) fn finish(&self) {
        self.account(None);
    }

    fn account(&self, next: Option<Stage>) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        let took = std::mem::replace(&mut *since, Instant::now()).elapsed();
        let took = u32::try_from(took.as_millis()).unwrap_or(u32::MAX);
        self.tell.send_if_modified(|progress| {
            progress.timings.add(progress.stage, took);
            let changed = next.is_some_and(|next| next != progress.stage);
            progress.stage = next.unwrap_or(progress.stage);
            changed
        });
    }
}
