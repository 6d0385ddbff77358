//! The task of one server: one loop, one state, one place that publishes.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures::FutureExt as _;
use jackfield_config::{Definition, Transport};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::activity::Activity;
use super::retry::{Next, RetryPolicy};
use super::stages::Stages;
use super::state::{Connected, Connecting, Event, Outcome, Ready, State};
use super::{Begin, Command, RuntimeDeps};
use crate::client::{ConnectDeps, Era, Session, SessionPeer, connect};
use crate::log::{ServerLog, Tone};
use crate::resolve::{ResolvedServer, ResolvedTransport};
use crate::status::{Failure, FailureKind, ServerStatus, SessionInfo, Stage, Timings};
use crate::supervisor::What;
use crate::tools::ToolInfo;
use crate::tools::cache::Known;
use crate::transport::stdio::StdioTransport;

/// For the evaluation of a definition; its commands have limits of their own.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(60);
/// A process whose starting takes longer than this makes room for the next one.
const START_PERMIT: Duration = Duration::from_millis(250);
/// Several changes in a row are one.
const SETTLE: Duration = Duration::from_millis(100);
/// Over HTTP, what changed before our stream was open is not told: we look once more.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
const PING_EVERY: Duration = Duration::from_secs(60);
/// So many pings without an answer, and the session counts as lost.
const LOST_AFTER_PINGS: u32 = 2;

/// Where the task tells what it knows.
pub(super) struct Outlets {
    pub(super) status: watch::Sender<Arc<ServerStatus>>,
    pub(super) tools: watch::Sender<Arc<Vec<ToolInfo>>>,
    pub(super) peer: watch::Sender<Option<SessionPeer>>,
    /// Whether the tools of the last time have been looked up.
    pub(super) remembered: watch::Sender<bool>,
}

pub(super) struct Actor {
    definition: Arc<Definition>,
    project: Option<Arc<PathBuf>>,
    deps: RuntimeDeps,
    log: ServerLog,
    mailbox: mpsc::Receiver<Command>,
    activity: Activity,
    outlets: Outlets,
    state: State,
    policy: RetryPolicy,
    era: Era,
    tools: Arc<Vec<ToolInfo>>,
    /// The tools are those of the session, not of the cache.
    live: bool,
    latency: Option<Duration>,
    timings: Timings,
    connects: u32,
    /// Sessions that are being closed. Nothing is started before they have ended.
    closing: Vec<JoinHandle<()>>,
    /// For the policy, which knows no clock.
    started: Instant,
}

impl Actor {
    pub(super) fn new(
        definition: Arc<Definition>,
        project: Option<Arc<PathBuf>>,
        deps: RuntimeDeps,
        log: ServerLog,
        mailbox: mpsc::Receiver<Command>,
        activity: Activity,
        outlets: Outlets,
    ) -> Actor {
        let stdio = matches!(definition.transport, Transport::Stdio { .. } | Transport::Unknown);
        // Servers that fell together must not come back together: the id tells them apart.
        let seed = definition.id.0.bytes().fold(0_u64, |seed, byte| seed.rotate_left(7) ^ u64::from(byte));
        Actor {
            definition,
            project,
            deps,
            log,
            mailbox,
            activity,
            outlets,
            state: State::Idle,
            policy: RetryPolicy::new(stdio, seed),
            era: Era::Unknown,
            tools: Arc::default(),
            live: false,
            latency: None,
            timings: Timings::default(),
            connects: 0,
            closing: Vec::new(),
            started: Instant::now(),
        }
    }

    pub(super) async fn run(mut self, begin: Begin, after: Option<JoinHandle<()>>) {
        self.closing.extend(after);
        self.remember().await;
        self.outlets.remembered.send_replace(true);
        match begin {
            Begin::Idle => self.publish(),
            Begin::ConnectIfUnknown if !self.tools.is_empty() => self.publish(),
            Begin::Connect | Begin::ConnectIfUnknown => self.attempt(false),
            Begin::Stopped => self.become_state(State::Stopped),
        }
        let done = loop {
            tokio::select! {
                // A command counts more than whatever else happens at the same time.
                biased;
                command = self.mailbox.recv() => match command {
                    Some(Command::Connect) => self.connect(),
                    Some(Command::Reconnect) => self.reconnect(),
                    Some(Command::Stop) => self.stop(),
                    Some(Command::LookAgain) => {
                        self.rest_or_wait();
                        self.publish();
                    }
                    Some(Command::Close(done)) => break Some(done),
                    None => break None,
                },
                event = self.state.next() => self.on(event),
            }
        };
        self.end(done).await;
    }

