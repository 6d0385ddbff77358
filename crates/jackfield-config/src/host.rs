//! The AI applications we know, and where each keeps its MCP servers.
//!
//! Adding a host whose dialect is known is one row in [`HOSTS`]. The order of the table is the priority.

use serde::{Deserialize, Serialize};

use crate::value::{ValueRules, VariableSyntax};

/// A host's stable id, such as `claude-code`. Part of the JSON contract.
pub type HostId = &'static str;

/// Whose a source is. The order is that of precedence within one host, unless the host's row says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Managed,
    /// Claude Code's per-project entries in the user's own file; trusted like the user's own.
    Local,
    /// A file that came with a project: needs approval.
    Project,
    User,
    Plugin,
}

impl Scope {
    pub const fn as_str(self) -> &'static str {
        match self {
            Scope::Managed => "managed",
            Scope::Local => "local",
            Scope::Project => "project",
            Scope::User => "user",
            Scope::Plugin => "plugin",
        }
    }
}

/// How a host's file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON in some strictness. The reader is always lenient; these say what the owner accepts.
    Json { comments: bool, trailing_commas: bool, bom: bool },
    Toml,
}

impl Format {
    pub const STRICT_JSON: Format = Format::Json { comments: false, trailing_commas: false, bom: false };
    pub const COMMENTED_JSON: Format = Format::Json { comments: true, trailing_commas: false, bom: true };
    pub const JSONC: Format = Format::Json { comments: true, trailing_commas: true, bom: true };
}

/// How a server entry is spelled. One variant per family of spellings; `dialect/` reads and writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    Xcsh,
    ClaudeCode,
    ClaudeDesktop,
    Codex,
    Gemini,
    OpenCode,
    Cursor,
    Windsurf,
    VsCode,
    /// The bare `mcp.json` and `.mcp.json`.
    Bare,
}

/// How a host switches a server off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// A boolean in the entry: `enabled: false` or `disabled: true`.
    Flag { key: &'static str, on: bool },
    /// A list in the host's own file, by name: Gemini's `mcp.excluded`, Claude Code's `disabledMcpServers`.
    List,
    /// Nothing: the denylist of Jackfield is all there is.
    None,
}

/// What is the same for all sources of a host.
#[derive(Debug)]
pub struct Host {
    pub id: HostId,
    /// As its makers write it.
    pub name: &'static str,
    /// One character for the small square beside it.
    pub mark: &'static str,
    pub dialect: Dialect,
    pub variables: VariableSyntax,
    pub values: ValueRules,
    pub switch: Switch,
    /// What it takes for the host to notice a change of its file, as the end of a sentence.
    pub notices: &'static str,
}
