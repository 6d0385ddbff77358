//! The AI applications we know, and where each keeps its MCP servers.
//!
//! Adding a host whose dialect is known is one row in [`HOSTS`]. The order of the table is the priority.

mod table;

pub use table::HOSTS;

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
    Json {
        comments: bool,
        trailing_commas: bool,
        bom: bool,
    },
    Toml,
    Yaml,
    /// A shell script that adds the servers when it runs (Crush). It is read, and never written or run.
    Script,
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
    /// Claude Code's settings, which hold no servers and rule over those of its other files.
    ClaudeSettings,
    /// The organisation's list of the only servers that Codex may start.
    CodexRequirements,
    /// A profile of Codex, which counts only where Codex is started with it.
    CodexProfile,
    /// Rovo Dev's settings, with a list of the servers that are off.
    RovoSettings,
    ClaudeDesktop,
    Codex,
    Gemini,
    Qwen,
    OpenCode,
    /// opencode's first shape.
    Kilo,
    Cursor,
    Windsurf,
    VsCode,
    VisualStudio,
    Zed,
    Cline,
    /// Roo Code and the old Kilo Code.
    Roo,
    Continue,
    Goose,
    Crush,
    CopilotCli,
    Kiro,
    AmazonQ,
    Amp,
    Factory,
    Antigravity,
    Junie,
    Trae,
    Vibe,
    KimiCli,
    KimiCode,
    /// mcporter.
    Porter,
    Warp,
    Hermes,
    DeepAgents,
    OpenClaw,
    Reasonix,
    /// Tables as Codex has them.
    Grok,
    /// The bare `mcp.json` and `.mcp.json`.
    Bare,
    /// What all have in common, for tools without an entry of their own.
    Plain,
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
#[derive(Debug, Clone, Copy)]
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
    /// Not known for certain: shown where it is found, not where it could be.
    pub probe: bool,
    /// Where its sources are expected; earlier ones win over later ones.
    pub locations: &'static [Location],
}

/// One place where a host keeps servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    pub scope: Scope,
    pub base: Base,
    /// Below the base, with `/` between the components; empty where the base is the file. A `*` stands for any part of
    /// one name.
    pub path: &'static str,
    pub format: Format,
    pub root: Root,
    pub note: Option<&'static str>,
    /// How entries are spelled here, where that is not how the host spells them elsewhere.
    pub dialect: Option<Dialect>,
    /// Variables that name another file for this one: with one of them set, the host does not read it.
    pub unless: &'static [&'static str],
    pub listed: Listed,
}

/// Whether a place is listed while there is nothing of its host in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// A server can be added there at any time.
    Always,
    /// Once the file exists: older places, and those that are not known for certain.
    IfThere,
    /// Once the file has servers: settings of something larger, where the host still reads them.
    IfItHasServers,
}

/// The folder that a location's path starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Home,
    /// The root of the current project.
    Project,
    /// The root of the current project, then each folder above it up to the root of its git repository.
    ProjectUp,
    /// The root of the current project, then each folder above it that is below the home directory.
    ProjectUpFar,
    /// The home directory, on Windows only.
    WindowsHome,
    /// The root of the current project, on Windows only.
    WindowsProject,
    /// `$XDG_CONFIG_HOME` or `~/.config` and this; on Windows `%APPDATA%` and that.
    XdgConfigOrRoaming {
        elsewhere: &'static str,
        windows: &'static str,
    },
    /// `%LOCALAPPDATA%` on Windows, else this below the home directory.
    LocalAppData(&'static str),
    /// The folder in this variable, else this one below the home directory.
    EnvOrHome {
        var: &'static str,
        below_home: &'static str,
    },
    /// The file in this variable; nothing if it is not set.
    EnvFile(&'static str),
    /// The text in this variable, which is no file; nothing if it is not set.
    EnvText(&'static str),
    /// `$XDG_CONFIG_HOME`, else `~/.config`, on every system.
    XdgConfig,
    /// Where applications keep their settings: `%APPDATA%`, `Application Support`, `$XDG_CONFIG_HOME`.
    AppConfig,
    /// An absolute folder of the machine, by system.
    System {
        linux: &'static str,
        macos: &'static str,
        windows: &'static str,
    },
}

/// The keys that lead to the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    Keys(&'static [&'static str]),
    /// As `Keys`, and what is there is a list of entries that carry their names.
    List(&'static [&'static str]),
    /// `projects`, the project's folder, `mcpServers` (Claude Code's local scope).
    ClaudeProject,
}

pub(crate) const CLAUDE_UNREAD: &str = "Claude Code itself does not read this file";

/// The host of this id.
pub fn by_id(id: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|host| host.id == id)
}
