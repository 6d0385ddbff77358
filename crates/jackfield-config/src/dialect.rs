//! How each host spells a server entry, as tables, and one reader and one writer for all of them.
//!
//! A [`Spelling`] says which words and keys a host reads. What no table can say is in the reader's own small branches.

use crate::definition::HttpProtocol;
use crate::host::Dialect;

mod elsewhere;
pub(crate) mod entry;
pub(crate) mod fields;
mod fixes;
mod given;
mod helpers;
mod nested;
mod places;
pub(crate) mod roots;
pub(crate) mod schema;
mod tables;
pub mod write;

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
    /// A command line, or an array (Vibe, mcporter).
    LineOrList,
    /// A text, or once an object with `path`, `args` and `env` (Zed).
    TextOrObject,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
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
    /// Keys that hold the word for the transport; the first is written.
    pub(crate) type_keys: &'static [&'static str],
    /// Empty where the host reads no type. Of several words for one thing the first is written.
    pub(crate) types: &'static [(&'static str, Word)],
    pub(crate) type_required: bool,
    /// Whether an entry with a command gets a word, too, when we write it.
    pub(crate) writes_stdio: bool,
    pub(crate) untyped: Untyped,
    pub(crate) both: Both,
    /// Keys for the program; the first is written.
    pub(crate) commands: &'static [&'static str],
    pub(crate) command: CommandShape,
    /// Keys for the url, the winning one first; a protocol where the key decides it. The first is written.
    pub(crate) urls: &'static [(&'static str, Option<HttpProtocol>)],
    pub(crate) env: &'static str,
    /// The way to the headers; empty where there are none.
    pub(crate) headers: &'static [&'static str],
    /// The key for the working directory, where there is one.
    pub(crate) cwd: Option<&'static str>,
    /// A key that names the variable with a token, sent as `Authorization: Bearer`.
    pub(crate) bearer: &'static [&'static str],
    /// A key that holds a token, sent as `Authorization: Bearer`.
    pub(crate) token: &'static [&'static str],
    /// A key that lists variables of the server by their names only.
    pub(crate) env_names: Option<&'static str>,
    /// The key of the switch and the value that means on.
    pub(crate) switch: Option<(&'static str, bool)>,
    /// Keys for the time to start, the winning one first.
    pub(crate) timeouts: &'static [(&'static str, Unit)],
    pub(crate) tolerance: Tolerance,
    /// The entry must say its name, or is passed over (Goose).
    pub(crate) named: bool,
    /// It must say whether it is on, too.
    pub(crate) says_on: bool,
    /// A timeout with a fraction makes the host refuse the entry, or the file.
    pub(crate) whole_timeouts: bool,
    /// Every key the host reads in an entry.
    pub(crate) keys: &'static [&'static str],
    /// What an entry looks like, for a message.
    pub(crate) example: &'static str,
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
        (Dialect::ClaudeCode | Dialect::ClaudeSettings, _) => &tables::CLAUDE_CODE,
        (Dialect::ClaudeDesktop, _) => &tables::CLAUDE_DESKTOP,
        (Dialect::Codex | Dialect::CodexRequirements | Dialect::CodexProfile, _) => &tables::CODEX,
        (Dialect::Gemini, _) => &tables::GEMINI,
        (Dialect::Qwen, _) => &tables::QWEN,
        (Dialect::OpenCode, Shape::First) => &tables::OPENCODE_1,
        (Dialect::OpenCode, Shape::Second) => &tables::OPENCODE_2,
        (Dialect::Kilo, _) => &tables::OPENCODE_1,
        (Dialect::Cursor, _) => &tables::CURSOR,
        (Dialect::Windsurf, _) => &tables::WINDSURF,
        (Dialect::VsCode, _) => &tables::VS_CODE,
        (Dialect::VisualStudio, _) => &tables::VISUAL_STUDIO,
        (Dialect::Zed, _) => &tables::ZED,
        (Dialect::Cline, _) => &tables::CLINE,
        (Dialect::Roo, _) => &tables::ROO,
        (Dialect::Continue, _) => &tables::CONTINUE,
        (Dialect::Goose, _) => &tables::GOOSE,
        (Dialect::Crush, _) => &tables::CRUSH,
        (Dialect::CopilotCli, _) => &tables::COPILOT_CLI,
        (Dialect::Kiro, _) => &tables::KIRO,
        (Dialect::AmazonQ, _) => &tables::AMAZON_Q,
        (Dialect::Amp, _) => &tables::AMP,
        (Dialect::Factory, _) => &tables::FACTORY,
        (Dialect::Antigravity, _) => &tables::ANTIGRAVITY,
        (Dialect::Junie, _) => &tables::JUNIE,
        (Dialect::Trae, _) => &tables::TRAE,
        (Dialect::Vibe, _) => &tables::VIBE,
        (Dialect::KimiCli, _) => &tables::KIMI_CLI,
        (Dialect::KimiCode, _) => &tables::KIMI_CODE,
        (Dialect::Porter, _) => &tables::PORTER,
        (Dialect::Warp, _) => &tables::WARP,
        (Dialect::Hermes, _) => &tables::HERMES,
        (Dialect::DeepAgents, _) => &tables::DEEP_AGENTS,
        (Dialect::OpenClaw, _) => &tables::OPEN_CLAW,
        (Dialect::Reasonix, _) => &tables::REASONIX,
        (Dialect::Grok, _) => &tables::GROK,
        (Dialect::Plain | Dialect::RovoSettings, _) => &tables::PLAIN,
    }
}
