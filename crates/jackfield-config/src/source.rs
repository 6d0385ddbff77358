//! One file location of one host: expected, loaded, read.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::definition::Definition;
use crate::diagnostic::Diagnostic;
use crate::host::{Dialect, Format, Host, Scope};

/// Stable while host, scope, path and root stay the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SourceId(pub Arc<str>);

/// Where a source is expected and how it is read. `~/.claude.json` gives two: the user's servers and a project's.
#[derive(Debug, Clone)]
pub struct SourceSpec {
    pub id: SourceId,
    pub host: &'static Host,
    pub scope: Scope,
    pub path: Arc<PathBuf>,
    pub format: Format,
    pub dialect: Dialect,
    /// The keys that lead to the servers, from the root of the file. Empty where servers are found by the dialect itself.
    pub root: Vec<String>,
    /// The project it belongs to, for scopes `project` and `local`.
    pub project: Option<Arc<PathBuf>>,
    /// Position in the order of priority; smaller wins.
    pub rank: u32,
    /// The host does not read this file itself (`.claude/mcp.json`), though we do; or other words to say about it.
    pub note: Option<&'static str>,
}

/// The decoded text of a file and what it takes to write it back the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// Without a byte order mark.
    pub text: String,
    pub encoding: Encoding,
}

/// How the bytes of a file spell its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf8Bom,
    Utf16Le,
    Utf16Be,
}

/// What became of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadState {
    Missing,
    /// Reading failed, with the system's words.
    Unreadable(String),
    /// It does not parse; the finding is among the diagnostics.
    Broken,
    Read,
    /// It is broken now; the definitions are those of its last good content.
    LastGood,
}

/// A source, read.
#[derive(Debug, Clone)]
pub struct SourceReading {
    pub spec: Arc<SourceSpec>,
    pub state: ReadState,
    /// In the order of the file.
    pub definitions: Vec<Arc<Definition>>,
    /// Names that the host's own list in this file switches off, for the sources this list rules over.
    pub host_disabled: Vec<HostDisabled>,
    /// Jackfield's denylist, where this file holds it (xcsh's user files only).
    pub denylist: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
}

/// One name on a host's own list of switched-off servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostDisabled {
    pub name: String,
    /// Where it is switched off, in words: "`mcp.excluded` in ~/.gemini/settings.json".
    pub by: String,
}
