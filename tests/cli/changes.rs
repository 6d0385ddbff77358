//! `add`, `edit`, `rename`, `duplicate`, `remove`, `copy`, `move`, `history`, `undo`, `doctor --fix`.

use serde_json::{Value, json};

use crate::support::Home;

fn text(home: &Home, path: &str) -> String {
    std::fs::read_to_string(home.path(path)).unwrap()
}

fn value(home: &Home, path: &str) -> Value {
    serde_json::from_str(&text(home, path)).unwrap()
}

#[test]
fn add_writes_what_was_typed_and_nothing_else() {
    let home = Home::new();
    let before = "{\n  // shared\n  \"mcpServers\": {\n    \"a\": {\"command\": \"true\"} // mine\n  },\n}\n";
    home.write("home/.xcsh/mcp.json", before);
    home.jackfield(&["add", "z", "--env", "A=b=c", "--", "npx", "-y", "a b", "", "it's \"x\"\n"]).exits(0);
    let after = text(&home, "home/.xcsh/mcp.json");
    for line in before.lines() {
        assert!(after.contains(line.trim_end_matches(" // mine")), "{line} is gone: {after}");
    }
    assert!(after.contains("\"args\": [\"-y\", \"a b\", \"\", \"it's \\\"x\\\"\\n\"]"), "{after}");
    home.jackfield(&["remove", "z"]).exits(0);
    assert_eq!(text(&home, "home/.xcsh/mcp.json"), before);
}

#[test]
fn add_says_what_is_not_accepted() {
    let home = Home::new();
    for (args, code, words) in [
        (vec!["add", "x", "--url", "u", "--", "cmd"], 2, "Use either --url or -- <command...>, not both."),
        (vec!["add", "x", "--token", "t", "--", "cmd"], 2, "--token requires --url (HTTP/SSE transport)."),
        (
            vec!["add", "x", "--url", "u", "--transport", "ws"],
            2,
            "Invalid --transport value. Use http or sse.",
        ),
        (
            vec!["add", "x", "--url", "u", "--env", "A=b"],
            2,
            "--env is for a command; a server behind a url gets --header.",
        ),
        (vec!["add", "x", "--header", "A=b", "--", "c"], 2, "--header is for --url; a command gets --env."),
        (vec!["add", "x", "--scope", "all", "--", "cmd"], 2, "Invalid --scope value. Use project or user."),
        (vec!["add", "--url", "u.example"], 2, "Server name required."),
        (
            vec!["add", "a b", "--url", "u.example"],
            1,
            "Server name can only contain letters, numbers, dash, underscore, and dot",
        ),
        (
            vec!["add", "x", "--url", "ftp://u.example"],
            1,
            "Invalid server config: url must begin with http:// or https://, not ftp://",
        ),
        (
            vec!["add", "x.y", "--host", "codex", "--", "cmd"],
            1,
            "Codex takes letters, numbers, dash and underscore only",
        ),
        (
            vec!["add", "x", "--host", "claude-desktop", "--url", "u.example"],
            1,
            "Claude Desktop takes only commands",
        ),
        (vec!["remove", "nothing"], 1, "Server \"nothing\" not found."),
    ] {
        let ran = home.jackfield(&args).exits(code);
        assert!(ran.stderr.contains(words), "{args:?}: {ran:#?}");
    }
    home.jackfield(&["add", "x", "--", "cmd"]).exits(0);
    let again = home.jackfield(&["add", "x", "--", "cmd"]).exits(1);
    assert!(again.stderr.contains("Server \"x\" already exists in ~/.xcsh/mcp.json"), "{again:#?}");
    let odd = home.write("home/.cursor/mcp.json", "{\"mcpServers\": 3}");
    let ran = home.jackfield(&["add", "x", "--host", "cursor", "--", "cmd"]).exits(1);
    assert!(ran.stderr.contains("Cannot edit ~/.cursor/mcp.json: `mcpServers` is a number"), "{ran:#?}");
    std::fs::write(&odd, "{\n  \"a\": }").unwrap();
    let ran = home.jackfield(&["add", "x", "--host", "cursor", "--", "cmd"]).exits(1);
    assert!(
        ran.stderr.contains("Cannot edit ~/.cursor/mcp.json: ") && ran.stderr.contains("at line 2, column 8"),
        "{ran:#?}"
    );
    assert_eq!(text(&home, "home/.cursor/mcp.json"), "{\n  \"a\": }");
}

