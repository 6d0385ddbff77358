//! The hosts that come first, and the bare files that come last.

use super::*;

const CLAUDE_HOME: Base = Base::EnvOrHome { var: "CLAUDE_CONFIG_DIR", below_home: "" };
const CLAUDE_DIR: Base = Base::EnvOrHome { var: "CLAUDE_CONFIG_DIR", below_home: ".claude" };
const CLAUDE_SYSTEM: Base = Base::System {
    linux: "/etc/claude-code",
    macos: "/Library/Application Support/ClaudeCode",
    windows: "C:\\Program Files\\ClaudeCode",
};
const CLAUDE_UNREAD: &str = crate::host::CLAUDE_UNREAD;
const PLUGIN: &str = "It belongs to a plugin";
const CODEX_HOME: Base = Base::EnvOrHome { var: "CODEX_HOME", below_home: ".codex" };
const CODEX_SYSTEM: Base =
    Base::System { linux: "/etc/codex", macos: "/etc/codex", windows: "C:\\ProgramData\\OpenAI\\Codex" };
const OPENCODE_2: Base = Base::EnvOrHome { var: "OPENCODE2_CONFIG_DIR", below_home: ".config/opencode2" };
const OPENCODE_DIR: Base = Base::EnvFile("OPENCODE_CONFIG_DIR");
const GEMINI_SETTINGS: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
const GEMINI_DEFAULTS: &str = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH";
const GEMINI_SYSTEM: Base = Base::System {
    linux: "/etc/gemini-cli",
    macos: "/Library/Application Support/GeminiCli",
    windows: "C:\\ProgramData\\gemini-cli",
};

