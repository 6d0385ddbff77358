//! One MCP session: from a resolved server to tools that can be called.
//!
//! Owns the handshake and its fallbacks. Must not retry after a failure; that is the business of the server's task.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jackfield_config::HttpProtocol;
use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ProtocolVersion, ServerPeerInfo};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, RxJsonRpcMessage, TxJsonRpcMessage,
    serve_client_with_lifecycle_and_ct,
};
use rmcp::transport::Transport;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use url::Url;

use crate::log::{Direction, ServerLog, Tone};
use crate::resolve::{ResolvedServer, ResolvedTransport};
use crate::status::{Failure, FailureKind, LeftOut, Stage};
use crate::transport::http::{self, HttpClients};
use crate::transport::sse::SseTransport;
use crate::transport::stdio::{ProcessHandle, StdioParts, StdioTransport};
use crate::transport::{Ending, Guard, PROBE_TIMEOUT, failure};

mod handler;
mod peer;

use handler::{Handler, LEGACY_VERSION, Waiters};
pub use peer::{Listing, SessionPeer};

/// How long closing a session may take, a process that does not want to end included.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// For a server known to speak the newer protocol, silence means that it is slow. (rmcp itself waits for ten seconds.)
const KNOWN_PROBE_TIMEOUT: Duration = Duration::from_secs(9);
/// A subscription to changes that ends at once is not opened again.
const SUBSCRIPTION_PAUSE: Duration = Duration::from_secs(5);

/// Which family of protocol revisions a server speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    #[default]
    Unknown,
    /// `initialize`, sessions: up to 2025-11-25.
    Legacy,
    /// `server/discover`, no sessions: from 2026-07-28.
    Modern,
}

/// What a session needs beside the resolved server.
#[derive(Debug, Clone)]
pub struct ConnectDeps {
    pub http: HttpClients,
    pub guard: Option<Guard>,
    /// Owns every task that outlives the call.
    pub tracker: TaskTracker,
    pub log: ServerLog,
    /// Told to the server as its root.
    pub project: Option<Arc<PathBuf>>,
}

/// A live session. Dropping it closes it, without waiting.
#[derive(Debug)]
pub struct Session {
    peer: SessionPeer,
    facts: SessionFacts,
    ending: Ending,
    log: ServerLog,
    changed: Arc<Notify>,
    process: Option<ProcessHandle>,
    stop: CancellationToken,
    ended: CancellationToken,
    _stop_on_drop: DropGuard,
}

/// What is known about a session from its handshake.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionFacts {
    pub server_name: String,
    pub server_version: String,
    pub server_title: Option<String>,
    pub protocol: String,
    pub instructions: Option<String>,
    pub era: Era,
    pub pid: Option<u32>,
    pub left_out: Vec<LeftOut>,
    /// Over a network, or at least over HTTP.
    pub remote: bool,
    /// The server tells when its tools change.
    pub tells_changes: bool,
}

/// Connects within the server's timeout. On a failure nothing is left running.
pub async fn connect(
    server: &ResolvedServer,
    era: Era,
    deps: &ConnectDeps,
    stage: &(dyn Fn(Stage) + Send + Sync),
) -> Result<Session, Failure> {
    deps.log.add_secrets(&server.secrets);
    let attempt = Attempt { server, deps, stage, deadline: Instant::now() + server.timeout };
    let result = match &server.transport {
        ResolvedTransport::Stdio { .. } => Box::pin(attempt.stdio(era)).await,
        ResolvedTransport::Http { url, headers, protocol } => match http::parse_url(url) {
            Ok(url) => {
                let (headers, mut left_out) = http::headers(headers);
                left_out.splice(0..0, server.left_out.iter().cloned());
                Box::pin(attempt.http(era, &url, &headers, left_out, *protocol)).await
            }
            Err(failure) => Err(failure),
        },
    };
    result.map_err(|failure| deps.log.masked_failure(failure))
}

struct Attempt<'a> {
    server: &'a ResolvedServer,
    deps: &'a ConnectDeps,
    stage: &'a (dyn Fn(Stage) + Send + Sync),
    deadline: Instant,
}

/// What a handshake needs beside its transport.
struct Wire<'a> {
    ending: &'a Ending,
    whom: &'a str,
    process: Option<ProcessHandle>,
    remote: bool,
    left_out: Vec<LeftOut>,
}

/// Why a handshake failed, for whoever may try another way.
enum HandshakeError {
    TimedOut,
    Refused(Box<ClientInitializeError>),
}