#[test]
fn a_url_gets_a_scheme_and_a_token_a_variable() {
    let home = Home::new();
    home.jackfield(&["add", "my-api", "--url", "mcp.example.com/x", "--token", "s3cr3t-value"]).exits(0);
    home.jackfield(&["add", "here", "--url", "localhost:3000/sse", "--transport", "sse"]).exits(0);
    let file = value(&home, "home/.xcsh/mcp.json");
    assert_eq!(
        file["mcpServers"],
        json!({
            "my-api": {"type": "http", "url": "https://mcp.example.com/x", "headers": {"Authorization": "Bearer ${MY_API_TOKEN}"}},
            "here": {"type": "sse", "url": "http://localhost:3000/sse"}
        })
    );
    let none =
        home.jackfield(&["add", "x", "--host", "zed", "--url", "u.example", "--token", "t-1"]).exits(1);
    assert!(none.stderr.contains("--plaintext"), "{none:#?}");
    home.jackfield(&["add", "x", "--host", "zed", "--url", "u.example", "--token", "t-1", "--plaintext"])
        .exits(0);
    assert_eq!(
        value(&home, "home/.config/zed/settings.json")["context_servers"]["x"]["headers"]["Authorization"],
        "Bearer t-1"
    );
}

/// A12, and its way back.
#[test]
fn a_server_is_copied_to_every_tool_in_that_tools_words() {
    let home = Home::new();
    home.write(
        "home/.xcsh/mcp.json",
        r#"{"mcpServers": {"r": {"type": "http", "url": "https://r.example/mcp", "headers": {"X": "1"}}}}"#,
    );
    let copy = |to: &str| home.jackfield(&["copy", "r", "--host", "xcsh", "--to", to]).exits(0);
    for (to, file, root, entry) in [
        (
            "gemini",
            "home/.gemini/settings.json",
            "mcpServers",
            json!({"type": "http", "url": "https://r.example/mcp", "headers": {"X": "1"}}),
        ),
        (
            "windsurf",
            "home/.codeium/windsurf/mcp_config.json",
            "mcpServers",
            json!({"serverUrl": "https://r.example/mcp", "headers": {"X": "1"}}),
        ),
        (
            "vscode",
            "home/.config/Code/User/mcp.json",
            "servers",
            json!({"type": "http", "url": "https://r.example/mcp", "headers": {"X": "1"}}),
        ),
        (
            "cline",
            "home/.cline/data/settings/cline_mcp_settings.json",
            "mcpServers",
            json!({"type": "streamableHttp", "url": "https://r.example/mcp", "headers": {"X": "1"}}),
        ),
        (
            "opencode",
            "home/.config/opencode/opencode.jsonc",
            "mcp",
            json!({"type": "remote", "url": "https://r.example/mcp", "headers": {"X": "1"}}),
        ),
        (
            "amp",
            "home/.config/amp/settings.jsonc",
            "amp.mcpServers",
            json!({"url": "https://r.example/mcp", "headers": {"X": "1"}}),
        ),
    ] {
        copy(to);
        assert_eq!(value(&home, file)[root]["r"], entry, "{to}");
    }
    copy("codex");
    assert_eq!(
        text(&home, "home/.codex/config.toml"),
        "[mcp_servers.r]\nurl = \"https://r.example/mcp\"\n\n[mcp_servers.r.http_headers]\nX = \"1\"\n"
    );
    copy("goose");
    assert_eq!(
        text(&home, "home/.config/goose/config.yaml"),
        "extensions:\n  r:\n    name: r\n    type: streamable_http\n    uri: \"https://r.example/mcp\"\n    headers:\n      X: \"1\"\n    enabled: true\n"
    );
    copy("vibe");
    assert_eq!(
        text(&home, "home/.vibe/config.toml"),
        "[[mcp_servers]]\nname = \"r\"\ntransport = \"streamable-http\"\nurl = \"https://r.example/mcp\"\nheaders = { X = \"1\" }\n"
    );
    copy("continue");
    assert_eq!(
        text(&home, "home/.continue/config.yaml"),
        "mcpServers:\n  - name: r\n    type: streamable-http\n    url: \"https://r.example/mcp\"\n    requestOptions:\n      headers:\n        X: \"1\"\n"
    );
    // All of them read it as the same server.
    let list = home.jackfield(&["list", "--no-connect", "--json"]).exits(0).json();
    let shadowed = list["servers"].as_array().unwrap().iter().filter(|server| server["name"] == "r");
    assert_eq!(shadowed.count(), 11);
    // And each can be taken out again.
    for host in ["codex", "goose", "vibe", "continue", "opencode", "amp"] {
        home.jackfield(&["remove", "r", "--host", host]).exits(0);
    }
    assert!(!text(&home, "home/.codex/config.toml").contains("mcp_servers"));
    assert_eq!(text(&home, "home/.config/goose/config.yaml"), "", "what was made for it goes with it");
}

