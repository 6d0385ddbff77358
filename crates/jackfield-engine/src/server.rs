//! One server: a task that owns its session, and a handle that everybody else has.
//!
//! Disabled, shadowed, invalid and unapproved servers have no task. Calls of tools do not pass the task's mailbox.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use jackfield_config::settings::Lazy;
use jackfield_config::{Definition, ServerId};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

use crate::client::SessionPeer;
use crate::log::ServerLog;
use crate::resolve::ResolvedServer;
use crate::status::{Failure, Phase, ServerStatus, Stage, Timings};
use crate::supervisor::{Changes, What};
use crate::tools::ToolInfo;
use crate::tools::cache::ToolCache;
use crate::tools::call::{CallError, CallOptions, ToolResult};
use crate::transport::Guard;
use crate::transport::http::HttpClients;

mod activity;
mod actor;
pub mod retry;
mod stages;
mod state;

use activity::Activity;

/// Commands that may wait. The task takes them as they come.
const MAILBOX: usize = 32;

/// Evaluates a definition when it is about to be connected.
pub trait Resolve: Send + Sync {
    /// With `fresh`, cached outputs of commands are not used.
    fn resolve(
        &self,
        definition: &Arc<Definition>,
        fresh: bool,
    ) -> BoxFuture<'_, Result<ResolvedServer, Failure>>;
}

/// What all servers share.
#[derive(Clone)]
pub struct RuntimeDeps {
    pub resolver: Arc<dyn Resolve>,
    pub guard: Option<Guard>,
    pub cache: Option<ToolCache>,
    pub http: HttpClients,
    /// Owns the tasks of all servers.
    pub tracker: TaskTracker,
    /// So many processes may be starting at once.
    pub starts: Arc<Semaphore>,
    /// Whether lost and unreachable servers are connected again without being asked.
    pub auto_reconnect: Arc<AtomicBool>,
    /// Whether idle HTTP servers are pinged.
    pub ping: Arc<AtomicBool>,
    /// Which servers start when they are first used, and rest when they are not.
    pub lazy: Arc<RwLock<Lazy>>,
    pub changes: Changes,
}

impl std::fmt::Debug for RuntimeDeps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RuntimeDeps").finish_non_exhaustive()
    }
}

impl RuntimeDeps {
    /// With everything else as it usually is.
    pub fn new(resolver: Arc<dyn Resolve>) -> RuntimeDeps {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        RuntimeDeps {
            resolver,
            guard: None,
            cache: None,
            http: HttpClients::default(),
            tracker: TaskTracker::new(),
            starts: Arc::new(Semaphore::new((2 * cores).max(4))),
            auto_reconnect: Arc::new(AtomicBool::new(true)),
            ping: Arc::new(AtomicBool::new(true)),
            lazy: Arc::default(),
            changes: Changes::default(),
        }
    }

    /// Nothing if the server is not lazy; else after what time without use it rests, if it ever does.
    pub(crate) fn rests(&self, name: &str) -> Option<Option<Duration>> {
        let lazy = self.lazy.read().unwrap_or_else(PoisonError::into_inner);
        lazy.holds(name)
            .then(|| (lazy.stop_after > 0).then(|| Duration::from_secs(u64::from(lazy.stop_after))))
    }
}

/// A handle to a server's task. Cheap to clone. When the last one is gone, the task closes the session and ends.
#[derive(Debug, Clone)]
pub struct ServerHandle(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    definition: Arc<Definition>,
    project: Option<Arc<PathBuf>>,
    commands: mpsc::Sender<Command>,
    status: watch::Receiver<Arc<ServerStatus>>,
    tools: watch::Receiver<Arc<Vec<ToolInfo>>>,
    peer: watch::Receiver<Option<SessionPeer>>,
    remembered: watch::Receiver<bool>,
    activity: Activity,
    deps: RuntimeDeps,
    log: ServerLog,
}