/// A transport that knows by which request the session began. A server's word for its version does not tell: some
/// answer `initialize` with a version that has none.
struct Begun<T> {
    transport: T,
    by_initialize: Arc<AtomicBool>,
    log: ServerLog,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Begun<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        if let TxJsonRpcMessage::<RoleClient>::Request(request) = &message
            && matches!(request.request, ClientRequest::InitializeRequest(_))
        {
            self.by_initialize.store(true, Ordering::Relaxed);
        }
        self.log.on_the_wire(Direction::ToServer, &message);
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.transport.receive().await?;
        self.log.on_the_wire(Direction::FromServer, &message);
        Some(message)
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.transport.close()
    }
}

type Headers = std::collections::HashMap<::http::HeaderName, ::http::HeaderValue>;

impl Attempt<'_> {
    async fn stdio(&self, era: Era) -> Result<Session, Failure> {
        let mut era = era;
        let mut tried_other = false;
        loop {
            let probe_timeout = if era == Era::Modern { KNOWN_PROBE_TIMEOUT } else { PROBE_TIMEOUT };
            let ending = Ending::default();
            (self.stage)(Stage::Starting);
            let log_start = self.deps.log.process_starts();
            let parts = StdioParts {
                guard: self.deps.guard.as_ref(),
                log: &self.deps.log,
                ending: &ending,
                tracker: &self.deps.tracker,
                probe_timeout,
            };
            let starting = StdioTransport::start(&self.server.transport, &parts);
            let transport = match timeout_at(self.deadline, starting).await {
                Ok(transport) => transport?,
                Err(_) => return Err(failure::timed_out(self.server.timeout)),
            };
            let process = transport.process();
            let late = transport.answered_late();
            (self.stage)(Stage::Handshake);
            let wire = Wire {
                ending: &ending,
                whom: "the server",
                process: Some(process.clone()),
                remote: false,
                left_out: self.server.left_out.clone(),
            };
            let error = match self.handshake(transport, era, wire).await {
                Ok(session) => return Ok(session),
                Err(error) => error,
            };
            // Nothing is left running, and the last words have been read.
            process.close().await;
            match error {
                HandshakeError::TimedOut => {
                    let failure = failure::timed_out(self.server.timeout);
                    let stderr_tail = self.deps.log.tail_stderr_after(log_start, crate::transport::TAIL);
                    return Err(Failure { stderr_tail, ..failure });
                }
                HandshakeError::Refused(error) => {
                    let other = match era {
                        // Its guard could not start it, and will not be able to the next time.
                        Era::Unknown | Era::Legacy | Era::Modern if not_startable(&ending) => {
                            return Err(told(&ending, &error, "the server"));
                        }
                        // It answered the newer question after all, too late for this process.
                        Era::Unknown | Era::Legacy if late.load(Ordering::Relaxed) => Era::Modern,
                        // Servers that end at a question they do not know are asked the older one.
                        Era::Unknown | Era::Modern if died_at_probe(&error) => Era::Legacy,
                        Era::Legacy if is_protocol(&error) => Era::Unknown,
                        Era::Unknown | Era::Legacy | Era::Modern => {
                            return Err(told(&ending, &error, "the server"));
                        }
                    };
                    if tried_other || Instant::now() >= self.deadline {
                        return Err(told(&ending, &error, "the server"));
                    }
                    tried_other = true;
                    era = other;
                    self.deps.log.lifecycle(Tone::Wait, "Starting it again with the other protocol");
                }
            }
        }
    }

    async fn http(
        &self,
        era: Era,
        url: &Url,
        headers: &Headers,
        left_out: Vec<LeftOut>,
        protocol: HttpProtocol,
    ) -> Result<Session, Failure> {
        (self.stage)(Stage::Handshake);
        match protocol {
            HttpProtocol::Streamable => {
                self.streamable(era, url, headers, left_out, protocol).await.map_err(|(failure, _)| failure)
            }
            HttpProtocol::Auto => {
                match self.streamable(era, url, headers, left_out.clone(), protocol).await {
                    Ok(session) => Ok(session),
                    Err((first, false)) => Err(first),
                    // If that fails as well, the first failure is the one that explains more.
                    Err((first, true)) => self.sse(url, headers, left_out).await.map_err(|_| first),
                }
            }
            HttpProtocol::Sse => match self.sse(url, headers, left_out.clone()).await {
                Ok(session) => Ok(session),
                Err((first, false)) => Err(first),
                Err((first, true)) => {
                    self.streamable(era, url, headers, left_out, protocol).await.map_err(|_| first)
                }
            },
        }
    }

    /// With a failure: whether the server seems to speak the older transport.
    async fn streamable(
        &self,
        era: Era,
        url: &Url,
        headers: &Headers,
        left_out: Vec<LeftOut>,
        protocol: HttpProtocol,
    ) -> Result<Session, (Failure, bool)> {
        let whom = http::shown(url);
        let mut era = era;
        loop {
            let ending = Ending::default();
            let (transport, tap) =
                http::transport(&self.deps.http, url, headers.clone(), &ending, PROBE_TIMEOUT)
                    .map_err(|failure| (failure, false))?;
            let wire = Wire {
                ending: &ending,
                whom: &whom,
                process: None,
                remote: true,
                left_out: left_out.clone(),
            };
            match self.handshake(transport, era, wire).await {
                Ok(session) => {
                    tap.go_live();
                    return Ok(session);
                }
                Err(HandshakeError::TimedOut) => {
                    return Err((failure::timed_out(self.server.timeout), false));
                }
                // It spoke the older protocol once; perhaps it has been updated.
                Err(HandshakeError::Refused(error)) if era == Era::Legacy && is_protocol(&error) => {
                    era = Era::Unknown;
                }
                Err(HandshakeError::Refused(error)) => {
                    let older = http::speaks_older(protocol, tap.refused());
                    return Err((told(&ending, &error, &whom), older));
                }
            }
        }
    }

    /// With a failure: whether the server does not speak this transport.
    async fn sse(
        &self,
        url: &Url,
        headers: &Headers,
        left_out: Vec<LeftOut>,
    ) -> Result<Session, (Failure, bool)> {
        let whom = http::shown(url);
        let ending = Ending::default();
        let connecting = SseTransport::connect(
            &self.deps.http,
            url,
            headers.clone(),
            &self.deps.log,
            &ending,
            &self.deps.tracker,
        );
        let transport = match timeout_at(self.deadline, connecting).await {
            Ok(Ok(transport)) => transport,
            Ok(Err(error)) => return Err((failure::of_error(&error, &whom), error.is_other_transport())),
            Err(_) => return Err((failure::timed_out(self.server.timeout), false)),
        };
        let wire = Wire { ending: &ending, whom: &whom, process: None, remote: true, left_out };
        match self.handshake(transport, Era::Legacy, wire).await {
            Ok(session) => Ok(session),
            Err(HandshakeError::TimedOut) => Err((failure::timed_out(self.server.timeout), false)),
            Err(HandshakeError::Refused(error)) => Err((told(&ending, &error, &whom), false)),
        }
    }

    async fn handshake<T>(&self, transport: T, era: Era, wire: Wire<'_>) -> Result<Session, HandshakeError>
    where
        T: Transport<RoleClient> + Send + 'static,
    {
        let newest = vec![ProtocolVersion::V_2026_07_28];
        let mode = match era {
            Era::Legacy => ClientLifecycleMode::Initialize,
            Era::Unknown | Era::Modern => {
                ClientLifecycleMode::Auto { preferred_versions: newest, legacy_version: Some(LEGACY_VERSION) }
            }
        };
        let stop = CancellationToken::new();
        let changed = Arc::new(Notify::new());
        let waiters = Waiters::default();
        let handler =
            Handler::new(self.deps.log.clone(), self.deps.project.clone(), changed.clone(), waiters.clone());
        let by_initialize = Arc::new(AtomicBool::new(false));
        let transport = Begun { transport, by_initialize: by_initialize.clone(), log: self.deps.log.clone() };
        let serving = serve_client_with_lifecycle_and_ct(handler, transport, mode, stop.clone());
        let running = match timeout_at(self.deadline, Box::pin(serving)).await {
            Ok(Ok(running)) => running,
            Ok(Err(error)) => return Err(HandshakeError::Refused(Box::new(error))),
            Err(_) => return Err(HandshakeError::TimedOut),
        };
        let era = if by_initialize.load(Ordering::Relaxed) { Era::Legacy } else { Era::Modern };
        Ok(self.session(running, era, stop, changed, waiters, wire))
    }

    fn session(
        &self,
        running: RunningService<RoleClient, Handler>,
        era: Era,
        stop: CancellationToken,
        changed: Arc<Notify>,
        waiters: Waiters,
        wire: Wire<'_>,
    ) -> Session {
        let peer = running.peer().clone();
        let info = peer.peer_info();
        let log = &self.deps.log;
        let facts = facts_of(info.as_deref(), era, &wire, log);
        let project = self.deps.project.clone();
        let peer = SessionPeer::new(peer, waiters, self.server.timeout, wire.whom, project, log.clone());
        let ended = CancellationToken::new();
        let (ending, over) = (wire.ending.clone(), ended.clone());
        // Ends with the session, however that ends.
        self.deps.tracker.spawn(async move {
            let _ = running.waiting().await;
            ending.tell(Failure::new(FailureKind::Exited, "The connection was closed"));
            over.cancel();
        });
        if facts.era == Era::Modern && facts.tells_changes {
            self.deps.tracker.spawn(subscribe(peer.clone(), changed.clone(), ended.clone()));
        }
        Session {
            peer,
            facts,
            ending: wire.ending.clone(),
            log: log.clone(),
            changed,
            process: wire.process,
            _stop_on_drop: stop.clone().drop_guard(),
            stop,
            ended,
        }
    }
}