#[test]
fn variables_and_units_are_translated_and_what_is_lost_is_said() {
    let home = Home::new();
    home.write(
        "home/.cursor/mcp.json",
        r#"{"mcpServers": {"v": {"command": "x", "args": ["${workspaceFolder}"], "env": {"T": "${env:TOKEN}"}}}}"#,
    );
    home.write(
        "home/.codex/config.toml",
        "[mcp_servers.c]\nurl = \"https://c.example\"\nbearer_token_env_var = \"TOK\"\nstartup_timeout_sec = 2.5\n",
    );
    let ran = home.jackfield(&["copy", "v", "--to", "opencode"]).exits(0);
    assert!(ran.stderr.contains("opencode has nothing like `${workspaceFolder}`"), "{ran:#?}");
    let entry = &value(&home, "home/.config/opencode/opencode.jsonc")["mcp"]["v"];
    assert_eq!(entry["environment"]["T"], "{env:TOKEN}");
    home.jackfield(&["copy", "c", "--to", "xcsh"]).exits(0);
    let entry = &value(&home, "home/.xcsh/mcp.json")["mcpServers"]["c"];
    assert_eq!(entry["headers"]["Authorization"], "Bearer ${TOK}");
    assert_eq!(entry["timeout"], 2500);
    home.jackfield(&["copy", "c", "--host", "xcsh", "--to", "codex", "--rename", "d"]).exits(0);
    let codex = text(&home, "home/.codex/config.toml");
    assert!(codex.ends_with("[mcp_servers.d]\nurl = \"https://c.example\"\nbearer_token_env_var = \"TOK\"\nstartup_timeout_sec = 2.5\n"), "{codex}");
    let ran = home.jackfield(&["copy", "c", "--host", "codex", "--to", "cursor"]).exits(0);
    assert!(ran.stderr.contains("Cursor has no timeout for connecting: it is left out"), "{ran:#?}");
}

#[test]
fn edit_changes_the_fields_that_are_named() {
    let home = Home::new();
    let before = "[mcp_servers.node_repl]\ncommand = \"node\" # keep\nunknown = 1\n\n[mcp_servers.node_repl.env]\n# here\nA = \"1\"\n";
    home.write("home/.codex/config.toml", before);
    home.jackfield(&["edit", "node_repl", "--set", "env.FOO=1", "--set", "timeout=20"]).exits(0);
    let after = text(&home, "home/.codex/config.toml");
    assert_eq!(
        after,
        "[mcp_servers.node_repl]\ncommand = \"node\" # keep\nunknown = 1\nstartup_timeout_sec = 20\n\n[mcp_servers.node_repl.env]\n# here\nA = \"1\"\nFOO = \"1\"\n"
    );
    home.jackfield(&["edit", "node_repl", "--unset", "env.FOO", "--unset", "timeout"]).exits(0);
    assert_eq!(text(&home, "home/.codex/config.toml"), before);
    let ran = home.jackfield(&["edit", "node_repl", "--set", "timeout=soon"]).exits(1);
    assert!(ran.stderr.contains("timeout: Seconds, a number greater than 0"), "{ran:#?}");
    let ran = home.jackfield(&["edit", "node_repl", "--set", "colour=red"]).exits(2);
    assert!(ran.stderr.contains("There is no field `colour`."), "{ran:#?}");
    home.jackfield(&["edit", "node_repl"]).exits(2);
    home.jackfield(&["edit", "node_repl", "--dry-run", "--", "deno", "run"]).exits(0);
    assert_eq!(text(&home, "home/.codex/config.toml"), before);
}

