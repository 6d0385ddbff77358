//! `jackfield show`, and that no verb ever prints a secret.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::{Home, answers_always, fake, fake_path, free_port, with};

/// None of them has the shape of a secret: the place alone tells. Each is planted in one place.
const PLANTED: [&str; 10] = [
    "plain-in-env",
    "plain-in-variable",
    "plain-from-command",
    "plain-in-header",
    "plain-in-bearer",
    "plain-in-argument",
    "plain-in-query",
    "plain-in-userinfo",
    "plain-in-stderr",
    "plain-in-project",
];

fn planted() -> Home {
    let home = Home::new().var("PLANTED_TOKEN", "plain-in-variable");
    home.write("home/secret-file", "plain-from-command\n");
    let port = free_port();
    home.servers(
        "home/.xcsh/mcp.json",
        &[
            (
                "local",
                json!({
                    "command": fake_path(),
                    "args": [],
                    "env": {
                        "API_KEY": "plain-in-env",
                        "GITHUB_TOKEN": "${PLANTED_TOKEN}",
                        "BY_COMMAND": "!cat \"$HOME/secret-file\"",
                        "BY_NOTHING": "!true",
                        "MISSING": "${NOT_SET_ANYWHERE}",
                        "WITH_DEFAULT": "${NOT_SET_EITHER:-fallback}",
                        "BY_NAME": "SHLVL",
                        "LITERAL": "as it is"
                    }
                }),
            ),
            (
                "remote",
                json!({
                    "type": "http",
                    "url": format!("http://someone:plain-in-userinfo@127.0.0.1:{port}/mcp?api_key=plain-in-query"),
                    "headers": {
                        "X-Api-Key": "plain-in-header",
                        "Authorization": "Bearer plain-in-bearer",
                        "X-Team": "${TEAM_ID}"
                    }
                }),
            ),
            ("argued", json!({"command": fake_path(), "args": ["--name", "x", "--token", "plain-in-argument"]})),
            (
                "talkative",
                json!({
                    "command": "sh",
                    "args": ["-c", "echo \"using the key $SERVICE_KEY\" >&2; exit 1"],
                    "env": {"SERVICE_KEY": "plain-in-stderr"}
                }),
            ),
        ],
    );
    home.servers(
        "project/.mcp.json",
        &[("cloned", json!({"command": "sh", "args": ["--token=plain-in-project"], "env": {"API_TOKEN": "plain-in-project"}}))],
    );
    home
}