impl Session {
    pub fn facts(&self) -> &SessionFacts {
        &self.facts
    }

    /// For calls, by as many callers as there are.
    pub fn peer(&self) -> SessionPeer {
        self.peer.clone()
    }

    /// All tools, to the last page.
    pub async fn list_tools(&self) -> Result<Listing, Failure> {
        self.peer.list_tools().await
    }

    /// Waits until the session has ended, and tells why.
    pub async fn ended(&self) -> Arc<Failure> {
        let failure = self.ending.wait().await;
        Arc::new(self.log.masked_failure(failure.as_ref().clone()))
    }

    /// Waits until the server says that its tools have changed.
    pub async fn tools_changed(&self) {
        self.changed.notified().await;
    }

    /// Ends it and waits until nothing of it is left, within bounds.
    pub async fn close(self) {
        self.stop.cancel();
        let process = self.process.clone();
        let gone = async {
            if let Some(process) = &process {
                process.close().await;
            }
            self.ended.cancelled().await;
        };
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, gone).await;
    }
}

fn facts_of(info: Option<&ServerPeerInfo>, era: Era, wire: &Wire<'_>, log: &ServerLog) -> SessionFacts {
    let server = info.and_then(|info| info.server_info.as_ref());
    let tools = info.and_then(|info| info.capabilities.tools.as_ref());
    SessionFacts {
        server_name: server.map(|server| log.masked(&server.name)).unwrap_or_default(),
        server_version: server.map(|server| log.masked(&server.version)).unwrap_or_default(),
        server_title: server.and_then(|server| server.title.as_deref()).map(|title| log.masked(title)),
        protocol: info.map(|info| info.protocol_version.to_string()).unwrap_or_default(),
        instructions: info
            .and_then(|info| info.instructions.as_deref())
            .map(|text| log.masked_if_known(text).unwrap_or_else(|| text.to_owned())),
        era,
        pid: wire.process.as_ref().map(ProcessHandle::pid),
        left_out: wire.left_out.clone(),
        remote: wire.remote,
        tells_changes: tools.is_some_and(|tools| tools.list_changed == Some(true)),
    }
}