#[test]
fn rename_duplicate_move_history_and_undo() {
    let home = Home::new();
    let before = "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"note\": 1}}}";
    home.write("home/.cursor/mcp.json", before);
    home.jackfield(&["rename", "a", "b"]).exits(0);
    home.jackfield(&["duplicate", "b", "c"]).exits(0);
    assert_eq!(
        value(&home, "home/.cursor/mcp.json")["mcpServers"],
        json!({"b": {"command": "x", "note": 1}, "c": {"command": "x", "note": 1}})
    );
    home.jackfield(&["move", "c", "--to", "windsurf"]).exits(0);
    assert_eq!(
        value(&home, "home/.codeium/windsurf/mcp_config.json")["mcpServers"]["c"],
        json!({"command": "x"})
    );
    assert!(value(&home, "home/.cursor/mcp.json")["mcpServers"].get("c").is_none());
    let history = home.jackfield(&["history", "--json"]).exits(0).json();
    let titles: Vec<&str> =
        history["history"].as_array().unwrap().iter().map(|entry| entry["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Moved `c` to Windsurf", "Duplicated `b` as `c`", "Renamed `a` to `b`"]);
    // One undo takes back both files; the new one goes.
    home.jackfield(&["undo"]).exits(0);
    assert!(!home.path("home/.codeium/windsurf/mcp_config.json").exists());
    home.jackfield(&["undo"]).exits(0);
    home.jackfield(&["undo"]).exits(0);
    assert_eq!(text(&home, "home/.cursor/mcp.json"), before);
    let ran = home.jackfield(&["undo"]).exits(1);
    assert!(ran.stderr.contains("There is nothing to undo"), "{ran:#?}");
    home.jackfield(&["rename", "a", "z"]).exits(0);
    home.write("home/.cursor/mcp.json", "{}");
    let ran = home.jackfield(&["undo"]).exits(1);
    assert!(ran.stderr.contains("Cannot undo: ~/.cursor/mcp.json has changed since"), "{ran:#?}");
}

#[test]
fn remove_does_not_guess_which_of_several() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("a", json!({"command": "x"}))]);
    home.servers("home/.cursor/mcp.json", &[("a", json!({"command": "x"}))]);
    let ran = home.jackfield(&["remove", "a"]).exits(2);
    assert!(
        ran.stderr.contains("\"a\" is defined 2 times") && ran.stderr.contains("--host cursor --scope user"),
        "{ran:#?}"
    );
    let ran = home.jackfield(&["rm", "a", "--host", "xcsh"]).exits(0);
    assert!(ran.stderr.contains("`a` of Cursor, user is in use from then on"), "{ran:#?}");
}

#[test]
fn a_pasted_command_is_added_in_the_words_of_the_file() {
    let home = Home::new();
    let line = "claude mcp add linear -t http https://mcp.linear.app/mcp -H \"Authorization: Bearer ${LT}\"";
    home.jackfield(&["add", "--host", "cursor", "--from", line]).exits(0);
    let entry = &value(&home, "home/.cursor/mcp.json")["mcpServers"]["linear"];
    assert_eq!(
        *entry,
        json!({"type": "http", "url": "https://mcp.linear.app/mcp", "headers": {"Authorization": "Bearer ${env:LT}"}})
    );
    let ran = home.jackfield(&["add", "--from", "Hello there, how are you today?"]).exits(1);
    assert!(ran.stderr.contains("No server was recognised"), "{ran:#?}");
}

