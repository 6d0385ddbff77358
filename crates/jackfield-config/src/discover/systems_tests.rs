//! Where each tool keeps its servers, by system, as its makers say.

use super::tests::Files;
use super::*;
use crate::read::testing::places;

/// A tool and a place: `~` is the home directory, `.` the project; behind `#` the keys that lead to the servers.
type Row = (&'static str, &'static str);

/// The same on each system.
const EVERYWHERE: &[Row] = &[
    ("claude-code", "~/.claude.json#mcpServers"),
    ("claude-code", "~/.claude.json#projects./work/p.mcpServers"),
    ("claude-code", "~/.claude/settings.json#mcpServers"),
    ("claude-code", "./.claude/settings.json#mcpServers"),
    ("claude-code", "./.claude/settings.local.json#mcpServers"),
    ("claude-code", "./.claude/mcp.json#mcpServers"),
    ("claude-code", "./.claude/.mcp.json#mcpServers"),
    ("claude-code", "~/.claude/mcp.json#mcpServers"),
    ("claude-code", "~/.claude/plugins/cache/m/p/1.0/.mcp.json#mcpServers"),
    ("claude-code", "~/.claude/plugins/cache/m/p/1.0/.claude-plugin/plugin.json#mcpServers"),
    ("mcp.json", "./.mcp.json#mcpServers"),
    ("vscode", "./.vscode/mcp.json#servers"),
    ("vscode", "./.vscode/settings.json#mcp.servers"),
    ("vscode", "./team.code-workspace#mcp.servers"),
    ("vscode", "./team.code-workspace#settings.mcp.servers"),
    ("vscode", "~/.vscode-server/data/User/mcp.json#servers"),
    ("vscode", "~/.vscode-server/data/Machine/settings.json#mcp.servers"),
    ("cursor", "~/.cursor/mcp.json#mcpServers"),
    ("cursor", "./.cursor/mcp.json#mcpServers"),
    ("windsurf", "~/.codeium/windsurf/mcp_config.json#mcpServers"),
    ("windsurf", "~/.codeium/windsurf-next/mcp_config.json#mcpServers"),
    ("windsurf", "~/.codeium/mcp_config.json#mcpServers"),
    ("devin", "~/.config/devin/mcp_config.json#mcpServers"),
    ("devin", "~/.config/devin/config.json#mcpServers"),
    ("devin", "./.devin/mcp_config.json#mcpServers"),
    ("devin", "./.devin/mcp_config.local.json#mcpServers"),
    ("codex", "~/.codex/config.toml#mcp_servers"),
    ("codex", "~/.codex/work.config.toml#mcp_servers"),
    ("codex", "./.codex/config.toml#mcp_servers"),
    ("gemini", "~/.gemini/settings.json#mcpServers"),
    ("gemini", "./.gemini/settings.json#mcpServers"),
    ("gemini", "~/.gemini/extensions/e/gemini-extension.json#mcpServers"),
    ("qwen", "~/.qwen/settings.json#mcpServers"),
    ("qwen", "./.qwen/settings.json#mcpServers"),
    ("tabnine", "~/.tabnine/agent/settings.json#mcpServers"),
    ("tabnine", "./.tabnine/agent/settings.json#mcpServers"),
    ("zed", "./.zed/settings.json#context_servers"),
    ("opencode", "~/.config/opencode/config.json#mcp"),
    ("opencode", "~/.config/opencode/opencode.json#mcp"),
    ("opencode", "~/.config/opencode/opencode.jsonc#mcp"),
    ("opencode", "~/.config/opencode2/opencode.jsonc#mcp"),
    ("opencode", "./opencode.json#mcp"),
    ("opencode", "./.opencode/opencode.jsonc#mcp"),
    ("kilo", "~/.config/kilo/kilo.jsonc#mcp"),
    ("kilo", "./kilo.json#mcp"),
    ("kilo", "./.kilo/kilo.jsonc#mcp"),
    ("kilo-legacy", "~/.kilocode/cli/global/settings/mcp_settings.json#mcpServers"),
    ("kilo-legacy", "./.kilocode/mcp.json#mcpServers"),
    ("roo", "./.roo/mcp.json#mcpServers"),
    (
        "roo",
        "~/.vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json#mcpServers",
    ),
    ("cline", "~/.cline/data/settings/cline_mcp_settings.json#mcpServers"),
    ("cline", "~/.cline/mcp.json#mcpServers"),
    ("continue", "~/.continue/config.yaml#mcpServers"),
    ("continue", "~/.continue/mcpServers/a.yaml#mcpServers"),
    ("continue", "./.continue/mcpServers/b.json#mcpServers"),
    ("goose", "./.agents/plugins/g/.mcp.json#mcpServers"),
    ("crush", "~/.config/crush/crush.json#mcp"),
    ("crush", "~/.config/crush/crushrc#mcp"),
    ("crush", "./.crush.json#mcp"),
    ("crush", "./crush.json#mcp"),
    ("crush", "./.crushrc#mcp"),
    ("crush", "./crushrc#mcp"),
    ("copilot", "~/.copilot/mcp-config.json#mcpServers"),
    ("copilot", "./.github/mcp.json#mcpServers"),
    ("kiro", "~/.kiro/settings/mcp.json#mcpServers"),
    ("kiro", "~/.kiro/settings/mcp.json#powers.mcpServers"),
    ("kiro", "./.kiro/settings/mcp.json#mcpServers"),
    ("kiro", "~/.kiro/agents/k.json#mcpServers"),
    ("amazon-q", "~/.aws/amazonq/mcp.json#mcpServers"),
    ("amazon-q", "~/.aws/amazonq/agents/default.json#mcpServers"),
    ("amazon-q", "~/.aws/amazonq/cli-agents/q.json#mcpServers"),
    ("amazon-q", "./.amazonq/mcp.json#mcpServers"),
    ("amp", "./.amp/settings.json#amp.mcpServers"),
    ("amp", "./.vscode/settings.json#amp.mcpServers"),
    ("factory", "~/.factory/mcp.json#mcpServers"),
    ("factory", "./.factory/mcp.json#mcpServers"),
    ("warp", "~/.warp/.mcp.json#mcpServers"),
    ("warp", "./.warp/.mcp.json#mcpServers"),
    ("antigravity", "~/.gemini/config/mcp_config.json#mcpServers"),
    ("antigravity", "~/.gemini/antigravity/mcp_config.json#mcpServers"),
    ("antigravity", "./.agents/mcp_config.json#mcpServers"),
    ("junie", "~/.junie/mcp/mcp.json#mcpServers"),
    ("junie", "./.junie/mcp/mcp.json#mcpServers"),
    ("jetbrains-ai", "~/.ai/mcp/mcp.json#mcpServers"),
    ("jetbrains-ai", "./.ai/mcp/mcp.json#mcpServers"),
    ("jetbrains-ai", "./.air/mcp.json#mcpServers"),
    ("trae", "./.trae/mcp.json#mcpServers"),
    ("lm-studio", "~/.lmstudio/mcp.json#mcpServers"),
    ("lm-studio", "~/.cache/lm-studio/mcp.json#mcpServers"),
    ("kimi", "~/.kimi/mcp.json#mcpServers"),
    ("kimi-code", "~/.kimi-code/mcp.json#mcpServers"),
    ("kimi-code", "./.kimi-code/mcp.json#mcpServers"),
    ("vibe", "~/.vibe/config.toml#mcp_servers"),
    ("vibe", "./.vibe/config.toml#mcp_servers"),
    ("grok", "~/.grok/config.toml#mcp_servers"),
    ("grok", "./.grok/config.toml#mcp_servers"),
    ("augment", "~/.augment/settings.json#mcpServers"),
    ("augment", "./.augment/settings.json#mcpServers"),
    ("augment", "./.augment/settings.local.json#mcpServers"),
    ("rovo", "~/.rovodev/mcp.json#mcpServers"),
    ("rovo", "~/.rovodev/config.yml#mcp"),
    ("rovo", "./.rovodev/mcp.json#mcpServers"),
    ("qoder", "~/.qoder/mcp.json#mcpServers"),
    ("openclaw", "~/.openclaw/openclaw.json#mcp.servers"),
    ("mcphub", "~/.config/mcphub/servers.json#mcpServers"),
    ("mcporter", "~/.mcporter/mcporter.json#mcpServers"),
    ("mcporter", "~/.mcporter/mcporter.jsonc#mcpServers"),
    ("mcporter", "./config/mcporter.json#mcpServers"),
    ("deepagents", "~/.deepagents/.mcp.json#mcpServers"),
    ("deepagents", "./.deepagents/.mcp.json#mcpServers"),
    ("hermes", "~/.hermes/config.yaml#mcp_servers"),
    ("reasonix", "./reasonix.toml#plugins"),
    ("reasonix", "~/.reasonix/config.toml#plugins"),
    ("muse", "~/.config/muse/settings.json#mcpServers"),
    ("zcode", "~/.zcode/cli/config.json#mcp.servers"),
    ("sema4", "~/.sema4ai/sema4ai-studio/mcp_servers.json#mcpServers"),
];