    /// The tools of the last time.
    async fn remember(&mut self) {
        let Some(cache) = self.deps.cache.clone() else { return };
        let definition = self.definition.clone();
        let reading = tokio::task::spawn_blocking(move || cache.read(&definition.name, &definition.hash));
        if let Ok(Some(known)) = reading.await {
            self.era = known.era;
            self.tools = Arc::new(known.tools);
            // Whoever sees the tools must see that they are those of the last time.
            self.publish();
            self.publish_tools();
        }
    }

    async fn end(mut self, done: Option<oneshot::Sender<()>>) {
        self.leave();
        self.state = State::Stopped;
        for closing in std::mem::take(&mut self.closing) {
            // It is bounded by itself, and an error is a panic that was told already.
            let _ = closing.await;
        }
        if let Some(done) = done {
            let _ = done.send(());
        }
    }

    fn connect(&mut self) {
        match &self.state {
            State::Connecting(_) | State::Ready(_) => {}
            State::Retrying { .. } => self.attempt(false),
            State::Idle | State::NeedsSignIn { .. } | State::Failed(_) | State::Stopped => {
                self.policy.reset();
                self.attempt(false);
            }
        }
    }

    fn reconnect(&mut self) {
        self.leave();
        self.policy.reset();
        self.attempt(true);
    }

    fn stop(&mut self) {
        if matches!(self.state, State::Stopped) {
            return;
        }
        self.leave();
        self.log.lifecycle(Tone::Neutral, "Stopped");
        self.tools = Arc::default();
        self.live = false;
        self.publish_tools();
        self.become_state(State::Stopped);
    }

