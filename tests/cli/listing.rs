//! `jackfield list`: the contract of its JSON, its text, and what its exit code says.

use serde_json::{Value, json};

use crate::support::{Home, answers_always, fake, with};

/// Eight tools and a cloned repository, with every kind of reason not to run.
fn everything() -> Home {
    let home = Home::new();
    home.write(
        "home/.xcsh/mcp.json",
        r#"{
  // mine
  "mcpServers": {
    "shared": { "command": "sh", "args": ["-c", "one"] },
    "off": { "command": "sh", "enabled": false },
    "both": { "command": "sh", "url": "https://both.example.com/mcp" },
    "ex": { "url": "https://mcp.exa.ai/mcp", "type": "http" },
  },
  "disabledServers": ["denied"],
}"#,
    );
    home.write(
        "home/.claude.json",
        r#"{"numStartups": 3, "mcpServers": {
  "shared": {"command": "sh", "args": ["-c", "two"]},
  "docs": {"type": "http", "url": "https://docs.example.com/mcp"}
}}"#,
    );
    home.write(
        "home/.codex/config.toml",
        "model = \"x\"\n\n[mcp_servers.linear]\nurl = \"https://linear.example.com/mcp\"\n\n[mcp_servers.rest]\ncommand = \"sh\"\nenabled = false\n",
    );
    home.write(
        "home/.gemini/settings.json",
        r#"{"mcp": {"excluded": ["gem"]}, "mcpServers": {"gem": {"command": "sh"}, "jewel": {"httpUrl": "https://j.example.com"}}}"#,
    );
    home.servers("home/.cursor/mcp.json", &[("denied", json!({"command": "sh"}))]);
    home.write(
        "home/.config/opencode/opencode.json",
        r#"{"mcp": {"pw": {"type": "local", "command": ["sh", "-c", "three"], "enabled": true}}}"#,
    );
    home.write(
        "home/.config/Code/User/mcp.json",
        r#"{"servers": {"shared": {"type": "sse", "url": "https://code.example.com/sse"}}}"#,
    );
    home.servers(
        "home/.codeium/windsurf/mcp_config.json",
        &[("surf", json!({"serverUrl": "https://surf.example.com"}))],
    );
    // It would win by its scope, if it were approved.
    home.servers("project/.xcsh/mcp.json", &[("shared", json!({"command": "sh", "args": ["-c", "evil"]}))]);
    home.servers("project/.mcp.json", &[("cloned", json!({"command": "sh"}))]);
    home
}

#[test]
fn the_json_of_a_list_is_the_contract() {
    let home = everything();
    let ran = home.in_project(&["list", "--json", "--no-connect"]).exits(0);
    let list = ran.json();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&list), ["servers", "diagnostics"]);
    for server in list["servers"].as_array().unwrap() {
        let wanted = [
            "name",
            "host",
            "scope",
            "path",
            "line",
            "transport",
            "status",
            "reason",
            "message",
            "tools",
            "shadowed_by",
        ];
        assert_eq!(keys(server), wanted);
    }
    for found in list["diagnostics"].as_array().unwrap() {
        let wanted = ["code", "severity", "path", "line", "column", "title", "detail", "server"];
        assert_eq!(keys(found), wanted);
    }
    insta::assert_snapshot!(home.plain(&ran.stdout));
}

#[test]
fn the_text_of_a_list_is_one_line_a_definition() {
    let home = everything();
    let ran = home.in_project(&["list", "--no-connect"]).exits(0);
    insta::assert_snapshot!(home.plain(&format!("{}--- stderr\n{}", ran.stdout, ran.stderr)));
}

#[test]
fn connected_and_failed_servers_stand_side_by_side() {
    let home = Home::new();
    home.servers(
        "home/.xcsh/mcp.json",
        &[
            ("good", fake(&["--tools", "7"])),
            ("gone", json!({"command": "no-such-command-here"})),
            ("sick", fake(&["--crash-at-start", "4"])),
        ],
    );
    let ran = home.jackfield(&["list"]).exits(3);
    insta::assert_snapshot!(home.plain(&format!("{}--- stderr\n{}", ran.stdout, ran.stderr)));
}

