//! What is known about a server, as everybody sees it.

use std::sync::Arc;
use std::time::SystemTime;

use jackfield_config::{Catalog, Entry, Judgement};

/// The three-valued view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum View {
    Connected,
    Connecting,
    Disconnected,
}

/// Why a server is disconnected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    Failed,
    NeedsSignIn,
    NeedsApproval,
    Retrying,
    Idle,
    Disabled,
    Denied,
    HostDisabled,
    Shadowed,
    Invalid,
    ProjectOff,
    Filtered,
    Stopped,
}

impl Reason {
    /// The word of the JSON contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::Failed => "failed",
            Reason::NeedsSignIn => "needs_sign_in",
            Reason::NeedsApproval => "needs_approval",
            Reason::Retrying => "retrying",
            Reason::Idle => "idle",
            Reason::Disabled => "disabled",
            Reason::Denied => "denied",
            Reason::HostDisabled => "host_disabled",
            Reason::Shadowed => "shadowed",
            Reason::Invalid => "invalid",
            Reason::ProjectOff => "project_off",
            Reason::Filtered => "filtered",
            Reason::Stopped => "stopped",
        }
    }
}

/// What went wrong, by kind. Nothing is ever decided by the text of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The command was not found.
    NotFound,
    /// The command, or a file, may not be used.
    Permission,
    /// Nothing listens there.
    Refused,
    /// The name does not resolve, the network is away.
    Unreachable,
    Timeout,
    /// 401.
    SignIn,
    /// 403.
    Forbidden,
    /// Another HTTP status.
    Http(u16),
    Tls,
    /// The process ended.
    Exited,
    /// The server answered, but not as MCP says.
    Protocol,
    /// `tools/list` failed after a good handshake.
    ListTools,
    /// The configuration cannot be used: an unset variable in a url, a failed `!command`.
    Config,
}

/// A failure, told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    /// One line without a period: "Exited with code 1: DATABASE_URL is not set".
    pub message: String,
    /// What to do, as a sentence; may be empty.
    pub hint: String,
    /// The last lines of stderr.
    pub stderr_tail: Vec<String>,
}

/// The state of a server's task.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// Not asked to connect yet.
    Idle,
    Connecting {
        attempt: u32,
        stage: Stage,
    },
    Ready(Arc<SessionInfo>),
    NeedsSignIn {
        message: String,
    },
    /// Waiting for the next attempt.
    Retrying {
        attempt: u32,
        at: SystemTime,
        failure: Arc<Failure>,
    },
    Failed(Arc<Failure>),
    /// By the user, until the program ends or the user reconnects.
    Stopped,
}

/// How far a connection attempt has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Resolving,
    /// Other processes are being started.
    Queued,
    Starting,
    Handshake,
    ListingTools,
}

impl Stage {
    /// What a server is at, for people.
    pub const fn sentence(self) -> &'static str {
        match self {
            Stage::Resolving => "Evaluating its variables and commands",
            Stage::Queued => "Waiting for other servers to start",
            Stage::Starting => "Starting",
            Stage::Handshake => "Waiting for its answer",
            Stage::ListingTools => "Reading its tools",
        }
    }
}

/// What the stages of a connection attempt took, in milliseconds; `None` for those that it has not left yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// Variables, commands, secrets.
    pub resolve_ms: Option<u32>,
    /// Until another process had started, if too many were starting.
    pub queue_ms: Option<u32>,
    pub start_ms: Option<u32>,
    pub handshake_ms: Option<u32>,
    pub list_ms: Option<u32>,
}

impl Timings {
    /// A stage that is left.
    pub(crate) fn add(&mut self, stage: Stage, took_ms: u32) {
        let slot = match stage {
            Stage::Resolving => &mut self.resolve_ms,
            Stage::Queued => &mut self.queue_ms,
            Stage::Starting => &mut self.start_ms,
            Stage::Handshake => &mut self.handshake_ms,
            Stage::ListingTools => &mut self.list_ms,
        };
        *slot = Some(slot.unwrap_or(0).saturating_add(took_ms));
    }
}