pub(super) const HOSTS: &[Host] = &[
    Host {
        values: ValueRules::Xcsh,
        ..host(
            "xcsh",
            "xcsh",
            "x",
            Dialect::Xcsh,
            VariableSyntax::Braces,
            ENABLED,
            "when it reloads its MCP servers or starts again",
            &[
                xcsh(Scope::Project, Base::Project, ".xcsh/mcp.json"),
                xcsh(Scope::Project, Base::Project, ".xcsh/.mcp.json"),
                xcsh(Scope::User, Base::Home, ".xcsh/mcp.json"),
                xcsh(Scope::User, Base::Home, ".xcsh/.mcp.json"),
                xcsh(Scope::User, Base::Home, ".xcsh/agent/mcp.json"),
                xcsh(Scope::User, Base::Home, ".xcsh/agent/.mcp.json"),
            ],
        )
    },
    host(
        "claude-code",
        "Claude Code",
        "C",
        Dialect::ClaudeCode,
        VariableSyntax::Braces,
        Switch::List,
        SESSION,
        &[
            strict(Scope::Managed, CLAUDE_SYSTEM, "managed-mcp.json"),
            settings(Scope::Managed, CLAUDE_SYSTEM, "managed-settings.json"),
            settings(Scope::Project, Base::Project, ".claude/settings.local.json"),
            settings(Scope::Project, Base::Project, ".claude/settings.json"),
            settings(Scope::User, CLAUDE_DIR, "settings.json"),
            at(Scope::Local, CLAUDE_HOME, ".claude.json", Format::STRICT_JSON, Root::ClaudeProject),
            strict(Scope::User, CLAUDE_HOME, ".claude.json"),
            project(".claude/mcp.json").note(CLAUDE_UNREAD),
            project(".claude/.mcp.json").note(CLAUDE_UNREAD),
            strict(Scope::User, CLAUDE_DIR, "mcp.json").note(CLAUDE_UNREAD),
            strict(Scope::Plugin, CLAUDE_DIR, "plugins/cache/*/*/*/.mcp.json").note(PLUGIN),
            strict(Scope::Plugin, CLAUDE_DIR, "plugins/cache/*/*/*/.claude-plugin/plugin.json").note(PLUGIN),
            strict(Scope::Plugin, CLAUDE_DIR, "plugins/cache/*/*/.mcp.json").note(PLUGIN),
            strict(Scope::Plugin, CLAUDE_DIR, "plugins/cache/*/*/.claude-plugin/plugin.json").note(PLUGIN),
        ],
    ),
    host(
        "claude-desktop",
        "Claude Desktop",
        "D",
        Dialect::ClaudeDesktop,
        VariableSyntax::None,
        Switch::None,
        "after it was quit completely and started again",
        &[app("Claude/claude_desktop_config.json")],
    ),
    host(
        "codex",
        "Codex",
        "X",
        Dialect::Codex,
        VariableSyntax::None,
        ENABLED,
        RESTART,
        &[
            codex(Scope::Project, Base::ProjectUp, ".codex/config.toml"),
            codex(Scope::User, CODEX_HOME, "config.toml"),
            codex(Scope::User, CODEX_HOME, "*.config.toml").spelled(Dialect::CodexProfile).note(
                "Of a profile: it counts where Codex is started with it, and its servers are not listed",
            ),
            // The machine's file is the lowest layer for Codex, not the highest.
            codex(Scope::Managed, CODEX_SYSTEM, "config.toml"),
            codex(Scope::Managed, CODEX_SYSTEM, "requirements.toml")
                .spelled(Dialect::CodexRequirements)
                .note("The only servers that your organisation lets Codex start")
                .if_there(),
        ],
    ),
    host(
        "gemini",
        "Gemini CLI",
        "G",
        Dialect::Gemini,
        VariableSyntax::Shell,
        Switch::List,
        "after `/mcp refresh` or when it starts again",
        &[
            gemini(Scope::Managed, Base::EnvFile(GEMINI_SETTINGS), ""),
            gemini(Scope::Managed, GEMINI_SYSTEM, "settings.json").unless(&[GEMINI_SETTINGS]),
            gemini(Scope::Project, Base::Project, ".gemini/settings.json"),
            gemini(Scope::User, Base::Home, ".gemini/settings.json"),
            gemini(Scope::Managed, Base::EnvFile(GEMINI_DEFAULTS), ""),
            gemini(Scope::Managed, GEMINI_SYSTEM, "system-defaults.json").unless(&[GEMINI_DEFAULTS]),
            strict(Scope::Plugin, Base::Home, ".gemini/extensions/*/gemini-extension.json").note(PLUGIN),
        ],
    ),
    host(
        "opencode",
        "opencode",
        "o",
        Dialect::OpenCode,
        VariableSyntax::OpenCode,
        ENABLED,
        RESTART,
        &[
            opencode(Scope::User, Base::EnvText("OPENCODE_CONFIG_CONTENT"), "")
                .note("The content of a variable; it can only be changed where that is set"),
            opencode(Scope::User, OPENCODE_DIR, "opencode.jsonc"),
            opencode(Scope::User, OPENCODE_DIR, "opencode.json"),
            opencode(Scope::Project, Base::ProjectUp, ".opencode/opencode.jsonc"),
            opencode(Scope::Project, Base::ProjectUp, ".opencode/opencode.json"),
            opencode(Scope::Project, Base::ProjectUp, "opencode.jsonc"),
            opencode(Scope::Project, Base::ProjectUp, "opencode.json"),
            opencode(Scope::User, Base::EnvFile("OPENCODE_CONFIG"), ""),
            opencode(Scope::User, Base::XdgConfig, "opencode/opencode.jsonc"),
            opencode(Scope::User, Base::XdgConfig, "opencode/opencode.json"),
            opencode(Scope::User, Base::XdgConfig, "opencode/config.json"),
            opencode(Scope::User, OPENCODE_2, "opencode.jsonc"),
            opencode(Scope::User, OPENCODE_2, "opencode.json"),
        ],
    ),
    host(
        "cursor",
        "Cursor",
        "▲",
        Dialect::Cursor,
        VariableSyntax::Cursor,
        Switch::None,
        AT_ONCE,
        &[
            at(Scope::Project, Base::Project, ".cursor/mcp.json", Format::COMMENTED_JSON, MCP_SERVERS),
            at(Scope::User, Base::Home, ".cursor/mcp.json", Format::COMMENTED_JSON, MCP_SERVERS),
            at(Scope::User, Base::AppConfig, "Cursor/User/mcp.json", Format::COMMENTED_JSON, MCP_SERVERS)
                .if_there(),
        ],
    ),
    host(
        "windsurf",
        "Windsurf",
        "W",
        Dialect::Windsurf,
        VariableSyntax::Windsurf,
        DISABLED,
        "after Refresh in its MCP panel",
        &[
            user(".codeium/windsurf/mcp_config.json"),
            user(".codeium/windsurf-next/mcp_config.json").note("Of Windsurf Next"),
            user(".codeium/mcp_config.json").note("Of the plugin for JetBrains"),
        ],
    ),
];

pub(super) const BARE: &[Host] = &[Host {
    values: ValueRules::Xcsh,
    ..host(
        "mcp.json",
        "mcp.json",
        "·",
        Dialect::Bare,
        VariableSyntax::Braces,
        ENABLED,
        "when the application that reads it starts again",
        &[
            xcsh(Scope::Project, Base::Project, "mcp.json"),
            xcsh(Scope::Project, Base::ProjectUp, ".mcp.json")
                .note("Claude Code and GitHub Copilot CLI read this file too"),
        ],
    )
}];

const fn xcsh(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::JSONC, MCP_SERVERS)
}

const fn strict(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::STRICT_JSON, MCP_SERVERS)
}

const fn settings(scope: Scope, base: Base, path: &'static str) -> Location {
    strict(scope, base, path)
        .spelled(Dialect::ClaudeSettings)
        .note("Settings: they hold no servers, and switch those of other files on and off")
}

const fn codex(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::Toml, Root::Keys(&["mcp_servers"]))
}

const fn gemini(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::COMMENTED_JSON, MCP_SERVERS)
}

const fn opencode(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::JSONC, Root::Keys(&["mcp"]))
}