#[test]
fn no_verb_prints_or_keeps_a_secret() {
    let home = planted();
    let mut said = Vec::new();
    let names = ["local", "remote", "argued", "talkative", "cloned"];
    let mut verbs: Vec<Vec<&str>> = vec![
        vec!["list", "--wait", "3"],
        vec!["list", "--no-connect"],
        vec!["tools", "--wait", "3"],
        vec!["doctor", "--wait", "3"],
        vec!["sources"],
        vec!["projects"],
    ];
    for name in names {
        verbs.push(vec!["show", name, "--wait", "3"]);
        verbs.push(vec!["test", name]);
        verbs.push(vec!["approve", name]);
    }
    let calls = verbs.iter().flat_map(|verb| [verb.clone(), [&verb[..], &["--json"]].concat()]);
    std::thread::scope(|scope| {
        let run = |args: Vec<&str>| {
            let ran = home.in_project(&args);
            (format!("{args:?}"), ran.stdout + &ran.stderr)
        };
        let runs: Vec<_> = calls.map(|args| scope.spawn(move || run(args))).collect();
        said.extend(runs.into_iter().map(|run| run.join().unwrap()));
    });
    home.in_project(&["approve", "cloned", "--yes"]).exits(0);
    let ran = home.in_project(&["show", "cloned", "--no-connect"]).exits(0);
    said.push(("show cloned".to_owned(), ran.stdout + &ran.stderr));
    let ours = [".config/jackfield", ".local/state/jackfield", ".cache/jackfield"]
        .map(|part| home.home().join(part));
    for (path, bytes) in home.all_files() {
        if ours.iter().any(|folder| path.starts_with(folder)) {
            said.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    assert!(said.iter().any(|(what, _)| what.contains("trust.json")), "our own files were looked at");
    let mut leaks = BTreeSet::new();
    for (what, text) in &said {
        leaks.extend(
            PLANTED.iter().filter(|secret| text.contains(**secret)).map(|secret| format!("{secret}: {what}")),
        );
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn show_says_where_each_value_comes_from_and_what_is_left_out() {
    let home = planted();
    let ran = home.jackfield(&["show", "local", "--no-connect"]).exits(0);
    insta::assert_snapshot!("show_local", home.plain(&ran.stdout));
    let ran = home.jackfield(&["show", "remote", "--no-connect"]).exits(0);
    let port =
        ran.stdout.split("127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next()).unwrap().to_owned();
    insta::assert_snapshot!("show_remote", home.plain(&ran.stdout).replace(&port, "[PORT]"));
    let ran = home.jackfield(&["show", "argued", "--no-connect"]).exits(0);
    insta::assert_snapshot!("show_argued", home.plain(&ran.stdout));
}

#[test]
fn what_a_command_did_not_give_is_told_with_the_reason() {
    let home = planted();
    let detail = home.jackfield(&["show", "local", "--json"]).exits(0).json();
    let row = |label: &str| {
        let sent = detail["sent"].as_array().unwrap();
        sent.iter().find(|row| row["label"] == label).unwrap_or_else(|| panic!("{label}: {detail:#}")).clone()
    };
    assert_eq!(row("API_KEY")["value"], "••••••••");
    assert_eq!(row("API_KEY")["origin"], "literal");
    assert_eq!(row("GITHUB_TOKEN")["origin"], "variable");
    assert_eq!(row("BY_COMMAND")["value"], "••••••••");
    assert_eq!(row("BY_COMMAND")["origin"], "command");
    assert_eq!(row("MISSING")["value"], serde_json::Value::Null);
    assert_eq!(row("MISSING")["origin"], "unset");
    assert_eq!(
        (&row("WITH_DEFAULT")["value"], &row("WITH_DEFAULT")["origin"]),
        (&json!("fallback"), &json!("default"))
    );
    assert_eq!((&row("BY_NAME")["value"], &row("BY_NAME")["origin"]), (&json!("1"), &json!("variable")));
    assert_eq!(row("LITERAL")["value"], "as it is");
    let doctor = home.jackfield(&["doctor", "--json"]).exits(3).json();
    let found: Vec<String> = doctor["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|found| found["server"] == "local")
        .map(|found| format!("{}: {}", found["code"].as_str().unwrap(), found["title"].as_str().unwrap()))
        .collect();
    assert!(found.iter().any(|found| found == "unset-variable: NOT_SET_ANYWHERE is not set"), "{found:#?}");
    let left_out = found.iter().find(|found| found.starts_with("value-left-out: `BY_NOTHING`"));
    assert!(left_out.is_some_and(|found| found.ends_with("printed nothing")), "{found:#?}");
}

#[test]
fn show_waits_for_its_own_server_only() {
    let home = planted();
    let start = std::time::Instant::now();
    home.jackfield(&["show", "local", "--wait", "20"]).exits(0);
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn the_server_gets_what_show_says() {
    let home = planted();
    let env = |name: &str| {
        let args = json!({ "name": name }).to_string();
        home.jackfield(&["call", "local", "env", &args]).exits(0).stdout.trim_end().to_owned()
    };
    assert_eq!(env("API_KEY"), "plain-in-env");
    assert_eq!(env("GITHUB_TOKEN"), "plain-in-variable");
    assert_eq!(env("BY_COMMAND"), "plain-from-command");
    assert_eq!(env("MISSING"), "", "the literal text is never sent");
    assert_eq!(env("WITH_DEFAULT"), "fallback");
    assert_eq!(env("BY_NAME"), "1");
}

#[test]
fn text_that_came_out_of_a_variable_is_never_run() {
    let home = Home::new();
    let marker = home.path("ran");
    let home = home.var("TRICKY", &format!("!touch {}", marker.display()));
    home.servers(
        "home/.xcsh/mcp.json",
        &[("s", with(fake(&[]), json!({"env": {"A": "${TRICKY}", "B": "TRICKY"}})))],
    );
    home.jackfield(&["test", "s"]).exits(0);
    assert!(!marker.exists());
}

/// Crush runs commands in values itself; so do we, for its files, and what they print is a secret.
#[test]
fn a_command_in_a_value_of_crush_is_run_and_its_output_is_not_shown() {
    let home = Home::new().var("PREFIX", "$(touch ran)");
    home.write("home/secret-file", "plain-from-crush\n");
    let env = json!({"A": "$PREFIX $(cat \"$HOME/secret-file\") b", "BROKEN": "x $(exit 3)"});
    let server = with(fake(&[]), json!({"type": "stdio", "env": env}));
    home.write("home/.config/crush/crush.json", &json!({"mcp": {"s": server}}).to_string());
    let value = |name: &str| {
        let argument = json!({"name": name}).to_string();
        home.jackfield(&["call", "s", "env", &argument]).exits(0).stdout.trim_end().to_owned()
    };
    // Text out of a variable is never run.
    assert_eq!(value("A"), "$(touch ran) plain-from-crush b");
    assert_eq!(value("BROKEN"), "");
    assert!(!home.path("ran").exists() && !home.path("home/ran").exists());
    for args in [&["show", "s"][..], &["test", "s"], &["doctor"], &["list", "--json"]] {
        let shown = home.jackfield(args);
        let all = format!("{}{}", shown.stdout, shown.stderr);
        assert!(!all.contains("plain-from-crush"), "{args:?}: {all}");
    }
}

#[test]
fn what_only_the_editor_can_fill_in_is_told_and_not_sent() {
    let home = Home::new();
    let servers = json!({"servers": {
        "left": with(fake(&[]), json!({"env": {"P": "${config:port}"}})),
        "args": {"command": fake_path(), "args": ["${config:port}"]},
    }});
    home.write("home/.config/Code/User/mcp.json", &servers.to_string());
    let ran = home.jackfield(&["call", "left", "env", r#"{"name":"P"}"#]).exits(0);
    assert_eq!(ran.stdout.trim_end(), "");
    let doctor = home.jackfield(&["doctor", "--json"]).json();
    let found = |server: &str| -> Vec<String> {
        let all = doctor["diagnostics"].as_array().unwrap().iter();
        let own = all.filter(|found| found["server"] == server && found["severity"] == "error");
        own.map(|found| found["title"].as_str().unwrap().to_owned()).collect()
    };
    let why =
        "cannot be filled in: `${config:port}` is a setting of the editor, which only the editor looks up";
    assert_eq!(found("left"), [format!("`env.P` {why}")]);
    assert_eq!(found("args"), [format!("Server \"args\": `args.0` {why}")]);
    let refused = home.jackfield(&["test", "args"]);
    assert!(refused.code != Some(0) && refused.stderr.contains(why), "{refused:#?}");
}

#[test]
fn in_another_tools_file_a_command_is_a_literal() {
    let home = Home::new();
    let marker = home.path("ran");
    let value = format!("!touch {}; echo x", marker.display());
    home.servers("home/.cursor/mcp.json", &[("s", with(fake(&[]), json!({"env": {"A": value.clone()}})))]);
    let ran = home.jackfield(&["call", "s", "env", r#"{"name":"A"}"#]).exits(0);
    assert_eq!(ran.stdout.trim_end(), value);
    assert!(!marker.exists());
}

/// Whether the variable is there or not, the file keeps it, and what is written there is never sent.
#[test]
fn a_header_is_sent_with_the_variable_s_value_or_not_at_all() {
    for token in [Some("abc"), None] {
        let (port, requests) = answers_always(500, "");
        let mut home = Home::new();
        if let Some(token) = token {
            home = home.var("TOKEN", token);
        }
        let headers = json!({"Authorization": "Bearer ${TOKEN}", "X-Team": "blue"});
        let entry =
            json!({"type": "http", "url": format!("http://127.0.0.1:{port}/mcp"), "headers": headers});
        home.servers("home/.xcsh/mcp.json", &[("r", entry)]);
        let before = home.read("home/.xcsh/mcp.json");
        home.jackfield(&["test", "r", "--json"]);
        let asked = requests.all();
        assert!(!asked.is_empty(), "nothing was asked");
        for request in &asked {
            let head = request.to_lowercase();
            assert!(head.contains("\r\nx-team: blue\r\n"), "{request}");
            assert_eq!(head.contains("\r\nauthorization: bearer abc\r\n"), token.is_some(), "{request}");
            assert_eq!(head.contains("authorization"), token.is_some(), "{request}");
            assert!(!request.contains("${TOKEN}"), "{request}");
        }
        let doctor = home.jackfield(&["doctor", "--json"]).json();
        let told = |found: &serde_json::Value| {
            found["code"] == "unset-variable"
                && found["severity"] == "error"
                && found["title"] == "TOKEN is not set"
        };
        let found = doctor["diagnostics"].as_array().unwrap().iter().any(told);
        assert_eq!(found, token.is_none(), "{doctor:#}");
        assert_eq!(home.read("home/.xcsh/mcp.json"), before);
    }
}
