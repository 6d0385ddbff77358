//! Entries in shapes of their own, changed in their own words and taken to other tools.

use serde_json::json;

use super::*;

const CLINE: &str = "~/.cline/data/settings/cline_mcp_settings.json";
const VIBE: &str = "~/.vibe/config.toml";
const GOOSE: &str = "~/.config/goose/config.yaml";
const CONTINUE: &str = "~/.continue/config.yaml";
const PORTER: &str = "config/mcporter.json";
const ZED: &str = "~/.config/zed/settings.json";

fn set(pairs: &mut Vec<(String, String)>, name: &str, value: &str) {
    match pairs.iter_mut().find(|(own, _)| own == name) {
        Some((_, own)) => value.clone_into(own),
        None => pairs.push((name.to_owned(), value.to_owned())),
    }
}

type Change = Box<dyn Fn(&mut Draft)>;
/// Path, host, text, change of the form, text afterwards.
type Case<'a> = (&'a str, &'a str, String, Change, String);

#[test]
fn a_change_stays_in_the_shape_of_the_entry() {
    let cline = |entry: &str| format!(r#"{{"mcpServers": {{"n": {entry}}}}}"#);
    let vibe = |rest: &str| {
        format!("[[mcp_servers]]\nname = \"n\"\ntransport = \"http\"\nurl = \"https://h.example\"\n{rest}")
    };
    let header = |name: &'static str, value: &'static str| -> Change {
        Box::new(move |draft| set(remote(draft).1, name, value))
    };
    let cases: Vec<Case<'_>> = vec![
        (
            CLINE,
            "cline",
            cline(r#"{"transport": {"type": "stdio", "command": "x", "env": {"A": "1"}}, "disabled": true}"#),
            Box::new(|draft| {
                set(command(draft).2, "B", "2");
                draft.enabled = true;
            }),
            cline(r#"{"transport": {"type": "stdio", "command": "x", "env": {"A": "1", "B": "2"}}}"#),
        ),
        (
            CLINE,
            "cline",
            cline(r#"{"disabled": false, "transport": {"type": "sse", "url": "https://h.example"}}"#),
            Box::new(|draft| *draft = stdio("n")),
            String::new(),
        ),
        (
            VIBE,
            "vibe",
            vibe("api_key_env = \"K\"\napi_key_header = \"X-Key\"\napi_key_format = \"{token}\"\n"),
            header("X-Key", "Token ${K}"),
            vibe("api_key_env = \"K\"\napi_key_header = \"X-Key\"\napi_key_format = \"Token {token}\"\n"),
        ),
        (
            VIBE,
            "vibe",
            vibe("\n[mcp_servers.auth]\ntype = \"static\"\napi_key_env = \"K\"\n\n[mcp_servers.auth.headers]\nX = \"1\"\n"),
            header("X", "2"),
            vibe("\n[mcp_servers.auth]\ntype = \"static\"\napi_key_env = \"K\"\n\n[mcp_servers.auth.headers]\nX = \"2\"\n"),
        ),
        (
            VIBE,
            "vibe",
            vibe("\n[mcp_servers.auth]\ntype = \"static\"\napi_key_env = \"K\"\n"),
            header("Authorization", "Bearer ${OTHER}"),
            vibe("\n[mcp_servers.auth]\ntype = \"static\"\napi_key_env = \"OTHER\"\n"),
        ),
        // To Vibe `${K}` in a header is a text, and stays one.
        (
            VIBE,
            "vibe",
            vibe("\n[mcp_servers.headers]\nAuthorization = \"Bearer ${K}\"\n"),
            header("Y", "1"),
            vibe("\n[mcp_servers.headers]\nAuthorization = \"Bearer ${K}\"\nY = \"1\"\n"),
        ),
        (
            CONTINUE,
            "continue",
            "mcpServers:\n  - name: n\n    url: https://h.example\n    apiKey: old\n".to_owned(),
            header("Authorization", "Bearer new"),
            "mcpServers:\n  - name: n\n    url: https://h.example\n    apiKey: new\n".to_owned(),
        ),
        (
            PORTER,
            "mcporter",
            r#"{"mcpServers": {"n": {"baseUrl": "https://h.example", "bearerToken": "${T}"}}}"#.to_owned(),
            header("X", "1"),
            r#"{"mcpServers": {"n": {"baseUrl": "https://h.example", "bearerToken": "${T}", "headers": {"X": "1"}}}}"#.to_owned(),
        ),
        (
            GOOSE,
            "goose",
            "extensions:\n  n:\n    type: stdio\n    name: n\n    cmd: x\n    env_keys:\n      - A\n      - B\n".to_owned(),
            Box::new(|draft| command(draft).2.retain(|(name, _)| name != "A")),
            "extensions:\n  n:\n    type: stdio\n    name: n\n    cmd: x\n    env_keys:\n      - B\n".to_owned(),
        ),
        (
            "~/.qwen/settings.json",
            "qwen",
            r#"{"mcpServers": {"n": {"command": "x", "timeout": 9000, "discoveryTimeoutMs": 2000}}}"#.to_owned(),
            Box::new(|draft| draft.timeout = Some(std::time::Duration::from_secs(3))),
            r#"{"mcpServers": {"n": {"command": "x", "timeout": 9000, "discoveryTimeoutMs": 3000}}}"#.to_owned(),
        ),
    ];
    for (path, host, text, change, expected) in cases {
        let home = disk(&[(path, &text)]);
        let mut wanted = Draft::of(&home.entry(host, "n").definition);
        change(&mut wanted);
        let after = home.edited(host, "n", |draft| draft.clone_from(&wanted));
        let again = read(path, &after);
        assert_eq!(again.definitions[0].problems, Vec::<String>::new(), "{after}");
        assert_eq!(sorted(Draft::of(&again.definitions[0])), sorted(wanted), "{after}");
        if !expected.is_empty() {
            assert_eq!(after, expected, "{text}");
        }
    }
}

#[test]
fn a_copy_says_the_same_in_the_words_of_the_other() {
    let value = |home: &Disk, host: &str, to: &str| -> (Value, Vec<String>) {
        let plan = home.copy(host, "n", to).unwrap();
        let text = home.after(&plan).unwrap().remove(0).1;
        let read = read(to, &text);
        let entry = read.definitions.iter().find(|definition| definition.name == "n").unwrap();
        (entry.entry_value().unwrap(), plan.notes)
    };
    let none = Vec::<String>::new();
    let cline = r#"{"mcpServers":{"n":{"transport":{"type":"streamableHttp","url":"https://h.example","headers":{"K":"v"}},"disabled":true}}}"#;
    let (entry, notes) = value(&disk(&[(CLINE, cline)]), "cline", "~/.kiro/settings/mcp.json");
    assert_eq!(entry, json!({"url": "https://h.example", "headers": {"K": "v"}, "disabled": true}));
    assert_eq!(notes, none);

    // A key in a variable, under a header and in a format of its own.
    let bare = r#"{"mcpServers":{"n":{"type":"http","url":"https://h.example","headers":{"X-Key":"Token ${KEY}","Y":"1"}}}}"#;
    let (entry, notes) = value(&disk(&[(".mcp.json", bare)]), "mcp.json", VIBE);
    let vibe = json!({"name": "n", "transport": "streamable-http", "url": "https://h.example", "api_key_env": "KEY", "api_key_header": "X-Key", "api_key_format": "Token {token}", "headers": {"Y": "1"}});
    assert_eq!((entry, notes), (vibe, none.clone()));
    let text = "[[mcp_servers]]\nname = \"n\"\ntransport = \"http\"\nurl = \"https://h.example\"\n[mcp_servers.auth]\ntype = \"static\"\napi_key_env = \"KEY\"\napi_key_header = \"X-Key\"\n";
    let (entry, notes) = value(&disk(&[(VIBE, text)]), "vibe", "~/.cursor/mcp.json");
    let cursor =
        json!({"url": "https://h.example", "type": "http", "headers": {"X-Key": "Bearer ${env:KEY}"}});
    assert_eq!((entry, notes), (cursor, none.clone()));

    // A token in a key of its own becomes a header.
    let text = "mcpServers:\n  - name: n\n    url: https://h.example\n    apiKey: ${{ secrets.K }}\n";
    let (entry, notes) = value(&disk(&[(CONTINUE, text)]), "continue", "~/.cursor/mcp.json");
    assert_eq!(entry, json!({"url": "https://h.example", "headers": {"Authorization": "Bearer ${env:K}"}}));
    assert_eq!(notes, none);

    // Names of variables, both ways.
    let bare = r#"{"mcpServers":{"n":{"command":"x","env":{"TOKEN":"${TOKEN}","A":"1"}}}}"#;
    let (entry, notes) = value(&disk(&[(".mcp.json", bare)]), "mcp.json", GOOSE);
    assert_eq!(
        entry,
        json!({"name": "n", "type": "stdio", "cmd": "x", "env_keys": ["TOKEN"], "envs": {"A": "1"}, "enabled": true})
    );
    assert_eq!(notes, none);
    let text = "extensions:\n  n:\n    type: stdio\n    name: n\n    cmd: x\n    env_keys: [TOKEN]\n";
    let (entry, notes) = value(&disk(&[(GOOSE, text)]), "goose", "~/.codex/config.toml");
    assert_eq!((entry, notes), (json!({"command": "x", "env_vars": ["TOKEN"]}), none.clone()));

    // Commands for values, where both tools run them; a folder that only the place of the file says.
    let crush = r#"{"mcp":{"n":{"type":"stdio","command":"x","env":{"A":"$(get a)","B":"b $(get b)"}}}}"#;
    let (entry, notes) = value(&disk(&[("~/.config/crush/crush.json", crush)]), "crush", "~/.xcsh/mcp.json");
    assert_eq!(entry["env"], json!({"A": "!get a", "B": "b $(get b)"}));
    assert_eq!(notes, ["xcsh has nothing like `$(get b)`; the text is written as it stands"]);
    let xcsh = r#"{"mcpServers":{"n":{"command":"x","env":{"A":"!get a"}}}}"#;
    let (entry, notes) = value(&disk(&[("~/.xcsh/mcp.json", xcsh)]), "xcsh", "~/.config/crush/crush.json");
    assert_eq!((&entry["env"], notes), (&json!({"A": "$(get a)"}), none.clone()));
    let plugin = "~/.claude/plugins/cache/market/plug/1.0/.mcp.json";
    let text = r#"{"n":{"command":"${CLAUDE_PLUGIN_ROOT}/x"}}"#;
    let (entry, notes) = value(&disk(&[(plugin, text)]), "claude-code", "~/.cursor/mcp.json");
    assert_eq!(entry["command"], json!("/home/u/.claude/plugins/cache/market/plug/1.0/x"));
    assert_eq!(notes, none);
}

#[test]
fn a_server_of_somebody_else_is_neither_changed_nor_copied() {
    let text = r#"{"context_servers": {"n": {"settings": {"key": "k"}}}}"#;
    let home = disk(&[(ZED, text)]);
    let words = "`n`: Provided by an extension of Zed, which alone can start it: there is no command here";
    assert_eq!(home.copy("zed", "n", "~/.cursor/mcp.json").unwrap_err().to_string(), words);
    let entry = home.entry("zed", "n");
    let base = Draft::of(&entry.definition);
    let refused = edit(&home.1, entry, &base, &stdio("n"), Path::new(HOME)).unwrap_err();
    assert_eq!(refused.to_string(), words);
    // It can be switched off and taken out.
    let plan = remove(&home.1, entry, Path::new(HOME)).unwrap();
    assert_eq!(home.after(&plan).unwrap()[0].1, r#"{"context_servers": {}}"#);
    let edits = crate::edit::toggle::plan(&home.1, entry, false, &crate::edit::toggle::NoPast).unwrap();
    let off = apply_all(text, edits[0].format, &edits[0].changes).unwrap().text;
    assert_eq!(off, r#"{"context_servers": {"n": {"enabled": false, "settings": {"key": "k"}}}}"#);
}