/// What a live session told about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionInfo {
    pub server_name: String,
    pub server_version: String,
    pub server_title: Option<String>,
    /// The negotiated protocol revision, such as `2025-11-25`.
    pub protocol: String,
    pub instructions: Option<String>,
    pub connected_at: SystemTime,
    /// From the start of the attempt to the last page of tools.
    pub connect_ms: u32,
    /// Of the process we started (the guard); stdio only.
    pub pid: Option<u32>,
    /// Values that were left out of env or headers: name and why.
    pub left_out: Vec<LeftOut>,
}

/// An env or header value that was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub name: String,
    /// "TOKEN is not set", "the command printed nothing".
    pub why: String,
    /// Looking at the file told it already; else only connecting did.
    pub foreseen: bool,
}

/// The published state of one server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerStatus {
    pub phase: Phase,
    pub since: SystemTime,
    /// Number of tools that are live, or known from the cache.
    pub tools: Option<usize>,
    pub tools_cached: bool,
    /// Round trip of the last small exchange.
    pub latency_ms: Option<u32>,
    /// Of the attempt that runs, or the last one.
    pub timings: Timings,
    /// How often it was connected since Jackfield looks after it.
    pub connects: u32,
    /// It starts when it is first used, and rests when it is not.
    pub lazy: bool,
}

/// One definition's state in the words of the specification.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    pub view: View,
    pub reason: Option<Reason>,
    /// Plain words for a row in trouble.
    pub message: Option<String>,
}

/// The one function that computes status: what the rules say about a definition, and what its task says, if it has one.
pub fn verdict(catalog: &Catalog, entry: &Entry, status: Option<&ServerStatus>) -> Verdict {
    let off =
        |reason, message: Option<String>| Verdict { view: View::Disconnected, reason: Some(reason), message };
    match &entry.judgement {
        Judgement::Run => match status {
            None => off(Reason::Idle, None),
            Some(status) if status.lazy && status.phase == Phase::Idle => {
                off(Reason::Idle, Some("Starts when it is used".to_owned()))
            }
            Some(status) => running(&status.phase),
        },
        Judgement::Shadowed { by, .. } => {
            let by = catalog.get(by).map(|winner| {
                let source = &winner.definition.source;
                format!("Shadowed by {}, {}", source.host.name, source.scope.as_str())
            });
            off(Reason::Shadowed, by)
        }
        Judgement::Disabled => off(Reason::Disabled, None),
        Judgement::Denied => off(Reason::Denied, None),
        Judgement::HostDisabled { by } => off(Reason::HostDisabled, Some(format!("Off by {by}"))),
        Judgement::Elsewhere { by } => {
            let off_here = entry.definition.enabled == Some(false);
            off(if off_here { Reason::Disabled } else { Reason::HostDisabled }, Some(by.clone()))
        }
        Judgement::Invalid => off(Reason::Invalid, Some(entry.definition.problems.join("; "))),
        Judgement::NeedsApproval => off(
            Reason::NeedsApproval,
            Some("New command in this project. Review it before it runs".to_owned()),
        ),
        Judgement::ProjectOff => off(Reason::ProjectOff, Some("Project servers are switched off".to_owned())),
        Judgement::Filtered => {
            off(Reason::Filtered, Some("Exa is built into agents; connect it here if you want".to_owned()))
        }
    }
}

fn running(phase: &Phase) -> Verdict {
    let down = |reason, message| Verdict { view: View::Disconnected, reason: Some(reason), message };
    match phase {
        Phase::Idle => down(Reason::Idle, None),
        Phase::Connecting { stage, .. } => {
            let message = Some(stage.sentence().to_owned());
            Verdict { view: View::Connecting, reason: None, message }
        }
        Phase::Ready(_) => Verdict { view: View::Connected, reason: None, message: None },
        Phase::NeedsSignIn { message } => down(Reason::NeedsSignIn, Some(message.clone())),
        Phase::Retrying { failure, .. } => down(Reason::Retrying, Some(failure.message.clone())),
        Phase::Failed(failure) => down(Reason::Failed, Some(failure.message.clone())),
        Phase::Stopped => down(Reason::Stopped, None),
    }
}

impl Failure {
    /// A failure without hint and without stderr.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into(), hint: String::new(), stderr_tail: Vec::new() }
    }

    /// With a sentence that says what to do.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: hint.into(), ..self }
    }
}
