//! One file location of one host: expected, loaded, read.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::definition::{Definition, digest};
use crate::diagnostic::Diagnostic;
use crate::host::{CLAUDE_UNREAD, Dialect, Format, Host, Listed, Scope};

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
    /// What stands there is a list of entries that carry their names.
    pub list: bool,
    /// The project it belongs to, for scopes `project` and `local`.
    pub project: Option<Arc<PathBuf>>,
    /// Position in the order of priority; smaller wins.
    pub rank: u32,
    /// The host does not read this file itself (`.claude/mcp.json`), though we do; or other words to say about it.
    pub note: Option<&'static str>,
    pub listed: Listed,
    /// The content itself, where the place is a variable and no file.
    pub text: Option<Arc<str>>,
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
    /// The only names that the host's own list in this file lets run (Gemini's `mcp.allowed`), if it has one.
    pub host_allowed: Option<HostAllowed>,
    /// What Claude Code's settings say of servers in other files, where this file is one of them.
    pub claude: Option<ClaudeRules>,
    /// Jackfield's denylist, where this file holds it (xcsh's user files only).
    pub denylist: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Claude Code's list of servers that are off in a project, whosever file they are in.
pub const CLAUDE_OFF: &str = "disabledMcpServers";
/// Claude Code's list of servers out of the project's `.mcp.json` that are off.
pub const CLAUDE_OFF_SHARED: &str = "disabledMcpjsonServers";

/// One name on a host's own list of switched-off servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostDisabled {
    pub name: String,
    /// The list in the file; Claude Code has one for the servers of `.mcp.json` alone.
    pub list: &'static str,
    /// Where it is switched off, in words: "`mcp.excluded` in ~/.gemini/settings.json".
    pub by: String,
}

/// A host's own list of the only servers that may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostAllowed {
    pub names: Vec<String>,
    /// What a server of a name must be, where the name alone is not enough.
    pub identities: Vec<(String, Identity)>,
    /// Where the list is, in words: "`mcp.allowed` in ~/.gemini/settings.json".
    pub by: String,
}

/// What a server is, whatever it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    Command(String),
    Url(String),
}

/// What Claude Code's settings say of servers, whosever file they are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaudeRules {
    pub denied: Vec<ClaudeRule>,
    /// The only servers there may be, if there is such a list.
    pub allowed: Option<Vec<ClaudeRule>>,
    /// Plugins, as `plugin@marketplace`, and whether they are on.
    pub plugins: Vec<(String, bool)>,
    /// The file, as it is shown.
    pub path: String,
}

/// One line of a list of servers that may or may not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaudeRule {
    Name(String),
    /// Exactly this program with these arguments.
    Command(Vec<String>),
    /// An address; a `*` stands for any part of it.
    Url(String),
}

impl SourceReading {
    /// Whether there is anything to list: not every place where servers could be is one to put them.
    pub fn is_listed(&self) -> bool {
        match self.spec.listed {
            Listed::Always => true,
            Listed::IfThere => self.state != ReadState::Missing,
            Listed::IfItHasServers => !self.definitions.is_empty(),
        }
    }
}

impl SourceId {
    /// The id of a source, from what never changes about it.
    pub fn of(spec: &SourceSpec) -> SourceId {
        let mut id = digest(spec.key_parts().iter().map(AsRef::as_ref));
        id.truncate(16);
        SourceId(Arc::from(id))
    }
}

impl SourceSpec {
    /// A source of this host that is no file: for entries out of a text.
    pub(crate) fn nowhere(host: &'static Host) -> SourceSpec {
        SourceSpec {
            id: SourceId(Arc::from("")),
            host,
            scope: Scope::User,
            path: Arc::default(),
            format: Format::JSONC,
            dialect: host.dialect,
            root: if host.dialect == Dialect::OpenCode { vec!["mcp".to_owned()] } else { Vec::new() },
            list: false,
            project: None,
            rank: 0,
            note: None,
            listed: Listed::Always,
            text: None,
        }
    }

    /// The project file that Claude Code shares with other tools.
    pub fn is_claude_shared(&self) -> bool {
        self.dialect == Dialect::Bare
            && self.scope == Scope::Project
            && self.path.file_name().is_some_and(|name| name == ".mcp.json")
    }

    /// Whether servers are read from it. Some files only say which ones of other files may run, or count now and then.
    pub fn holds_servers(&self) -> bool {
        !matches!(
            self.dialect,
            Dialect::ClaudeSettings
                | Dialect::CodexRequirements
                | Dialect::CodexProfile
                | Dialect::RovoSettings
        )
    }

    /// Whether the host itself does not read this file, though we do.
    pub fn is_unread_by_host(&self) -> bool {
        self.note == Some(CLAUDE_UNREAD)
    }

    /// Why nothing can be written there, whosever it is.
    pub fn read_only(&self) -> Option<&'static str> {
        if self.text.is_some() {
            Some("it is the content of a variable, and can only be changed where that is set")
        } else if self.format == Format::Script {
            Some("it is a script, and can only be edited by hand")
        } else {
            None
        }
    }

    /// What the ids of the source and of its servers are made of.
    pub(crate) fn key_parts(&self) -> Vec<Cow<'_, str>> {
        let fixed = [self.host.id.into(), self.scope.as_str().into(), self.path.to_string_lossy()];
        fixed.into_iter().chain(self.root.iter().map(|key| key.as_str().into())).collect()
    }
}

impl SourceText {
    /// Decodes the bytes of a file: UTF-8 with or without a byte order mark, UTF-16 with one.
    pub fn decode(bytes: &[u8]) -> Result<SourceText, String> {
        if let Some(rest) = bytes.strip_prefix(&[0xFF, 0xFE]) {
            return Ok(SourceText { text: utf16(rest, u16::from_le_bytes)?, encoding: Encoding::Utf16Le });
        }
        if let Some(rest) = bytes.strip_prefix(&[0xFE, 0xFF]) {
            return Ok(SourceText { text: utf16(rest, u16::from_be_bytes)?, encoding: Encoding::Utf16Be });
        }
        let (rest, encoding) = match bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]) {
            Some(rest) => (rest, Encoding::Utf8Bom),
            None => (bytes, Encoding::Utf8),
        };
        match std::str::from_utf8(rest) {
            Ok(text) => Ok(SourceText { text: text.to_owned(), encoding }),
            Err(error) => {
                let line = 1 + rest.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count();
                Err(format!(
                    "neither UTF-8 nor UTF-16 with a byte order mark (first bad byte at {}, line {line})",
                    error.valid_up_to()
                ))
            }
        }
    }

    /// The bytes of the file, in the encoding it had.
    pub fn encode(&self) -> Vec<u8> {
        let text = self.text.as_str();
        match self.encoding {
            Encoding::Utf8 => text.as_bytes().to_vec(),
            Encoding::Utf8Bom => [&[0xEF, 0xBB, 0xBF], text.as_bytes()].concat(),
            Encoding::Utf16Le => {
                [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
            }
            Encoding::Utf16Be => {
                [0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect()
            }
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err("UTF-16 with an odd number of bytes".to_owned());
    }
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .collect::<Result<String, _>>()
        .map_err(|_| "UTF-16 with half of a surrogate pair".to_owned())
}
