//! All in one call, for programs that use this crate as a library: connect everything, wait a little, and answer with
//! what there is. What comes later is told by [`Engine::subscribe`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use jackfield_config::{Entry, Judgement, ServerId};

use super::index::IndexedTool;
use super::{Engine, EngineError, Options};
use crate::resolve::{ResolvedTransport, Secret};
use crate::server::{Resolve as _, ServerHandle};
use crate::status::{Phase, SessionInfo};
use crate::tools::call::CallError;

/// So long is waited for all servers before the answer; those that are known from the last time hold up nobody.
pub const GATE: Duration = Duration::from_millis(250);
/// Under this path stands what went wrong with the configuration as a whole.
const WHOLE: &str = ".mcp.json";

/// What there is, a moment after the start.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Of connected servers, and of those that are still connecting as they were the last time: a call of such a
    /// deferred tool waits for its server.
    pub tools: Vec<IndexedTool>,
    /// What went wrong: by `mcp:<name>` for a server, by `.mcp.json` for everything.
    pub errors: BTreeMap<String, String>,
    /// Names, in the order of priority.
    pub connected: Vec<String>,
    /// Keys for Exa of servers that are set apart because agents have it built in.
    pub exa_api_keys: Vec<Secret>,
}

/// Starts an engine, connects everything, and tells what there is.
pub async fn discover_mcp_servers(options: Options, wait_for_uncached: bool) -> (Option<Engine>, Gathered) {
    let whole = |error: EngineError| Gathered {
        errors: BTreeMap::from([(WHOLE.to_owned(), error.to_string())]),
        ..Gathered::default()
    };
    match Engine::start(options).await {
        Ok(engine) => match engine.gather(wait_for_uncached).await {
            Ok(gathered) => (Some(engine), gathered),
            Err(error) => (None, whole(error)),
        },
        Err(error) => (None, whole(error)),
    }
}

/// Until a server that was asked to connect is up, or will not be, or waits for its next attempt.
async fn decided(server: &ServerHandle) {
    let pending = |phase: &Phase| matches!(phase, Phase::Idle | Phase::Connecting { .. });
    // An error means that its task has ended.
    let _ = server.status().wait_for(|status| !pending(&status.phase)).await;
}

impl Engine {
    /// Connects every server that may run, waits until all have settled or [`GATE`] is over, and tells what there is.
    /// With `wait_for_uncached`, servers whose tools nobody knows are waited for, at most their own timeouts.
    ///
    /// # Errors
    /// If the engine has ended. What went wrong with a server is in the answer.
    pub async fn gather(&self, wait_for_uncached: bool) -> Result<Gathered, EngineError> {
        self.connect_all().await?;
        let servers = self.servers();
        // Before anything is said of a server, what is known from the last time belongs to it.
        join_all(servers.values().map(ServerHandle::remembered)).await;
        // Over or not: who has not settled is looked at below.
        let _ = tokio::time::timeout(GATE, join_all(servers.values().map(decided))).await;
        if wait_for_uncached {
            let unknown = servers.values().filter(|server| server.tools().borrow().is_empty());
            join_all(unknown.map(decided)).await;
        }
        Ok(self.gathered().await)
    }

    async fn gathered(&self) -> Gathered {
        let catalog = self.catalog();
        let mut gathered = Gathered::default();
        let mut counts: Vec<ServerId> = Vec::new();
        for entry in &catalog.entries {
            let definition = &entry.definition;
            let mut failed = |message: String| {
                gathered.errors.entry(format!("mcp:{}", definition.name)).or_insert(message);
            };
            match entry.judgement {
                Judgement::Run => {}
                Judgement::Invalid => {
                    failed(format!("Invalid server config: {}", definition.problems.join("; ")));
                    continue;
                }
                Judgement::Filtered => {
                    gathered.exa_api_keys.extend(self.exa_key(entry).await);
                    continue;
                }
                _ => continue,
            }
            let Some(server) = self.server(&definition.id) else { continue };
            match &server.status().borrow().phase {
                Phase::Ready(_) => {
                    gathered.connected.push(definition.name.clone());
                    counts.push(definition.id.clone());
                }
                // Deferred, if anything is known of it.
                Phase::Connecting { .. } | Phase::Idle => counts.push(definition.id.clone()),
                Phase::Failed(failure) | Phase::Retrying { failure, .. } => failed(failure.message.clone()),
                Phase::NeedsSignIn { message } => failed(message.clone()),
                Phase::Stopped => {}
            }
        }
        gathered.tools = self.tools().iter().filter(|tool| counts.contains(&tool.server)).cloned().collect();
        gathered
    }

    /// The key that an Exa server would have been sent.
    async fn exa_key(&self, entry: &Entry) -> Option<Secret> {
        let resolved = self.resolver().resolve(&entry.definition, false).await.ok()?;
        let in_text = |text: &str| {
            let rest = text.split_once("exaApiKey=")?.1;
            let key: String =
                rest.chars().take_while(|c| !c.is_whitespace() && !"&#\"'".contains(*c)).collect();
            (!key.is_empty()).then(|| Secret::new(key))
        };
        match &resolved.transport {
            ResolvedTransport::Http { url, .. } => in_text(url),
            ResolvedTransport::Stdio { args, env, .. } => {
                let own = args.iter().find_map(|arg| in_text(arg));
                own.or_else(|| env.get("EXA_API_KEY").filter(|key| !key.expose().is_empty()).cloned())
            }
        }
    }

    /// Waits until a server is connected.
    ///
    /// # Errors
    /// If there is none that runs, or it fails, or nobody has asked it to connect.
    pub async fn wait_for_connection(&self, id: &ServerId) -> Result<Arc<SessionInfo>, CallError> {
        let server = self.server(id).ok_or(CallError::NotConnected)?;
        match &server.settled().await.phase {
            Phase::Ready(session) => Ok(session.clone()),
            Phase::Failed(failure) | Phase::Retrying { failure, .. } => {
                Err(CallError::Failed(failure.as_ref().clone()))
            }
            Phase::Idle | Phase::Connecting { .. } | Phase::NeedsSignIn { .. } | Phase::Stopped => {
                Err(CallError::NotConnected)
            }
        }
    }
}