#[test]
fn the_exit_code_of_list_says_whether_all_that_should_run_do() {
    let check = |name: &str, servers: &[(&str, Value)], args: &[&str], code: i32| {
        let home = Home::new();
        home.servers("home/.xcsh/mcp.json", servers);
        let ran = home.jackfield(args);
        assert_eq!(ran.code, Some(code), "{name}: {ran:#?}");
    };
    let (signed_out, _) = answers_always(401, "WWW-Authenticate: Bearer\r\n");
    let good = || ("good", fake(&[]));
    let missing = || ("missing", json!({"command": "no-such-command-here"}));
    let silent = || ("silent", fake(&["--silent"]));
    let sign_in = json!({"type": "http", "url": format!("http://127.0.0.1:{signed_out}/mcp")});
    check("nothing", &[], &["list"], 0);
    check("all up", &[good()], &["list"], 0);
    check("one missing", &[good(), missing()], &["list"], 3);
    check("not asked", &[missing()], &["list", "--no-connect"], 0);
    check("off", &[("off", with(fake(&[]), json!({"enabled": false})))], &["list"], 0);
    check("invalid", &[("bad", json!({"command": "x", "url": "y"}))], &["list"], 3);
    check("wait ended", &[good(), silent()], &["list", "--wait", "0.3"], 3);
    check("needs sign-in", &[("s", sign_in)], &["list"], 3);
    check("json too", &[missing()], &["list", "--json"], 3);
    check("tools", &[good(), missing()], &["tools"], 3);
    check("tools, all up", &[good()], &["tools"], 0);
}

#[test]
fn a_wait_that_ended_leaves_the_server_connecting() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("silent", fake(&["--silent"]))]);
    let list = home.jackfield(&["list", "--json", "--wait", "0.3"]).exits(3).json();
    assert_eq!(list["servers"][0]["status"], "connecting");
    assert_eq!(list["servers"][0]["reason"], Value::Null);
}

#[test]
fn usage_errors_exit_two_and_help_exits_zero() {
    let home = Home::new();
    let check = |args: &[&str], code: i32| {
        let ran = home.jackfield(args);
        assert_eq!(ran.code, Some(code), "{args:?}: {ran:#?}");
        assert_eq!(ran.stdout.is_empty(), code != 0, "{args:?}: data on stdout, talk on stderr: {ran:#?}");
    };
    check(&[], 2);
    check(&["frobnicate"], 2);
    check(&["list", "--wait", "soon"], 2);
    check(&["list", "--wait", "-1"], 2);
    check(&["list", "--wait", "1", "--no-connect"], 2);
    check(&["test"], 2);
    check(&["list", "--project", "/no/such/folder"], 2);
    check(&["list", "--project", "/"], 2);
    check(&["show", "x", "--scope", "galaxy"], 2);
    check(&["--help"], 0);
    check(&["--version"], 0);
    check(&["list", "--help"], 0);
    check(&["completions", "bash"], 0);
}

#[test]
fn where_mcp_is_switched_off_nothing_is_listed_and_it_says_so() {
    let home = everything();
    home.write("home/.config/jackfield/settings.json", "{ \"enable_mcp\": false }");
    let ran = home.jackfield(&["list"]).exits(0);
    assert!(ran.stdout.is_empty(), "{ran:#?}");
    assert!(ran.stderr.contains("enable_mcp"), "{ran:#?}");
}

#[test]
fn the_order_of_hosts_decides_who_wins() {
    let home = everything();
    let winner = |home: &Home| {
        let list = home.jackfield(&["list", "--json", "--no-connect"]).exits(0).json();
        let servers = list["servers"].as_array().unwrap().clone();
        let shared = servers.iter().find(|server| server["name"] == "shared" && server["reason"] == "idle");
        shared.unwrap()["host"].as_str().unwrap().to_owned()
    };
    assert_eq!(winner(&home), "xcsh");
    home.write("home/.config/jackfield/settings.json", "{ \"hosts\": [\"claude-code\"] }");
    assert_eq!(winner(&home), "claude-code");
}

/// The server of an extension is no error: it is listed, said to be somebody else's, and not connected.
#[test]
fn a_server_of_an_extension_is_said_to_be_one() {
    let home = Home::new();
    home.write(
        "home/.config/zed/settings.json",
        r#"{"context_servers": {"ext": {"settings": {}}, "off": {"enabled": false, "settings": {}}}}"#,
    );
    let list = home.jackfield(&["list", "--json"]).exits(0).json();
    let row = |name: &str| {
        let row = list["servers"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
        [&row["status"], &row["reason"], &row["message"]].map(|value| value.as_str().unwrap().to_owned())
    };
    let words = "Provided by an extension of Zed, which alone can start it: there is no command here";
    assert_eq!(row("ext"), ["disconnected", "host_disabled", words]);
    assert_eq!(row("off"), ["disconnected", "disabled", words]);
    assert_eq!(list["diagnostics"].as_array().unwrap().len(), 0, "{list:#}");
    let refused = home.jackfield(&["test", "ext"]);
    assert_ne!(refused.code, Some(0));
    assert!(
        refused.stderr.contains("cannot be connected from here. Provided by an extension of Zed"),
        "{refused:#?}"
    );
    home.jackfield(&["doctor"]).exits(0);
}
