//! HTTP+SSE, the transport of 2024-11-05: one stream for everything the server says, one POST for each message of
//! ours. rmcp has no client for it any more.

use std::collections::HashMap;
use std::sync::Arc;

use ::http::header::ACCEPT;
use ::http::{HeaderName, HeaderValue};
use futures::StreamExt as _;
use rmcp::RoleClient;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use url::Url;

use super::http::{self, HttpClients, HttpError};
use super::{Ending, MAX_MESSAGE};
use crate::log::{LogKind, ServerLog, Tone};
use crate::status::{Failure, FailureKind};

/// Messages received and not yet taken.
const QUEUE: usize = 64;
/// For a POST to be taken; the answer comes on the stream.
const POST_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);

/// What can go wrong on this wire.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SseClientError {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("the server does not answer with an event stream")]
    NotSse,
    #[error("the event stream names no endpoint")]
    NoEndpoint,
    #[error("the event stream names an endpoint on another origin")]
    CrossOrigin,
    #[error("the event stream names an endpoint that is not a url")]
    Url(#[from] url::ParseError),
    #[error("the connection was closed")]
    Closed,
}

impl SseClientError {
    /// Whether it says that the server does not speak this transport.
    pub(crate) fn is_other_transport(&self) -> bool {
        match self {
            SseClientError::Http(HttpError::Status { status, .. }) => matches!(status, 400 | 404 | 405 | 406),
            SseClientError::NotSse | SseClientError::NoEndpoint => true,
            SseClientError::Http(_)
            | SseClientError::CrossOrigin
            | SseClientError::Url(_)
            | SseClientError::Closed => false,
        }
    }
}

/// The wire to one server.
#[derive(Debug)]
pub struct SseTransport {
    http: reqwest::Client,
    endpoint: Arc<Url>,
    headers: Arc<HashMap<HeaderName, HeaderValue>>,
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

impl SseTransport {
    /// Opens the stream and waits for the endpoint. Bounded by the caller.
    pub(crate) async fn connect(
        clients: &HttpClients,
        url: &Url,
        headers: HashMap<HeaderName, HeaderValue>,
        log: &ServerLog,
        ending: &Ending,
        tracker: &TaskTracker,
    ) -> Result<SseTransport, SseClientError> {
        let http = clients.for_url(url).map_err(|_| SseClientError::Closed)?;
        let mut request = http.get(url.clone()).header(ACCEPT, HeaderValue::from_static("text/event-stream"));
        for (name, value) in &headers {
            request = request.header(name, value);
        }
        let response = request.send().await.map_err(HttpError::from)?;
        if !response.status().is_success() {
            return Err(SseClientError::Http(status(&response)));
        }
        let kind = response.headers().get(::http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")) {
            return Err(SseClientError::NotSse);
        }
        let mut events = http::events(response, MAX_MESSAGE);
        let endpoint = loop {
            match events.next().await {
                Some(Ok(event)) if event.event.as_deref() == Some("endpoint") => {
                    let endpoint = url.join(event.data.as_deref().unwrap_or("").trim())?;
                    if endpoint.origin() != url.origin() {
                        return Err(SseClientError::CrossOrigin);
                    }
                    break endpoint;
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(SseClientError::NoEndpoint),
            }
        };
        let stop = CancellationToken::new();
        let (received, incoming) = mpsc::channel(QUEUE);
        let (log, ending, stopped) = (log.clone(), ending.clone(), stop.clone());
        tracker.spawn(async move {
            let reading = async {
                while let Some(Ok(event)) = events.next().await {
                    let Some(data) = event.data else { continue };
                    if event.event.as_deref().is_some_and(|name| name != "message") {
                        continue;
                    }
                    match serde_json::from_str::<ServerJsonRpcMessage>(&data) {
                        Ok(message) => {
                            if received.send(message).await.is_err() {
                                break;
                            }
                        }
                        Err(_) => log.push(LogKind::Stdout, Tone::Neutral, &data),
                    }
                }
            };
            tokio::select! {
                () = reading => {}
                () = stopped.cancelled() => {}
            }
            ending.tell(Failure::new(FailureKind::Exited, "The event stream was closed"));
        });
        Ok(SseTransport {
            http,
            endpoint: Arc::new(endpoint),
            headers: Arc::new(headers),
            incoming,
            _stop_on_drop: stop.clone().drop_guard(),
            stop,
        })
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = SseClientError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SseClientError>> + Send + 'static {
        let (http, endpoint, headers) = (self.http.clone(), self.endpoint.clone(), self.headers.clone());
        async move {
            let mut request = http.post(endpoint.as_ref().clone()).json(&message).timeout(POST_TIMEOUT);
            for (name, value) in headers.iter() {
                request = request.header(name, value);
            }
            let response = request.send().await.map_err(HttpError::from)?;
            if response.status().is_success() { Ok(()) } else { Err(SseClientError::Http(status(&response))) }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), SseClientError> {
        self.stop.cancel();
        Ok(())
    }
}

fn status(response: &reqwest::Response) -> HttpError {
    HttpError::Status { status: response.status().as_u16(), said: String::new() }
}