    /// Out of whatever state it is in, its session closed in the background. The caller sets the next state.
    fn leave(&mut self) {
        self.outlets.peer.send_replace(None);
        self.live = false;
        self.latency = None;
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Ready(ready) => {
                self.closing.retain(|closing| !closing.is_finished());
                self.closing.push(self.deps.tracker.spawn(ready.session.close()));
            }
            // A dropped attempt closes what it has opened by itself; the tracker waits for that.
            State::Connecting(_)
            | State::Idle
            | State::Retrying { .. }
            | State::NeedsSignIn { .. }
            | State::Failed(_)
            | State::Stopped => {}
        }
    }

    fn attempt(&mut self, fresh: bool) {
        let attempt = self.policy.attempt();
        if attempt == 1 {
            self.log.lifecycle(Tone::Wait, "Connecting");
        } else {
            self.log.lifecycle(Tone::Wait, &format!("Connecting, attempt {attempt}"));
        }
        let (stages, progress) = Stages::new();
        let work = Attempt {
            definition: self.definition.clone(),
            project: self.project.clone(),
            deps: self.deps.clone(),
            log: self.log.clone(),
            era: self.era,
            fresh,
            stages,
            after: std::mem::take(&mut self.closing),
        };
        self.become_state(State::Connecting(Connecting { attempt, progress, work: work.run().boxed() }));
    }

    fn on(&mut self, event: Event) {
        match event {
            Event::Stage => self.publish(),
            Event::Outcome(outcome) => {
                self.keep_timings();
                match *outcome {
                    Ok(connected) => self.ready(connected),
                    Err(failure) => self.failed(failure),
                }
            }
            Event::Lost(failure) => self.lost(&failure),
            Event::RetryNow => self.attempt(false),
            Event::ToolsChanged => self.list_again(),
            Event::Listed(listed) => self.listed(listed),
            Event::PingDue => self.ping(),
            Event::RestDue => self.rest_or_wait(),
            Event::Pinged(pinged) => self.pinged(pinged),
        }
    }

    fn ready(&mut self, connected: Connected) {
        let Connected { session, listing, took } = connected;
        let facts = session.facts().clone();
        for left_out in &facts.left_out {
            self.log.lifecycle(Tone::Wait, &format!("`{}` was left out: {}", left_out.name, left_out.why));
        }
        if let Some(warning) = &listing.warning {
            self.log.lifecycle(Tone::Wait, warning);
        }
        let count = counted(listing.tools.len());
        self.log.lifecycle(Tone::Good, &format!("Connected in {}, {count}", spoken(took)));
        self.connects = self.connects.saturating_add(1);
        self.policy.connected(self.started.elapsed());
        self.era = facts.era;
        self.latency = Some(listing.round_trip);
        self.outlets.peer.send_replace(Some(session.peer()));
        let legacy_remote = facts.remote && facts.era == Era::Legacy;
        let now = Instant::now();
        let info = SessionInfo {
            server_name: facts.server_name,
            server_version: facts.server_version,
            server_title: facts.server_title,
            protocol: facts.protocol,
            instructions: facts.instructions,
            connected_at: SystemTime::now(),
            connect_ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
            pid: facts.pid,
            left_out: facts.left_out,
        };
        self.take_tools(listing.tools);
        self.activity.touch();
        self.become_state(State::Ready(Box::new(Ready {
            session,
            info: Arc::new(info),
            listing: None,
            look_again: (legacy_remote && facts.tells_changes).then(|| now + LOOK_AGAIN),
            next_ping: legacy_remote.then(|| now + PING_EVERY),
            pinging: None,
            failed_pings: 0,
            rest_at: None,
        })));
        self.rest_or_wait();
    }

    /// Ends the session of a lazy server that was not used for a while; else says when to look again.
    fn rest_or_wait(&mut self) {
        let rests = self.deps.rests(&self.definition.name).flatten();
        let State::Ready(ready) = &mut self.state else { return };
        let Some(limit) = rests else {
            ready.rest_at = None;
            return;
        };
        match self.activity.rests_in(limit) {
            // Of what is in use, it is asked again when it could have rested since.
            None => ready.rest_at = Some(Instant::now() + limit),
            Some(left) if !left.is_zero() => ready.rest_at = Some(Instant::now() + left),
            Some(_) => {
                self.leave();
                let text = format!("Not used for {}: stopped until it is", spoken(limit));
                self.log.lifecycle(Tone::Neutral, &text);
                self.become_state(State::Idle);
            }
        }
    }

    /// Those of an attempt that is over, or given up.
    fn keep_timings(&mut self) {
        if let State::Connecting(connecting) = &self.state {
            self.timings = connecting.progress.borrow().timings;
        }
    }

    fn failed(&mut self, failure: Failure) {
        self.log.lifecycle(Tone::Bad, &failure.message);
        let next = self.policy.failed(failure.kind, self.auto_reconnect());
        self.leave();
        self.after_trouble(next, Arc::new(failure));
    }

    fn lost(&mut self, failure: &Arc<Failure>) {
        self.log.lifecycle(Tone::Bad, &failure.message);
        let next = self.policy.lost(self.started.elapsed(), failure.kind, self.auto_reconnect());
        self.leave();
        // Its tools are still those it will have when it comes back.
        self.after_trouble(next, failure.clone());
    }

    fn after_trouble(&mut self, next: Next, failure: Arc<Failure>) {
        let state = match next {
            Next::Retry { attempt, after } => {
                self.log.lifecycle(Tone::Wait, &format!("Trying again in {}", spoken(after)));
                State::Retrying {
                    attempt,
                    at: SystemTime::now() + after,
                    until: Instant::now() + after,
                    failure,
                }
            }
            Next::SignIn => State::NeedsSignIn { message: failure.message.clone() },
            Next::GiveUp => State::Failed(failure),
            Next::Breaker => {
                self.log
                    .lifecycle(Tone::Bad, "It ends again and again; not tried again until you reconnect it");
                State::Failed(failure)
            }
        };
        self.become_state(state);
    }

    fn list_again(&mut self) {
        if let State::Ready(ready) = &mut self.state {
            let peer = ready.session.peer();
            ready.listing = Some(
                async move {
                    tokio::time::sleep(SETTLE).await;
                    peer.list_tools().await
                }
                .boxed(),
            );
        }
    }

    fn listed(&mut self, listed: Result<crate::client::Listing, Failure>) {
        match listed {
            Ok(listing) => {
                self.latency = Some(listing.round_trip);
                if let Some(warning) = &listing.warning {
                    self.log.lifecycle(Tone::Wait, warning);
                }
                if *self.tools != listing.tools {
                    let count = counted(listing.tools.len());
                    self.log.lifecycle(Tone::Neutral, &format!("Its tools changed: {count}"));
                    self.take_tools(listing.tools);
                }
                self.publish();
            }
            // If the session is lost, it tells so itself.
            Err(failure) => {
                let text = format!("The changed tools could not be read: {}", failure.message);
                self.log.lifecycle(Tone::Bad, &text);
            }
        }
    }

    fn ping(&mut self) {
        let wanted = self.deps.ping.load(Ordering::Relaxed);
        if let State::Ready(ready) = &mut self.state {
            ready.next_ping = Some(Instant::now() + PING_EVERY);
            if wanted {
                let peer = ready.session.peer();
                ready.pinging = Some(async move { peer.ping().await }.boxed());
            }
        }
    }

    fn pinged(&mut self, pinged: Result<Option<Duration>, Failure>) {
        let State::Ready(ready) = &mut self.state else { return };
        match pinged {
            Ok(took) => {
                ready.failed_pings = 0;
                if took.is_some() {
                    self.latency = took;
                }
                self.publish();
            }
            Err(failure) => {
                ready.failed_pings += 1;
                if ready.failed_pings >= LOST_AFTER_PINGS {
                    self.lost(&Arc::new(failure));
                }
            }
        }
    }

    /// Tools of a session: published, and remembered for the next time.
    fn take_tools(&mut self, tools: Vec<ToolInfo>) {
        self.tools = Arc::new(tools);
        self.live = true;
        self.publish_tools();
        if let Some(cache) = self.deps.cache.clone() {
            let (definition, era, tools) = (self.definition.clone(), self.era, self.tools.clone());
            self.deps.tracker.spawn_blocking(move || {
                let known = Known { tools: tools.to_vec(), era };
                cache.write(&definition.name, &definition.hash, &known);
            });
        }
    }

    fn become_state(&mut self, state: State) {
        self.state = state;
        self.publish();
    }

    fn auto_reconnect(&self) -> bool {
        self.deps.auto_reconnect.load(Ordering::Relaxed)
    }

    fn publish_tools(&self) {
        let changed = self.outlets.tools.send_if_modified(|tools| {
            let differ = *tools != self.tools;
            *tools = self.tools.clone();
            differ
        });
        if changed {
            self.deps.changes.mark(&self.definition.id, What { tools: true, ..What::default() });
        }
    }

    /// The one place.
    fn publish(&self) {
        let known = self.live || !self.tools.is_empty();
        let timings = match &self.state {
            State::Connecting(connecting) => connecting.progress.borrow().timings,
            _ => self.timings,
        };
        let mut status = ServerStatus {
            phase: self.state.phase(),
            since: SystemTime::now(),
            tools: known.then_some(self.tools.len()),
            tools_cached: known && !self.live,
            latency_ms: self.latency.map(|took| u32::try_from(took.as_millis()).unwrap_or(u32::MAX)),
            timings,
            connects: self.connects,
            lazy: self.deps.rests(&self.definition.name).is_some(),
        };
        let changed = self.outlets.status.send_if_modified(|told| {
            if std::mem::discriminant(&told.phase) == std::mem::discriminant(&status.phase) {
                status.since = told.since;
            }
            let differs = **told != status;
            if differs {
                *told = Arc::new(status);
            }
            differs
        });
        if changed {
            self.deps.changes.mark(&self.definition.id, What { status: true, ..What::default() });
        }
    }
}

