//! From errors to failures. By type, all along the chain of sources; never by text.

use std::error::Error;
use std::io::ErrorKind;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::{HttpStatusError, StreamableHttpError};

use super::http::{Endless, HttpError};
use super::sse::SseClientError;
use super::stdio::StdioError;
use crate::status::{Failure, FailureKind};

const TOO_SLOW: &str = "Try increasing the timeout.";
const SIGN_IN: &str = "Sign in, or check the credentials in its headers.";

/// What a failed handshake means. `whom` is the address or the command.
pub fn of_handshake(error: &ClientInitializeError, whom: &str) -> Failure {
    match error {
        ClientInitializeError::TransportError { error, .. } => of_transport(error, whom),
        // Why the older way failed is what counts: it is the last resort.
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => of_handshake(fallback, whom),
        ClientInitializeError::JsonRpcError(error) => {
            Failure::new(FailureKind::Protocol, format!("Refused to start a session: {}", error.message))
        }
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<&str> = server_supported.iter().map(|version| version.as_str()).collect();
            let message = if versions.is_empty() {
                "Speaks no protocol version that we know".to_owned()
            } else {
                format!("Speaks only protocol version {}", versions.join(", "))
            };
            Failure::new(FailureKind::Protocol, message)
        }
        ClientInitializeError::ConnectionClosed(_) => {
            Failure::new(FailureKind::Exited, "Closed the connection during the handshake")
        }
        error => Failure::new(FailureKind::Protocol, format!("The handshake failed: {error}")),
    }
}

/// What a failed request means.
pub fn of_request(error: &ServiceError, whom: &str) -> Failure {
    match error {
        ServiceError::TransportSend(error) => of_transport(error, whom),
        ServiceError::McpError(error) => Failure::new(FailureKind::Protocol, error.message.to_string()),
        ServiceError::TransportClosed => Failure::new(FailureKind::Exited, "The connection was closed"),
        ServiceError::Timeout { timeout } => timed_out(*timeout),
        error => Failure::new(FailureKind::Protocol, error.to_string()),
    }
}

/// No answer within `limit`.
pub fn timed_out(limit: std::time::Duration) -> Failure {
    let limit = if limit.subsec_millis() == 0 || limit.as_secs() >= 10 {
        format!("{} s", limit.as_secs())
    } else {
        format!("{} ms", limit.as_millis())
    };
    Failure::new(FailureKind::Timeout, format!("No answer within {limit}")).with_hint(TOO_SLOW)
}

fn of_transport(error: &DynamicTransportError, whom: &str) -> Failure {
    of_error(error.error.as_ref(), whom)
}

/// What any error of ours, of rmcp or of reqwest means.
pub fn of_error(error: &(dyn Error + 'static), whom: &str) -> Failure {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<StreamableHttpError<HttpError>>() {
            return of_streamable(error, whom);
        }
        if let Some(error) = error.downcast_ref::<HttpError>() {
            return of_http(error, whom);
        }
        if let Some(error) = error.downcast_ref::<SseClientError>() {
            return match error {
                SseClientError::Http(error) => of_http(error, whom),
                SseClientError::Closed => Failure::new(FailureKind::Exited, "The connection was closed"),
                SseClientError::NotSse
                | SseClientError::NoEndpoint
                | SseClientError::CrossOrigin
                | SseClientError::Url(_) => Failure::new(FailureKind::Protocol, sentence(&error.to_string())),
            };
        }
        if let Some(StdioError::Closed) = error.downcast_ref::<StdioError>() {
            return Failure::new(FailureKind::Exited, "The process has ended");
        }
        next = error.source();
    }
    Failure::new(FailureKind::Protocol, sentence(&error.to_string()))
}

fn of_streamable(error: &StreamableHttpError<HttpError>, whom: &str) -> Failure {
    match error {
        StreamableHttpError::Client(error) => of_http(error, whom),
        StreamableHttpError::HttpStatus(HttpStatusError { status, .. }) => of_status(*status, "", whom),
        StreamableHttpError::AuthRequired(_) => of_status(401, "", whom),
        StreamableHttpError::InsufficientScope(_) => Failure::new(
            FailureKind::SignIn,
            "Asks for a sign-in with more rights (HTTP 403, insufficient scope)",
        )
        .with_hint(SIGN_IN),
        StreamableHttpError::SessionExpired => of_status(404, "", whom),
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().unwrap_or("no content type");
            Failure::new(
                FailureKind::Protocol,
                format!("Answered with {kind}, not with JSON or an event stream"),
            )
            .with_hint("Check the url: it may be a web page, not an MCP endpoint.")
        }
        StreamableHttpError::TransportChannelClosed | StreamableHttpError::UnexpectedEndOfStream => {
            Failure::new(FailureKind::Exited, "The connection was closed")
        }
        StreamableHttpError::SessionRecoveryTimeout | StreamableHttpError::ControlRequestTimeout => {
            Failure::new(FailureKind::Timeout, sentence(&error.to_string())).with_hint(TOO_SLOW)
        }
        error => Failure::new(FailureKind::Protocol, sentence(&error.to_string())),
    }
}

