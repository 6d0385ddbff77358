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
    Json {
        comments: bool,
        trailing_commas: bool,
        bom: bool,
    },
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
    /// Where its sources are expected; earlier ones win over later ones.
    pub locations: &'static [Location],
}

/// One place where a host keeps servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    pub scope: Scope,
    pub base: Base,
    /// Below the base, with `/` between the components; empty where the base is the file.
    pub path: &'static str,
    pub format: Format,
    pub root: Root,
    pub note: Option<&'static str>,
}

/// The folder that a location's path starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Home,
    /// The root of the current project.
    Project,
    /// The folder in this variable, else this one below the home directory.
    EnvOrHome {
        var: &'static str,
        below_home: &'static str,
    },
    /// The file in this variable; nothing if it is not set.
    EnvFile(&'static str),
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
    /// `projects`, the project's folder, `mcpServers` (Claude Code's local scope).
    ClaudeProject,
}

impl Root {
    const MCP_SERVERS: Root = Root::Keys(&["mcpServers"]);
}

impl Location {
    const fn new(scope: Scope, base: Base, path: &'static str, format: Format, root: Root) -> Location {
        Location { scope, base, path, format, root, note: None }
    }

    const fn note(self, note: &'static str) -> Location {
        Location { note: Some(note), ..self }
    }
}

const CLAUDE_HOME: Base = Base::EnvOrHome { var: "CLAUDE_CONFIG_DIR", below_home: "" };
const CLAUDE_DIR: Base = Base::EnvOrHome { var: "CLAUDE_CONFIG_DIR", below_home: ".claude" };
pub(crate) const CLAUDE_UNREAD: &str = "Claude Code itself does not read this file";
const VS_CODE_LEGACY: &str = "The old place; VS Code moves these servers to mcp.json";
const GEMINI_SYSTEM: Base = Base::System {
    linux: "/etc/gemini-cli",
    macos: "/Library/Application Support/GeminiCli",
    windows: "C:\\ProgramData\\gemini-cli",
};

