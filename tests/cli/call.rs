//! `jackfield tools` and `jackfield call`.

use serde_json::{Value, json};

use crate::support::{Home, Ran, fake, real, with};

fn two() -> Home {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("fake", fake(&[])), ("Other-One", fake(&["--tools", "2"]))]);
    home
}

#[test]
fn tools_are_listed_under_the_names_they_are_offered_by() {
    let home = two();
    let ran = home.jackfield(&["tools"]).exits(0);
    insta::assert_snapshot!("tools_text", ran.stdout);
    let tools = home.jackfield(&["tools", "--json"]).exits(0).json();
    assert_eq!(tools["errors"], json!({}));
    let first = &tools["tools"][0];
    assert_eq!((&first["name"], &first["state"]), (&json!("mcp_fake_echo"), &json!("live")));
    let last = tools["tools"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["name"], &last["tool"]), (&json!("mcp_other_one_tool_1"), &json!("tool_1")));
}

#[test]
fn tools_of_one_server_connect_that_one_only() {
    let home = Home::new();
    let seen = home.path("seen").display().to_string();
    home.servers(
        "home/.xcsh/mcp.json",
        &[("a", fake(&["--tools", "1"])), ("b", fake(&["--pid-file", &seen]))],
    );
    let tools = home.jackfield(&["tools", "a", "--json"]).exits(0).json();
    assert_eq!(tools["tools"].as_array().unwrap().len(), 1);
    assert!(!home.path("seen").exists(), "`b` was started");
}

#[test]
fn tools_that_are_known_from_before_are_told_without_connecting() {
    let home = two();
    assert_eq!(home.jackfield(&["tools", "--no-connect", "--json"]).exits(0).json()["tools"], json!([]));
    home.jackfield(&["tools"]).exits(0);
    let tools = home.jackfield(&["tools", "--no-connect", "--json"]).exits(0).json();
    assert_eq!(tools["tools"].as_array().unwrap().len(), 10);
    assert!(tools["tools"].as_array().unwrap().iter().all(|tool| tool["state"] == "cached"), "{tools:#}");
    home.servers("home/.xcsh/mcp.json", &[("fake", fake(&["--name", "another"]))]);
    let tools = home.jackfield(&["tools", "--no-connect", "--json"]).exits(0).json();
    assert_eq!(tools["tools"], json!([]), "another definition has another cache");
}

#[test]
fn one_servers_failure_does_not_take_the_others_tools() {
    let home = Home::new();
    home.servers(
        "home/.xcsh/mcp.json",
        &[
            ("good", fake(&["--tools", "2"])),
            ("bad", fake(&["--crash-at-start", "1"])),
            ("worse", json!({"command": "x", "url": "y"})),
        ],
    );
    let ran = home.jackfield(&["tools", "--json"]).exits(3);
    let tools = ran.json();
    assert_eq!(tools["tools"].as_array().unwrap().len(), 2);
    let errors = tools["errors"].as_object().unwrap();
    assert_eq!(errors.keys().collect::<Vec<_>>(), ["bad", "worse"]);
    assert_eq!(errors["bad"], "Exited with code 1: fatal: the database is locked");
}

/// Runs `call` and compares stdout.
#[track_caller]
fn check(args: &[&str], code: i32, stdout: &str) -> Ran {
    let home = two();
    let ran = home.jackfield(&[&["call"], args].concat()).exits(code);
    assert_eq!(ran.stdout, stdout, "{ran:#?}");
    ran
}

