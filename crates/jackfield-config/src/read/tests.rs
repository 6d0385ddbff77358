use proptest::prelude::*;

use super::testing::{places, read, read_bytes, show, source};
use crate::diagnostic::Code;
use crate::discover;

fn check(cases: &[(&str, &str, &str)]) -> String {
    cases
        .iter()
        .map(|(what, path, text)| format!("== {what} ({path})\n{}", show(&read(path, text))))
        .collect()
}

#[test]
fn dialects() {
    let all = check(&[
        (
            "xcsh",
            "~/.xcsh/mcp.json",
            r#"{ // comments are fine
  "mcpServers": {
    "a": { "command": "npx", "args": ["-y", "${PKG:-x}"], "env": { "T": "!pass t", "U": "USER_NAME", "E": "" }, "enabled": "false", "timeout": "1500" },
    "b": { "url": "https://h/mcp", "headers": { "Authorization": "Bearer ${T}" }, "auth": { "type": "oauth", "credentialId": "c1" } },
    "c": { "type": "streamable_http", "url": "http://h" }, "d": { "type": "sse", "url": "http://h" },
    "e": { "type": "local", "command": "x" }, "f": { "type": "remote", "url": "http://h" },
    "g": { "type": "carrier-pigeon", "command": "x" }, "h": { "command": "x", "url": "http://h" }, "i": { "type": "sse" },
    "j": { "type": "http", "command": "x" }, "k": { "enabled": true },
  },
  "disabledServers": ["z"],
}"#,
        ),
        (
            "claude code",
            "~/.claude.json",
            r#"{"mcpServers": {"a": {"command": "x", "env": {"T": "!echo", "S": "SOME_NAME"}}, "b": {"type": "http", "url": "https://h", "headersHelper": "get"},
"c": {"type": "ws", "url": "ws://h"}, "d": {"url": "https://h"}, "e": {"type": "stdio", "command": "x", "cwd": "/x"}}}"#,
        ),
        (
            "claude desktop",
            "~/.config/Claude/claude_desktop_config.json",
            r#"{"mcpServers": {"a": {"command": "x", "args": ["${HOME}", "~/x"]}, "b": {"url": "https://h"}}}"#,
        ),
        (
            "codex",
            "~/.codex/config.toml",
            "model = 'x'\n[mcp_servers.a]\ncommand = \"npx\"\nargs = [\"-y\"]\nenv = { K = \"v\" }\nenv_vars = [\"P\", { name = \"Q\", source = \"local\" }, { name = \"R\", source = \"remote\" }]\nstartup_timeout_sec = 2.5\nenabled = false\n\n[mcp_servers.b]\nurl = \"https://h\"\nbearer_token_env_var = \"TOK\"\nhttp_headers = { X = \"1\" }\nenv_http_headers = { Y = \"YV\" }\nstartup_timeout_ms = 100\n\n[mcp_servers.c]\nurl = \"https://h\"\nenv = {}\n\n[mcp_servers.d]\ncommand = \"x\"\nurl = \"https://h\"\ndisabled = true\n",
        ),
        (
            "gemini",
            "~/.gemini/settings.json",
            r#"{"mcp": {"excluded": ["b"], "allowed": ["a"]}, "mcpServers": {
"a": {"command": "x", "args": ["$A/${B}"], "timeout": 3000}, "b": {"url": "https://h"}, "c": {"httpUrl": "https://h1", "url": "https://h2", "command": "y"},
"d": {"url": "https://h", "type": "sse"}, "e": {"command": "x", "env": {"T": "${env:T}"}, "disabled": true}}}"#,
        ),
        (
            "opencode, both shapes",
            "~/.config/opencode/opencode.json",
            r#"{"mcp": {"timeout": 10, "a": {"type": "local", "command": ["npx", "-y", "{env:P}"], "environment": {"K": "{file:k}"}, "enabled": false},
"both": {"type": "remote", "url": "https://v1"}, "toggle": {"enabled": false}, "untyped": {"command": ["x"]},
"servers": {"n": {"type": "remote", "url": "https://h", "headers": {"A": "b"}}, "both": {"type": "remote", "url": "https://v2", "disabled": true}, "e": {"type": "local", "command": ["x"], "enabled": false}}}}"#,
        ),
        (
            "cursor",
            "~/.cursor/mcp.json",
            r#"{"mcpServers": {"a": {"url": "https://h/${env:X}", "headers": {"K": "${env:K}"}}, "b": {"type": "streamable-http", "url": "https://h"},
"c": {"type": "streamablehttp", "url": "https://h"}, "d": {"command": "${workspaceFolder}/x", "envFile": "${workspaceFolder}/.env"}}}"#,
        ),
        (
            "windsurf",
            "~/.codeium/windsurf/mcp_config.json",
            r#"{"mcpServers": {"a": {"serverUrl": "https://h", "disabled": true}, "b": {"url": "https://h"}, "c": {"command": "x", "args": ["${file:/k}"]}}}"#,
        ),
        (
            "vscode",
            ".vscode/mcp.json",
            r#"{"servers": {"a": {"command": "x", "env": {"N": 3000, "R": null, "B": true}}, "b": {"url": "https://h", "headers": {"A": "${input:t} ${JIRA_URL}"}}, "c": {"type": "sse", "url": "https://h"}},}"#,
        ),
        (
            "vscode, the old place",
            ".vscode/settings.json",
            r#"{"editor.x": 1, "editor.x": 2, "mcp": {"servers": {"a": {"command": "x"}}}}"#,
        ),
        (
            "bare",
            ".mcp.json",
            r#"{"mcpServers": {"a": {"url": "https://h"}, "b": {"type": "streamableHttp", "url": "https://h"}, "c": {"command": "x", "enabled": false}}}"#,
        ),
        ("bare, other key", "mcp.json", r#"{"servers": {"a": {"command": "x"}}}"#),
    ]);
    insta::assert_snapshot!(all);
}

