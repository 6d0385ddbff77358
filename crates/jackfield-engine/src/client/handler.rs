//! What we answer to a server, and what we do with what it tells.

#![expect(
    deprecated,
    reason = "roots and logging are deprecated in the newest protocol, and servers use them"
)]

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ErrorCode, ErrorData,
    Implementation, ListRootsResult, LoggingLevel, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, Root, RootsCapabilities,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use tokio::sync::{Notify, mpsc};
use url::Url;

use crate::log::{LogKind, ServerLog, Tone};
use crate::tools::call::Progress;

/// What `initialize` proposes.
pub(super) const LEGACY_VERSION: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// Who waits for the progress of which request.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiters(Arc<Mutex<HashMap<ProgressToken, mpsc::Sender<Progress>>>>);

impl Waiters {
    /// Until the guard is dropped.
    pub(super) fn add(&self, token: ProgressToken, to: mpsc::Sender<Progress>) -> Waiting {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(token.clone(), to);
        Waiting { waiters: self.clone(), token }
    }

    fn tell(&self, token: &ProgressToken, progress: Progress) {
        let waiters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(to) = waiters.get(token) {
            // Progress that nobody keeps up with is not worth waiting for.
            let _ = to.try_send(progress);
        }
    }
}

/// An entry in [`Waiters`].
#[derive(Debug)]
pub(super) struct Waiting {
    waiters: Waiters,
    token: ProgressToken,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.waiters.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.token);
    }
}

/// Our side of a session.
#[derive(Debug)]
pub(super) struct Handler {
    log: ServerLog,
    project: Option<Arc<PathBuf>>,
    changed: Arc<Notify>,
    waiters: Waiters,
}

impl Handler {
    pub(super) fn new(
        log: ServerLog,
        project: Option<Arc<PathBuf>>,
        changed: Arc<Notify>,
        waiters: Waiters,
    ) -> Handler {
        Handler { log, project, changed, waiters }
    }
}

/// The project folder, if there is one.
pub(super) fn roots(project: Option<&PathBuf>) -> ListRootsResult {
    let root = project.and_then(|project| {
        let url = Url::from_directory_path(project).ok()?;
        let root = Root::new(url.as_str().trim_end_matches('/'));
        Some(match project.file_name() {
            Some(name) => root.with_name(name.to_string_lossy()),
            None => root,
        })
    });
    ListRootsResult::new(root.into_iter().collect())
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        let us = Implementation::new("jackfield", env!("CARGO_PKG_VERSION")).with_title("Jackfield");
        // rmcp proposes its newest version, and that one has no `initialize`: servers that take it at its word would
        // seem to speak another protocol each time.
        ClientConfig::new(capabilities, us).with_protocol_version(LEGACY_VERSION)
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(roots(self.project.as_deref()))
    }

    async fn create_message(
        &self,
        _params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.log.lifecycle(Tone::Neutral, "Asked for sampling, and was told that there is no model here");
        Err(ErrorData::new(ErrorCode(-1), "Jackfield has no model to sample from", None))
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let ProgressNotificationParam { progress_token, progress, total, message, .. } = params;
        self.waiters.tell(&progress_token, Progress { progress, total, message });
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let (tone, level) = match params.level {
            LoggingLevel::Debug => (Tone::Neutral, "debug"),
            LoggingLevel::Info => (Tone::Neutral, "info"),
            LoggingLevel::Notice => (Tone::Neutral, "notice"),
            LoggingLevel::Warning => (Tone::Wait, "warning"),
            LoggingLevel::Error => (Tone::Bad, "error"),
            LoggingLevel::Critical => (Tone::Bad, "critical"),
            LoggingLevel::Alert => (Tone::Bad, "alert"),
            LoggingLevel::Emergency => (Tone::Bad, "emergency"),
        };
        let said = params.data.as_str().map_or_else(|| params.data.to_string(), str::to_owned);
        let text = match params.logger {
            Some(logger) => format!("{level} [{logger}] {said}"),
            None => format!("{level} {said}"),
        };
        self.log.push(LogKind::Stdout, tone, &text);
    }
}