/// Below the folder of applications' settings: `~/.config`, `Application Support`, `%APPDATA%`.
const OF_APPLICATIONS: &[Row] = &[
    ("claude-desktop", "Claude/claude_desktop_config.json#mcpServers"),
    ("cursor", "Cursor/User/mcp.json#mcpServers"),
    ("vscode", "Code/User/mcp.json#servers"),
    ("vscode", "Code/User/profiles/f/mcp.json#servers"),
    ("vscode", "Code/User/settings.json#mcp.servers"),
    ("vscode", "Code/User/profiles/f/settings.json#mcp.servers"),
    ("vscode", "Code - Insiders/User/mcp.json#servers"),
    ("vscode", "Code - Insiders/User/settings.json#mcp.servers"),
    ("vscode", "VSCodium/User/mcp.json#servers"),
    ("vscode", "VSCodium/User/settings.json#mcp.servers"),
    ("amp", "Code/User/settings.json#amp.mcpServers"),
    ("roo", "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json#mcpServers"),
    ("kilo-legacy", "Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json#mcpServers"),
    ("cline", "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json#mcpServers"),
    ("trae", "Trae/User/mcp.json#mcpServers"),
    ("trae", "Trae CN/User/mcp.json#mcpServers"),
    ("qoder", "Qoder/SharedClientCache/mcp.json#mcpServers"),
];

