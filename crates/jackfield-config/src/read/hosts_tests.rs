//! The dialects of the tools that came after the first ones, and what must be so for every row of the table.

use super::testing::{read, show};
use crate::dialect::{Shape, spelling};
use crate::host::{Dialect, HOSTS, Switch};

#[test]
fn more_dialects() {
    let cases: &[(&str, &str)] = &[
        (
            "~/.config/zed/settings.json",
            r#"{"context_servers": {"old": {"source": "custom", "command": {"path": "x", "args": ["a"], "env": {"K": "v"}}}, "flat": {"command": "x", "env": null, "timeout": 5}, "off": {"url": "https://h", "enabled": false}, "on": {"command": "x", "disabled": true}}}"#,
        ),
        (
            "~/.cline/data/settings/cline_mcp_settings.json",
            r#"{"mcpServers": {"a": {"url": "https://h"}, "b": {"type": "streamableHttp", "url": "https://h", "disabled": true, "timeout": 60}, "c": {"transportType": "http", "url": "https://h"}, "d": {"command": "x", "env": {"T": "${T}"}}}}"#,
        ),
        (
            ".roo/mcp.json",
            r#"{"mcpServers": {"a": {"url": "https://h"}, "b": {"type": "streamable-http", "url": "https://h/${env:X}"}, "c": {"command": "${workspaceFolder}/x", "cwd": "/y"}}}"#,
        ),
        (
            "~/.continue/config.yaml",
            "mcpServers:\n  - name: a\n    command: x\n    env:\n      T: ${{ secrets.T }}\n  - name: b\n    type: sse\n    url: https://h\n    requestOptions:\n      headers:\n        K: v\n  - command: nameless\n  - name: a\n    command: second\n",
        ),
        (
            ".continue/mcpServers/team.json",
            r#"{"mcpServers": {"a": {"command": "x", "args": ["y"]}, "b": {"url": "https://h", "headers": {"K": "v"}}}}"#,
        ),
        (
            "~/.config/goose/config.yaml",
            "extensions:\n  developer:\n    type: builtin\n    name: developer\n  a:\n    type: stdio\n    name: a\n    cmd: x\n    args: [y]\n    envs: {K: v}\n    enabled: false\n    timeout: 300\n  b:\n    type: streamable_http\n    name: b\n    uri: https://h\n  c:\n    type: stdio\n    cmd: x\n",
        ),
        (
            ".agents/plugins/p/.mcp.json",
            r#"{"mcpServers": {"a": {"command": "x"}, "b": {"url": "https://h"}}}"#,
        ),
        (
            "~/.config/crush/crush.json",
            r#"{"mcp": {"a": {"type": "stdio", "command": "x", "args": ["$A"], "timeout": 10}, "b": {"type": "http", "url": "https://h", "headers": {"K": "${K:-x}"}, "disabled": true}, "c": {"command": "x"}}}"#,
        ),
        (
            "~/.copilot/mcp-config.json",
            r#"{"mcpServers": {"a": {"type": "local", "command": "x", "env": {"A": "$A"}, "tools": ["*"]}, "b": {"url": "https://h", "headers": {"K": "${K}"}}}}"#,
        ),
        (
            "~/.kiro/settings/mcp.json",
            r#"{"mcpServers": {"a": {"command": "x", "env": {"A": "${A}", "B": "${B:-x}"}, "disabled": true}, "b": {"url": "https://h"}}}"#,
        ),
        (
            "~/.aws/amazonq/mcp.json",
            r#"{"mcpServers": {"a": {"command": "x", "timeout": 1000}, "b": {"url": "https://h"}, "c": {"type": "http", "url": "https://h"}}}"#,
        ),
        (
            ".amp/settings.json",
            r#"{"amp.mcpServers": {"a": {"command": "x"}, "b": {"url": "https://h", "disabled": true}}}"#,
        ),
        (
            "~/.factory/mcp.json",
            r#"{"mcpServers": {"a": {"command": "x", "timeoutMs": 500}, "b": {"url": "https://h"}, "c": {"type": "http", "url": "https://h", "disabled": true}}}"#,
        ),
        (
            ".agents/mcp_config.json",
            r#"{"mcpServers": {"a": {"serverUrl": "https://h"}, "b": {"command": "x", "disabled": true}}}"#,
        ),
        (
            "~/.vibe/config.toml",
            "[[mcp_servers]]\nname = \"a\"\ntransport = \"stdio\"\ncommand = \"uvx 'my server'\"\n\n[[mcp_servers]]\nname = \"b\"\ntransport = \"streamable-http\"\nurl = \"https://h\"\napi_key_env = \"B_KEY\"\nstartup_timeout_sec = 2\n\n[[mcp_servers]]\nname = \"c\"\ncommand = \"x\"\n",
        ),
        (
            "~/.grok/config.toml",
            "[mcp_servers.a]\ncommand = \"x\"\nenabled = false\n\n[mcp_servers.b]\nurl = \"https://h\"\n",
        ),
        (
            "~/.kimi/mcp.json",
            r#"{"mcpServers": {"a": {"transport": "sse", "url": "https://h"}, "b": {"url": "https://h"}}}"#,
        ),
        (
            "~/.kimi-code/mcp.json",
            r#"{"mcpServers": {"a": {"url": "https://h", "bearerTokenEnvVar": "T", "startupTimeoutMs": 100, "enabled": false}}}"#,
        ),
        (
            "config/mcporter.json",
            r#"{"mcpServers": {"a": {"baseUrl": "https://h", "bearerTokenEnv": "T"}, "b": {"command": "npx x --flag"}, "c": {"server_url": "https://h", "headers": {"K": "$env:K"}}}}"#,
        ),
        (
            "~/.warp/.mcp.json",
            r#"{"mcpServers": {"a": {"command": "x", "working_directory": "/y"}, "b": {"url": "https://h"}}}"#,
        ),
        (
            "~/.hermes/config.yaml",
            "mcp_servers:\n  a:\n    url: https://h\n  b:\n    transport: sse\n    url: https://h\n    enabled: false\n",
        ),
        (
            "openclaw.json",
            r#"{"mcp": {"servers": {"a": {"command": "x", "enabled": false}, "b": {"command": "x", "disabled": true}}}}"#,
        ),
        (
            "~/.claude/plugins/cache/market/plugin/1.0/.mcp.json",
            r#"{"a": {"command": "x"}, "b": {"type": "http", "url": "https://h"}}"#,
        ),
        ("~/.claude/plugins/cache/market/plugin/.mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#),
    ];
    let all: String =
        cases.iter().map(|(path, text)| format!("== {path}\n{}", show(&read(path, text)))).collect();
    insta::assert_snapshot!(all);
}

/// The key that a toggle writes is the key that is read.
#[test]
fn the_switch_of_a_host_is_that_of_its_dialect() {
    for host in HOSTS {
        let own = spelling(host.dialect, Shape::First).switch;
        match host.switch {
            Switch::Flag { key, on } => assert_eq!(own, Some((key, on)), "{}", host.id),
            // Little is known of these tools: `disabled` is heeded where a person wrote it, and never written.
            Switch::None if host.dialect == Dialect::Plain => {}
            Switch::List | Switch::None => assert_eq!(own, None, "{}", host.id),
        }
    }
}
