//! The set of running servers: what is desired against what is there.
//!
//! Owns the tasks of all servers. A plain value, owned by the engine's task; nobody else changes the set.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use jackfield_config::settings::Lazy;
use jackfield_config::{Definition, ServerId};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::server::{Begin, RuntimeDeps, ServerHandle, Spawn};
use crate::status::Phase;

/// A server that is to have a task.
#[derive(Debug, Clone)]
pub struct Desired {
    pub definition: Arc<Definition>,
    /// The project it runs for.
    pub project: Option<Arc<PathBuf>>,
    /// Whether a task that begins connects at once.
    pub connect: Wish,
}

/// Whether a server is to be connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    No,
    Yes,
    /// Only to learn its tools, if they are not known from the last time.
    IfUnknown,
}

/// What changed about a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct What {
    pub status: bool,
    pub tools: bool,
    pub log: bool,
}

/// Changes of all servers, coalesced: however much happens, there is one entry per server. A clone is another handle.
#[derive(Debug, Clone, Default)]
pub struct Changes(Arc<(Mutex<BTreeMap<ServerId, What>>, Notify)>);

impl Changes {
    pub(crate) fn mark(&self, id: &ServerId, what: What) {
        {
            let mut dirty = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
            match dirty.get_mut(id) {
                Some(known) => {
                    known.status |= what.status;
                    known.tools |= what.tools;
                    known.log |= what.log;
                }
                None => {
                    dirty.insert(id.clone(), what);
                }
            }
        }
        self.0.1.notify_one();
    }

    /// Waits for changes and takes them. For one listener; may be dropped and called again without loss.
    pub async fn next(&self) -> Vec<(ServerId, What)> {
        loop {
            let told = self.0.1.notified();
            let dirty = std::mem::take(&mut *self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
            if !dirty.is_empty() {
                return dirty.into_iter().collect();
            }
            told.await;
        }
    }
}

/// The running servers.
#[derive(Debug)]
pub struct Supervisor {
    deps: RuntimeDeps,
    servers: HashMap<ServerId, ServerHandle>,
}

impl Supervisor {
    pub fn new(deps: RuntimeDeps) -> Supervisor {
        Supervisor { deps, servers: HashMap::new() }
    }

    /// Starts, stops and restarts exactly what differs: a server is another one when its definition or its project
    /// is. Returns at once; what is to be closed is closed in the background, and its successor waits for that.
    ///
    /// A successor goes on as its predecessor was: stopped by the user, or connected, or neither.
    pub fn reconcile(&mut self, desired: Vec<Desired>) {
        let mut before = std::mem::take(&mut self.servers);
        for Desired { definition, project, connect } in desired {
            let id = definition.id.clone();
            if self.servers.contains_key(&id) {
                continue;
            }
            let begin = match connect {
                Wish::No => Begin::Idle,
                Wish::Yes => Begin::Connect,
                Wish::IfUnknown => Begin::ConnectIfUnknown,
            };
            let handle = match before.remove(&id) {
                Some(old)
                    if old.definition().hash == definition.hash && old.project() == project.as_ref() =>
                {
                    old
                }
                Some(old) => {
                    let begin = match &old.status().borrow().phase {
                        Phase::Idle => begin,
                        Phase::Stopped => Begin::Stopped,
                        Phase::Connecting { .. }
                        | Phase::Ready(_)
                        | Phase::NeedsSignIn { .. }
                        | Phase::Retrying { .. }
                        | Phase::Failed(_) => Begin::Connect,
                    };
                    let log = Some(old.log().clone());
                    let after = Some(self.close_later(old));
                    ServerHandle::spawn(Spawn { definition, project, begin, log, after }, &self.deps)
                }
                None => {
                    let spawn = Spawn { definition, project, begin, log: None, after: None };
                    ServerHandle::spawn(spawn, &self.deps)
                }
            };
            self.servers.insert(id, handle);
        }
        for (_, gone) in before {
            self.close_later(gone);
        }
    }

    /// A task for a definition that is not one of the set.
    pub fn try_out(&self, definition: Arc<Definition>, project: Option<Arc<PathBuf>>) -> ServerHandle {
        ServerHandle::spawn(
            Spawn { definition, project, begin: Begin::Idle, log: None, after: None },
            &self.deps,
        )
    }

    pub fn get(&self, id: &ServerId) -> Option<&ServerHandle> {
        self.servers.get(id)
    }

    pub fn all(&self) -> &HashMap<ServerId, ServerHandle> {
        &self.servers
    }

    /// Changes of status, tools and logs.
    pub fn changes(&self) -> Changes {
        self.deps.changes.clone()
    }

    pub fn set_auto_reconnect(&self, on: bool) {
        self.deps.auto_reconnect.store(on, Ordering::Relaxed);
    }

    /// Which servers are lazy from now on.
    pub fn set_lazy(&self, lazy: &Lazy) {
        let mut now = self.deps.lazy.write().unwrap_or_else(PoisonError::into_inner);
        if *now != *lazy {
            now.clone_from(lazy);
            drop(now);
            self.servers.values().for_each(ServerHandle::look_again);
        }
    }

    pub fn set_ping(&self, on: bool) {
        self.deps.ping.store(on, Ordering::Relaxed);
    }

    /// Closes all servers together and waits for them, at most `deadline`. The supervisor can be used again.
    pub async fn close_all(&mut self, deadline: Duration) {
        let servers = std::mem::take(&mut self.servers);
        let closing = async {
            join_all(servers.values().map(ServerHandle::close)).await;
            self.deps.tracker.close();
            self.deps.tracker.wait().await;
        };
        if tokio::time::timeout(deadline, closing).await.is_err() {
            tracing::warn!("not all servers have ended in time");
        }
        self.deps.tracker.reopen();
    }

    fn close_later(&self, server: ServerHandle) -> JoinHandle<()> {
        self.deps.tracker.spawn(async move { server.close().await })
    }
}