/// One attempt, with everything it needs to be on its own.
struct Attempt {
    definition: Arc<Definition>,
    project: Option<Arc<PathBuf>>,
    deps: RuntimeDeps,
    log: ServerLog,
    era: Era,
    fresh: bool,
    stages: Stages,
    after: Vec<JoinHandle<()>>,
}

impl Attempt {
    async fn run(mut self) -> Outcome {
        let outcome = self.make().await;
        self.stages.finish();
        outcome
    }

    async fn make(&mut self) -> Outcome {
        for closing in std::mem::take(&mut self.after) {
            let _ = closing.await;
        }
        let started = Instant::now();
        let resolving = self.deps.resolver.resolve(&self.definition, self.fresh);
        let server = match tokio::time::timeout(RESOLVE_TIMEOUT, resolving).await {
            Ok(server) => server?,
            Err(_) => {
                let message = "Its variables and commands could not be evaluated in time";
                return Err(Failure::new(FailureKind::Config, message));
            }
        };
        let deps = ConnectDeps {
            http: self.deps.http.clone(),
            guard: self.deps.guard.clone(),
            tracker: self.deps.tracker.clone(),
            log: self.log.clone(),
            project: self.project.clone(),
        };
        let stages = &self.stages;
        let waiting = Instant::now();
        let permit = Mutex::new(self.permit(&server).await?);
        stages.enter(Stage::Starting);
        let waited = waiting.elapsed();
        let release = || drop(permit.lock().unwrap_or_else(PoisonError::into_inner).take());
        // A process that runs has no need of its permit any more, whatever it does or fails to do from here on.
        let tell = |next| {
            if next != Stage::Starting {
                release();
            }
            stages.enter(next);
        };
        let connecting = async {
            let session = Box::pin(connect(&server, self.era, &deps, &tell)).await?;
            tell(Stage::ListingTools);
            match session.list_tools().await {
                Ok(listing) => {
                    let took = started.elapsed().saturating_sub(waited);
                    Ok(Connected { session, listing, took })
                }
                Err(failure) => {
                    let failure = without_tools(&session, failure).await;
                    session.close().await;
                    Err(failure)
                }
            }
        };
        let mut connecting = std::pin::pin!(connecting);
        tokio::select! {
            outcome = &mut connecting => return outcome,
            () = tokio::time::sleep(START_PERMIT) => release(),
        }
        connecting.await
    }