#[test]
fn trouble() {
    let all = check(&[
        (
            "A01",
            ".mcp.json",
            "{\n  \"mcpServers\": {\n    \"m\": {\n      \"command\": \"C:\\tools\\mcp\\x.exe\"\n    }\n  }\n}",
        ),
        (
            "A02",
            "~/.claude.json",
            "{\n\"mcpServers\": {\"g\": {\"command\": \"x\"}},\n\"n\": 3,\n\"mcpServers\": {\"l\": {\"type\": \"http\", \"url\": \"https://h\"}}\n}",
        ),
        (
            "A07",
            "~/.config/Claude/claude_desktop_config.json",
            "\u{feff}{\"mcpServers\": {\"f\": {\"command\": \"x\"}}}",
        ),
        ("A08 empty", "~/.cursor/mcp.json", ""),
        ("A08 blank", ".vscode/mcp.json", "\n  \n"),
        (
            "A09",
            "~/.codex/config.toml",
            "[mcp_servers.codex_apps]\nstartup_timeout_sec = 60\n\n[mcp_servers.docs]\nurl = \"https://h/mcp\"\n",
        ),
        (
            "A14",
            "~/.claude.json",
            "{\"mcpServers\": {\"svc\": {\"url\": \"https://h\", \"headers\": {\"Authorization\": \"Bearer ${env:TOKEN}\"}}}}",
        ),
        (
            "A14 typed",
            "~/.claude.json",
            "{\"mcpServers\": {\"svc\": {\"type\": \"http\", \"url\": \"https://h\", \"headers\": {\"Authorization\": \"Bearer ${env:TOKEN}\"}}}}",
        ),
        (
            "A16",
            "opencode.json",
            "{\"mcp\": {\"datalens\": {\"type\": \"stdio\", \"command\": \"npx\", \"args\": [], \"env\": {}}, \"pw\": {\"type\": \"local\", \"command\": [\"npx\"], \"env\": {\"B\": \"c\"}}}}",
        ),
        ("A17", "~/.gemini/settings.json", "{\"mcpServers\": {\"github\": {\"httpUrl \": \"https://h\"}}}"),
        (
            "A21",
            "~/.cursor/mcp.json",
            "{\"mcpServers\": {\"a\": {\"command\": \"n\", \"disabled\": \"false\"}, \"b\": {\"command\": \"n\", \"enabled\": \"false\"}, \"c\": {\"command\": \"n\", \"disabled\": 1}}}",
        ),
        (
            "wrong types",
            "~/.xcsh/mcp.json",
            "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"enabled\": \"maybe\", \"timeout\": -1}, \"b\": {\"command\": [\"x\"]}, \"c\": {\"command\": \"x\", \"args\": \"y\"}, \"d\": {\"command\": \"x\", \"env\": []}, \"e\": null, \"f\": {\"command\": \"x\", \"env\": {\"A\": 1, \"B\": null}}}}",
        ),
        (
            "usual mistakes",
            "~/.xcsh/mcp.json",
            "{\"mcpServers\": {\"a\": {\"command\": \"npx -y foo\"}, \"b\": {\"command\": \"~/bin/x\"}, \"c\": {\"type\": \"http\", \"url\": \"h.example/mcp\"}, \"d\": {\"type\": \"http\", \"url\": \"ftp://h\"}, \"e\": {\"command\": \"C:\\new\"}, \"f h\": {\"command\": \"x\"}}}",
        ),
        (
            "half a character",
            "~/.cursor/mcp.json",
            r#"{"mcpServers": {"sur\ud83d": {"command": "x\uDE00y", "args": ["\ud83d\ude00", "\\ud83d", "\u00e9"]}, "b": {"command": "x"}}}"#,
        ),
        ("unread by its host", ".claude/mcp.json", "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}"),
        (
            "unread by its host, of the user",
            "~/.claude/mcp.json",
            "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}",
        ),
        ("unread by its host, empty", ".claude/.mcp.json", "{\"mcpServers\": {}}"),
        ("no list", "~/.xcsh/mcp.json", "{\"disabledServers\": 3, \"mcpServers\": {}}"),
        ("a list with other things", "~/.xcsh/mcp.json", "{\"disabledServers\": [\"a\", 3, null]}"),
        ("a list of nothing", "~/.xcsh/mcp.json", "{\"disabledServers\": null}"),
        ("lists of Gemini", "~/.gemini/settings.json", "{\"mcp\": {\"excluded\": \"a\", \"allowed\": {}}}"),
        ("no object of Gemini", "~/.gemini/settings.json", "{\"mcp\": [\"a\"]}"),
        (
            "remarks",
            "~/.xcsh/mcp.json",
            "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"_arg\": 1, \"$env\": 2, \"//args\": 3, \"//\": 4, \"_description\": \"\", \"$schema\": \"\", \"arg\": []}}}",
        ),
        ("no entries", "~/.cursor/mcp.json", "{\"mcpServers\": {\"a\": null, \"b\": [], \"c\": \"x\"}}"),
        ("no entries, toml", "~/.codex/config.toml", "[mcp_servers]\na = 1\n"),
        ("no entries, opencode", "opencode.json", "{\"mcp\": {\"a\": null}}"),
        (
            "toml twice, a key",
            "~/.codex/config.toml",
            "# x\n[mcp_servers.a]\nargs = [\n  \"y\",\n]\ncommand = \"x\"\n'command' = \"y\"\n",
        ),
        (
            "toml twice, in a table",
            "~/.codex/config.toml",
            "[mcp_servers.a]\nenv = { A = \"1\", A = \"2\" }\n",
        ),
        ("toml twice, a table", "~/.codex/config.toml", "[a.b]\nx = 1\n[ a . \"b\" ] # again\n"),
        ("toml, no value", "~/.codex/config.toml", "[mcp_servers.a]\ncommand =\n"),
        ("json, more", "~/.cursor/mcp.json", "{} {}"),
        ("json, no value", "~/.cursor/mcp.json", "{\"a\": }"),
        ("null root", "~/.cursor/mcp.json", "null"),
        ("list root", "~/.cursor/mcp.json", "[1]"),
        ("list of servers", ".vscode/mcp.json", "{\"servers\": [{\"name\": \"a\"}]}"),
        ("wrong key", "~/.cursor/mcp.json", "{\"servers\": {\"a\": {\"command\": \"x\"}}}"),
        ("wrong key, dotted", "~/.cursor/mcp.json", "{\"mcp.servers\": {\"a\": {\"command\": \"x\"}}}"),
        ("wrong key, list", "mcp.json", "{\"mcp\": [], \"other\": 1}"),
        ("strict", "~/.claude.json", "{ // c\n\"mcpServers\": {\"a\": {\"command\": \"x\"},}}"),
        ("truncated", "~/.cursor/mcp.json", "{\"mcpServers\": {\"a\": {\"comm"),
        ("truncated later", "~/.cursor/mcp.json", "{\"mcpServers\": {\"a\": {\"command\": \"x\""),
        ("single quotes", "~/.cursor/mcp.json", "{'mcpServers': {}}"),
        ("missing comma", "~/.cursor/mcp.json", "{\"a\": 1 \"b\": 2}"),
        (
            "toml twice",
            "~/.codex/config.toml",
            "[mcp_servers.a]\ncommand = \"x\"\n\n[mcp_servers.a]\ncommand = \"y\"\n",
        ),
        (
            "toml quoted dot",
            "~/.codex/config.toml",
            "[mcp_servers.n]\ncommand = \"node\"\n\n[mcp_servers.\"n.env\"]\nFOO = \"1\"\n",
        ),
    ]);
    insta::assert_snapshot!(all);
}

