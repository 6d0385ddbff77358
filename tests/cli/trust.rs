//! A cloned repository runs nothing before the user has approved exactly it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Home, answers_always, fake_path};

/// A server that leaves a mark when it is started, and one when a value of it is evaluated.
fn marking(home: &Home, more: &str) -> (Value, PathBuf, PathBuf) {
    let (ran, evaluated) = (home.path("ran"), home.path("evaluated"));
    let script = format!("touch {}; exec {} {more}", ran.display(), fake_path().display());
    let command = format!("!touch {}; echo x", evaluated.display());
    (json!({"command": "sh", "args": ["-c", script], "env": {"VALUE": command}}), ran, evaluated)
}

#[test]
fn nothing_of_a_clone_runs_by_any_verb_before_approval() {
    let home = Home::new();
    let (server, ran, evaluated) = marking(&home, "");
    let (port, requests) = answers_always(500, "");
    let url = format!("http://127.0.0.1:{port}/mcp");
    let remote =
        json!({"type": "http", "url": url, "headers": {"X": format!("!touch {}", evaluated.display())}});
    home.servers("project/.mcp.json", &[("cloned", server), ("far", remote.clone())]);
    // Every place a clone can bring with it.
    home.servers("project/.cursor/mcp.json", &[("cursor-far", json!({"url": url}))]);
    home.servers("project/.xcsh/mcp.json", &[("xcsh-far", remote)]);
    home.write("project/.codex/config.toml", &format!("[mcp_servers.codex-far]\nurl = \"{url}\"\n"));
    let value = format!("Bearer $(touch {})", evaluated.display());
    let crush = json!({"type": "http", "url": url, "headers": {"Authorization": value}});
    home.write("project/crush.json", &json!({"mcp": {"crush-far": crush}}).to_string());
    let list = home.in_project(&["list", "--json"]).exits(0).json();
    let reasons: Vec<_> =
        list["servers"].as_array().unwrap().iter().map(|server| server["reason"].clone()).collect();
    assert!(reasons.len() == 6 && reasons.iter().all(|reason| reason == "needs_approval"), "{list:#}");

    let check = |args: &[&str], code: Option<i32>| {
        let result = home.in_project(args);
        assert!(code.is_none() || result.code == code, "{args:?}: {result:#?}");
        assert!(!ran.exists(), "{args:?} started it");
        assert!(!evaluated.exists(), "{args:?} evaluated it");
        assert_eq!(requests.count(), 0, "{args:?} sent a request");
    };
    check(&["list"], Some(0));
    check(&["tools"], Some(0));
    check(&["doctor"], None);
    check(&["sources"], Some(0));
    check(&["projects"], Some(0));
    for name in ["cloned", "far", "cursor-far", "xcsh-far", "codex-far", "crush-far"] {
        check(&["show", name], Some(5));
        check(&["test", name], Some(5));
        check(&["tools", name], Some(5));
        check(&["call", name, "echo", "{}"], Some(5));
        check(&["approve", name], Some(5));
        check(&["approve", name, "--json"], Some(5));
    }
    check(&["call", "mcp_cloned_echo"], Some(1));
    check(&["enable", "cloned"], None);
    check(&["disable", "cloned"], None);
}

#[test]
fn approved_it_runs_and_changed_it_waits_again() {
    let home = Home::new();
    let (server, ran, _) = marking(&home, "");
    home.servers("project/.mcp.json", &[("cloned", server)]);
    let review = home.in_project(&["approve", "cloned"]).exits(5);
    assert!(review.stdout.contains("touch"), "it shows what would run: {review:#?}");
    assert!(review.stdout.contains("VALUE"), "{review:#?}");
    home.in_project(&["approve", "cloned", "--yes"]).exits(0);
    home.in_project(&["test", "cloned"]).exits(0);
    assert!(ran.exists());

    std::fs::remove_file(&ran).unwrap();
    let (changed, ..) = marking(&home, "--name other");
    home.servers("project/.mcp.json", &[("cloned", changed)]);
    home.in_project(&["test", "cloned"]).exits(5);
    home.in_project(&["list"]).exits(0);
    assert!(!ran.exists());
    let review = home.in_project(&["approve", "cloned"]).exits(5);
    assert!(review.stdout.contains("Changed since you approved it:"), "{review:#?}");
    assert!(review.stdout.contains("--name other"), "{review:#?}");
}