    /// The permit to start a process, for servers that have one. What cannot be started at all does not wait for it.
    async fn permit(&self, server: &ResolvedServer) -> Result<Option<OwnedSemaphorePermit>, Failure> {
        let starts = &self.deps.starts;
        match &server.transport {
            ResolvedTransport::Http { .. } => Ok(None),
            ResolvedTransport::Stdio { .. } => match starts.clone().try_acquire_owned() {
                Ok(permit) => Ok(Some(permit)),
                Err(_) => {
                    self.stages.enter(Stage::Queued);
                    self.log.add_secrets(&server.secrets);
                    StdioTransport::check(&server.transport, &self.deps.tracker)
                        .await
                        .map_err(|failure| self.log.masked_failure(failure))?;
                    // An error would be a closed semaphore, and nobody closes it.
                    Ok(starts.clone().acquire_owned().await.ok())
                }
            },
        }
    }
}

/// Why there are no tools. The end of the session, if it has ended, explains more than the request that was lost by it.
async fn without_tools(session: &Session, failure: Failure) -> Failure {
    match failure.kind {
        FailureKind::SignIn => failure,
        FailureKind::Exited => session.ended().await.as_ref().clone(),
        FailureKind::NotFound
        | FailureKind::Permission
        | FailureKind::Refused
        | FailureKind::Unreachable
        | FailureKind::Timeout
        | FailureKind::Forbidden
        | FailureKind::Http(_)
        | FailureKind::Tls
        | FailureKind::Protocol
        | FailureKind::ListTools
        | FailureKind::Config => Failure {
            kind: FailureKind::ListTools,
            message: format!("The list of tools failed: {}", failure.message),
            ..failure
        },
    }
}

fn counted(tools: usize) -> String {
    if tools == 1 { "1 tool".to_owned() } else { format!("{tools} tools") }
}

fn spoken(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else if time < Duration::from_secs(10) {
        format!("{:.1} s", time.as_secs_f32())
    } else {
        format!("{} s", time.as_secs())
    }
}