/// Words that say what to do.
const CURES: &[&str] = &[
    "Write ",
    "write ",
    "Remove ",
    "remove ",
    "Add ",
    "Put ",
    "Save ",
    "Move ",
    "Rename ",
    "Double ",
    "Switch ",
    "Did you mean",
    "Check ",
    "Correct ",
    "missing",
    "switch ",
];

#[test]
fn every_finding_has_a_cure() {
    for (text, name) in [
        (include_str!("snapshots/jackfield_config__read__tests__trouble.snap"), "trouble"),
        (include_str!("snapshots/jackfield_config__read__tests__dialects.snap"), "dialects"),
    ] {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            if ["  Error ", "  Warning ", "  Info "].iter().any(|begin| line.starts_with(begin)) {
                let detail = lines.get(at + 1).filter(|next| next.starts_with("      ")).unwrap_or(&"");
                assert!(CURES.iter().any(|cure| detail.contains(cure)), "{name}: {line}\n{detail}");
            }
        }
    }
}

#[test]
fn one_project_under_two_spellings() {
    let mut spec = source("~/.claude.json").as_ref().clone();
    spec.root = vec!["projects".into(), "C:\\Users\\u\\P".into(), "mcpServers".into()];
    let text = r#"{"projects": {
  "C:/Users/u/P": {"mcpServers": {"x": {"type": "stdio", "command": "node"}}, "disabledMcpServers": ["y"]},
  "c:/Users/u/P": {"mcpServers": {}}}}"#;
    spec.scope = crate::host::Scope::Local;
    let reading = read_bytes(&std::sync::Arc::new(spec), text.as_bytes());
    insta::assert_snapshot!(show(&reading));
    assert_eq!(reading.definitions[0].source.root[1], "C:/Users/u/P");
    let text = r#"{"projects": {"C:/Users/u/P": {"disabledMcpServers": {"y": true}}}}"#;
    let findings = read_bytes(&reading.spec, text.as_bytes()).diagnostics;
    assert_eq!(findings[0].title, "`disabledMcpServers` must be an array of strings, not an object");
}

