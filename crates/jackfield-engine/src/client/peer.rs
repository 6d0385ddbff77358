//! The calling side of a session: a handle that many callers share.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientRequest,
    ErrorCode, InputRequest, InputRequiredResult, JsonObject, ListToolsRequest, PaginatedRequestParams,
    PingRequest, RequestId, ServerNotification, ServerResult, SubscriptionFilter,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::Value;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::handler::{Waiters, roots};
use crate::log::ServerLog;
use crate::status::{Failure, FailureKind};
use crate::tools::ToolInfo;
use crate::tools::call::{CallError, CallOptions, ToolResult};
use crate::transport::failure;

/// More pages, or more tools, than this are not read.
const MAX_PAGES: usize = 1_000;
const MAX_TOOLS: usize = 50_000;
/// For a listing as a whole.
const LIST_TIMEOUT: Duration = Duration::from_secs(120);
const PING_TIMEOUT: Duration = Duration::from_secs(10);
/// However much progress there is.
const LONGEST_CALL: Duration = Duration::from_secs(6 * 60 * 60);
/// For telling the server that nobody waits any more.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);
/// So often a server may ask back before it answers a call.
const MAX_ROUNDS: usize = 5;

/// All tools of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    pub tools: Vec<ToolInfo>,
    /// Why it is not all, in plain words.
    pub warning: Option<String>,
    /// The time of the first page.
    pub round_trip: Duration,
}

/// A session, for those who call. A clone is another handle to the same session.
#[derive(Debug, Clone)]
pub struct SessionPeer {
    peer: Peer<RoleClient>,
    waiters: Waiters,
    timeout: Duration,
    whom: Arc<str>,
    project: Option<Arc<PathBuf>>,
    /// Knows which values are secret.
    log: ServerLog,
}

impl SessionPeer {
    pub(super) fn new(
        peer: Peer<RoleClient>,
        waiters: Waiters,
        timeout: Duration,
        whom: &str,
        project: Option<Arc<PathBuf>>,
        log: ServerLog,
    ) -> SessionPeer {
        SessionPeer { peer, waiters, timeout, whom: Arc::from(whom), project, log }
    }

    /// What a failed request means, without secrets that the server said.
    fn failure_of(&self, error: &ServiceError) -> Failure {
        self.log.masked_failure(failure::of_request(error, &self.whom))
    }

    /// rmcp's own handle, for what is not wrapped here.
    pub fn raw(&self) -> &Peer<RoleClient> {
        &self.peer
    }

    /// Whether the session has ended.
    pub fn is_closed(&self) -> bool {
        self.peer.is_transport_closed()
    }

    /// All tools, to the last page. A server that never comes to one keeps those it has given so far.
    pub async fn list_tools(&self) -> Result<Listing, Failure> {
        match tokio::time::timeout(LIST_TIMEOUT, self.pages()).await {
            Ok(listing) => listing,
            Err(_) => Err(failure::timed_out(LIST_TIMEOUT)),
        }
    }

    async fn pages(&self) -> Result<Listing, Failure> {
        let mut tools: Vec<ToolInfo> = Vec::new();
        let mut names: HashSet<String> = HashSet::new();
        let mut cursors: HashSet<String> = HashSet::new();
        let mut cursor: Option<String> = None;
        let mut round_trip = None;
        let started = Instant::now();
        for _ in 0..MAX_PAGES {
            let page = match self.page(cursor.take()).await {
                // It never said that it has tools, and it has none.
                Err(ServiceError::McpError(error))
                    if error.code == ErrorCode::METHOD_NOT_FOUND && !self.declares_tools() =>
                {
                    Value::Null
                }
                Err(error) => return Err(self.failure_of(&error)),
                Ok(page) => page,
            };
            round_trip.get_or_insert_with(|| started.elapsed());
            let done =
                |tools, warning| Ok(Listing { tools, warning, round_trip: round_trip.unwrap_or_default() });
            for tool in page.get("tools").and_then(Value::as_array).into_iter().flatten() {
                let Some(mut tool) = ToolInfo::from_json(tool) else { continue };
                tool.mask(&self.log);
                if names.insert(tool.name.clone()) {
                    tools.push(tool);
                }
                if tools.len() >= MAX_TOOLS {
                    let warning = format!("More than {MAX_TOOLS} tools; the rest is not shown");
                    return done(tools, Some(warning));
                }
            }
            match page.get("nextCursor").and_then(Value::as_str) {
                None => return done(tools, None),
                Some(next) if !cursors.insert(next.to_owned()) => {
                    let warning = "Gave the same page of tools again; the list may be incomplete".to_owned();
                    return done(tools, Some(warning));
                }
                Some(next) => cursor = Some(next.to_owned()),
            }
        }
        let warning = format!("More than {MAX_PAGES} pages of tools; the rest is not shown");
        Ok(Listing { tools, warning: Some(warning), round_trip: round_trip.unwrap_or_default() })
    }

