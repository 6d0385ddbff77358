//! Streamable HTTP, by rmcp's worker over a client of our own.
//!
//! The client is our own because rmcp's loses what we need: errors without an id reach nobody, a 401 or 403 without a
//! challenge is text, a lost session answered by 400 is not seen as lost, and a server that went away is not noticed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use ::http::{HeaderName, HeaderValue, StatusCode};
use futures::StreamExt as _;
use futures::stream::BoxStream;
use jackfield_config::HttpProtocol;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::{Sse, SseStream};
use tokio::time::timeout;
use url::Url;

use super::{Ending, MAX_MESSAGE};
use crate::resolve::Secret;
use crate::status::{Failure, FailureKind, LeftOut};

/// For the connection alone; an answer may take longer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// For telling the server that a session is over.
const DELETE_TIMEOUT: Duration = Duration::from_secs(2);
const KEEP_ALIVE: Duration = Duration::from_secs(30);
const REDIRECTS: usize = 5;
/// The stream from the server is opened again after a break, so often and so fast.
const STREAM_RETRIES: usize = 4;
const STREAM_RETRY_FIRST: Duration = Duration::from_millis(500);
const STREAM_RETRY_LONGEST: Duration = Duration::from_secs(5);
/// Of an error's body, what is read and what is shown.
const ERROR_BODY: usize = 64 * 1024;
const ERROR_SHOWN: usize = 200;

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

