//! One server as written in one source, in one shape for all hosts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::diagnostic::Position;
use crate::format::Node;
use crate::source::{SourceId, SourceSpec};
use crate::value::{Piece, ValueExpr, ValueKind};

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
    /// The source; its `root` is where the entry really stands, which may be another key than the source is expected to
    /// have (`servers` in a bare file, `mcp.servers` in opencode's). The ids are those of the expected source.
    pub source: Arc<SourceSpec>,
    /// Where the entry's key stands.
    pub position: Option<Position>,
    pub transport: Transport,
    /// What the entry's own switch says; `None` if there is none, or it has the wrong type.
    pub enabled: Option<bool>,
    /// For the whole of spawn and handshake.
    pub timeout: Option<Duration>,
    pub auth: Option<Auth>,
    /// A file with more variables for the child (`envFile` of Cursor and VS Code).
    pub env_file: Option<ValueExpr>,
    /// A shell command that prints more headers as a JSON object (Claude Code's `headersHelper`).
    pub headers_helper: Option<String>,
    /// Fields that come from another source of the host, where the host merges its files deeply; else empty.
    pub origins: Vec<FieldOrigin>,
    /// Where its fields stand. Not part of the hash.
    pub places: Vec<FieldPlace>,
    /// Who provides the server, as a sentence without a period, where the entry is right and holds no way to it: an
    /// extension, a plugin. Its transport is unknown then, and it has no problems for that.
    pub elsewhere: Option<String>,
    /// Why the entry cannot be used, in the words of the specification; empty for a valid one.
    pub problems: Vec<String>,
    pub hash: DefinitionHash,
    /// The entry as it stands in the file, for hosts that merge their files deeply.
    pub(crate) entry: Option<Arc<Node>>,
}

/// Where a field stands: `type`, `command`, `args.0`, `env.KEY`, `cwd`, `url`, `headers.KEY`, `timeout`, `enabled`, or a
/// key of the host's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPlace {
    pub field: String,
    pub position: Position,
    /// The source it stands in, if not the definition's own: some hosts merge their files deeply.
    pub source: Option<SourceId>,
}

/// Where a field of a merged definition comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldOrigin {
    /// As the key is written in the file.
    pub field: String,
    pub source: SourceId,
}

/// How to reach a server.
#[derive(Debug, Clone, PartialEq)]
pub enum Transport {
    Stdio {
        command: ValueExpr,
        args: Vec<ValueExpr>,
        env: Vec<(String, ValueExpr)>,
        cwd: Option<ValueExpr>,
    },
    Http {
        url: ValueExpr,
        headers: Vec<(String, ValueExpr)>,
        protocol: HttpProtocol,
    },
    /// Neither could be made out; the definition has problems, or the server is provided elsewhere.
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

impl ServerId {
    /// The id of the server of this name in this source.
    pub fn of(source: &SourceSpec, name: &str) -> ServerId {
        // The source's own id stands for all that never changes about it.
        let mut id = digest([&*source.id.0, name].into_iter());
        id.truncate(16);
        ServerId(Arc::from(id))
    }
}

impl Definition {
    /// A definition without anything optional. For programs and tests that make their own.
    pub fn new(source: Arc<SourceSpec>, name: impl Into<String>, transport: Transport) -> Definition {
        let name = name.into();
        let mut definition =
            Definition::unhashed(source.clone(), ServerId::of(&source, &name), name, transport);
        definition.rehash();
        definition
    }

    /// As [`Definition::new`], for who fills in the rest and then hashes it.
    pub(crate) fn unhashed(
        source: Arc<SourceSpec>,
        id: ServerId,
        name: impl Into<String>,
        transport: Transport,
    ) -> Definition {
        Definition {
            id,
            name: name.into(),
            source,
            position: None,
            transport,
            enabled: None,
            timeout: None,
            auth: None,
            env_file: None,
            headers_helper: None,
            origins: Vec::new(),
            places: Vec::new(),
            elsewhere: None,
            problems: Vec::new(),
            hash: DefinitionHash(Arc::from("")),
            entry: None,
        }
    }

    /// Computes the hash again after a change of fields: of what they mean, in an order of its own.
    pub fn rehash(&mut self) {
        let mut parts = Parts::new();
        match &self.transport {
            Transport::Stdio { command, args, env, cwd } => {
                parts.add("stdio");
                parts.value(command);
                parts.count(args.len());
                args.iter().for_each(|arg| parts.value(arg));
                parts.pairs(env, false);
                parts.count(usize::from(cwd.is_some()));
                cwd.iter().for_each(|cwd| parts.value(cwd));
            }
            Transport::Http { url, headers, protocol } => {
                parts.add(match protocol {
                    HttpProtocol::Streamable => "http",
                    HttpProtocol::Sse => "sse",
                    HttpProtocol::Auto => "auto",
                });
                parts.value(url);
                parts.pairs(headers, true);
            }
            Transport::Unknown => {
                parts.add("unknown");
                self.problems.iter().for_each(|problem| parts.add(problem));
            }
        }
        if let Some(timeout) = self.timeout {
            parts.add("timeout");
            parts.add(&timeout.as_millis().to_string());
        }
        if let Some(auth) = &self.auth {
            parts.add("auth");
            parts.add(auth.credential_id.as_deref().unwrap_or_default());
        }
        if let Some(file) = &self.env_file {
            parts.add("envFile");
            parts.value(file);
        }
        if let Some(helper) = &self.headers_helper {
            parts.add("headersHelper");
            parts.add(helper);
        }
        self.hash = DefinitionHash(Arc::from(parts.finish()));
    }