#[test]
fn a_call_prints_the_text_of_its_result() {
    check(&["fake", "echo", r#"{"message":"hi"}"#], 0, "hi\n");
    check(&["fake", "add", r#"{"a":2,"b":3}"#], 0, "5\n");
    check(&["Other-One", "tool_1"], 0, "tool_1\n");
    check(&["fake", "echo", r#"{"message":"ünï\nçode"}"#], 0, "ünï\nçode\n");
}

#[test]
fn a_tool_is_called_by_its_exposed_name() {
    check(&["mcp_fake_echo", r#"{"message":"hi"}"#], 0, "hi\n");
    check(&["mcp_other_one_tool_0"], 0, "tool_0\n");
}

#[test]
fn a_tool_that_fails_exits_one_and_says_error() {
    check(&["fake", "fail"], 1, "Error: it failed, as asked\n");
}

#[test]
fn a_call_that_the_server_refuses_is_an_mcp_error() {
    let ran = check(&["fake", "no_such_tool"], 1, "");
    assert!(ran.stderr.contains("MCP error: Unknown tool: no_such_tool"), "{ran:#?}");
    let ran = check(&["fake", "crash"], 1, "");
    assert!(ran.stderr.contains("MCP error: "), "{ran:#?}");
}

#[test]
fn names_that_nobody_has_are_told() {
    let ran = check(&["mcp_nothing_here"], 1, "");
    assert!(ran.stderr.contains("`mcp_nothing_here`"), "{ran:#?}");
    for words in [&["nobody", "echo", "{}"][..], &["nobody", "echo"]] {
        let ran = check(words, 1, "");
        assert!(ran.stderr.contains("Server \"nobody\" not found."), "{ran:#?}");
    }
}

#[test]
fn arguments_that_are_no_json_object_are_a_mistake_of_usage() {
    for words in ["{", "[1]", "3", "\"text\"", "null", "{\"a\":1} x"] {
        let ran = check(&["fake", "echo", words], 2, "");
        assert!(ran.stderr.contains("JSON"), "{words}: {ran:#?}");
    }
}

#[test]
fn bad_arguments_are_told_before_a_server_is_started() {
    let home = Home::new();
    let seen = home.path("seen").display().to_string();
    home.servers("home/.xcsh/mcp.json", &[("a", fake(&["--pid-file", &seen]))]);
    home.jackfield(&["call", "a", "echo", "{"]).exits(2);
    home.jackfield(&["call", "mcp_a_echo", "{"]).exits(2);
    assert!(!home.path("seen").exists(), "it was started for nothing");
}

#[test]
fn arguments_come_from_standard_input_too() {
    let home = two();
    let ran = home.with_input(&["call", "fake", "echo", "-"], "{\"message\": \"from stdin\"}\n").exits(0);
    assert_eq!(ran.stdout, "from stdin\n");
    home.with_input(&["call", "fake", "echo", "-"], "").exits(2);
}

#[test]
fn json_gives_the_whole_result() {
    let home = two();
    let result = home.jackfield(&["call", "fake", "add", r#"{"a":1,"b":2}"#, "--json"]).exits(0).json();
    assert_eq!(result["structuredContent"], json!({"sum": 3.0}));
    assert_eq!(result["content"][0]["type"], "text");
    let result = home.jackfield(&["call", "fake", "fail", "--json"]).exits(1).json();
    assert_eq!(result["isError"], true);
}

#[test]
fn a_call_that_takes_too_long_is_given_up() {
    let home = two();
    let ran =
        home.jackfield(&["call", "fake", "slow", r#"{"ms":60000,"steps":1}"#, "--timeout", "0.5"]).exits(1);
    assert!(ran.stderr.contains("MCP error: "), "{ran:#?}");
}

#[test]
fn arguments_and_environment_arrive_as_written() {
    let home = Home::new();
    let entry = json!({"env": {"EMPTY": "", "QUOTED": "a \"b\" 'c' $HOME"}, "cwd": home.path("system")});
    let mut server = with(fake(&[]), entry);
    server["args"] = json!(["--name", "-c /p \"x\"\n*", "--version", ""]);
    home.servers("home/.xcsh/mcp.json", &[("s", server.clone())]);
    let call = |tool: &str, args: &str| home.jackfield(&["call", "s", tool, args]).exits(0).stdout;
    assert_eq!(serde_json::from_str::<Value>(&call("argv", "{}")).unwrap(), server["args"]);
    assert_eq!(call("env", r#"{"name":"QUOTED"}"#), "a \"b\" 'c' $HOME\n");
    assert_eq!(call("cwd", "{}").trim(), home.path("system").to_str().unwrap());
    assert_eq!(
        call("env", r#"{"name":"JACKFIELD_SYSTEM_ROOT"}"#).trim(),
        "",
        "our own variables stay with us"
    );
}

#[test]
fn the_everything_server_echoes() {
    let Some(program) = real("node/node_modules/.bin/mcp-server-everything") else { return };
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("everything", json!({"command": program}))]);
    let ran = home.jackfield(&["call", "everything", "echo", r#"{"message":"hello"}"#]).exits(0);
    assert_eq!(ran.stdout, "Echo: hello\n");
    let ran = home.jackfield(&["call", "mcp_everything_echo", r#"{"message":"again"}"#]).exits(0);
    assert_eq!(ran.stdout, "Echo: again\n");
}