/// Headers that belong to the protocol, and not to whoever configures a server.
const RESERVED: &[&str] = &[
    "accept",
    "connection",
    "content-length",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

/// An HTTP exchange that went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    #[error("the request failed")]
    Request(#[from] reqwest::Error),
    #[error("HTTP {status}")]
    Status {
        status: u16,
        /// What the body says, if it says it in plain words.
        said: String,
    },
    #[error("the body exceeds {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the body is not JSON-RPC")]
    Unreadable(#[source] serde_json::Error),
}

/// The HTTP clients of an engine: one that goes through the system's proxy, one for this machine.
#[derive(Debug, Clone, Default)]
pub struct HttpClients(Arc<(OnceLock<reqwest::Client>, OnceLock<reqwest::Client>)>);

impl HttpClients {
    pub(crate) fn for_url(&self, url: &Url) -> Result<reqwest::Client, Failure> {
        let local = match url.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
            Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        };
        let slot = if local { &self.0.1 } else { &self.0.0 };
        if let Some(client) = slot.get() {
            return Ok(client.clone());
        }
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("jackfield/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_keepalive(KEEP_ALIVE)
            .redirect(reqwest::redirect::Policy::custom(same_origin));
        if local {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|error| super::failure::of_error(&HttpError::from(error), url.as_str()))?;
        Ok(slot.get_or_init(|| client).clone())
    }
}

/// Credentials in headers must not follow to somebody else, and a POST must stay one.
fn same_origin(attempt: reqwest::redirect::Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_method =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let same = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    if !keeps_method || !same {
        return attempt.stop();
    }
    let status = attempt.status().as_u16();
    let circle = attempt.previous().contains(attempt.url());
    if circle || attempt.previous().len() > REDIRECTS {
        attempt.error(Endless { status, circle })
    } else {
        attempt.follow()
    }
}

/// Redirects within one origin that lead nowhere.
#[derive(Debug, thiserror::Error)]
#[error("redirected without an end")]
pub(super) struct Endless {
    pub(super) status: u16,
    /// Back to where it has been; else there are too many.
    pub(super) circle: bool,
}

/// A server's address.
pub(crate) fn parse_url(url: &str) -> Result<Url, Failure> {
    let invalid = |why: String| {
        Failure::new(FailureKind::Config, format!("`{url}` is not a url of a server: {why}"))
            .with_hint("A url looks like https://mcp.example.com/mcp.")
    };
    let parsed = Url::parse(url).map_err(|error| invalid(error.to_string()))?;
    if matches!(parsed.scheme(), "http" | "https") {
        Ok(parsed)
    } else {
        Err(invalid(format!("the scheme `{}` is not http or https", parsed.scheme())))
    }
}

/// The headers that can be sent, and those that cannot, with the reason.
pub(crate) fn headers(configured: &[(String, Secret)]) -> (HashMap<HeaderName, HeaderValue>, Vec<LeftOut>) {
    let mut headers = HashMap::new();
    let mut left_out = Vec::new();
    for (name, value) in configured {
        let mut leave =
            |why: &str| left_out.push(LeftOut { name: name.clone(), why: why.to_owned(), foreseen: false });
        if RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            leave("the header belongs to the protocol");
            continue;
        }
        let (Ok(key), Ok(mut value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.expose().as_bytes()))
        else {
            leave("a header cannot have this name or value");
            continue;
        };
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    (headers, left_out)
}

/// What the client learns by the way.
#[derive(Debug, Default)]
pub(crate) struct Tap {
    /// The status by which `initialize` was refused, 0 if it was not.
    refused: AtomicU16,
    /// The handshake is over: from now on, troubles end the session.
    live: AtomicBool,
}

impl Tap {
    pub(crate) fn refused(&self) -> Option<u16> {
        Some(self.refused.load(Ordering::Relaxed)).filter(|status| *status != 0)
    }

    pub(crate) fn go_live(&self) {
        self.live.store(true, Ordering::Relaxed);
    }
}

/// The transport, and what its client learns.
pub(crate) fn transport(
    clients: &HttpClients,
    url: &Url,
    headers: HashMap<HeaderName, HeaderValue>,
    ending: &Ending,
    probe_timeout: Duration,
) -> Result<(StreamableHttpClientTransport<McpHttp>, Arc<Tap>), Failure> {
    let tap = Arc::new(Tap::default());
    let client = McpHttp {
        http: clients.for_url(url)?,
        tap: tap.clone(),
        ending: ending.clone(),
        whom: Arc::from(shown(url)),
        probe_timeout,
    };
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    config.custom_headers = headers;
    config.max_sse_event_size = MAX_MESSAGE;
    config.max_json_response_size = MAX_MESSAGE;
    config.max_error_response_size = ERROR_BODY;
    let mut retry = ExponentialBackoff::default();
    retry.max_times = Some(STREAM_RETRIES);
    retry.base_duration = STREAM_RETRY_FIRST;
    retry.max_delay = Some(STREAM_RETRY_LONGEST);
    config.retry_config = Arc::new(retry);
    Ok((StreamableHttpClientTransport::with_client(client, config), tap))
}

/// A url as it may be shown: query and user information can be secrets.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

/// Whether a refusal says that this is a server of the older HTTP transport, or none at all.
pub(crate) fn speaks_older(protocol: HttpProtocol, refused: Option<u16>) -> bool {
    match protocol {
        HttpProtocol::Auto => matches!(refused, Some(400 | 404 | 405)),
        HttpProtocol::Streamable | HttpProtocol::Sse => false,
    }
}

/// One server's HTTP client.
#[derive(Debug, Clone)]
pub struct McpHttp {
    http: reqwest::Client,
    tap: Arc<Tap>,
    ending: Ending,
    whom: Arc<str>,
    probe_timeout: Duration,
}

type Answer = Result<StreamableHttpPostResponse, StreamableHttpError<HttpError>>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

impl McpHttp {
    async fn post(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Answer {
        let mut request = self.http.post(url.as_ref()).header(ACCEPT, BOTH);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(session) = &session {
            request = request.header(SESSION_ID, session.as_ref());
        }
        let response = request.json(&message).send();
        let asked = Asked::of(&message);
        let response = if asked == Asked::Discover {
            match timeout(self.probe_timeout, response).await {
                Ok(response) => response,
                Err(_) => return Ok(self.legacy(&message, "no answer to server/discover")),
            }
        } else {
            response.await
        };
        let response = response.map_err(|error| StreamableHttpError::Client(error.into()))?;
        let status = response.status();
        match status {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => return Ok(StreamableHttpPostResponse::Accepted),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(denied(response).await),
            StatusCode::NOT_FOUND if session.is_some() => return Err(StreamableHttpError::SessionExpired),
            _ => {}
        }
        if !status.is_success() {
            return self.refused(&message, asked, session.is_some(), response).await;
        }
        let new_session =
            response.headers().get(&SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        match media_type(&response).as_deref() {
            Some("text/event-stream") => {
                Ok(StreamableHttpPostResponse::Sse(events(response, limits.max_sse_event_size), new_session))
            }
            Some("application/json") => {
                let body = body(response, limits.max_json_response_size)
                    .await
                    .map_err(StreamableHttpError::Client)?;
                match serde_json::from_slice(&body) {
                    Ok(answer) => {
                        Ok(StreamableHttpPostResponse::Json(addressed(answer, &message), new_session))
                    }
                    Err(_) if asked == Asked::Nothing => Ok(StreamableHttpPostResponse::Accepted),
                    Err(error) => Err(StreamableHttpError::Client(HttpError::Unreadable(error))),
                }
            }
            _ if asked == Asked::Nothing => Ok(StreamableHttpPostResponse::Accepted),
            other => Err(StreamableHttpError::UnexpectedContentType(other.map(str::to_owned))),
        }
    }

    /// An HTTP error other than 401 and 403.
    async fn refused(
        &self,
        message: &ClientJsonRpcMessage,
        asked: Asked,
        had_session: bool,
        response: reqwest::Response,
    ) -> Answer {
        let status = response.status();
        let body = beginning(response).await;
        if asked == Asked::Initialize {
            self.tap.refused.store(status.as_u16(), Ordering::Relaxed);
        }
        let error = match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(ServerJsonRpcMessage::Error(error)) => Some(error),
            _ => None,
        };
        if let Some(error) = error {
            // Servers of the reference SDK answer a session they have lost with 400 and an error without id.
            let lost = error.error.code == ErrorCode(-32000)
                || error.error.message.to_ascii_lowercase().contains("session");
            if had_session && status == StatusCode::BAD_REQUEST && error.id.is_none() && lost {
                return Err(StreamableHttpError::SessionExpired);
            }
            // A handshake's retry depends on the status; elsewhere the error is the answer.
            if !(asked == Asked::Initialize && (status.is_server_error() || error.id.is_none())) {
                let answer = addressed(ServerJsonRpcMessage::Error(error), message);
                return Ok(StreamableHttpPostResponse::Json(answer, None));
            }
            let said = error.error.message.chars().take(ERROR_SHOWN).collect();
            return Err(StreamableHttpError::Client(HttpError::Status { status: status.as_u16(), said }));
        }
        let broken = matches!(status, StatusCode::INTERNAL_SERVER_ERROR | StatusCode::NOT_IMPLEMENTED);
        if asked == Asked::Discover && (status.is_client_error() || broken) {
            return Ok(self.legacy(message, "server/discover was refused"));
        }
        let said = said(&body);
        Err(StreamableHttpError::Client(HttpError::Status { status: status.as_u16(), said }))
    }

    /// The answer to `server/discover` that makes rmcp go on with `initialize`.
    fn legacy(&self, message: &ClientJsonRpcMessage, why: &'static str) -> StreamableHttpPostResponse {
        let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None);
        StreamableHttpPostResponse::Json(addressed(ServerJsonRpcMessage::error(error, None), message), None)
    }

    async fn open(
        &self,
        url: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limit: usize,
    ) -> Result<Events, StreamableHttpError<HttpError>> {
        let mut request = self.http.get(url.as_ref()).header(ACCEPT, EVENTS);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(session) = session {
            request = request.header(SESSION_ID, session.as_ref());
        }
        if let Some(last_event) = last_event {
            request = request.header(LAST_EVENT_ID, last_event);
        }
        let response = request.send().await.map_err(|error| StreamableHttpError::Client(error.into()))?;
        match response.status() {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(denied(response).await),
            status if status.is_client_error() => return Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if !status.is_success() => {
                let status = status.as_u16();
                return Err(StreamableHttpError::Client(HttpError::Status { status, said: String::new() }));
            }
            _ => {}
        }
        match media_type(&response).as_deref() {
            Some("text/event-stream") => Ok(events(response, limit)),
            _ => Err(StreamableHttpError::ServerDoesNotSupportSse),
        }
    }

    /// Ends the session if the error means that there is none any more.
    fn notice(&self, error: &StreamableHttpError<HttpError>) {
        if !self.tap.live.load(Ordering::Relaxed) {
            return;
        }
        let gone = match error {
            StreamableHttpError::AuthRequired(_) => true,
            StreamableHttpError::Client(HttpError::Status { status: 401, .. }) => true,
            StreamableHttpError::Client(HttpError::Request(error)) => error.is_connect(),
            _ => false,
        };
        if gone {
            self.ending.tell(super::failure::of_error(error, &self.whom));
        }
    }
}

impl StreamableHttpClient for McpHttp {
    type Error = HttpError;

    async fn post_message(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Answer {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(url, message, session, auth, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Answer {
        let answer = self.post(url, message, session, headers, limits).await;
        if let Err(error) = &answer {
            self.notice(error);
        }
        answer
    }

    async fn delete_session(
        &self,
        url: Arc<str>,
        session: Arc<str>,
        _auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), StreamableHttpError<HttpError>> {
        let mut request =
            self.http.delete(url.as_ref()).header(SESSION_ID, session.as_ref()).timeout(DELETE_TIMEOUT);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        // Whatever it answers, and whether it is still there: for us the session is over.
        let _ = request.send().await;
        Ok(())
    }

    async fn get_stream(
        &self,
        url: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, StreamableHttpError<HttpError>> {
        self.get_stream_with_max_sse_event_size(url, session, last_event, auth, headers, MAX_MESSAGE).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        url: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limit: usize,
    ) -> Result<Events, StreamableHttpError<HttpError>> {
        let stream = self.open(url, session, last_event, headers, limit).await;
        if let Err(error) = &stream {
            self.notice(error);
        }
        stream
    }
}

/// What a message waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Discover,
    Initialize,
    Other,
    /// It is not a request.
    Nothing,
}

impl Asked {
    fn of(message: &ClientJsonRpcMessage) -> Asked {
        match message {
            ClientJsonRpcMessage::Request(request) => match request.request {
                ClientRequest::DiscoverRequest(_) => Asked::Discover,
                ClientRequest::InitializeRequest(_) => Asked::Initialize,
                _ => Asked::Other,
            },
            ClientJsonRpcMessage::Response(_)
            | ClientJsonRpcMessage::Notification(_)
            | ClientJsonRpcMessage::Error(_) => Asked::Nothing,
        }
    }
}

/// An error in the body of the answer to a request is about that request, whatever id it bears.
fn addressed(answer: ServerJsonRpcMessage, to: &ClientJsonRpcMessage) -> ServerJsonRpcMessage {
    match (answer, to) {
        (ServerJsonRpcMessage::Error(error), ClientJsonRpcMessage::Request(request)) => {
            ServerJsonRpcMessage::error(error.error, Some(request.id.clone()))
        }
        (answer, _) => answer,
    }
}

/// 401 and 403.
async fn denied(response: reqwest::Response) -> StreamableHttpError<HttpError> {
    let status = response.status();
    let challenge =
        response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    match challenge {
        Some(challenge) if status == StatusCode::UNAUTHORIZED => {
            StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge))
        }
        Some(challenge) if parameter(&challenge, "error") == Some("insufficient_scope") => {
            let scope = parameter(&challenge, "scope").map(str::to_owned);
            StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, scope))
        }
        _ => {
            let said = said(&beginning(response).await);
            StreamableHttpError::Client(HttpError::Status { status: status.as_u16(), said })
        }
    }
}

/// A parameter of a `WWW-Authenticate` header.
fn parameter<'a>(challenge: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = challenge;
    loop {
        let at = rest.find('=')?;
        let key = rest[..at].rsplit([',', ' ', '\t']).next().unwrap_or("");
        let after = &rest[at + 1..];
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => {
                let end = after.find([',', ' ']).unwrap_or(after.len());
                after.split_at(end)
            }
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = next;
    }
}

