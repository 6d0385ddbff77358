//! `jackfield test`: one server, connected, and what came of it.

use serde_json::{Value, json};

use crate::support::{Home, answers_always, fake, free_port, real, with};

fn one(server: Value) -> Home {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("srv", server)]);
    home
}

#[test]
fn a_good_server_tells_who_it_is_and_what_it_can() {
    let home =
        one(fake(&["--name", "Weather", "--version", "2.5.0", "--protocol", "2025-06-18", "--tools", "3"]));
    let ran = home.jackfield(&["test", "srv"]).exits(0);
    insta::assert_snapshot!(home.plain(&ran.stdout), @r"
    ● Weather 2.5.0, protocol 2025-06-18, [TIME] ms, 3 tools
      tool_0
      tool_1
      tool_2
    ");
    let report = home.jackfield(&["test", "srv", "--json"]).exits(0).json();
    assert_eq!(report["ok"], true);
    assert_eq!(report["server"], "Weather");
    assert_eq!(report["tools"], json!(["tool_0", "tool_1", "tool_2"]));
}

/// Runs `test srv` and compares what it says, and what it exits with.
#[track_caller]
fn check(server: Value, code: i32, said: &[&str]) {
    let home = one(server);
    let ran = home.jackfield(&["test", "srv"]).exits(code);
    assert!(ran.stdout.is_empty(), "a failure is no data: {ran:#?}");
    for words in said {
        assert!(ran.stderr.contains(words), "`{words}` is missing: {ran:#?}");
    }
    let json = home.jackfield(&["test", "srv", "--json"]).exits(code).json();
    assert_eq!(json["ok"], false);
    let first = said[0];
    assert!(json["message"].as_str().unwrap().contains(first), "{json:#}");
}

#[test]
fn a_missing_command_says_where_it_was_looked_for() {
    check(
        json!({"command": "no-such-command-here"}),
        1,
        &["Failed to connect to \"srv\": `no-such-command-here` was not found", "Looked in "],
    );
}

#[test]
fn a_file_that_may_not_be_executed_says_so() {
    let home = Home::new();
    let tool = home.write("home/bin/tool", "#!/bin/sh\n");
    home.servers("home/.xcsh/mcp.json", &[("srv", json!({"command": tool}))]);
    let ran = home.jackfield(&["test", "srv"]).exits(1);
    assert!(ran.stderr.contains("is not executable"), "{ran:#?}");
}

#[test]
fn a_server_that_exits_shows_the_line_that_tells_why() {
    check(
        fake(&["--crash-at-start", "4"]),
        1,
        &["Failed to connect to \"srv\": Exited with code 4: fatal: the database is locked", "| starting"],
    );
}

#[test]
fn a_silent_server_is_a_timeout() {
    check(
        with(fake(&["--silent"]), json!({"timeout": 400})),
        1,
        &["Failed to connect to \"srv\": No answer within 400 ms", "Try increasing the timeout"],
    );
}

#[test]
fn a_refused_connection_says_that_nothing_listens() {
    let url = format!("http://127.0.0.1:{}/mcp", free_port());
    check(json!({"type": "http", "url": url}), 1, &["Failed to connect to \"srv\": ", "Start the server"]);
}

#[test]
fn an_answer_of_401_needs_a_sign_in_and_of_403_does_not() {
    let (port, _) = answers_always(401, "WWW-Authenticate: Bearer\r\n");
    let url = |port: u16| json!({"type": "http", "url": format!("http://127.0.0.1:{port}/mcp")});
    check(url(port), 4, &["Failed to connect to \"srv\": ", "authentication"]);
    let (port, _) = answers_always(403, "");
    check(url(port), 1, &["Failed to connect to \"srv\": ", "403"]);
    let (port, _) = answers_always(404, "");
    check(url(port), 1, &["Failed to connect to \"srv\": ", "404"]);
}

#[test]
fn a_list_of_tools_that_fails_is_a_failure() {
    check(fake(&["--list-error"]), 1, &["the list of tools is broken"]);
}

#[test]
fn an_unknown_server_is_not_found_and_a_slip_is_pointed_out() {
    let home = one(fake(&[]));
    for verb in ["test", "show", "enable", "disable", "approve", "tools"] {
        let ran = home.jackfield(&[verb, "srw"]).exits(1);
        assert!(ran.stderr.contains("Server \"srw\" not found."), "{verb}: {ran:#?}");
        assert!(ran.stderr.contains("`srv`"), "{verb}: {ran:#?}");
    }
}

#[test]
fn a_server_that_is_off_says_how_to_switch_it_on() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("srv", with(fake(&[]), json!({"enabled": false})))]);
    home.servers("home/.cursor/mcp.json", &[("cur", fake(&[]))]);
    home.write(
        "home/.gemini/settings.json",
        &json!({"mcp": {"excluded": ["gem"]}, "mcpServers": {"gem": fake(&[])}}).to_string(),
    );
    home.jackfield(&["disable", "cur"]).exits(0);
    for name in ["srv", "cur", "gem"] {
        let wanted = format!("Server \"{name}\" is disabled. Run jackfield enable {name} first.");
        for args in [vec!["test", name], vec!["tools", name], vec!["call", name, "echo", "{}"]] {
            let ran = home.jackfield(&args).exits(1);
            assert!(ran.stderr.contains(&wanted), "{args:?}: {ran:#?}");
        }
    }
}