#[test]
fn encodings_come_back() {
    let text = "{\"mcpServers\": {\"ä\": {\"command\": \"x\"}}}\r\n";
    let utf16 = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let files = [
        text.as_bytes().to_vec(),
        [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        [b"\xFF\xFE".to_vec(), utf16(u16::to_le_bytes)].concat(),
        [b"\xFE\xFF".to_vec(), utf16(u16::to_be_bytes)].concat(),
    ];
    for bytes in files {
        let decoded = crate::source::SourceText::decode(&bytes).unwrap();
        assert_eq!(decoded.text, text);
        assert_eq!(decoded.encode(), bytes);
    }
    for bytes in [&b"\xFF\xFEa"[..], b"\xFF\xFE\x00\xD8", b"a\xFFb"] {
        assert!(crate::source::SourceText::decode(bytes).is_err());
    }
}

#[test]
fn hashes_ignore_what_does_not_matter() {
    let hash = |entry: &str| {
        read("~/.xcsh/mcp.json", &format!("{{\"mcpServers\":{{\"a\":{entry}}}}}")).definitions[0].hash.clone()
    };
    let base = hash(r#"{"command":"x","env":{"A":"1","B":"2"}}"#);
    assert_eq!(
        base,
        hash(r#"{ "env":{"B":"2","A":"1"}, "enabled": false, /* c */ "command":"x", "type": "stdio"}"#)
    );
    for other in [
        r#"{"command":"y","env":{"A":"1","B":"2"}}"#,
        r#"{"command":"x","args":[""],"env":{"A":"1","B":"2"}}"#,
        r#"{"command":"x","env":{"A":"1","B":"3"}}"#,
        r#"{"command":"x","env":{"A":"1","B":"2"},"timeout":5}"#,
        r#"{"command":"x","env":{"A":"1","B":"2"},"cwd":"/"}"#,
    ] {
        assert_ne!(base, hash(other), "{other}");
    }
    let definition = &read("~/.xcsh/mcp.json", r#"{"mcpServers":{"a":{"command":"x"}}}"#).definitions[0];
    assert_eq!((definition.id.0.len(), definition.hash.0.len()), (16, 64));
}

#[test]
fn bombs_are_told() {
    for text in
        ["[".repeat(100_000), "{\"a\":".repeat(100_000), format!("{{\"mcpServers\":{}", "[".repeat(500))]
    {
        let reading = read("~/.cursor/mcp.json", &text);
        assert_eq!(reading.diagnostics[0].code, Code::FileSyntax);
    }
    let toml = format!("a = {}", "[".repeat(100_000));
    assert_eq!(read("~/.codex/config.toml", &toml).diagnostics[0].code, Code::FileSyntax);
    let dotted = format!("a{} = 1", ".b".repeat(50_000));
    read("~/.codex/config.toml", &dotted);
    let braces = format!("{{\"mcpServers\":{{\"a\":{{\"command\":\"{}\"}}}}}}", "${".repeat(20_000));
    assert_eq!(read("~/.cursor/mcp.json", &braces).definitions.len(), 1);
    let many: String = (0..5_000).map(|n| format!("\"s{n}\":{{\"command\":\"x\"}},")).collect();
    let one_line = format!("{{\"mcpServers\":{{{}\"z\":null}}}}", many);
    assert_eq!(read("~/.cursor/mcp.json", &one_line).definitions.len(), 5_001);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for spec in discover::sources(&places(), &[], &crate::discover::NoFolders) {
            read_bytes(&std::sync::Arc::new(spec), &bytes);
        }
    }

    #[test]
    fn no_near_configuration_panics(parts in proptest::collection::vec(
        prop::sample::select(vec![
            "{", "}", "[", "]", ":", ",", "\"", "\"mcpServers\"", "\"servers\"", "\"mcp\"", "\"a\"", "\"command\"", "\"type\"",
            "\"url\"", "\"http\"", "null", "1e999", "-", "\\", "//", "/*", "*/", "\n", "ä", "[mcp_servers.a]", "=", "'", ".", "${", "}",
            "\"env\"", "true", "\u{feff}", "\\u12", "\\ud83d", "\\ude00", "1979-05-27",
        ]), 0..60)) {
        let text = parts.concat();
        for spec in discover::sources(&places(), &[], &crate::discover::NoFolders) {
            read_bytes(&std::sync::Arc::new(spec), text.as_bytes());
        }
    }

    #[test]
    fn no_text_panics_the_mask(text in ".{0,80}", other in ".{0,20}") {
        crate::mask::value(Some(&other), &text);
        crate::mask::url(&text);
        crate::mask::args(&[other.clone(), text.clone()]);
        crate::mask::command_line(&text);
        crate::mask::form(Some(&other), &text);
        crate::mask::text(&text, &[other]);
    }
}

#[test]
fn no_finding_holds_a_secret() {
    let secret = "hunter2hunter2";
    let text = format!(
        r#"{{"mcpServers": {{"a": {{"command": "npx -y x --token {secret}", "args": ["--api-key", "{secret}"]}},
"e": {{"command": "API_KEY={secret} npx --header 'Authorization: {secret}'", "args": ["{{\"apiKey\": \"{secret}\"}}", "~/x?token={secret}"]}}, "f": {{"command": "~/x --token {secret}"}},
"g": {{"command": "C:\new --token {secret}"}},
"b": {{"command": "x", "env": {{"T": "${{env:T:-{secret}}}", "U": "Bearer {secret}"}}, "args": ["~/x"]}},
"c": {{"type": "http", "url": "ftp://u:{secret}@h"}}, "d": {{"url": "https://u:{secret}@h", "headers": {{"K": "${{K:-{secret}}}"}}}}}}}}"#
    );
    for path in [
        "~/.xcsh/mcp.json",
        "~/.claude.json",
        "~/.cursor/mcp.json",
        "~/.config/Claude/claude_desktop_config.json",
    ] {
        let reading = read(path, &text);
        assert_eq!(reading.definitions.len(), 7);
        let findings = format!("{:?}", reading.diagnostics);
        assert!(!findings.contains(secret), "{path}: {findings}");
    }
}
