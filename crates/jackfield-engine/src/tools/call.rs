//! Calls of tools: what is asked, what comes back, and how it reads as text.

use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::status::{Failure, FailureKind};

/// How a call is to be made.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// Without an answer or progress for so long the call is given up; `None` for the server's own timeout.
    pub timeout: Option<Duration>,
    /// Cancels the call, and tells the server so.
    pub cancel: CancellationToken,
    /// Gets the progress that the server tells. What does not fit is dropped.
    pub progress: Option<mpsc::Sender<Progress>>,
}

/// How far a call has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub progress: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The whole result, `content` and `structuredContent` included, unknown kinds of content too.
    pub value: Value,
    /// The tool says that it failed.
    pub is_error: bool,
}

impl ToolResult {
    /// From a `tools/call` result.
    pub fn new(value: Value) -> ToolResult {
        let is_error = value.get("isError").and_then(Value::as_bool).unwrap_or(false);
        ToolResult { value, is_error }
    }

    /// The result for readers: the parts of its content, joined by a blank line.
    pub fn text(&self) -> String {
        let parts = self.value.get("content").and_then(Value::as_array);
        let mut text = parts.into_iter().flatten().map(part).collect::<Vec<_>>().join("\n\n");
        // A tool may answer by structured content alone.
        if parts.is_none_or(Vec::is_empty)
            && let Some(structured) = self.value.get("structuredContent")
        {
            text = serde_json::to_string_pretty(structured).unwrap_or_default();
        }
        if self.is_error { format!("Error: {text}") } else { text }
    }
}

fn part(content: &Value) -> String {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    match content.get("type").and_then(Value::as_str) {
        Some("text") => text(content, "text"),
        Some("image") => format!("[Image: {}]", text(content, "mimeType")),
        Some("audio") => format!("[Audio: {}]", text(content, "mimeType")),
        Some("resource") => {
            let resource = content.get("resource").unwrap_or(&Value::Null);
            let mut part = format!("[Resource: {}]", text(resource, "uri"));
            if let Some(body) = resource.get("text").and_then(Value::as_str) {
                part.push('\n');
                part.push_str(body);
            }
            part
        }
        Some("resource_link") => format!("[Link: {}]", text(content, "uri")),
        Some(other) => format!("[{other}]"),
        None => "[unknown]".to_owned(),
    }
}

/// A call without a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CallError {
    /// By the caller.
    #[error("cancelled")]
    Cancelled,
    /// There is no session.
    #[error("the server is not connected")]
    NotConnected,
    /// The connection ended before the answer came.
    #[error("the connection was closed")]
    Closed {
        /// Whether the server may have seen the call.
        sent: bool,
    },
    /// The server answered by a protocol error.
    #[error("{message}")]
    Refused { code: i32, message: String, data: Option<Value> },
    /// The server asks for something that we cannot give.
    #[error("{0}")]
    NeedsInput(String),
    /// Anything else: no answer in time, a sign-in is needed.
    #[error("{}", .0.message)]
    Failed(Failure),
}

impl CallError {
    /// What a reader of results gets to see; `None` for a cancellation, which stays one.
    pub fn text(&self) -> Option<String> {
        match self {
            CallError::Cancelled => None,
            CallError::NotConnected
            | CallError::Closed { .. }
            | CallError::Refused { .. }
            | CallError::NeedsInput(_)
            | CallError::Failed(_) => Some(format!("MCP error: {self}")),
        }
    }

    /// Whether the call may be made again after a reconnect; `repeatable` says whether the tool allows it.
    pub fn may_be_replayed(&self, repeatable: bool) -> bool {
        match self {
            CallError::NotConnected => true,
            CallError::Closed { sent } => !sent || repeatable,
            CallError::Failed(failure) => failure.kind == FailureKind::Refused,
            CallError::Cancelled | CallError::Refused { .. } | CallError::NeedsInput(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_text_view_joins_all_kinds() {
        let result = ToolResult::new(json!({"content": [
            {"type": "text", "text": "a\nb"},
            {"type": "image", "mimeType": "image/png", "data": ""},
            {"type": "audio", "mimeType": "audio/wav", "data": ""},
            {"type": "resource", "resource": {"uri": "file:///x", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "file:///y", "blob": "AA=="}},
            {"type": "resource_link", "uri": "https://x"},
            {"type": "hologram", "data": 1},
        ]}));
        let wanted = "a\nb\n\n[Image: image/png]\n\n[Audio: audio/wav]\n\n[Resource: file:///x]\ninside\n\n\
                      [Resource: file:///y]\n\n[Link: https://x]\n\n[hologram]";
        assert_eq!(result.text(), wanted);
    }

    #[test]
    fn errors_say_so() {
        let result = ToolResult::new(json!({"content": [{"type": "text", "text": "no"}], "isError": true}));
        assert_eq!(result.text(), "Error: no");
        let refused = CallError::Refused { code: -32602, message: "bad".into(), data: None };
        assert_eq!(refused.text().as_deref(), Some("MCP error: bad"));
        assert_eq!(CallError::Cancelled.text(), None);
    }

    #[test]
    fn replay_needs_safety() {
        assert!(CallError::Closed { sent: false }.may_be_replayed(false));
        assert!(!CallError::Closed { sent: true }.may_be_replayed(false));
        assert!(CallError::Closed { sent: true }.may_be_replayed(true));
        assert!(!CallError::Cancelled.may_be_replayed(true));
    }
}
