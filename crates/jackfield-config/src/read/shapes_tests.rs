//! Entries in the shapes that their tools take and that look like no other tool's.

use std::fmt::Write as _;

use super::testing::{line, read};
use crate::diagnostic::{Code, Severity};

/// Each server in a line: what is read, why it cannot be used, who else has it.
pub(super) fn told(path: &str, text: &str) -> String {
    let mut shown = String::new();
    let reading = read(path, text);
    for definition in &reading.definitions {
        let line = line(definition);
        let (_, what) = line.split_once(": ").unwrap();
        let _ = write!(shown, "{}: {what}", definition.name);
        if let Some(helper) = &definition.headers_helper {
            let _ = write!(shown, " helper={helper}");
        }
        if let Some(who) = &definition.elsewhere {
            let _ = write!(shown, " | {who}");
        }
        let prefix = format!("Server \"{}\": ", definition.name);
        for problem in &definition.problems {
            let _ = write!(shown, " ✗ {}", problem.strip_prefix(&prefix).unwrap());
        }
        let left_out =
            |found: &&crate::diagnostic::Diagnostic| found.server.as_ref() == Some(&definition.name);
        for found in reading.diagnostics.iter().filter(left_out) {
            if found.code == Code::ValueLeftOut {
                assert_eq!(found.severity, Severity::Error);
                let _ = write!(shown, " ∅ {}", found.title);
            }
        }
        shown.push('\n');
    }
    shown.truncate(shown.trim_end().len());
    shown
}

/// Path, text, what is told.
type Case<'a> = (&'a str, &'a str, &'a str);