enum Command {
    Connect,
    /// The settings have changed.
    LookAgain,
    Stop,
    Reconnect,
    Close(oneshot::Sender<()>),
}

/// How a task begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    Idle,
    Connect,
    /// Only if its tools are not known from the last time.
    ConnectIfUnknown,
    Stopped,
}

pub(crate) struct Spawn {
    pub(crate) definition: Arc<Definition>,
    pub(crate) project: Option<Arc<PathBuf>>,
    pub(crate) begin: Begin,
    /// Of the task that had this id before.
    pub(crate) log: Option<ServerLog>,
    /// Nothing is started before this has ended.
    pub(crate) after: Option<JoinHandle<()>>,
}

impl ServerHandle {
    pub(crate) fn spawn(spawn: Spawn, deps: &RuntimeDeps) -> ServerHandle {
        let Spawn { definition, project, begin, log, after } = spawn;
        let log = log.unwrap_or_else(|| {
            let (changes, id) = (deps.changes.clone(), definition.id.clone());
            ServerLog::with_listener(move || changes.mark(&id, What { log: true, ..What::default() }))
        });
        let phase = match begin {
            Begin::Idle | Begin::ConnectIfUnknown => Phase::Idle,
            Begin::Connect => Phase::Connecting { attempt: 1, stage: Stage::Resolving },
            Begin::Stopped => Phase::Stopped,
        };
        let status = ServerStatus {
            phase,
            since: SystemTime::now(),
            tools: None,
            tools_cached: false,
            latency_ms: None,
            timings: Timings::default(),
            connects: 0,
            lazy: deps.rests(&definition.name).is_some(),
        };
        let activity = Activity::default();
        let (tell_status, status) = watch::channel(Arc::new(status));
        let (tell_tools, tools) = watch::channel(Arc::new(Vec::new()));
        let (tell_peer, peer) = watch::channel(None);
        let (tell_remembered, remembered) = watch::channel(false);
        let (commands, mailbox) = mpsc::channel(MAILBOX);
        let shared = Shared {
            definition: definition.clone(),
            project: project.clone(),
            commands,
            status,
            tools,
            peer,
            remembered,
            activity: activity.clone(),
            deps: deps.clone(),
            log: log.clone(),
        };
        let actor = actor::Actor::new(
            definition,
            project,
            deps.clone(),
            log,
            mailbox,
            activity,
            actor::Outlets {
                status: tell_status,
                tools: tell_tools,
                peer: tell_peer,
                remembered: tell_remembered,
            },
        );
        deps.tracker.spawn(actor.run(begin, after));
        ServerHandle(Arc::new(shared))
    }

    pub fn id(&self) -> &ServerId {
        &self.0.definition.id
    }

    /// As it was when the task began. What does not count for its hash, its place in the file for example, may have
    /// changed since.
    pub fn definition(&self) -> &Arc<Definition> {
        &self.0.definition
    }

    pub fn project(&self) -> Option<&Arc<PathBuf>> {
        self.0.project.as_ref()
    }

    pub fn status(&self) -> watch::Receiver<Arc<ServerStatus>> {
        self.0.status.clone()
    }

    /// Those that are live, else those known from the cache.
    pub fn tools(&self) -> watch::Receiver<Arc<Vec<ToolInfo>>> {
        self.0.tools.clone()
    }

    /// Waits until the tools of the last time have been looked up, if there are any.
    pub async fn remembered(&self) {
        // An error means that the task has ended, and with it all looking up.
        let _ = self.0.remembered.clone().wait_for(|done| *done).await;
    }

    pub fn log(&self) -> &ServerLog {
        &self.0.log
    }

    /// For calls, while it is connected.
    pub fn peer(&self) -> Option<SessionPeer> {
        self.0.peer.borrow().clone()
    }

    /// Connects it if it is not connected or connecting; an attempt that is waiting for its time is made now.
    pub fn connect(&self) {
        self.tell(Command::Connect);
    }