const LINUX: &[Row] = &[
    ("claude-code", "/etc/claude-code/managed-mcp.json#mcpServers"),
    ("claude-code", "/etc/claude-code/managed-settings.json#mcpServers"),
    ("codex", "/etc/codex/config.toml#mcp_servers"),
    ("codex", "/etc/codex/requirements.toml#mcp_servers"),
    ("gemini", "/etc/gemini-cli/system-defaults.json#mcpServers"),
    ("gemini", "/etc/gemini-cli/settings.json#mcpServers"),
    ("qwen", "/etc/qwen-code/settings.json#mcpServers"),
    ("tabnine", "/etc/tabnine-cli/settings.json#mcpServers"),
    ("zed", "~/.config/zed/settings.json#context_servers"),
    ("goose", "~/.config/goose/config.yaml#extensions"),
    ("copilot-ide", "~/.config/github-copilot/intellij/mcp.json#servers"),
    ("copilot-ide", "~/.config/github-copilot/eclipse/mcp.json#servers"),
    ("amp", "~/.config/amp/settings.json#amp.mcpServers"),
];

const MACOS: &[Row] = &[
    ("claude-code", "/Library/Application Support/ClaudeCode/managed-mcp.json#mcpServers"),
    ("claude-code", "/Library/Application Support/ClaudeCode/managed-settings.json#mcpServers"),
    ("codex", "/etc/codex/requirements.toml#mcp_servers"),
    ("gemini", "/Library/Application Support/GeminiCli/system-defaults.json#mcpServers"),
    ("gemini", "/Library/Application Support/GeminiCli/settings.json#mcpServers"),
    ("tabnine", "/Library/Application Support/TabnineCli/settings.json#mcpServers"),
    ("zed", "~/.config/zed/settings.json#context_servers"),
    ("goose", "~/.config/goose/config.yaml#extensions"),
    ("copilot-ide", "~/.config/github-copilot/intellij/mcp.json#servers"),
    ("copilot-ide", "~/.config/github-copilot/eclipse/mcp.json#servers"),
    ("copilot-ide", "~/.config/github-copilot/xcode/mcp.json#servers"),
    ("amp", "~/.config/amp/settings.json#amp.mcpServers"),
];