fn of_http(error: &HttpError, whom: &str) -> Failure {
    match error {
        HttpError::Status { status, said } => of_status(*status, said, whom),
        HttpError::Request(error) => of_reqwest(error, whom),
        HttpError::TooLarge { limit } => Failure::new(
            FailureKind::Protocol,
            format!("Sent a message of more than {} MiB", limit / 1024 / 1024),
        ),
        HttpError::Unreadable(error) => {
            Failure::new(FailureKind::Protocol, format!("Answered with JSON that is not JSON-RPC: {error}"))
        }
    }
}

fn of_status(status: u16, said: &str, whom: &str) -> Failure {
    let (kind, message, hint) = match status {
        401 => (FailureKind::SignIn, "Asks for a sign-in (HTTP 401)".to_owned(), SIGN_IN),
        403 => (
            FailureKind::Forbidden,
            "Access was refused (HTTP 403)".to_owned(),
            "Check authentication: the credentials may lack the right to use this server.",
        ),
        404 => (
            FailureKind::Http(404),
            format!("Nothing is at `{whom}` (HTTP 404)"),
            "Check the url, its path included.",
        ),
        405 => (
            FailureKind::Http(405),
            "Does not take MCP requests there (HTTP 405)".to_owned(),
            "Check the url, its path included.",
        ),
        429 => (FailureKind::Http(429), "Asks to be left alone for a while (HTTP 429)".to_owned(), ""),
        500..=599 => (FailureKind::Http(status), format!("The server has trouble (HTTP {status})"), ""),
        300..=399 => (
            FailureKind::Http(status),
            format!("Redirects to another place (HTTP {status})"),
            "Redirects are followed within one origin only; put the final url into the configuration.",
        ),
        _ => (FailureKind::Http(status), format!("Answered with HTTP {status}"), ""),
    };
    let message = if said.is_empty() { message } else { format!("{message}: {said}") };
    Failure::new(kind, message).with_hint(hint)
}

fn of_reqwest(error: &reqwest::Error, whom: &str) -> Failure {
    if let Some(status) = error.status() {
        return of_status(status.as_u16(), "", whom);
    }
    if error.is_builder() {
        return Failure::new(
            FailureKind::Config,
            format!("`{whom}` cannot be requested: {}", innermost(error)),
        );
    }
    if let Some(Endless { status, circle }) = endless(error) {
        let how = if *circle { "in a circle" } else { "again and again" };
        return Failure::new(FailureKind::Http(*status), format!("It redirects {how} (HTTP {status})"))
            .with_hint(
                "Check the url; the server, or a proxy before it, never comes to an end of redirecting.",
            );
    }
    if error.is_redirect() {
        return of_status(308, "", whom);
    }
    let kinds = io_kinds(error);
    if kinds.contains(&ErrorKind::ConnectionRefused) {
        return Failure::new(FailureKind::Refused, format!("Nothing listens at `{whom}`"))
            .with_hint("Start the server, or check host and port.");
    }
    // What a TLS library says arrives as invalid data, from the connector.
    if error.is_connect() && kinds.contains(&ErrorKind::InvalidData) {
        return Failure::new(FailureKind::Tls, format!("No secure connection: {}", innermost(error)))
            .with_hint("Check the certificate, and whether the server speaks https at all.");
    }
    if error.is_timeout() || kinds.contains(&ErrorKind::TimedOut) {
        return Failure::new(FailureKind::Timeout, format!("`{whom}` does not answer")).with_hint(TOO_SLOW);
    }
    if error.is_connect() {
        return Failure::new(
            FailureKind::Unreachable,
            format!("`{whom}` cannot be reached: {}", innermost(error)),
        )
        .with_hint("Check the name, and the network.");
    }
    if error.is_decode() {
        return Failure::new(
            FailureKind::Protocol,
            format!("The answer cannot be read: {}", innermost(error)),
        );
    }
    Failure::new(FailureKind::Unreachable, format!("The connection broke off: {}", innermost(error)))
}

fn endless(error: &reqwest::Error) -> Option<&Endless> {
    let mut next = error.source();
    while let Some(error) = next {
        if let Some(endless) = error.downcast_ref::<Endless>() {
            return Some(endless);
        }
        next = error.source();
    }
    None
}

fn io_kinds(error: &(dyn Error + 'static)) -> Vec<ErrorKind> {
    let mut kinds = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            kinds.push(error.kind());
            // An io::Error that wraps another one names that one's source as its own.
            if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<std::io::Error>()) {
                kinds.push(inner.kind());
            }
        }
        next = error.source();
    }
    kinds
}

/// The cause of causes. It names no url, and so no secret that may be in one.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

fn sentence(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