    /// Disconnects it, until [`connect`](Self::connect) or [`reconnect`](Self::reconnect).
    pub fn stop(&self) {
        self.tell(Command::Stop);
    }

    /// Disconnects it and connects it anew, with commands run again.
    pub fn reconnect(&self) {
        self.tell(Command::Reconnect);
    }

    /// The settings about it may have changed.
    pub(crate) fn look_again(&self) {
        self.tell(Command::LookAgain);
    }

    /// Ends the session and the task; returns when nothing of it is left.
    pub async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.0.commands.send(Command::Close(done)).await.is_ok() {
            // An error means that the task has ended, which is what was asked for.
            let _ = closed.await;
        }
    }

    /// Waits until it is neither connecting nor between attempts that will be made.
    pub async fn settled(&self) -> Arc<ServerStatus> {
        let mut status = self.status();
        let settled = |status: &Arc<ServerStatus>| !matches!(status.phase, Phase::Connecting { .. });
        match status.wait_for(settled).await {
            Ok(status) => status.clone(),
            Err(_) => self.0.status.borrow().clone(),
        }
    }

    /// Calls a tool. A server that is about to be connected is waited for, at most its own timeout; a call whose
    /// connection broke is made once more if that is safe.
    pub async fn call_tool(
        &self,
        tool: &str,
        arguments: Option<serde_json::Map<String, serde_json::Value>>,
        options: CallOptions,
    ) -> Result<ToolResult, CallError> {
        let repeatable = self
            .0
            .tools
            .borrow()
            .iter()
            .find(|known| known.name == tool)
            .is_some_and(ToolInfo::is_repeatable);
        let _in_use = self.0.activity.begin();
        let first = match self.connected(&options).await {
            Ok(peer) => peer.call_tool(tool, arguments.clone(), options.clone()).await,
            Err(error) => return Err(error),
        };
        match first {
            Err(error) if error.may_be_replayed(repeatable) => match self.connected(&options).await {
                Ok(peer) => peer.call_tool(tool, arguments, options).await,
                // Why the call failed says more than that there is still no connection.
                Err(CallError::Cancelled) => Err(CallError::Cancelled),
                Err(_) => Err(error),
            },
            result => result,
        }
    }

    async fn connected(&self, options: &CallOptions) -> Result<SessionPeer, CallError> {
        let limit = self.0.definition.timeout.unwrap_or(crate::resolve::DEFAULT_TIMEOUT);
        let mut status = self.status();
        let waiting = async {
            loop {
                if let Some(peer) = self.peer().filter(|peer| !peer.is_closed()) {
                    return Ok(peer);
                }
                match &status.borrow_and_update().phase {
                    Phase::Connecting { .. } | Phase::Ready(_) | Phase::Retrying { .. } => {}
                    Phase::Failed(failure) => return Err(CallError::Failed(failure.as_ref().clone())),
                    // It was waiting for this.
                    Phase::Idle if self.is_lazy() => self.connect(),
                    Phase::Idle | Phase::NeedsSignIn { .. } | Phase::Stopped => {
                        return Err(CallError::NotConnected);
                    }
                }
                if status.changed().await.is_err() {
                    return Err(CallError::NotConnected);
                }
            }
        };
        tokio::select! {
            peer = waiting => peer,
            () = options.cancel.cancelled() => Err(CallError::Cancelled),
            () = tokio::time::sleep(limit) => Err(CallError::NotConnected),
        }
    }

    fn is_lazy(&self) -> bool {
        self.0.deps.rests(&self.0.definition.name).is_some()
    }

    fn tell(&self, command: Command) {
        if let Err(error) = self.0.commands.try_send(command) {
            tracing::debug!(server = %self.id(), %error, "a command came too late");
        }
    }
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Command::Connect => "Connect",
            Command::LookAgain => "LookAgain",
            Command::Stop => "Stop",
            Command::Reconnect => "Reconnect",
            Command::Close(_) => "Close",
        })
    }
}
