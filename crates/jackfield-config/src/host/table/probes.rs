//! Tools of which little is known for certain: shown where their files are found.

use super::*;

const NESTED: Root = Root::Keys(&["mcp", "servers"]);

pub(super) const HOSTS: &[Host] = &[
    host(
        "openclaw",
        "OpenClaw",
        "O",
        Dialect::OpenClaw,
        VariableSyntax::None,
        ENABLED,
        RESTART,
        &[
            jsonc(Scope::Project, Base::Project, "openclaw.json", NESTED),
            jsonc(Scope::User, Base::Home, ".openclaw/openclaw.json", NESTED),
        ],
    )
    .probe(),
    host(
        "mcphub",
        "mcphub.nvim",
        "H",
        Dialect::Plain,
        VariableSyntax::None,
        DISABLED,
        AT_ONCE,
        &[jsonc(Scope::User, Base::XdgConfig, "mcphub/servers.json", MCP_SERVERS)],
    )
    .probe(),
    host(
        "mcporter",
        "mcporter",
        "f",
        Dialect::Porter,
        VariableSyntax::Porter,
        Switch::None,
        SESSION,
        &[
            jsonc(Scope::Project, Base::Project, "config/mcporter.json", MCP_SERVERS),
            jsonc(Scope::User, Base::Home, ".mcporter/mcporter.json", MCP_SERVERS),
            jsonc(Scope::User, Base::Home, ".mcporter/mcporter.jsonc", MCP_SERVERS),
        ],
    )
    .probe(),
    host(
        "deepagents",
        "deepagents",
        "l",
        Dialect::DeepAgents,
        VariableSyntax::None,
        Switch::None,
        SESSION,
        &[project(".deepagents/.mcp.json"), user(".deepagents/.mcp.json")],
    )
    .probe(),
    host(
        "hermes",
        "Hermes",
        "s",
        Dialect::Hermes,
        VariableSyntax::None,
        ENABLED,
        SESSION,
        &[at(Scope::User, Base::Home, ".hermes/config.yaml", Format::Yaml, Root::Keys(&["mcp_servers"]))],
    )
    .probe(),
    host(
        "reasonix",
        "Reasonix",
        "N",
        Dialect::Reasonix,
        VariableSyntax::Braces,
        Switch::None,
        SESSION,
        &[
            plugins(Scope::Project, Base::Project, "reasonix.toml"),
            plugins(Scope::User, Base::Home, ".reasonix/config.toml"),
            plugins(
                Scope::User,
                Base::XdgConfigOrRoaming { elsewhere: "reasonix", windows: "reasonix" },
                "config.toml",
            ),
        ],
    )
    .probe(),
    host(
        "muse",
        "Muse",
        "y",
        Dialect::Plain,
        VariableSyntax::None,
        Switch::None,
        SESSION,
        &[jsonc(Scope::User, Base::XdgConfig, "muse/settings.json", MCP_SERVERS)],
    )
    .probe(),
    host(
        "zcode",
        "ZCode",
        "z",
        Dialect::Plain,
        VariableSyntax::None,
        Switch::None,
        SESSION,
        &[jsonc(Scope::User, Base::Home, ".zcode/cli/config.json", NESTED)],
    )
    .probe(),
    host(
        "sema4",
        "Sema4.ai Studio",
        "4",
        Dialect::Plain,
        VariableSyntax::None,
        Switch::None,
        RESTART,
        &[user(".sema4ai/sema4ai-studio/mcp_servers.json")],
    )
    .probe(),
];

const fn plugins(scope: Scope, base: Base, path: &'static str) -> Location {
    at(scope, base, path, Format::Toml, Root::List(&["plugins"]))
}

const fn jsonc(scope: Scope, base: Base, path: &'static str, root: Root) -> Location {
    at(scope, base, path, Format::JSONC, root)
}
