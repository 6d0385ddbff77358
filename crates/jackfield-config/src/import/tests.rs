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

#[test]
fn more_that_people_paste() {
    let encode = |text: &str| base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
    let one = encode(r#"{"command":"npx","args":["-y","acme"]}"#);
    let url = encode(r#"{"url":"https://h.example/mcp"}"#);
    let cases = [
        &format!("https://cursor.com/install-mcp?name=acme&config={}", one.replace('=', "%3D")),
        &format!("https://cursor.com/en/install-mcp?name=acme&config={one}"),
        &format!("lmstudio://add_mcp?name=acme&config={url}"),
        "vscode-insiders:mcp/install?%7B%22name%22%3A%22n%22%2C%22type%22%3A%22http%22%2C%22url%22%3A%22https%3A%2F%2Fh.example%2F%3Fa%3D1%26b%3D2%22%7D",
        "[![Install](https://img.shields.io/x.svg)](cursor://anysphere.cursor-deeplink/mcp/install?name=acme&config=eyJjb21tYW5kIjoibnB4In0=)",
        "Put this into the file:\n\n{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}\n\nand restart.",
        "Run `npx -y @acme/mcp` to start.",
        "```sh\n$ claude mcp add --transport sse asana https://mcp.asana.com/sse\n```",
        "```\nfirst\n```\ntext\n```json\n{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}\n```",
        "# Codex\n[mcp_servers.\"a.b\"]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\nenv = { A = \"1\" }\n",
        "[mcp_servers.a]\ncommand = \"x\"\n\n[mcp_servers.a.env]\nB = \"2\"\n",
        "{\n  // mine\n  \"mcpServers\": {\"a\": {\"command\": \"x\",},},\n}",
        "{\"projects\": {\"/p\": {\"mcpServers\": {\"a\": {\"command\": \"x\"}}}}}",
        "\"mcpServers\": {\"a\": {\"command\": \"x\"}, \"b\": {\"url\": \"https://b.example\"}}",
        "\"a\": {\"command\": \"x\"},\n\"b\": {\"command\": \"y\"}",
        "claude mcp add -s project -t http gh https://gh.example -H 'Authorization: Bearer ${T}' -H \"X: y\"",
        "claude mcp add fs -- npx -y @modelcontextprotocol/server-filesystem ~/a",
        "claude mcp add --env A=b fs npx -y fs",
        "claude mcp add --env=A=b --transport=stdio fs -- npx",
        "claude mcp add-json \"x y\" '{\"command\":\"x\",\"args\":[\"a b\"]}'",
        "codex mcp add x --env A=1 --env B=2 -- docker run -i --rm -e A img",
        "gemini mcp add -s user -e K=v srv python server.py --port 1",
        "gemini mcp add --transport sse --header 'A: b' srv https://s.example/sse",
        "code --add-mcp \"{\\\"name\\\":\\\"x\\\",\\\"url\\\":\\\"https://x.example\\\"}\"",
        "A=1 B='x y' uvx --from git+https://g.example/r tool serve",
        "docker run -i --rm -e TOKEN -v /a:/b mcp/github:latest --x",
        "cmd /c npx -y foo-mcp@latest",
        "node C:\\Users\\me\\server.js",
        "/opt/my tools/run",
        "\"C:\\Program Files\\x\\y.exe\" --stdio",
        "npx mcp-remote https://mcp.example.com/sse --header \"Authorization: Bearer x\"",
        "https://mcp.example.com/mcp?key=1",
        "example.com",
        "[::1]:3000/mcp",
        "{\"type\":\"stdio\",\"command\":\"x\",\"enabled\":false,\"timeout\":5000}",
        "{\"mcpServers\":[{\"name\":\"a\",\"command\":\"x\"}]}",
        "{\"mcpServers\":{}}",
        "cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=%%%",
        "vscode:mcp/install?nothing",
        "[mcp_servers.a\ncommand = 1",
    ];
    let all: String = cases.iter().map(|text| format!("== {text}\n{}\n", shown(text))).collect();
    insta::assert_snapshot!(all);
}
