//! One server as written in one source, in one shape for all hosts.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::diagnostic::Position;
use crate::source::SourceSpec;
use crate::value::ValueExpr;

/// Identifies a row: stable as long as host, scope, path, root and name stay the same. 16 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerId(pub Arc<str>);

impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// SHA-256 of the canonical, unresolved definition, in hex: key order, comments and the on-off switch do not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DefinitionHash(pub Arc<str>);

impl fmt::Display for DefinitionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A server as one source defines it.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    pub id: ServerId,
    pub name: String,
    pub source: Arc<SourceSpec>,
    /// Where the entry's key stands.
    pub position: Option<Position>,
    pub transport: Transport,
    /// What the entry's own switch says; `None` if there is none, or it has the wrong type.
    pub enabled: Option<bool>,
    /// For the whole of spawn and handshake.
    pub timeout: Option<Duration>,
    pub auth: Option<Auth>,
    /// Why the entry cannot be used, in the words of the specification; empty for a valid one.
    pub problems: Vec<String>,
    pub hash: DefinitionHash,
}

/// How to reach a server.
#[derive(Debug, Clone, PartialEq)]
pub enum Transport {
    Stdio { command: ValueExpr, args: Vec<ValueExpr>, env: Vec<(String, ValueExpr)>, cwd: Option<ValueExpr> },
    Http { url: ValueExpr, headers: Vec<(String, ValueExpr)>, protocol: HttpProtocol },
    /// Neither could be made out; the definition has problems.
    Unknown,
}

/// Which of the HTTP transports to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpProtocol {
    /// Streamable HTTP.
    Streamable,
    /// HTTP+SSE of 2024-11-05.
    Sse,
    /// Streamable HTTP, then HTTP+SSE where the server does not speak it.
    Auto,
}

/// The `auth` block of xcsh's dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Auth {
    pub credential_id: Option<String>,
}

impl Transport {
    /// The word of the JSON contract; `None` where it is unknown.
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Transport::Stdio { .. } => Some("stdio"),
            Transport::Http { protocol: HttpProtocol::Sse, .. } => Some("sse"),
            Transport::Http { .. } => Some("http"),
            Transport::Unknown => None,
        }
    }
}

// `Arc<SourceSpec>` holds a `&'static Host`; sources are the same if their ids are.
impl PartialEq for SourceSpec {
    fn eq(&self, other: &SourceSpec) -> bool {
        self.id == other.id
    }
}
