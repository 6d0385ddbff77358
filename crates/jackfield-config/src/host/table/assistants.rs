//! Agents of the command line and desktop assistants.

use super::*;

const GOOSE: Base = Base::XdgConfigOrRoaming { elsewhere: "goose", windows: "Block/goose/config" };
const AMP: Base = Base::XdgConfigOrRoaming { elsewhere: "amp", windows: "amp" };
const IN_EDITOR: &str = "Settings of an editor, which Amp reads in it";
const DOTTED: Root = Root::Keys(&["amp.mcpServers"]);
const POWERS: Root = Root::Keys(&["powers", "mcpServers"]);
const AGENT: &str = "Of an agent";
const KIMI_CODE: Base = Base::EnvOrHome { var: "KIMI_CODE_HOME", below_home: ".kimi-code" };
const TABLES: Root = Root::Keys(&["mcp_servers"]);
const LIST: Root = Root::List(&["mcp_servers"]);

pub(super) const HOSTS: &[Host] = &[
    host(
        "goose",
        "Goose",
        "g",
        Dialect::Goose,
        VariableSyntax::None,
        ENABLED,
        SESSION,
        &[
            at(Scope::User, GOOSE, "config.yaml", Format::Yaml, Root::Keys(&["extensions"])),
            // Programs only, spelled as Claude Desktop does.
            project(".agents/plugins/*/.mcp.json").spelled(Dialect::ClaudeDesktop),
        ],
    ),
    host(
        "crush",
        "Crush",
        "h",
        Dialect::Crush,
        VariableSyntax::Crush,
        DISABLED,
        RESTART,
        &[
            crushrc(Scope::Project, Base::ProjectUp, ".crushrc"),
            crushrc(Scope::Project, Base::ProjectUp, "crushrc"),
            crush(Scope::Project, Base::ProjectUp, ".crush.json"),
            crush(Scope::Project, Base::ProjectUp, "crush.json"),
            crushrc(Scope::User, Base::EnvFile("CRUSH_GLOBAL_CONFIG"), "crushrc"),
            crushrc(Scope::User, Base::XdgConfig, "crush/crushrc").unless(&["CRUSH_GLOBAL_CONFIG"]),
            crush(Scope::User, Base::EnvFile("CRUSH_GLOBAL_CONFIG"), "crush.json"),
            crush(Scope::User, Base::XdgConfig, "crush/crush.json").unless(&["CRUSH_GLOBAL_CONFIG"]),
        ],
    ),
    host(
        "copilot",
        "GitHub Copilot CLI",
        "P",
        Dialect::CopilotCli,
        VariableSyntax::PlainShell,
        Switch::None,
        SESSION,
        &[
            project(".github/mcp.json"),
            at(
                Scope::User,
                Base::EnvOrHome { var: "COPILOT_HOME", below_home: ".copilot" },
                "mcp-config.json",
                Format::STRICT_JSON,
                MCP_SERVERS,
            ),
            at(
                Scope::User,
                Base::EnvFile("XDG_CONFIG_HOME"),
                ".copilot/mcp-config.json",
                Format::STRICT_JSON,
                MCP_SERVERS,
            )
            .note("Of older versions")
            .unless(&["COPILOT_HOME"])
            .if_there(),
        ],
    ),
    host(
        "copilot-ide",
        "GitHub Copilot in other editors",
        "p",
        Dialect::VsCode,
        VariableSyntax::VsCode,
        Switch::None,
        AT_ONCE,
        &[
            ide("github-copilot/intellij/mcp.json").note("Of JetBrains"),
            ide("github-copilot/eclipse/mcp.json").note("Of Eclipse"),
            ide("github-copilot/xcode/mcp.json").note("Of Xcode"),
        ],
    ),
    host(
        "kiro",
        "Kiro",
        "i",
        Dialect::Kiro,
        VariableSyntax::PlainBraces,
        DISABLED,
        AT_ONCE,
        &[
            project(".kiro/settings/mcp.json"),
            project(".kiro/agents/*.json").note(AGENT).if_it_has_servers(),
            user(".kiro/settings/mcp.json"),
            at(Scope::Plugin, Base::Home, ".kiro/settings/mcp.json", Format::STRICT_JSON, POWERS)
                .note("Of powers, which Kiro installs")
                .if_it_has_servers(),
            user(".kiro/agents/*.json").note(AGENT).if_it_has_servers(),
        ],
    ),
    host(
        "amazon-q",
        "Amazon Q Developer",
        "q",
        Dialect::AmazonQ,
        VariableSyntax::None,
        DISABLED,
        SESSION,
        &[
            project(".amazonq/mcp.json"),
            project(".amazonq/cli-agents/*.json").note(AGENT),
            user(".aws/amazonq/mcp.json"),
            user(".aws/amazonq/agents/default.json").note("Of the agent in editors"),
            user(".aws/amazonq/cli-agents/*.json").note(AGENT),
        ],
    ),
    host(
        "amp",
        "Amp",
        "A",
        Dialect::Amp,
        VariableSyntax::None,
        DISABLED,
        RESTART,
        &[
            amp(Scope::Project, Base::Project, ".amp/settings.jsonc"),
            amp(Scope::Project, Base::Project, ".amp/settings.json"),
            amp(Scope::Project, Base::Project, ".vscode/settings.json").note(IN_EDITOR).if_it_has_servers(),
            amp(Scope::User, AMP, "settings.jsonc"),
            amp(Scope::User, AMP, "settings.json"),
            amp(Scope::User, Base::AppConfig, "*/User/settings.json").note(IN_EDITOR).if_it_has_servers(),
        ],
    ),
    // The only tool whose user file wins over the project's.
    host(
        "factory",
        "Factory Droid",
        "F",
        Dialect::Factory,
        VariableSyntax::Braces,
        DISABLED,
        AT_ONCE,
        &[
            user(".factory/mcp.json"),
            at(Scope::Project, Base::ProjectUpFar, ".factory/mcp.json", Format::STRICT_JSON, MCP_SERVERS),
        ],
    ),
    host(
        "warp",
        "Warp",
        "w",
        Dialect::Warp,
        VariableSyntax::None,
        Switch::None,
        REFRESH,
        &[project(".warp/.mcp.json"), user(".warp/.mcp.json")],
    ),
    host(
        "antigravity",
        "Antigravity",
        "a",
        Dialect::Antigravity,
        VariableSyntax::None,
        DISABLED,
        REFRESH,
        &[
            project(".agents/mcp_config.json"),
            user(".gemini/config/mcp_config.json"),
            user(".gemini/antigravity/mcp_config.json").note("Of version 1"),
        ],
    ),
    host(
        "junie",
        "JetBrains Junie",
        "J",
        Dialect::Junie,
        VariableSyntax::None,
        Switch::None,
        REFRESH,
        &[project(".junie/mcp/mcp.json"), user(".junie/mcp/mcp.json")],
    ),
    host(
        "jetbrains-ai",
        "JetBrains AI Assistant",
        "j",
        Dialect::Plain,
        VariableSyntax::None,
        Switch::None,
        REFRESH,
        &[project(".ai/mcp/mcp.json"), project(".air/mcp.json"), user(".ai/mcp/mcp.json")],
    )
    .probe(),
    host(
        "trae",
        "Trae",
        "t",
        Dialect::Trae,
        VariableSyntax::None,
        Switch::None,
        REFRESH,
        &[
            project(".trae/mcp.json").note("Read once its switch for project servers is on"),
            app("Trae/User/mcp.json"),
            app("Trae CN/User/mcp.json").note("Of Trae CN"),
        ],
    ),
    host(
        "lm-studio",
        "LM Studio",
        "L",
        Dialect::Cursor,
        VariableSyntax::None,
        Switch::None,
        AT_ONCE,
        &[user(".lmstudio/mcp.json"), user(".cache/lm-studio/mcp.json").note("Of older versions")],
    ),
    host(
        "kimi",
        "Kimi CLI",
        "m",
        Dialect::KimiCli,
        VariableSyntax::None,
        Switch::None,
        SESSION,
        &[at(
            Scope::User,
            Base::EnvOrHome { var: "KIMI_SHARE_DIR", below_home: ".kimi" },
            "mcp.json",
            Format::STRICT_JSON,
            MCP_SERVERS,
        )],
    ),
    host(
        "kimi-code",
        "Kimi Code",
        "M",
        Dialect::KimiCode,
        VariableSyntax::None,
        ENABLED,
        SESSION,
        &[
            project(".kimi-code/mcp.json"),
            at(Scope::User, KIMI_CODE, "mcp.json", Format::STRICT_JSON, MCP_SERVERS),
        ],
    ),
    host(
        "vibe",
        "Mistral Vibe",
        "v",
        Dialect::Vibe,
        VariableSyntax::None,
        DISABLED,
        SESSION,
        &[
            at(Scope::Project, Base::Project, ".vibe/config.toml", Format::Toml, LIST),
            at(Scope::User, Base::Home, ".vibe/config.toml", Format::Toml, LIST),
        ],
    ),
    host(
        "grok",
        "Grok CLI",
        "r",
        Dialect::Grok,
        VariableSyntax::None,
        ENABLED,
        SESSION,
        &[
            at(Scope::Project, Base::Project, ".grok/config.toml", Format::Toml, TABLES),
            at(Scope::User, Base::Home, ".grok/config.toml", Format::Toml, TABLES),
        ],
    )
    .probe(),
    host(
        "augment",
        "Augment",
        "u",
        Dialect::Plain,
        VariableSyntax::None,
        Switch::None,
        SESSION,
        &[
            project(".augment/settings.local.json"),
            project(".augment/settings.json"),
            user(".augment/settings.json"),
        ],
    ),
    host(
        "rovo",
        "Rovo Dev CLI",
        "b",
        Dialect::Plain,
        VariableSyntax::None,
        Switch::None,
        SESSION,
        &[
            project(".rovodev/mcp.json"),
            user(".rovodev/mcp.json"),
            at(Scope::User, Base::Home, ".rovodev/config.yml", Format::Yaml, Root::Keys(&["mcp"]))
                .spelled(Dialect::RovoSettings)
                .note("Settings: they hold no servers, and switch those of other files off"),
        ],
    )
    .probe(),
    host(
        "qoder",
        "Qoder",
        "e",
        Dialect::Plain,
        VariableSyntax::None,
        Switch::None,
        REFRESH,
        &[user(".qoder/mcp.json"), app("Qoder/SharedClientCache/mcp.json").if_there()],
    ),
];

const fn crush(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::STRICT_JSON, Root::Keys(&["mcp"]))
}

const fn crushrc(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::Script, Root::Keys(&["mcp"]))
        .note("A script; it can only be edited by hand")
        .if_there()
}

const fn amp(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::JSONC, DOTTED)
}

const fn ide(path: &'static str) -> Location {
    at(Scope::User, Base::LocalAppData(".config"), path, Format::JSONC, SERVERS)
}