const WINDOWS: &[Row] = &[
    ("claude-code", "C:\\Program Files\\ClaudeCode/managed-mcp.json#mcpServers"),
    ("claude-code", "C:\\Program Files\\ClaudeCode/managed-settings.json#mcpServers"),
    ("visual-studio", "~/.mcp.json#servers"),
    ("visual-studio", "./.vs/mcp.json#servers"),
    ("codex", "C:\\ProgramData\\OpenAI\\Codex/requirements.toml#mcp_servers"),
    ("gemini", "C:\\ProgramData\\gemini-cli/system-defaults.json#mcpServers"),
    ("gemini", "C:\\ProgramData\\gemini-cli/settings.json#mcpServers"),
    ("zed", "~/AppData/Roaming/Zed/settings.json#context_servers"),
    ("goose", "~/AppData/Roaming/Block/goose/config/config.yaml#extensions"),
    ("copilot-ide", "~/AppData/Local/github-copilot/intellij/mcp.json#servers"),
    ("copilot-ide", "~/AppData/Local/github-copilot/eclipse/mcp.json#servers"),
    ("amp", "~/AppData/Roaming/amp/settings.json#amp.mcpServers"),
    ("reasonix", "~/AppData/Roaming/reasonix/config.toml#plugins"),
];

/// Files whose names a pattern stands for.
const FOUND: &[&str] = &[
    "~/.claude/plugins/cache/m/p/1.0/.mcp.json",
    "~/.claude/plugins/cache/m/p/1.0/.claude-plugin/plugin.json",
    "~/.codex/work.config.toml",
    "~/.gemini/extensions/e/gemini-extension.json",
    "~/.continue/mcpServers/a.yaml",
    "~/.kiro/agents/k.json",
    "~/.aws/amazonq/cli-agents/q.json",
    "~/.vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
    "./.continue/mcpServers/b.json",
    "./.agents/plugins/g/.mcp.json",
    "./team.code-workspace",
];
const FOUND_OF_APPLICATIONS: &[&str] = &[
    "Code/User/profiles/f/mcp.json",
    "Code/User/profiles/f/settings.json",
    "Code/User/settings.json",
    "Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
    "Code/User/globalStorage/kilocode.kilo-code/tasks",
    "Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
];

fn whole(path: &str) -> String {
    match path.get(..2) {
        Some("~/") => format!("/home/u/{}", &path[2..]),
        Some("./") => format!("/work/p/{}", &path[2..]),
        Some(_) | None => path.to_owned(),
    }
}

fn on(os: Os, applications: &str, own: &[Row]) {
    let below = |path: &str| format!("{applications}/{path}");
    let disk: Vec<String> = FOUND
        .iter()
        .map(|path| whole(path))
        .chain(FOUND_OF_APPLICATIONS.iter().map(|path| whole(&below(path))))
        .collect();
    let disk: Vec<&str> = disk.iter().map(String::as_str).collect();
    let places = Places { os, ..places() };
    let all: Vec<String> = sources(&places, &[], &Files(&disk))
        .iter()
        .map(|spec| format!("{} {}#{}", spec.host.id, spec.path.display(), spec.root.join(".")))
        .collect();
    let wanted = EVERYWHERE.iter().chain(own).map(|(host, path)| format!("{host} {}", whole(path)));
    let wanted =
        wanted.chain(OF_APPLICATIONS.iter().map(|(host, path)| format!("{host} {}", whole(&below(path)))));
    let missing: Vec<String> = wanted.filter(|row| !all.contains(row)).collect();
    assert_eq!(missing, Vec::<String>::new(), "{os:?}");
}