    /// The entry as a JSON value; `None` for a definition that was not read from a file.
    pub fn entry_value(&self) -> Option<Value> {
        self.entry.as_ref().map(|entry| entry.to_value())
    }

    /// Where a field stands.
    pub fn place_of(&self, field: &str) -> Option<&FieldPlace> {
        self.places.iter().find(|place| place.field == field)
    }

    /// Names of the fields in which the two differ.
    pub fn differs(&self, other: &Definition) -> Vec<&'static str> {
        let mut fields = Vec::new();
        let mut note = |differs: bool, field: &'static str| {
            if differs {
                fields.push(field);
            }
        };
        match (&self.transport, &other.transport) {
            (
                Transport::Stdio { command, args, env, cwd },
                Transport::Stdio { command: command2, args: args2, env: env2, cwd: cwd2 },
            ) => {
                note(command != command2, "command");
                note(args != args2, "args");
                note(sorted(env, false) != sorted(env2, false), "env");
                note(cwd != cwd2, "cwd");
            }
            (
                Transport::Http { url, headers, protocol },
                Transport::Http { url: url2, headers: headers2, protocol: protocol2 },
            ) => {
                note(protocol != protocol2, "type");
                note(url != url2, "url");
                note(sorted(headers, true) != sorted(headers2, true), "headers");
            }
            (Transport::Unknown, Transport::Unknown) => {}
            (Transport::Stdio { .. } | Transport::Http { .. } | Transport::Unknown, _) => note(true, "type"),
        }
        note(self.enabled.unwrap_or(true) != other.enabled.unwrap_or(true), "enabled");
        note(self.timeout != other.timeout, "timeout");
        note(self.auth != other.auth, "auth");
        note(self.env_file != other.env_file, "envFile");
        note(self.headers_helper != other.headers_helper, "headersHelper");
        fields
    }
}

/// The text of a value and what it means: `$X` is a variable for one host and three characters for another.
fn kind(value: &ValueExpr) -> &'static str {
    match &value.kind {
        ValueKind::Literal => "literal",
        ValueKind::Template(_) => "template",
        ValueKind::Command(_) => "command",
        ValueKind::NameOrLiteral => "name",
        ValueKind::Remove => "remove",
    }
}

/// A map in the order of its names; names of headers are the same in any case.
fn sorted(entries: &[(String, ValueExpr)], fold_case: bool) -> BTreeMap<Cow<'_, str>, &ValueExpr> {
    let folds = |name: &str| fold_case && name.bytes().any(|byte| byte.is_ascii_uppercase());
    let key = |name| if folds(name) { Cow::Owned(name.to_ascii_lowercase()) } else { Cow::Borrowed(name) };
    entries.iter().map(|(name, value)| (key(name.as_str()), value)).collect()
}

/// SHA-256 in hex over parts that cannot run into each other.
pub(crate) fn digest<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut sum = Parts::new();
    parts.for_each(|part| sum.add(part));
    sum.finish()
}

/// Texts on their way into a hash, each with its length before it.
struct Parts(Sha256);

impl Parts {
    fn new() -> Parts {
        Parts(Sha256::new())
    }

    fn count(&mut self, count: usize) {
        self.0.update(u64::try_from(count).unwrap_or(u64::MAX).to_be_bytes());
    }

    fn add(&mut self, text: &str) {
        self.count(text.len());
        self.0.update(text.as_bytes());
    }

    fn value(&mut self, value: &ValueExpr) {
        self.add(kind(value));
        self.add(&value.raw);
        // What stands elsewhere in the entry or follows from its place is part of what it means.
        let pieces = if let ValueKind::Template(pieces) = &value.kind { pieces.as_slice() } else { &[] };
        for piece in pieces {
            if let Piece::Known { value, .. } = piece {
                self.add(value);
            }
        }
    }

    fn pairs(&mut self, pairs: &[(String, ValueExpr)], fold_case: bool) {
        self.count(pairs.len());
        for (name, value) in sorted(pairs, fold_case) {
            self.add(&name);
            self.value(value);
        }
    }

    fn finish(self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = String::with_capacity(64);
        for byte in self.0.finalize() {
            hex.push(char::from(DIGITS[usize::from(byte >> 4)]));
            hex.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        hex
    }
}
