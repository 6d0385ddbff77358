//! Whether a server is in use: what calls are under way, and when the last one ended.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Shared by the handles of a server, which make the calls, and its task, which lets it rest.
#[derive(Debug, Clone)]
pub(super) struct Activity(Arc<Mutex<Seen>>);

#[derive(Debug)]
struct Seen {
    calls: usize,
    last: Instant,
}

/// A call that is under way.
#[derive(Debug)]
pub(super) struct InUse(Activity);

impl Default for Activity {
    fn default() -> Activity {
        Activity(Arc::new(Mutex::new(Seen { calls: 0, last: Instant::now() })))
    }
}

impl Activity {
    /// Until the guard is dropped.
    pub(super) fn begin(&self) -> InUse {
        self.change(|seen| seen.calls += 1);
        InUse(self.clone())
    }

    /// As if it had just been used.
    pub(super) fn touch(&self) {
        self.change(|_| {});
    }

    /// How long it still has until it was without use for `limit`; nothing while it is in use.
    pub(super) fn rests_in(&self, limit: Duration) -> Option<Duration> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (seen.calls == 0).then(|| limit.saturating_sub(seen.last.elapsed()))
    }

    fn change(&self, change: impl FnOnce(&mut Seen)) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut seen);
        seen.last = Instant::now();
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.change(|seen| seen.calls = seen.calls.saturating_sub(1));
    }
}