    /// One page as JSON. rmcp decodes it by type first and what does not fit arrives as it was sent.
    async fn page(&self, cursor: Option<String>) -> Result<Value, ServiceError> {
        let request = match cursor {
            Some(cursor) => {
                ListToolsRequest::with_param(PaginatedRequestParams::default().with_cursor(Some(cursor)))
            }
            None => ListToolsRequest::default(),
        };
        let options = PeerRequestOptions::with_timeout(self.timeout);
        let sent =
            self.peer.send_cancellable_request(ClientRequest::ListToolsRequest(request), options).await?;
        let guard = Abandoned::new(&self.peer, &sent.id);
        let result = sent.await_response().await;
        guard.disarm();
        match result? {
            ServerResult::ListToolsResult(list) => {
                serde_json::to_value(list).map_err(|_| ServiceError::UnexpectedResponse)
            }
            ServerResult::CustomResult(list) if list.0.get("tools").is_some_and(Value::is_array) => {
                Ok(list.0)
            }
            ServerResult::EmptyResult(_) => Ok(Value::Null),
            _ => Err(ServiceError::UnexpectedResponse),
        }
    }

    fn declares_tools(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| info.capabilities.tools.is_some())
    }

    /// Calls a tool by the server's own name for it.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
        options: CallOptions,
    ) -> Result<ToolResult, CallError> {
        let mut params = CallToolRequestParams::new(name.to_owned());
        if let Some(arguments) = arguments {
            params = params.with_arguments(arguments);
        }
        for _ in 0..MAX_ROUNDS {
            match self.call_once(params.clone(), &options).await? {
                ServerResult::CallToolResult(result) => return value_of(&result),
                // A kind of content that rmcp does not know, for example.
                ServerResult::CustomResult(result) if result.0.is_object() => {
                    return Ok(ToolResult::new(result.0));
                }
                ServerResult::EmptyResult(_) => return value_of(&serde_json::json!({ "content": [] })),
                ServerResult::InputRequiredResult(asked) => {
                    params = self.answered(params, asked)?;
                }
                // Results are told apart by their shape; whatever this looked like, it answered a call.
                other => return value_of(&other),
            }
        }
        Err(CallError::NeedsInput("The server asks back again and again".to_owned()))
    }

    async fn call_once(
        &self,
        params: CallToolRequestParams,
        options: &CallOptions,
    ) -> Result<ServerResult, CallError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let how = PeerRequestOptions::with_timeout(options.timeout.unwrap_or(self.timeout))
            .reset_timeout_on_progress()
            .with_max_total_timeout(LONGEST_CALL);
        let sending = self.peer.send_cancellable_request(request, how);
        let sent = tokio::select! {
            sent = sending => sent.map_err(|_| CallError::Closed { sent: false })?,
            () = options.cancel.cancelled() => return Err(CallError::Cancelled),
        };
        let _waiting = options.progress.clone().map(|to| self.waiters.add(sent.progress_token.clone(), to));
        let guard = Abandoned::new(&self.peer, &sent.id);
        tokio::select! {
            result = sent.await_response() => {
                guard.disarm();
                result.map_err(|error| self.call_error(error))
            }
            // The guard tells the server.
            () = options.cancel.cancelled() => Err(CallError::Cancelled),
        }
    }

    fn call_error(&self, error: ServiceError) -> CallError {
        match error {
            ServiceError::McpError(error) => CallError::Refused {
                code: error.code.0,
                message: self.log.masked(&error.message),
                data: error.data,
            },
            ServiceError::TransportClosed => CallError::Closed { sent: true },
            ServiceError::Cancelled { .. } => CallError::Cancelled,
            error => {
                let failure = self.failure_of(&error);
                // Broken off in the middle; whether the server has seen the call is not known.
                if matches!(failure.kind, FailureKind::Exited | FailureKind::Unreachable) {
                    CallError::Closed { sent: true }
                } else {
                    CallError::Failed(failure)
                }
            }
        }
    }

    /// The same call again, with answers to what the server asked. There is no user to ask, so questions are declined.
    fn answered(
        &self,
        params: CallToolRequestParams,
        asked: InputRequiredResult,
    ) -> Result<CallToolRequestParams, CallError> {
        let mut answers = BTreeMap::new();
        for (key, request) in asked.input_requests.unwrap_or_default() {
            let answer = match request {
                InputRequest::Elicitation(_) => serde_json::json!({ "action": "decline" }),
                InputRequest::ListRoots(_) => {
                    serde_json::to_value(roots(self.project.as_deref())).unwrap_or_default()
                }
                _ => {
                    let why = "The server asks for sampling, and there is no model here".to_owned();
                    return Err(CallError::NeedsInput(why));
                }
            };
            answers.insert(key, answer);
        }
        let mut params = params.with_input_responses(answers);
        params.request_state = asked.request_state;
        Ok(params)
    }

    /// The time of the smallest exchange there is. Servers of the newer protocol know none; for them `None`.
    pub async fn ping(&self) -> Result<Option<Duration>, Failure> {
        if self.peer.peer_info().is_none_or(|info| !info.protocol_version.has_initialize()) {
            return Ok(None);
        }
        let started = Instant::now();
        let options = PeerRequestOptions::with_timeout(PING_TIMEOUT);
        let request = ClientRequest::PingRequest(PingRequest::default());
        let answer = match self.peer.send_cancellable_request(request, options).await {
            Ok(sent) => sent.await_response().await,
            Err(error) => Err(error),
        };
        match answer {
            // A server that does not know `ping` has answered all the same.
            Ok(_) | Err(ServiceError::McpError(_)) => Ok(Some(started.elapsed())),
            Err(error) => Err(self.failure_of(&error)),
        }
    }

    /// Follows the changes of tools until the subscription ends; an error if the server grants none.
    pub(super) async fn follow_tools(&self, changed: &Notify) -> Result<(), ServiceError> {
        let mut filter = SubscriptionFilter::default();
        filter.tools_list_changed = Some(true);
        let mut subscription = self.peer.listen(filter).await?;
        while let Some(notification) = subscription.next().await? {
            if matches!(notification, ServerNotification::ToolListChangedNotification(_)) {
                changed.notify_one();
            }
        }
        Ok(())
    }
}

fn value_of(result: &impl serde::Serialize) -> Result<ToolResult, CallError> {
    match serde_json::to_value(result) {
        Ok(value) => Ok(ToolResult::new(value)),
        Err(error) => Err(CallError::Failed(Failure::new(
            FailureKind::Protocol,
            format!("The result cannot be read: {error}"),
        ))),
    }
}

/// Tells the server when nobody waits for an answer any more, unless it is disarmed.
struct Abandoned {
    told: Option<(Peer<RoleClient>, RequestId)>,
}

impl Abandoned {
    fn new(peer: &Peer<RoleClient>, id: &RequestId) -> Abandoned {
        Abandoned { told: Some((peer.clone(), id.clone())) }
    }

    fn disarm(mut self) {
        self.told = None;
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        let Some((peer, id)) = self.told.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let params = CancelledNotificationParam::new(Some(id), Some("no longer needed".to_owned()));
        // Bounded, so it needs no owner.
        runtime.spawn(async move {
            let told = peer.send_notification(CancelledNotification::new(params).into());
            let _ = tokio::time::timeout(CANCEL_TIMEOUT, told).await;
        });
    }
}