/// All hosts. The order is the priority.
pub const HOSTS: &[Host] = &[
    Host {
        id: "xcsh",
        name: "xcsh",
        mark: "x",
        dialect: Dialect::Xcsh,
        variables: VariableSyntax::Braces,
        values: ValueRules::Xcsh,
        switch: Switch::Flag { key: "enabled", on: true },
        notices: "when it reloads its MCP servers or starts again",
        locations: &[
            xcsh(Scope::Project, Base::Project, ".xcsh/mcp.json"),
            xcsh(Scope::Project, Base::Project, ".xcsh/.mcp.json"),
            xcsh(Scope::User, Base::Home, ".xcsh/mcp.json"),
            xcsh(Scope::User, Base::Home, ".xcsh/.mcp.json"),
            xcsh(Scope::User, Base::Home, ".xcsh/agent/mcp.json"),
            xcsh(Scope::User, Base::Home, ".xcsh/agent/.mcp.json"),
        ],
    },
    Host {
        id: "claude-code",
        name: "Claude Code",
        mark: "C",
        dialect: Dialect::ClaudeCode,
        variables: VariableSyntax::Braces,
        values: ValueRules::Literal,
        switch: Switch::List,
        notices: "when its next session starts",
        locations: &[
            strict(
                Scope::Managed,
                Base::System {
                    linux: "/etc/claude-code",
                    macos: "/Library/Application Support/ClaudeCode",
                    windows: "C:\\Program Files\\ClaudeCode",
                },
                "managed-mcp.json",
            ),
            Location::new(
                Scope::Local,
                CLAUDE_HOME,
                ".claude.json",
                Format::STRICT_JSON,
                Root::ClaudeProject,
            ),
            strict(Scope::User, CLAUDE_HOME, ".claude.json"),
            strict(Scope::Project, Base::Project, ".claude/mcp.json").note(CLAUDE_UNREAD),
            strict(Scope::Project, Base::Project, ".claude/.mcp.json").note(CLAUDE_UNREAD),
            strict(Scope::User, CLAUDE_DIR, "mcp.json").note(CLAUDE_UNREAD),
        ],
    },
    Host {
        id: "claude-desktop",
        name: "Claude Desktop",
        mark: "D",
        dialect: Dialect::ClaudeDesktop,
        variables: VariableSyntax::None,
        values: ValueRules::Literal,
        switch: Switch::None,
        notices: "after it was quit completely and started again",
        locations: &[strict(Scope::User, Base::AppConfig, "Claude/claude_desktop_config.json")],
    },
    Host {
        id: "codex",
        name: "Codex",
        mark: "X",
        dialect: Dialect::Codex,
        variables: VariableSyntax::None,
        values: ValueRules::Literal,
        switch: Switch::Flag { key: "enabled", on: true },
        notices: "when it starts again",
        locations: &[
            codex(Scope::Project, Base::Project, ".codex/config.toml"),
            codex(Scope::User, Base::EnvOrHome { var: "CODEX_HOME", below_home: ".codex" }, "config.toml"),
            // The machine's file is the lowest layer for Codex, not the highest.
            codex(
                Scope::Managed,
                Base::System {
                    linux: "/etc/codex",
                    macos: "/etc/codex",
                    windows: "C:\\ProgramData\\OpenAI\\Codex",
                },
                "config.toml",
            ),
        ],
    },
    Host {
        id: "gemini",
        name: "Gemini CLI",
        mark: "G",
        dialect: Dialect::Gemini,
        variables: VariableSyntax::Shell,
        values: ValueRules::Literal,
        switch: Switch::List,
        notices: "after `/mcp refresh` or when it starts again",
        locations: &[
            gemini(Scope::Managed, GEMINI_SYSTEM, "settings.json"),
            gemini(Scope::Project, Base::Project, ".gemini/settings.json"),
            gemini(Scope::User, Base::Home, ".gemini/settings.json"),
            gemini(Scope::Managed, GEMINI_SYSTEM, "system-defaults.json"),
        ],
    },
    Host {
        id: "opencode",
        name: "opencode",
        mark: "o",
        dialect: Dialect::OpenCode,
        variables: VariableSyntax::OpenCode,
        values: ValueRules::Literal,
        switch: Switch::Flag { key: "enabled", on: true },
        notices: "when it starts again",
        locations: &[
            opencode(Scope::Project, Base::Project, ".opencode/opencode.jsonc"),
            opencode(Scope::Project, Base::Project, ".opencode/opencode.json"),
            opencode(Scope::Project, Base::Project, "opencode.jsonc"),
            opencode(Scope::Project, Base::Project, "opencode.json"),
            opencode(Scope::User, Base::EnvFile("OPENCODE_CONFIG"), ""),
            opencode(Scope::User, Base::XdgConfig, "opencode/opencode.jsonc"),
            opencode(Scope::User, Base::XdgConfig, "opencode/opencode.json"),
            opencode(Scope::User, Base::XdgConfig, "opencode/config.json"),
            opencode(Scope::User, OPENCODE_2, "opencode.jsonc"),
            opencode(Scope::User, OPENCODE_2, "opencode.json"),
        ],
    },
    Host {
        id: "cursor",
        name: "Cursor",
        mark: "▲",
        dialect: Dialect::Cursor,
        variables: VariableSyntax::Cursor,
        values: ValueRules::Literal,
        switch: Switch::None,
        notices: "at once",
        locations: &[
            Location::new(
                Scope::Project,
                Base::Project,
                ".cursor/mcp.json",
                Format::COMMENTED_JSON,
                Root::MCP_SERVERS,
            ),
            Location::new(
                Scope::User,
                Base::Home,
                ".cursor/mcp.json",
                Format::COMMENTED_JSON,
                Root::MCP_SERVERS,
            ),
        ],
    },
    Host {
        id: "windsurf",
        name: "Windsurf",
        mark: "W",
        dialect: Dialect::Windsurf,
        variables: VariableSyntax::Windsurf,
        values: ValueRules::Literal,
        switch: Switch::Flag { key: "disabled", on: false },
        notices: "after Refresh in its MCP panel",
        locations: &[strict(Scope::User, Base::Home, ".codeium/windsurf/mcp_config.json")],
    },
    Host {
        id: "vscode",
        name: "VS Code",
        mark: "V",
        dialect: Dialect::VsCode,
        variables: VariableSyntax::VsCode,
        values: ValueRules::Literal,
        switch: Switch::None,
        notices: "at once",
        locations: &[
            vscode(Scope::Project, Base::Project, ".vscode/mcp.json", &["servers"]),
            vscode(Scope::Project, Base::Project, ".vscode/settings.json", &["mcp", "servers"])
                .note(VS_CODE_LEGACY),
            vscode(Scope::User, Base::AppConfig, "Code/User/mcp.json", &["servers"]),
            vscode(Scope::User, Base::AppConfig, "Code/User/settings.json", &["mcp", "servers"])
                .note(VS_CODE_LEGACY),
        ],
    },
    Host {
        id: "mcp.json",
        name: "mcp.json",
        mark: "·",
        dialect: Dialect::Bare,
        variables: VariableSyntax::Braces,
        values: ValueRules::Xcsh,
        switch: Switch::Flag { key: "enabled", on: true },
        notices: "when the application that reads it starts again",
        locations: &[
            xcsh(Scope::Project, Base::Project, "mcp.json"),
            xcsh(Scope::Project, Base::Project, ".mcp.json")
                .note("Claude Code and GitHub Copilot CLI read this file too"),
        ],
    },
];

const OPENCODE_2: Base = Base::EnvOrHome { var: "OPENCODE2_CONFIG_DIR", below_home: ".config/opencode2" };

const fn xcsh(scope: Scope, base: Base, path: &'static str) -> Location {
    Location::new(scope, base, path, Format::JSONC, Root::MCP_SERVERS)
}

const fn strict(scope: Scope, base: Base, path: &'static str) -> Location {
    Location::new(scope, base, path, Format::STRICT_JSON, Root::MCP_SERVERS)
}

const fn codex(scope: Scope, base: Base, path: &'static str) -> Location {
    Location::new(scope, base, path, Format::Toml, Root::Keys(&["mcp_servers"]))
}

const fn gemini(scope: Scope, base: Base, path: &'static str) -> Location {
    Location::new(scope, base, path, Format::COMMENTED_JSON, Root::MCP_SERVERS)
}

const fn opencode(scope: Scope, base: Base, path: &'static str) -> Location {
    Location::new(scope, base, path, Format::JSONC, Root::Keys(&["mcp"]))
}

const fn vscode(scope: Scope, base: Base, path: &'static str, root: &'static [&'static str]) -> Location {
    Location::new(scope, base, path, Format::JSONC, Root::Keys(root))
}

/// The host of this id.
pub fn by_id(id: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|host| host.id == id)
}