#[test]
fn an_invalid_entry_says_what_it_lacks() {
    let home = one(json!({"type": "http", "headers": {}}));
    let ran = home.jackfield(&["test", "srv"]).exits(1);
    assert!(ran.stderr.contains("Server \"srv\": http server requires \"url\" field"), "{ran:#?}");
}

#[test]
fn a_shadowed_definition_can_be_tested_by_its_place() {
    let home = one(fake(&["--name", "winner"]));
    let cursor = home.servers("home/.cursor/mcp.json", &[("srv", fake(&["--name", "loser"]))]);
    let says = |args: &[&str]| home.jackfield(args).exits(0).stdout;
    assert!(says(&["test", "srv"]).contains("winner"));
    assert!(says(&["test", "srv", "--host", "cursor"]).contains("loser"));
    assert!(says(&["test", "srv", "--path", cursor.to_str().unwrap()]).contains("loser"));
    home.jackfield(&["test", "srv", "--scope", "managed"]).exits(1);
}

#[test]
fn servers_of_every_kind_of_file_can_be_tested() {
    let home = Home::new();
    let fake_at = crate::support::fake_path().display().to_string();
    home.servers("home/.claude.json", &[("a", with(fake(&[]), json!({"type": "stdio"})))]);
    home.write("home/.codex/config.toml", &format!("[mcp_servers.b]\ncommand = \"{fake_at}\"\n"));
    home.write(
        "home/.config/opencode/opencode.json",
        &json!({"mcp": {"c": {"type": "local", "command": [fake_at]}}}).to_string(),
    );
    home.write("home/.config/Code/User/mcp.json", &json!({"servers": {"d": fake(&[])}}).to_string());
    home.servers("home/.gemini/settings.json", &[("e", fake(&[]))]);
    home.servers("home/.config/Claude/claude_desktop_config.json", &[("f", fake(&[]))]);
    home.servers("home/.codeium/windsurf/mcp_config.json", &[("g", fake(&[]))]);
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        let ran = home.jackfield(&["test", name]).exits(0);
        assert!(ran.stdout.contains("fake-mcp 1.0.0"), "{name}: {ran:#?}");
    }
}

#[test]
fn the_real_servers_connect() {
    let home = Home::new();
    let folder = home.home().display().to_string();
    for (name, program, args) in [
        ("everything", "node/node_modules/.bin/mcp-server-everything", vec![]),
        ("filesystem", "node/node_modules/.bin/mcp-server-filesystem", vec![folder.as_str()]),
        ("memory", "node/node_modules/.bin/mcp-server-memory", vec![]),
        ("time", "python/bin/mcp-server-time", vec![]),
        ("git", "python/bin/mcp-server-git", vec![]),
    ] {
        let Some(program) = real(program) else { continue };
        home.servers("home/.xcsh/mcp.json", &[(name, json!({"command": program, "args": args}))]);
        let report = home.jackfield(&["test", name, "--json"]).exits(0).json();
        assert!(!report["tools"].as_array().unwrap().is_empty(), "{report:#}");
    }
}

#[test]
fn started_from_a_dock_it_finds_what_the_login_shell_knows() {
    // As a desktop starts programs: no shell above, and a poor PATH.
    let home = Home::new().var("SHLVL", "").var("PATH", "/usr/bin:/bin").var("SHELL", "/bin/sh");
    let tools = home.path("version-manager/bin");
    std::fs::create_dir_all(&tools).unwrap();
    std::os::unix::fs::symlink(crate::support::fake_path(), tools.join("only-in-login")).unwrap();
    home.write("home/.profile", &format!("PATH=\"{}:$PATH\"\nexport PATH\n", tools.display()));
    home.servers("home/.xcsh/mcp.json", &[("docked", json!({"command": "only-in-login"}))]);
    let ran = home.jackfield(&["call", "docked", "env", r#"{"name": "PATH"}"#]).exits(0);
    assert!(ran.stdout.contains(&tools.display().to_string()), "{ran:#?}");
    assert!(ran.stdout.starts_with("/usr/bin:/bin"), "what the process had comes first: {ran:#?}");
}

#[test]
fn the_messages_can_be_looked_at_and_show_no_secret() {
    let home = one(with(fake(&[]), json!({"env": {"API_TOKEN": "tok-secret-0123456789"}})));
    let ran = home.jackfield(&["test", "srv", "--wire"]).exits(0);
    let sent = |words: &str| ran.stderr.lines().any(|line| line.starts_with("→ {") && line.contains(words));
    let got = |words: &str| ran.stderr.lines().any(|line| line.starts_with("← {") && line.contains(words));
    assert!(sent("\"method\":\"tools/list\"") && got("\"tools\":["), "{ran:#?}");
    assert!(!ran.stderr.contains("tok-secret-0123456789"), "{ran:#?}");
    let quiet = home.jackfield(&["test", "srv"]).exits(0);
    assert!(!quiet.stderr.contains('→'), "{quiet:#?}");
}

#[test]
fn the_stages_of_connecting_are_timed() {
    let home = one(fake(&["--slow-start", "300"]));
    let report = home.jackfield(&["test", "srv", "--json"]).exits(0).json();
    let took =
        |stage: &str| report["timings"][stage].as_u64().unwrap_or_else(|| panic!("{stage}: {report:#}"));
    assert!(took("handshake_ms") >= 250, "that is where it was slow: {report:#}");
    let sum = ["resolve_ms", "start_ms", "handshake_ms", "list_ms"].map(took).iter().sum::<u64>();
    assert!(sum <= report["took_ms"].as_u64().unwrap() + 10, "{report:#}");
}
