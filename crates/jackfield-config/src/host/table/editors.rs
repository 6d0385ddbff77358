//! Editors and what lives in them.

use super::*;

const LEGACY: &str = "The old place; VS Code moves these servers to mcp.json";
const PROFILE: &str = "Of a profile";
const REMOTE: &str = "Of an editor with this machine as its remote host";
const MCP_IN_SETTINGS: Root = Root::Keys(&["mcp", "servers"]);
const MCP_IN_WORKSPACE: Root = Root::Keys(&["settings", "mcp", "servers"]);
const QWEN_SYSTEM: Base = Base::System {
    linux: "/etc/qwen-code",
    macos: "/Library/Application Support/QwenCode",
    windows: "C:\\ProgramData\\qwen-code",
};
const QWEN_SETTINGS: &str = "QWEN_CODE_SYSTEM_SETTINGS_PATH";
const QWEN_DEFAULTS: &str = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";
const TABNINE_SYSTEM: Base = Base::System {
    linux: "/etc/tabnine-cli",
    macos: "/Library/Application Support/TabnineCli",
    windows: "C:\\ProgramData\\TabnineCli",
};
const ZED: Base = Base::XdgConfigOrRoaming { elsewhere: "zed", windows: "Zed" };

pub(super) const HOSTS: &[Host] = &[
    host(
        "visual-studio",
        "Visual Studio",
        "S",
        Dialect::VisualStudio,
        VariableSyntax::VsCode,
        Switch::None,
        AT_ONCE,
        &[
            at(Scope::Project, Base::WindowsProject, ".vs/mcp.json", Format::JSONC, SERVERS),
            at(Scope::User, Base::WindowsHome, ".mcp.json", Format::JSONC, SERVERS),
        ],
    ),
    host(
        "devin",
        "Devin CLI",
        "d",
        Dialect::Plain,
        VariableSyntax::None,
        DISABLED,
        RESTART,
        &[
            project(".devin/mcp_config.local.json"),
            project(".devin/mcp_config.json"),
            at(Scope::User, Base::XdgConfig, "devin/mcp_config.json", Format::STRICT_JSON, MCP_SERVERS),
            at(Scope::User, Base::XdgConfig, "devin/config.json", Format::STRICT_JSON, MCP_SERVERS)
                .note("Of older versions; Devin moves these servers to mcp_config.json")
                .if_it_has_servers(),
        ],
    )
    .probe(),
    host(
        "qwen",
        "Qwen Code",
        "Q",
        Dialect::Qwen,
        VariableSyntax::Shell,
        Switch::List,
        RESTART,
        &[
            commented(Scope::Managed, Base::EnvFile(QWEN_SETTINGS), ""),
            commented(Scope::Managed, QWEN_SYSTEM, "settings.json").unless(&[QWEN_SETTINGS]),
            commented(Scope::Project, Base::Project, ".qwen/settings.json"),
            commented(Scope::User, Base::Home, ".qwen/settings.json"),
            commented(Scope::Managed, Base::EnvFile(QWEN_DEFAULTS), ""),
            commented(Scope::Managed, QWEN_SYSTEM, "system-defaults.json").unless(&[QWEN_DEFAULTS]),
        ],
    ),
    host(
        "tabnine",
        "Tabnine",
        "T",
        Dialect::Gemini,
        VariableSyntax::Shell,
        Switch::List,
        RESTART,
        &[
            commented(Scope::Managed, TABNINE_SYSTEM, "settings.json"),
            commented(Scope::Project, Base::Project, ".tabnine/agent/settings.json"),
            commented(Scope::User, Base::Home, ".tabnine/agent/settings.json"),
        ],
    ),
    host(
        "zed",
        "Zed",
        "Z",
        Dialect::Zed,
        VariableSyntax::None,
        ENABLED,
        AT_ONCE,
        &[zed(Scope::Project, Base::Project, ".zed/settings.json"), zed(Scope::User, ZED, "settings.json")],
    ),
    host(
        "kilo",
        "Kilo Code",
        "K",
        Dialect::Kilo,
        VariableSyntax::OpenCode,
        ENABLED,
        RESTART,
        &[
            kilo(Scope::Project, Base::Project, ".kilo/kilo.jsonc"),
            kilo(Scope::Project, Base::Project, ".kilo/kilo.json"),
            kilo(Scope::Project, Base::Project, "kilo.jsonc"),
            kilo(Scope::Project, Base::Project, "kilo.json"),
            kilo(Scope::User, Base::XdgConfig, "kilo/kilo.jsonc"),
            kilo(Scope::User, Base::XdgConfig, "kilo/kilo.json"),
        ],
    ),
    host(
        "kilo-legacy",
        "Kilo Code (old extension)",
        "k",
        Dialect::Roo,
        VariableSyntax::Roo,
        DISABLED,
        AT_ONCE,
        &[
            project(".kilocode/mcp.json").if_there(),
            app("*/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json"),
            user(".*-server/data/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json")
                .note(REMOTE),
            user(".kilocode/cli/global/settings/mcp_settings.json").note("Of the command line").if_there(),
        ],
    ),
    host(
        "roo",
        "Roo Code",
        "R",
        Dialect::Roo,
        VariableSyntax::Roo,
        DISABLED,
        AT_ONCE,
        &[
            project(".roo/mcp.json"),
            app("*/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
            user(".*-server/data/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json")
                .note(REMOTE),
        ],
    ),
    host(
        "cline",
        "Cline",
        "c",
        Dialect::Cline,
        VariableSyntax::None,
        DISABLED,
        AT_ONCE,
        &[
            cline(Base::EnvFile("CLINE_MCP_SETTINGS_PATH"), ""),
            cline(Base::EnvFile("CLINE_DATA_DIR"), "settings/cline_mcp_settings.json")
                .unless(&["CLINE_MCP_SETTINGS_PATH"]),
            cline(
                Base::EnvOrHome { var: "CLINE_DIR", below_home: ".cline" },
                "data/settings/cline_mcp_settings.json",
            )
            .unless(&["CLINE_MCP_SETTINGS_PATH", "CLINE_DATA_DIR"]),
            app("*/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json")
                .note("Of the extension for editors"),
            user(".*-server/data/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json")
                .note(REMOTE),
            user(".cline/mcp.json").note("Of the command line"),
        ],
    ),
    host(
        "continue",
        "Continue",
        "n",
        Dialect::Continue,
        VariableSyntax::Secrets,
        Switch::None,
        AT_ONCE,
        &[
            blocks(Scope::Project, Base::Project, ".continue/mcpServers/*.yaml"),
            blocks(Scope::Project, Base::Project, ".continue/mcpServers/*.yml"),
            // In JSON it takes a file of Claude or Cursor as it is.
            project(".continue/mcpServers/*.json").spelled(Dialect::Cursor),
            blocks(Scope::User, Base::Home, ".continue/config.yaml"),
            blocks(Scope::User, Base::Home, ".continue/mcpServers/*.yaml"),
            blocks(Scope::User, Base::Home, ".continue/mcpServers/*.yml"),
            user(".continue/mcpServers/*.json").spelled(Dialect::Cursor),
        ],
    ),
];

pub(super) const VS_CODE: &[Host] = &[host(
    "vscode",
    "VS Code",
    "V",
    Dialect::VsCode,
    VariableSyntax::VsCode,
    Switch::None,
    AT_ONCE,
    &[
        vscode(Scope::Project, Base::Project, ".vscode/mcp.json", SERVERS),
        vscode(Scope::Project, Base::Project, "*.code-workspace", MCP_IN_SETTINGS).note("A workspace file"),
        legacy(Scope::Project, Base::Project, "*.code-workspace", MCP_IN_WORKSPACE),
        legacy(Scope::Project, Base::Project, ".vscode/settings.json", MCP_IN_SETTINGS),
        code("Code/User/mcp.json"),
        code("Code/User/profiles/*/mcp.json").note(PROFILE),
        old("Code/User/settings.json"),
        old("Code/User/profiles/*/settings.json"),
        code("Code - Insiders/User/mcp.json").note("Of VS Code Insiders"),
        code("Code - Insiders/User/profiles/*/mcp.json").note("Of a profile of VS Code Insiders"),
        old("Code - Insiders/User/settings.json"),
        old("Code - Insiders/User/profiles/*/settings.json"),
        code("VSCodium/User/mcp.json").note("Of VSCodium"),
        code("VSCodium/User/profiles/*/mcp.json").note("Of a profile of VSCodium"),
        old("VSCodium/User/settings.json"),
        old("VSCodium/User/profiles/*/settings.json"),
        vscode(Scope::User, Base::Home, ".vscode-server/data/User/mcp.json", SERVERS)
            .note("Of VS Code with this machine as its remote host"),
        legacy(Scope::User, Base::Home, ".vscode-server/data/Machine/settings.json", MCP_IN_SETTINGS),
    ],
)];

const fn vscode(scope: Scope, base: Base, path: &'static str, root: Root) -> Location {
    at(scope, base, path, Format::JSONC, root)
}

/// A file of `mcp.json` below the folder of an editor.
const fn code(path: &'static str) -> Location {
    vscode(Scope::User, Base::AppConfig, path, SERVERS)
}

/// Settings of an editor, in which older versions kept servers.
const fn old(path: &'static str) -> Location {
    legacy(Scope::User, Base::AppConfig, path, MCP_IN_SETTINGS)
}

const fn legacy(scope: Scope, base: Base, path: &'static str, root: Root) -> Location {
    vscode(scope, base, path, root).note(LEGACY).if_it_has_servers()
}

const fn commented(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::COMMENTED_JSON, MCP_SERVERS)
}

const fn zed(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::JSONC, Root::Keys(&["context_servers"]))
}

const fn kilo(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::JSONC, Root::Keys(&["mcp"]))
}

const fn cline(base: Base, path: &'static str) -> Location {
    at(Scope::User, base, path, Format::STRICT_JSON, MCP_SERVERS)
}

const fn blocks(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::Yaml, Root::List(&["mcpServers"]))
}