fn media_type(response: &reqwest::Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or("").trim().to_ascii_lowercase())
}

pub(crate) async fn body(response: reqwest::Response, limit: usize) -> Result<Vec<u8>, HttpError> {
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        if body.len() + chunk.len() > limit {
            return Err(HttpError::TooLarge { limit });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// What there is of an error's body, within the limit.
pub(crate) async fn beginning(response: reqwest::Response) -> Vec<u8> {
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while body.len() < ERROR_BODY {
        match stream.next().await {
            Some(Ok(chunk)) => body.extend_from_slice(&chunk),
            Some(Err(_)) | None => break,
        }
    }
    body.truncate(ERROR_BODY);
    body
}

/// An error's body if it is a line of plain words or the usual JSON, and not a web page.
pub(crate) fn said(body: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(body) else { return String::new() };
    let json = serde_json::from_str::<serde_json::Value>(text).ok();
    let field = |name: &str| json.as_ref().and_then(|json| json.get(name)).and_then(|value| value.as_str());
    let text = match field("error_description").or(field("message")).or(field("error")).or(field("detail")) {
        Some(text) => text,
        None if json.as_ref().is_some_and(|json| !json.is_string()) => "",
        None => text,
    };
    let text = text.trim();
    if text.starts_with('<') || text.lines().count() > 2 {
        return String::new();
    }
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(ERROR_SHOWN).collect()
}

/// Why an event stream broke.
#[derive(Debug, thiserror::Error)]
enum StreamError {
    #[error("the stream broke off")]
    Request(#[from] reqwest::Error),
    #[error("an event exceeds {limit} bytes")]
    TooLarge { limit: usize },
}

/// The events of a response, none larger than `limit`.
pub(super) fn events(response: reqwest::Response, limit: usize) -> Events {
    let mut size = 0_usize;
    let mut last = b'\n';
    let bytes = response.bytes_stream().map(move |chunk| {
        let chunk = chunk?;
        for byte in chunk.iter() {
            // An empty line ends an event. A carriage return before the line feed does not make it less empty.
            match *byte {
                b'\r' => continue,
                b'\n' if last == b'\n' => size = 0,
                _ => size += 1,
            }
            last = *byte;
        }
        if size > limit { Err(StreamError::TooLarge { limit }) } else { Ok(chunk) }
    });
    SseStream::from_bytes_stream(bytes).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_and_impossible_headers_are_left_out() {
        let secret = |value: &str| Secret::new(value.to_owned());
        let (sent, left_out) = headers(&[
            ("Authorization".into(), secret("Bearer x")),
            ("Accept".into(), secret("text/html")),
            ("X Y".into(), secret("1")),
            ("X-Line".into(), secret("a\nb")),
        ]);
        assert_eq!(sent.len(), 1);
        assert!(sent.keys().any(|name| name == "authorization"));
        let left: Vec<&str> = left_out.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(left, ["Accept", "X Y", "X-Line"]);
    }

    #[test]
    fn challenges_are_read_by_parameter() {
        let challenge = r#"Bearer realm="a, error=x", error="insufficient_scope", scope="a b""#;
        assert_eq!(parameter(challenge, "error"), Some("insufficient_scope"));
        assert_eq!(parameter(challenge, "scope"), Some("a b"));
        assert_eq!(parameter("Bearer error=insufficient_scope, scope=a", "scope"), Some("a"));
        assert_eq!(parameter("Bearer", "error"), None);
    }

    #[test]
    fn a_body_is_shown_if_it_is_words() {
        assert_eq!(said(b"Forbidden: no seat"), "Forbidden: no seat");
        assert_eq!(said(b"<html><body>403</body></html>"), "");
        assert_eq!(said(br#"{"error":"invalid_token","error_description":"expired"}"#), "expired");
        assert_eq!(said(br#"{"a":1}"#), "");
    }

    #[test]
    fn what_is_shown_of_a_url_holds_no_secret() {
        let url = Url::parse("https://user:pw@mcp.example.com/mcp?key=secret#f").unwrap();
        assert_eq!(shown(&url), "https://mcp.example.com/mcp");
    }
}
