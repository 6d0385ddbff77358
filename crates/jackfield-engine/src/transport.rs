//! The wires: a child process, Streamable HTTP, HTTP+SSE.
//!
//! Each is an rmcp transport, and each tells through its [`Ending`] why it ended. Everything that knows of processes
//! and HTTP statuses is below here; nothing here knows of retries or of what a server is for.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::status::Failure;

pub mod failure;
pub mod http;
mod job;
mod lines;
mod process;
pub mod sse;
pub mod stdio;

pub(crate) use process::TAIL;
pub use process::find_command;

/// How long an outgoing `server/discover` may stay unanswered before the server counts as one of the older protocol.
pub const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// A single message may have this size, on any wire.
pub const MAX_MESSAGE: usize = 64 * 1024 * 1024;

/// The program between us and a stdio server, which ends everything the server started when we go away.
#[derive(Debug, Clone)]
pub struct Guard {
    pub program: PathBuf,
    /// Words before the `--` and the command, such as `__guard` where the program is our own.
    pub prefix: Vec<OsString>,
}

/// Told once: why a transport has ended or cannot go on.
#[derive(Debug, Clone)]
pub struct Ending(watch::Sender<Option<Arc<Failure>>>);

impl Default for Ending {
    fn default() -> Ending {
        Ending(watch::Sender::new(None))
    }
}

impl Ending {
    /// The first telling counts.
    pub fn tell(&self, failure: Failure) {
        self.0.send_if_modified(|slot| {
            let first = slot.is_none();
            if first {
                *slot = Some(Arc::new(failure));
            }
            first
        });
    }

    pub fn told(&self) -> Option<Arc<Failure>> {
        self.0.borrow().clone()
    }

    /// Waits until it is told.
    pub async fn wait(&self) -> Arc<Failure> {
        let mut told = self.0.subscribe();
        loop {
            if let Some(failure) = told.borrow_and_update().clone() {
                return failure;
            }
            if told.changed().await.is_err() {
                // Cannot be: `self` holds a sender.
                std::future::pending::<()>().await;
            }
        }
    }
}