/// What the transport says about its end explains more than what the handshake saw of it.
fn told(ending: &Ending, error: &ClientInitializeError, whom: &str) -> Failure {
    match ending.told() {
        Some(failure) if is_closed(error) => failure.as_ref().clone(),
        Some(_) | None => failure::of_handshake(error, whom),
    }
}

fn is_closed(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => is_closed(fallback),
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => true,
        _ => false,
    }
}

/// The process ended because there is no such program, or it may not be executed.
fn not_startable(ending: &Ending) -> bool {
    ending
        .told()
        .is_some_and(|failure| matches!(failure.kind, FailureKind::NotFound | FailureKind::Permission))
}

/// The process ended, and not over `initialize`: what it saw was `server/discover` alone.
fn died_at_probe(error: &ClientInitializeError) -> bool {
    // After a fallback the error says so, or comes from `initialize`.
    matches!(error, ClientInitializeError::ConnectionClosed(context) if context == "discover response")
        || matches!(error, ClientInitializeError::TransportError { context, .. } if context == "send discover request")
}

/// The server answered, but not as the protocol we tried says.
fn is_protocol(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => is_protocol(fallback),
        ClientInitializeError::TransportError { .. }
        | ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::Cancelled => false,
        _ => true,
    }
}

/// Follows the changes of a server of the newer protocol, which tells them to subscribers only.
async fn subscribe(peer: SessionPeer, changed: Arc<Notify>, ended: CancellationToken) {
    let following = async {
        loop {
            if peer.follow_tools(&changed).await.is_err() {
                return;
            }
            // What happened between two subscriptions is not told.
            tokio::time::sleep(SUBSCRIPTION_PAUSE).await;
            changed.notify_one();
        }
    };
    tokio::select! {
        () = following => {}
        () = ended.cancelled() => {}
    }
}