#[test]
fn each_tool_on_linux() {
    on(Os::Linux, "~/.config", LINUX);
}

#[test]
fn each_tool_on_macos() {
    on(Os::MacOs, "~/Library/Application Support", MACOS);
}

#[test]
fn each_tool_on_windows() {
    on(Os::Windows, "~/AppData/Roaming", WINDOWS);
}

/// Variables by which a tool keeps its files elsewhere.
#[test]
fn variables_move_files() {
    let cases: &[(&str, &str, &str, &str)] = &[
        ("claude-code", "CLAUDE_CONFIG_DIR", "/v", "/v/.claude.json"),
        ("claude-code", "CLAUDE_CONFIG_DIR", "/v", "/v/settings.json"),
        ("codex", "CODEX_HOME", "/v", "/v/config.toml"),
        ("opencode", "OPENCODE_CONFIG", "/v/o.json", "/v/o.json"),
        ("opencode", "OPENCODE_CONFIG_DIR", "/v", "/v/opencode.jsonc"),
        ("opencode", "OPENCODE_CONFIG_CONTENT", "{}", "$OPENCODE_CONFIG_CONTENT"),
        ("opencode", "OPENCODE2_CONFIG_DIR", "/v", "/v/opencode.json"),
        ("crush", "CRUSH_GLOBAL_CONFIG", "/v", "/v/crush.json"),
        ("crush", "CRUSH_GLOBAL_CONFIG", "/v", "/v/crushrc"),
        ("copilot", "COPILOT_HOME", "/v", "/v/mcp-config.json"),
        ("copilot", "XDG_CONFIG_HOME", "/v", "/v/.copilot/mcp-config.json"),
        ("kimi", "KIMI_SHARE_DIR", "/v", "/v/mcp.json"),
        ("kimi-code", "KIMI_CODE_HOME", "/v", "/v/mcp.json"),
        ("cline", "CLINE_DATA_DIR", "/v", "/v/settings/cline_mcp_settings.json"),
    ];
    for os in [Os::Linux, Os::MacOs, Os::Windows] {
        for (host, variable, value, path) in cases {
            let has = |env: &[(&str, &str)]| {
                let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
                let places = Places { os, env: Arc::new(env.collect()), ..places() };
                let all = sources(&places, &[], &NoFolders);
                all.iter().any(|spec| spec.host.id == *host && *spec.path == Path::new(path))
            };
            assert!(has(&[(variable, value)]), "{os:?} {variable}");
            assert!(!has(&[]), "{os:?} {variable}");
        }
    }
}

#[test]
fn files_nobody_reads_by_system() {
    let on = |os| {
        let places = Places { os, ..places() };
        unread_files(&places).into_iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>()
    };
    let (linux, macos, windows) = (on(Os::Linux), on(Os::MacOs), on(Os::Windows));
    let row = |path: &str| {
        (linux.contains(&whole(path)), macos.contains(&whole(path)), windows.contains(&whole(path)))
    };
    for (path, expected) in [
        // On Windows, Visual Studio reads it.
        ("~/.mcp.json", (true, true, false)),
        ("~/.copilot/mcp.json", (true, true, true)),
        ("./.kiro/mcp.json", (true, true, true)),
        ("~/.config/claude/claude_desktop_config.json", (true, false, false)),
        ("~/Library/Application Support/Zed/settings.json", (false, true, false)),
        ("~/.config/zed/settings.json", (false, false, true)),
        ("~/AppData/Block/goose/config.yaml", (false, false, true)),
        ("~/.local/share/crush/crush.json", (true, true, false)),
        ("~/AppData/Local/crush/crush.json", (false, false, true)),
    ] {
        assert_eq!(row(path), expected, "{path}");
    }
    // What is told of a file is never a place that is read.
    for os in [Os::Linux, Os::MacOs, Os::Windows] {
        let places = Places { os, ..places() };
        let all = sources(&places, &[], &NoFolders);
        for (path, _) in unread_files(&places) {
            let reader = all.iter().find(|spec| *spec.path == path);
            assert!(reader.is_none(), "{os:?} {} is read by {}", path.display(), reader.unwrap().host.name);
        }
    }
}