#[test]
fn what_a_clone_brings_about_trust_is_not_listened_to() {
    let home = Home::new();
    let (server, ran, _) = marking(&home, "");
    home.servers("project/.mcp.json", &[("cloned", server)]);
    for file in ["project/settings.json", "project/.jackfield/settings.json", "project/.xcsh/settings.json"] {
        home.write(file, r#"{"trust": "always"}"#);
    }
    home.in_project(&["list"]).exits(0);
    home.in_project(&["test", "cloned"]).exits(5);
    assert!(!ran.exists());
}

#[test]
fn the_setting_and_the_flag_decide() {
    let home = Home::new();
    let (server, ran, _) = marking(&home, "");
    home.servers("project/.mcp.json", &[("cloned", server)]);
    home.in_project(&["test", "cloned", "--trust-project"]).exits(0);
    assert!(std::fs::remove_file(&ran).is_ok());
    home.in_project(&["test", "cloned"]).exits(5);
    home.write("home/.config/jackfield/settings.json", r#"{"trust": "always"}"#);
    home.in_project(&["test", "cloned"]).exits(0);
    home.in_project(&["approve", "cloned", "--yes"]).exits(0);
    home.write("home/.config/jackfield/settings.json", r#"{"trust": "never"}"#);
    home.in_project(&["test", "cloned"]).exits(5);
    home.write("home/.config/jackfield/settings.json", r#"{"enable_project_config": false}"#);
    let list = home.in_project(&["list", "--json"]).exits(0).json();
    assert_eq!(list["servers"][0]["reason"], "project_off");
    home.in_project(&["test", "cloned"]).exits(1);
}

#[test]
fn an_approval_is_of_one_project_and_one_file() {
    let home = Home::new();
    let (server, ran, _) = marking(&home, "");
    home.servers("project/.mcp.json", &[("cloned", server.clone())]);
    home.in_project(&["approve", "cloned", "--yes"]).exits(0);
    home.servers("home/code/other/.mcp.json", &[("cloned", server.clone())]);
    let other = home.path("home/code/other").display().to_string();
    home.jackfield(&["test", "cloned", "--project", &other]).exits(5);
    home.jackfield(&["test", "cloned", "--no-project"]).exits(1);
    assert!(!ran.exists());
    // The same entry from another file of the same project is another one.
    home.servers("project/.cursor/mcp.json", &[("cloned", server)]);
    home.in_project(&["test", "cloned", "--host", "cursor"]).exits(5);
    assert!(!ran.exists());
}

#[test]
fn an_unapproved_entry_does_not_take_the_place_of_a_users_own() {
    let home = Home::new();
    let (server, ran, _) = marking(&home, "");
    home.servers("project/.xcsh/mcp.json", &[("mine", server)]);
    home.servers("home/.cursor/mcp.json", &[("mine", crate::support::fake(&["--name", "the-users-own"]))]);
    let result = home.in_project(&["test", "mine"]).exits(0);
    assert!(result.stdout.contains("the-users-own"), "{result:#?}");
    assert!(!ran.exists());
}

#[test]
fn a_broken_trust_file_approves_nothing_and_is_told() {
    let home = Home::new();
    let (server, ran, _) = marking(&home, "");
    home.servers("project/.mcp.json", &[("cloned", server)]);
    home.in_project(&["approve", "cloned", "--yes"]).exits(0);
    home.write("home/.local/state/jackfield/trust.json", "{ broken");
    let doctor = home.in_project(&["doctor", "--json"]).json();
    let codes: Vec<_> =
        doctor["diagnostics"].as_array().unwrap().iter().map(|found| found["code"].clone()).collect();
    assert!(codes.contains(&json!("own-file-broken")), "{doctor:#}");
    home.in_project(&["test", "cloned"]).exits(5);
    assert!(!ran.exists());
}

/// Whatever would be run, read or set stands in the review: an innocent command says little.
#[test]
fn the_review_shows_everything_that_is_approved() {
    let home = Home::new();
    let stdio = json!({
        "command": "innocent", "args": ["--x"], "cwd": "/somewhere",
        "env": {"A": "!./evil.sh", "LD_PRELOAD": "/tmp/x.so"},
    });
    let http = json!({"type": "http", "url": "http://127.0.0.1:9/", "headers": {"X": "!./evil.sh hdr"}});
    home.servers("project/.mcp.json", &[("bang", stdio), ("hdr", http)]);
    let cursor = json!({"command": "innocent", "envFile": "./.env.evil"});
    home.servers("project/.cursor/mcp.json", &[("file", cursor)]);
    let crush = json!({"type": "http", "url": "http://127.0.0.1:9/", "headers": {"X": "Team $(./evil.sh)"}});
    home.write("project/crush.json", &json!({"mcp": {"inside": crush}}).to_string());
    let shown = |name: &str| {
        let approve = home.in_project(&["approve", name]).exits(5).stdout;
        let show = home.in_project(&["show", name]).exits(5).stdout;
        (approve, show)
    };
    for (name, wanted) in [
        (
            "bang",
            &["innocent", "--x", "/somewhere", "variable A: runs !./evil.sh", "LD_PRELOAD: /tmp/x.so"][..],
        ),
        ("hdr", &["http://127.0.0.1:9/", "header X: runs !./evil.sh hdr"][..]),
        ("file", &["innocent", "./.env.evil"][..]),
        ("inside", &["http://127.0.0.1:9/", "header X: runs Team $(./evil.sh)"][..]),
    ] {
        let (approve, show) = shown(name);
        for words in wanted {
            assert!(approve.contains(words), "{name}: `{words}` in {approve}");
            assert!(show.contains(words), "{name}: `{words}` in {show}");
        }
    }
}

/// What nobody has looked at is not approved by way of an edit, and does not leave its project.
#[test]
fn a_change_of_what_waits_for_approval_approves_nothing() {
    let home = Home::new();
    let (server, ran, evaluated) = marking(&home, "");
    home.servers("project/.mcp.json", &[("cloned", server)]);
    home.in_project(&["copy", "cloned", "--to", "xcsh"]).exits(1);
    let told = home.in_project(&["move", "cloned", "--to", "cursor"]).exits(1);
    assert!(told.stderr.contains("`cloned` came with the project and waits for your approval"), "{told:#?}");
    home.in_project(&["rename", "cloned", "other"]).exits(0);
    home.in_project(&["duplicate", "other", "twin"]).exits(0);
    home.in_project(&["edit", "twin", "--set", "env.MORE=x"]).exits(0);
    for name in ["other", "twin"] {
        home.in_project(&["test", name]).exits(5);
    }
    assert!(!ran.exists() && !evaluated.exists(), "nothing has run");
    // What the user adds there, the user has seen.
    home.in_project(&["add", "mine", "--scope", "project", "--host", "mcp.json", "--", "true"]).exits(0);
    let listed = home.in_project(&["--json", "list", "--no-connect"]).json();
    let rows = listed["servers"].as_array().unwrap();
    let waiting = rows.iter().filter(|row| row["reason"] == "needs_approval").map(|row| row["name"].clone());
    assert_eq!(waiting.collect::<Vec<_>>(), ["other", "twin"], "{listed:#}");
}