fn check(cases: &[Case<'_>]) {
    for (path, text, expected) in cases {
        assert_eq!(told(path, text), *expected, "{path} {text}");
    }
}

const CLINE: &str = "~/.cline/data/settings/cline_mcp_settings.json";
const EXTENSION: &str = "Provided by an extension of Zed, which alone can start it: there is no command here";

#[test]
fn cline_with_the_transport_in_an_object_of_its_own() {
    check(&[
        (
            CLINE,
            r#"{"mcpServers": {"a": {"transport": {"type": "stdio", "command": "npx", "args": ["-y", "x"], "cwd": "/w", "env": {"K": "v"}}, "disabled": true, "timeout": 5, "metadata": {"by": "me"}}}}"#,
            "a: stdio npx [-y] [x] K=v cwd=/w enabled=false timeout=5s",
        ),
        (
            CLINE,
            r#"{"mcpServers": {"a": {"transport": {"type": "streamableHttp", "url": "https://h", "headers": {"K": "v"}}, "oauth": {"tokens": {}}}, "b": {"transport": {"type": "sse", "url": "https://h"}, "disabled": false}}}"#,
            "a: Streamable https://h K=v\nb: Sse https://h enabled=true",
        ),
        // What stands beside the object counts for nothing.
        (
            CLINE,
            r#"{"mcpServers": {"a": {"command": "old", "transport": {"type": "sse", "url": "https://h"}}}}"#,
            "a: Sse https://h",
        ),
        // The word is required in it.
        (
            CLINE,
            r#"{"mcpServers": {"a": {"transport": {"url": "https://h"}}, "b": {"transport": {"command": "x"}}}}"#,
            "a: Sse https://h ✗ needs type: Cline skips a `transport` without \"type\" (`stdio`, `streamableHttp`, `sse`)\nb: stdio x ✗ needs type: Cline skips an entry without \"type\" (`stdio`, `streamableHttp`, `sse`)",
        ),
        // An object that says no way is passed over, as Cline does.
        (
            CLINE,
            r#"{"mcpServers": {"a": {"transport": {"type": "streamableHttp"}, "url": "https://h"}}}"#,
            "a: Sse https://h",
        ),
    ]);
    // The places are those in the object, and so is the cure for what is wrong there.
    let reading = read(
        CLINE,
        "{\"mcpServers\": {\"a\": {\n\"transport\": {\"type\": \"stdio\",\n\"command\": \"npx -y x\"},\n\"disabled\": true}}}",
    );
    let lines: Vec<_> = ["type", "command", "enabled"]
        .map(|field| reading.definitions[0].place_of(field).map(|place| place.position.line))
        .to_vec();
    assert_eq!(lines, [Some(2), Some(3), Some(4)]);
    let finding = reading.diagnostics.iter().find(|found| found.code == Code::CommandLine).unwrap();
    let fix = format!("{:?}", finding.fixes[0].work);
    assert!(fix.contains(r#"["a", "transport", "command"]"#), "{fix}");
}

#[test]
fn zed_with_a_server_of_an_extension() {
    check(&[
        (
            "~/.config/zed/settings.json",
            r#"{"context_servers": {"a": {"settings": {"key": "k"}}, "b": {"enabled": false, "remote": false, "settings": {}}, "c": {"source": "extension", "settings": {}}}}"#,
            &format!(
                "a: unknown | {EXTENSION}\nb: unknown enabled=false | {EXTENSION}\nc: unknown | {EXTENSION}"
            ),
        ),
        // With a command, settings are no extension's; with nothing, the entry is wrong.
        (
            "~/.config/zed/settings.json",
            r#"{"context_servers": {"a": {"source": "custom", "command": "x", "settings": {}}, "b": {"source": "custom", "settings": {}}, "c": {"enabled": true}}}"#,
            "a: stdio x\nb: unknown ✗ stdio server requires \"command\" field\nc: unknown enabled=true ✗ stdio server requires \"command\" field",
        ),
    ]);
}

#[test]
fn opencode_with_a_switch_only() {
    let only = |host: &str| {
        format!("Only a switch: {host} has the server from a plugin or from a file that is not read here")
    };
    check(&[
        (
            "opencode.json",
            r#"{"mcp": {"a": {"enabled": false}, "b": {"enabled": true}, "c": {"enabled": "no"}, "d": {"enabled": false, "timeout": 9}, "e": {}}}"#,
            &format!(
                "a: unknown enabled=false | {0}\nb: unknown enabled=true | {0}\nc: unknown ✗ {1}\nd: unknown enabled=false timeout=9ms ✗ {1}\ne: unknown ✗ {1}",
                only("opencode"),
                "needs type: opencode skips an entry without \"type\" (`local`, `remote`)"
            ),
        ),
        (
            "kilo.json",
            r#"{"mcp": {"a": {"enabled": false}}}"#,
            &format!("a: unknown enabled=false | {}", only("Kilo Code")),
        ),
        // The second shape has no such entry.
        (
            "opencode.json",
            r#"{"mcp": {"servers": {"a": {"disabled": true}}}}"#,
            "a: unknown enabled=false ✗ needs type: opencode skips an entry without \"type\" (`local`, `remote`)",
        ),
    ]);
}

#[test]
fn keys_for_a_token() {
    let vibe = |more: &str| {
        format!("[[mcp_servers]]\nname = \"a\"\ntransport = \"http\"\nurl = \"https://h\"\n{more}\n")
    };
    let vibe_cases = [
        ("api_key_env = \"K\"", "Authorization=template(Bearer ${K})"),
        (
            "api_key_env = \"K\"\napi_key_header = \"X-Api-Key\"\napi_key_format = \"{token}\"",
            "X-Api-Key=template(${K})",
        ),
        ("api_key_env = \"K\"\napi_key_format = \"a {{b}} {token}!\"", "Authorization=template(a {b} ${K}!)"),
        // A header that is written out wins; a format without a variable is nothing.
        ("api_key_env = \"K\"\nheaders = { authorization = \"Basic x\" }", "authorization=Basic x"),
        ("api_key_header = \"X\"\nheaders = { Y = \"1\" }", "Y=1"),
        (
            "auth = { type = \"static\", api_key_env = \"K\", api_key_header = \"X\", headers = { Y = \"1\" } }",
            "Y=1 X=template(Bearer ${K})",
        ),
        (
            "api_key_env = \"K\"\napi_key_format = \"Bearer\"",
            "✗ `api_key_format` must be a text with `{token}` in it once",
        ),
        (
            "api_key_env = \"K\"\napi_key_format = \"{token} {user}\"",
            "✗ `api_key_format` must be a text with `{token}` in it once",
        ),
        (
            "api_key_env = \"K\"\nauth = { type = \"static\" }",
            "✗ `auth` is not supported beside `headers` and `api_key_env`",
        ),
        ("auth = { type = \"basic\" }", "✗ the `type` of `auth` must be `static` or `oauth`"),
    ];
    for (more, expected) in vibe_cases {
        assert_eq!(
            told("~/.vibe/config.toml", &vibe(more)),
            format!("a: Streamable https://h {expected}"),
            "{more}"
        );
    }
    assert_eq!(
        told("~/.vibe/config.toml", &vibe("auth = { type = \"oauth\", scopes = [] }")),
        "a: Streamable https://h"
    );
    check(&[
        (
            "~/.continue/config.yaml",
            "mcpServers:\n  - name: a\n    url: https://h\n    apiKey: ${{ secrets.K }}\n  - name: b\n    type: sse\n    url: https://h\n    apiKey: plain\n    requestOptions:\n      headers:\n        authorization: Basic x\n        Y: \"1\"\n",
            "a: Auto https://h Authorization=template(Bearer ${{ secrets.K }})\nb: Sse https://h Y=1 Authorization=Bearer plain",
        ),
        (
            "config/mcporter.json",
            r#"{"mcpServers": {"a": {"baseUrl": "https://h", "bearerToken": "plain"}, "b": {"url": "https://h", "bearer_token": "$env:T", "headers": {"Authorization": "x"}}, "c": {"url": "https://h", "bearerToken": "plain", "bearerTokenEnv": "T"}}}"#,
            "a: Streamable https://h Authorization=Bearer plain\nb: Streamable https://h Authorization=template(Bearer $env:T)\nc: Streamable https://h Authorization=template(Bearer ${T})",
        ),
        (
            "~/.config/goose/config.yaml",
            "extensions:\n  a:\n    type: stdio\n    name: a\n    cmd: x\n    envs: {K: v}\n    env_keys: [K, TOKEN]\n  b:\n    type: streamable_http\n    name: b\n    uri: https://h\n    envs: {ID: me}\n    env_keys: [TOKEN]\n    headers: {A: \"Bearer ${TOKEN}\", B: \"$ID\", C: \"${OTHER}\"}\n",
            "a: stdio x K=v TOKEN=template(${TOKEN})\nb: Streamable https://h A=template(Bearer ${TOKEN}) B=template($ID) C=${OTHER}",
        ),
    ]);
}

#[test]
fn small_differences() {
    check(&[
        // The time to start is not that of a call.
        (
            "~/.qwen/settings.json",
            r#"{"mcpServers": {"a": {"command": "x", "timeout": 600000, "discoveryTimeoutMs": 2000}, "b": {"command": "x", "timeout": 4000}}}"#,
            "a: stdio x timeout=2s\nb: stdio x timeout=4s",
        ),
        (
            ".vscode/mcp.json",
            r#"{"servers": {"a": {"url": "unix:///run/x.sock#/mcp"}, "b": {"type": "http", "url": "pipe:///x"}, "c": {"url": "ftp://h"}}}"#,
            "a: Auto unix:///run/x.sock#/mcp ✗ Jackfield does not speak unix://, the address of a socket on this machine\nb: Streamable pipe:///x ✗ Jackfield does not speak pipe://, the address of a socket on this machine\nc: Auto ftp://h ✗ url must begin with http:// or https://, not ftp://",
        ),
        (
            "~/.claude.json",
            r#"{"mcpServers": {"a": {"type": "http", "url": ""}, "b": {"url": " "}, "c": {"type": "sse"}}}"#,
            "a: unknown ✗ http server requires \"url\" field\nb: unknown ✗ needs type: Claude Code skips an entry with \"url\" but without \"type\" (`stdio`, `http`, `sse`, `ws`, `streamable-http`) ✗ http server requires \"url\" field\nc: unknown ✗ sse server requires \"url\" field",
        ),
    ]);
    let detail = |path: &str, text: &str| read(path, text).diagnostics[0].detail.clone();
    let claude = detail("~/.claude.json", r#"{"mcpServers": {"a": {"type": "http", "url": ""}}}"#);
    assert!(claude.starts_with("`url` is empty, which Claude Code takes as not configured, without a word. Write where the server is."), "{claude}");
    let code = detail(".vscode/mcp.json", r#"{"servers": {"a": {"url": "unix:///run/x.sock"}}}"#);
    assert_eq!(code, "Write its http address, if it has one, or a command that connects to it.");
}