#[test]
fn the_doctor_puts_right_what_it_can() {
    let home = Home::new();
    home.write(
        "home/.config/Claude/claude_desktop_config.json",
        "\u{feff}{\n  // mine\n  \"mcpServers\": {\n    \"a\": {\"command\": \"npx -y foo\", \"env\": {\"N\": 3}},\n  }\n}\n",
    );
    home.write("home/.claude.json", "{\"mcpServers\": {\"u\": {\"url\": \"https://u.example/sse\"}}}");
    home.write(
        "home/.cursor/mcp.json",
        "{\"servers\": {\"c\": {\"command\": \"true\", \"env\": {\"T\": \"${TOKEN}\"}}}}",
    );
    home.write(
        "home/.codeium/windsurf/mcp_config.json",
        "{\"mcpServers\": {\"w\": {\"command\": \"true\", \"enabled\": false, \"disabled\": \"true\"}}}",
    );
    home.jackfield(&["doctor", "--no-connect", "--fix", "no-such-code"]).exits(2);
    home.jackfield(&["doctor", "--no-connect", "--fix", "all"]).exits(0);
    assert_eq!(
        text(&home, "home/.config/Claude/claude_desktop_config.json"),
        "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"npx\", \"env\": {\"N\": \"3\"}, \"args\": [\"-y\", \"foo\"]}\n  }\n}\n"
    );
    assert_eq!(value(&home, "home/.claude.json")["mcpServers"]["u"]["type"], "sse");
    let cursor = value(&home, "home/.cursor/mcp.json");
    assert_eq!(cursor["mcpServers"]["c"]["env"]["T"], "${env:TOKEN}");
    assert_eq!(value(&home, "home/.codeium/windsurf/mcp_config.json")["mcpServers"]["w"]["disabled"], true);
    let codes = home.jackfield(&["doctor", "--no-connect", "--json"]).json();
    let left: Vec<&str> = codes["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["code"].as_str().unwrap())
        .collect();
    for code in [
        "host-refuses-file",
        "url-without-type",
        "wrong-root-key",
        "foreign-variable",
        "wrong-type",
        "command-line",
    ] {
        assert!(!left.contains(&code), "{code} is left: {left:?}");
    }
}

#[test]
fn files_that_claude_code_does_not_read_are_moved_to_where_it_does() {
    let home = Home::new();
    home.servers("home/.claude/mcp.json", &[("m", json!({"command": "x"}))]);
    home.jackfield(&["doctor", "--no-connect", "--fix", "unread-file"]).exits(0);
    assert_eq!(value(&home, "home/.claude.json")["mcpServers"]["m"], json!({"command": "x"}));
    assert_eq!(value(&home, "home/.claude/mcp.json")["mcpServers"], json!({}));
}

#[test]
fn what_was_made_for_a_server_goes_with_the_last_one() {
    let home = Home::new();
    let files = [
        ("xcsh", "home/.xcsh/mcp.json", "{\"theme\": 1}\n"),
        ("vscode", "home/.config/Code/User/mcp.json", "{\n  // mine\n  \"inputs\": []\n}\n"),
        ("codex", "home/.codex/config.toml", "model = \"m\" # mine\n"),
        ("goose", "home/.config/goose/config.yaml", "model: m # mine\n"),
        ("amp", "home/.config/amp/settings.json", "{\n\t\"amp.url\": \"x\"\n}"),
    ];
    for (host, file, before) in files {
        home.write(file, before);
        for name in ["a", "b"] {
            home.jackfield(&["add", name, "--host", host, "--", "true"]).exits(0);
        }
        for name in ["a", "b"] {
            home.jackfield(&["remove", name, "--host", host]).exits(0);
        }
        assert_eq!(text(&home, file), before, "{host}");
    }
    // What somebody else put there keeps it.
    home.jackfield(&["add", "a", "--", "true"]).exits(0);
    let with = text(&home, "home/.xcsh/mcp.json")
        .replace("\"mcpServers\": {", "\"mcpServers\": {\"z\": {\"command\": \"y\"}, ");
    home.write("home/.xcsh/mcp.json", &with);
    home.jackfield(&["remove", "a"]).exits(0);
    assert_eq!(value(&home, "home/.xcsh/mcp.json")["mcpServers"], json!({"z": {"command": "y"}}));
    // An empty object that was there before us stays.
    let empty = "{\"mcpServers\": {}}\n";
    home.write("home/.cursor/mcp.json", empty);
    home.jackfield(&["add", "a", "--host", "cursor", "--", "true"]).exits(0);
    home.jackfield(&["remove", "a", "--host", "cursor"]).exits(0);
    assert_eq!(text(&home, "home/.cursor/mcp.json"), empty);
}

#[test]
fn several_servers_of_a_text_are_added_at_once_or_not_at_all() {
    let home = Home::new();
    home.write("home/.xcsh/mcp.json", "{\n  \"mcpServers\": {}\n}\n");
    let pasted = r#"{"mcpServers": {"one": {"command": "npx", "args": ["a"]}, "two": {"url": "https://t.example"}, "off": {"command": "c", "disabled": true}}}"#;
    let dry = home.jackfield(&["--json", "add", "--from", pasted, "--dry-run"]).exits(0).json();
    assert_eq!(dry["files"].as_array().map(Vec::len), Some(1), "{dry:#}");
    assert_eq!(text(&home, "home/.xcsh/mcp.json"), "{\n  \"mcpServers\": {}\n}\n");

    let added = home.jackfield(&["--json", "add", "--from", pasted]).exits(0).json();
    assert_eq!(
        text(&home, "home/.xcsh/mcp.json"),
        concat!(
            "{\n  \"mcpServers\": {\n    \"one\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [\"a\"]\n    },\n",
            "    \"two\": {\n      \"type\": \"http\",\n      \"url\": \"https://t.example\"\n    },\n",
            "    \"off\": {\n      \"type\": \"stdio\",\n      \"command\": \"c\",\n      \"enabled\": false\n    }\n  }\n}\n"
        ),
        "each in its own lines; what was off stays off"
    );
    assert!(added["message"].as_str().unwrap().starts_with("Added `one`, `two`, `off`"), "{added:#}");
    home.jackfield(&["undo"]).exits(0);
    assert_eq!(text(&home, "home/.xcsh/mcp.json"), "{\n  \"mcpServers\": {}\n}\n", "one undo takes all back");

    // One of them cannot be added, so none is.
    home.jackfield(&["add", "two", "--", "mine"]).exits(0);
    let before = text(&home, "home/.xcsh/mcp.json");
    let ran = home.jackfield(&["add", "--from", pasted]).exits(1);
    assert!(ran.stderr.contains("Server \"two\" already exists in ~/.xcsh/mcp.json"), "{ran:#?}");
    assert_eq!(text(&home, "home/.xcsh/mcp.json"), before);
}

#[test]
fn an_object_that_was_empty_is_as_it_was_when_its_server_goes() {
    let home = Home::new();
    for before in [
        "{}",
        "{\n}\n",
        "{\r\n\t\"mcpServers\": {}\r\n}",
        "{\n  \"mcpServers\": {\n  }\n}\n",
        "{\"mcpServers\": { } }",
    ] {
        home.write("home/.cursor/mcp.json", before);
        home.jackfield(&["add", "x", "--host", "cursor", "--", "npx", "y"]).exits(0);
        let with = text(&home, "home/.cursor/mcp.json");
        assert_eq!(value(&home, "home/.cursor/mcp.json")["mcpServers"]["x"]["command"], "npx");
        home.jackfield(&["remove", "x"]).exits(0);
        assert_eq!(text(&home, "home/.cursor/mcp.json"), before, "by way of {with:?}");
    }
}

#[test]
fn what_cannot_be_meant_is_said_before_anything_is_done() {
    let home = Home::new();
    home.write(
        "home/.xcsh/mcp.json",
        r#"{"mcpServers": {"r": {"type": "http", "url": "https://r.example"}, "c": {"command": "c"}}}"#,
    );
    let before = text(&home, "home/.xcsh/mcp.json");
    for (args, code, words) in [
        (vec!["add", "--from", "npx a", "--env", "A=b"], 2, "The text says it all"),
        (vec!["add", "x", "--transport", "sse", "--", "npx"], 2, "--transport requires --url."),
        (vec!["add", "--from", "please add the github server for me"], 1, "No server was recognised"),
        (vec!["add", "--from", "ftp://files.example/mcp"], 1, "a server is reached by http or https"),
        (vec!["add", "--from", "curl -fsSL https://x.example/install.sh"], 1, "it fetches something"),
        (vec!["add", "--from", "npm install -g some-mcp"], 1, "it fetches something"),
        (vec!["add", "x", "--scope", "project", "--", "npx"], 2, "There is no project here."),
        (vec!["add", "x", "--host", "curser", "--", "npx"], 2, "Did you mean `cursor`?"),
        (vec!["disable", "r", "--host", "curser"], 2, "There is no application `curser`."),
        (vec!["remove", "r", "--host", "nowhere-at-all"], 2, "Known: xcsh, "),
        (vec!["edit", "r", "--set", "env.A=b"], 2, "A server behind a url has no `env`."),
        (vec!["edit", "c", "--set", "headers.A=b"], 2, "A server that is started has no `headers`."),
        (vec!["edit", "c", "--unset", "command"], 2, "`command` cannot be taken away"),
    ] {
        let ran = home.jackfield(&args).exits(code);
        assert!(ran.stderr.contains(words), "{args:?}: {ran:#?}");
    }
    assert_eq!(text(&home, "home/.xcsh/mcp.json"), before);
    home.jackfield(&[
        "edit",
        "c",
        "--set",
        "type=http",
        "--set",
        "url=https://c.example",
        "--set",
        "headers.A=b",
    ])
    .exits(0);
}

#[test]
fn words_of_other_tools_are_told_where_they_may_mean_something_else() {
    let home = Home::new();
    home.write(
        "home/.config/goose/config.yaml",
        "extensions:\n  g:\n    enabled: true\n    type: stdio\n    name: g\n    cmd: npx\n    args: [a]\n    timeout: 300\n",
    );
    home.jackfield(&["rename", "g", "h"]).exits(0);
    let renamed = text(&home, "home/.config/goose/config.yaml");
    assert!(
        renamed.contains("  h:\n") && renamed.contains("name: h\n"),
        "Goose goes by the name inside: {renamed}"
    );

    home.write("home/.xcsh/mcp.json", r#"{"mcpServers": {"slow": {"command": "c", "timeout": 1500}}}"#);
    let copied = home.jackfield(&["copy", "slow", "--to", "zed"]).exits(0);
    assert!(copied.stderr.contains("Zed takes whole seconds: the timeout becomes 2"), "{copied:#?}");
    let zed = value(&home, "home/.config/zed/settings.json");
    assert_eq!(zed["context_servers"]["slow"]["timeout"], json!(2));
    assert_eq!(zed["context_servers"]["slow"]["args"], json!([]), "Zed takes no entry without the list");
}

#[test]
fn the_doctor_tells_a_program_what_it_did() {
    let home = Home::new();
    let file = home.write(
        "home/.xcsh/mcp.json",
        r#"{"mcpServers": {"s": {"command": "c", "env": {"API_KEY": "sk-live-0123456789abcdef0123"}}}}"#,
    );
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let mode =
        || std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions()) & 0o777;
    let dry =
        home.jackfield(&["--json", "doctor", "--fix", "readable-by-others", "--dry-run"]).exits(0).json();
    let note = dry["cures"][0]["notes"][0].as_str().unwrap_or_default();
    assert!(note.contains("now 0644, then 0600"), "{dry:#}");
    assert_eq!(mode(), 0o644);
    let done = home.jackfield(&["--json", "doctor", "--fix", "readable-by-others"]).exits(0).json();
    assert_eq!((done["cures"].as_array().map(Vec::len), &done["left"]), (Some(1), &json!(0)), "{done:#}");
    assert_eq!(mode(), 0o600);
}
