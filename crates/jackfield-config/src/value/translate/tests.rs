use std::fmt::Write as _;

use crate::dialect::write;
use crate::draft::{Draft, DraftTransport};
use crate::read::testing::{read, source};

/// The strings of every server of a file, as another tool gets them, and the notes.
fn translated(path: &str, text: &str, to: &str) -> String {
    let target = source(to);
    let mut shown = String::new();
    for definition in &read(path, text).definitions {
        let (draft, notes) = write::translate(definition, &target);
        let Draft { transport, .. } = &draft;
        let _ = match transport {
            DraftTransport::Stdio { command, args, env, cwd } => {
                writeln!(shown, "  {command} {args:?} {env:?} {cwd:?}")
            }
            DraftTransport::Http { url, headers, .. } => writeln!(shown, "  {url} {headers:?}"),
        };
        let _ = writeln!(shown, "  → {}", write::entry(&draft, &target).value);
        for note in notes {
            let _ = writeln!(shown, "  note: {note}");
        }
    }
    shown
}

#[test]
fn from_every_syntax_to_every_other() {
    let braces = r#"{"mcpServers":{"s":{"command":"${BIN}","args":["--k=${K:-d}","$HOME"],"env":{"T":"${T}","U":"a ${V} b"}},"h":{"type":"http","url":"https://${HOST}/mcp","headers":{"Authorization":"Bearer ${TOK}","X-Key":"${KEY}"}}}}"#;
    let vs_code = r#"{"servers":{"s":{"command":"x","args":["${workspaceFolder}/a","${userHome}","${input:api-key}","$HOME"],"env":{"T":"${env:T}","GONE":null,"N":1}},"h":{"type":"http","url":"https://h.example","headers":{"Authorization":"Bearer ${input:token}","X":"${env:X}"}}}}"#;
    let cursor = r#"{"mcpServers":{"s":{"command":"x","args":["${workspaceFolderBasename}","a${pathSeparator}b"],"env":{"T":"${env:T}"}}}}"#;
    let codex = "[mcp_servers.s]\ncommand = \"x\"\nenv_vars = [\"T\"]\nenv = { L = \"${L}\", A = \"!run\" }\n\n[mcp_servers.h]\nurl = \"https://h.example\"\nbearer_token_env_var = \"TOK\"\nenv_http_headers = { X = \"KEY\" }\n";
    let opencode =
        r#"{"mcp":{"s":{"type":"local","command":["x","{file:~/a}"],"environment":{"T":"{env:T}"}}}}"#;
    let xcsh = r#"{"mcpServers":{"s":{"command":"x","env":{"A":"!pass show k","B":"GITHUB_TOKEN","GITHUB_TOKEN":"GITHUB_TOKEN","C":"word"}}}}"#;
    let literal = r#"{"mcpServers":{"s":{"command":"x","env":{"A":"!run","B":"MY_NAME","C":"$C","D":"${D}"}},"r":{"command":"y","args":["!run","MY_NAME"]}}}"#;
    let from = [
        (".mcp.json", braces),
        (".vscode/mcp.json", vs_code),
        ("~/.cursor/mcp.json", cursor),
        ("~/.codex/config.toml", codex),
        ("~/.config/opencode/opencode.json", opencode),
        ("~/.xcsh/mcp.json", xcsh),
        ("~/.config/Claude/claude_desktop_config.json", literal),
    ];
    let to = [
        "~/.claude.json",
        "~/.cursor/mcp.json",
        ".vscode/mcp.json",
        "~/.codex/config.toml",
        "~/.gemini/settings.json",
        "~/.config/opencode/opencode.json",
        ".kiro/settings/mcp.json",
        "~/.continue/config.yaml",
        "~/.vibe/config.toml",
        "~/.kimi/mcp.json",
        "~/.xcsh/mcp.json",
    ];
    let mut all = String::new();
    for (path, text) in from {
        for target in to.iter().filter(|target| **target != path) {
            let _ = write!(all, "== {path} to {target}\n{}", translated(path, text, target));
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn notes_hold_no_secret() {
    let text = r#"{"mcpServers":{"s":{"command":"x","env":{"API_KEY":"$ghp_16C7e42F292c6912E7710c838347Ae178B4a","T":"${T:-sk-ant-api03-abcdefghijklmnop}"}}}}"#;
    for to in ["~/.gemini/settings.json", "~/.codex/config.toml", "~/.cursor/mcp.json", "~/.xcsh/mcp.json"] {
        for path in [".mcp.json", "~/.config/Claude/claude_desktop_config.json"] {
            let target = source(to);
            for definition in &read(path, text).definitions {
                let (draft, mut notes) = write::translate(definition, &target);
                notes.extend(write::entry(&draft, &target).notes);
                let notes = notes.join("\n");
                assert!(
                    !notes.contains("16C7e42F") && !notes.contains("abcdefghijk"),
                    "{path} to {to}: {notes}"
                );
            }
        }
    }
}
