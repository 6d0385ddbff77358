use super::*;

fn shown(text: &str) -> String {
    match recognise(text) {
        Ok(found) => {
            let servers = found.drafts.iter().map(|imported| {
                let Draft { name, transport, .. } = &imported.draft;
                let host = imported.host.unwrap_or("-");
                match transport {
                    DraftTransport::Stdio { command, args, env, .. } => {
                        format!("\n  {name} ({host}): {command} {args:?} {env:?}")
                    }
                    DraftTransport::Http { url, headers, protocol } => {
                        format!("\n  {name} ({host}): {protocol:?} {url} {headers:?}")
                    }
                }
            });
            format!("{}{}", found.what, servers.collect::<String>())
        }
        Err(error) => format!("! {error}"),
    }
}

#[test]
fn everything_that_people_paste() {
    let cursor = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        r#"{"command":"npx -y @acme/mcp --flag"}"#,
    );
    let cases = [
        r#"{"mcpServers": {"github": {"command": "npx", "args": ["-y", "gh"], "env": {"T": "${T}"}}}}"#,
        r#"{"servers": {"a": {"type": "http", "url": "https://a.example/mcp"}}, "inputs": []}"#,
        r#"{"mcp": {"a": {"type": "local", "command": ["x", "y"], "environment": {"A": "1"}}}}"#,
        r#""fetch": {"command": "uvx", "args": ["mcp-server-fetch"]},"#,
        r#"{"fetch": {"command": "uvx", "args": ["mcp-server-fetch"]}}"#,
        r#"{"command": "uvx", "args": ["mcp-server-fetch"]}"#,
        r#"{"name": "x", "serverUrl": "https://x.example"}"#,
        "Add this:\n```json\n{\"mcpServers\": {\"w\": {\"httpUrl\": \"https://w.example\"}}}\n```\nDone.",
        "[mcp_servers.docs]\nurl = \"https://d.example/mcp\"\nbearer_token_env_var = \"DOCS\"\n",
        "extensions:\n  dev:\n    type: stdio\n    cmd: uvx\n    args: [x]\n",
        "mcpServers:\n  - name: q\n    command: npx\n    args:\n      - -y\n",
        "claude mcp add --transport http linear https://mcp.linear.app/mcp --header \"Authorization: Bearer x\"",
        "claude mcp add github -s user -e TOKEN=abc -e B=c -- npx -y server-github --flag \"a b\"",
        "claude mcp add-json weather '{\"type\":\"sse\",\"url\":\"https://w.example/sse\"}' -s user",
        "codex mcp add docs --env A=b -- npx -y docs",
        "codex mcp add remote --url https://r.example/mcp --bearer-token-env-var TOK",
        "gemini mcp add -t http g https://g.example",
        "code --add-mcp '{\"name\":\"pw\",\"command\":\"npx\",\"args\":[\"@playwright/mcp\"]}'",
        "vscode:mcp/install?%7B%22name%22%3A%22n%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22a%2Bb%22%5D%7D",
        "https://insiders.vscode.dev/redirect/mcp/install?name=gh&config=%7B%22type%22%3A%22http%22%2C%22url%22%3A%22https%3A%2F%2Fh.example%2F%22%7D",
        &format!("cursor://anysphere.cursor-deeplink/mcp/install?name=acme&config={cursor}"),
        "https://mcp.linear.app/sse",
        "localhost:3000/mcp",
        "npx -y @modelcontextprotocol/server-filesystem \"/a b\"",
        "API_KEY=k docker run -i --rm ghcr.io/o/thing-mcp",
        "",
        "{\"mcpServers\": ",
        "{\"a\": 1}",
        "claude mcp add",
        "npx 'open",
        "Please add the github server to my editor today",
    ];
    let all: String = cases.iter().map(|text| format!("== {text}\n{}\n", shown(text))).collect();
    insta::assert_snapshot!(all);
}

#[test]
fn odd_texts_are_no_panic() {
    for text in [
        "[",
        "\"",
        "{}",
        "[]",
        "cursor://x",
        "claude",
        "= =",
        "a: b",
        "---",
        "😀",
        "'",
        "https://",
        "[[mcp_servers]]",
    ] {
        let _ = recognise(text);
    }
    assert_eq!(recognise(&"x".repeat(LIMIT + 1)), Err(ImportError::TooLong));
}
