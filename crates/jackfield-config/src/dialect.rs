//! How each host spells a server entry, as tables, and one reader for all of them.
//!
//! A [`Spelling`] says which words and keys a host reads. What no table can say is in the reader's own small branches.

use crate::definition::HttpProtocol;
use crate::host::Dialect;

pub(crate) mod entry;
pub(crate) mod fields;
pub(crate) mod roots;
mod tables;

/// What a word for a transport stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Stdio,
    Http(HttpProtocol),
    /// WebSocket, which Claude Code has and we do not.
    Socket,
}

/// What a host makes of an entry with a url and no word for the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untyped {
    Takes(HttpProtocol),
    /// The host skips it.
    NeedsType,
    /// The host has no remote servers in this file.
    NoRemote,
}

/// Which of several transports in one entry counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Both {
    Refused,
    /// The url wins over the command (Gemini).
    UrlWins,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandShape {
    Text,
    /// Program and arguments in one array (opencode).
    List,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Milliseconds,
    Seconds,
}

/// How much a host forgives in the types of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tolerance {
    /// `"true"`, `"0"` and numeric strings count as what they say (xcsh's own files).
    Forgiving,
    Exact,
}

/// The words and keys of one dialect.
#[derive(Debug)]
pub(crate) struct Spelling {
    /// Empty where the host reads no type.
    pub(crate) types: &'static [(&'static str, Word)],
    pub(crate) type_required: bool,
    pub(crate) untyped: Untyped,
    pub(crate) both: Both,
    pub(crate) command: CommandShape,
    /// Keys for the url, the winning one first; a protocol where the key decides it.
    pub(crate) urls: &'static [(&'static str, Option<HttpProtocol>)],
    pub(crate) env: &'static str,
    pub(crate) headers: &'static str,
    /// The key of the switch and the value that means on.
    pub(crate) switch: Option<(&'static str, bool)>,
    /// Keys for the time to start, the winning one first.
    pub(crate) timeouts: &'static [(&'static str, Unit)],
    pub(crate) tolerance: Tolerance,
    /// Every key the host reads in an entry.
    pub(crate) keys: &'static [&'static str],
}

/// Which of opencode's two shapes an entry has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    First,
    /// opencode V2: below `servers`, with `disabled`.
    Second,
}

/// The spelling of a dialect.
pub(crate) fn spelling(dialect: Dialect, shape: Shape) -> &'static Spelling {
    match (dialect, shape) {
        (Dialect::Xcsh, _) => &tables::XCSH,
        (Dialect::Bare, _) => &tables::BARE,
        (Dialect::ClaudeCode, _) => &tables::CLAUDE_CODE,
        (Dialect::ClaudeDesktop, _) => &tables::CLAUDE_DESKTOP,
        (Dialect::Codex, _) => &tables::CODEX,
        (Dialect::Gemini, _) => &tables::GEMINI,
        (Dialect::OpenCode, Shape::First) => &tables::OPENCODE_1,
        (Dialect::OpenCode, Shape::Second) => &tables::OPENCODE_2,
        (Dialect::Cursor, _) => &tables::CURSOR,
        (Dialect::Windsurf, _) => &tables::WINDSURF,
        (Dialect::VsCode, _) => &tables::VS_CODE,
    }
}
