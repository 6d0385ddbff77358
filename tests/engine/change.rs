//! A change on disk touches exactly the servers it is about.

use std::time::{Duration, Instant};

use jackfield_config::diagnostic::Code;
use jackfield_config::draft::Draft;
use jackfield_config::{Judgement, ReadState};
use jackfield_engine::engine::edits::Operation;
use jackfield_engine::{Changed, ConnectWhen};
use serde_json::json;

use crate::running::{LONG, Running, alive, tracked};
use crate::support::{Home, until_async};

const CURSOR: &str = "home/.cursor/mcp.json";
/// Within this a change on disk has taken effect.
const SOON: Duration = Duration::from_secs(2);

/// Three servers in Cursor's file and one in xcsh's, all ready.
async fn four() -> Running {
    let home = Home::new();
    write(&home, &["one", "two", "three"]);
    home.servers("home/.xcsh/mcp.json", &[("own", tracked(&home, "own", &[]))]);
    let running = Running::start(home, ConnectWhen::Always).await;
    for name in ["one", "two", "three", "own"] {
        running.ready(name).await;
    }
    running
}

fn text(home: &Home, names: &[&str]) -> String {
    let map: serde_json::Map<String, serde_json::Value> =
        names.iter().map(|name| ((*name).to_owned(), tracked(home, name, &[]))).collect();
    serde_json::to_string_pretty(&json!({ "mcpServers": map })).unwrap()
}

fn write(home: &Home, names: &[&str]) {
    home.write(CURSOR, &text(home, names));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_server_is_restarted_and_no_other() {
    let running = four().await;
    let records = ["one", "three", "own"].map(|name| running.record(name));
    let old = running.pids("two")[0].clone();
    write(&running.home, &["one", "zwei", "three"]);
    running.until("the new name is there", || running.judgement("zwei").is_some()).await;
    running.ready("zwei").await;
    assert!(until_async(LONG, || !alive(&old)).await, "the old one still runs");
    assert!(running.judgement("two").is_none());
    for (name, record) in ["one", "three", "own"].into_iter().zip(records) {
        assert_eq!(record.seen(), ["ready"], "{name}");
        assert_eq!(running.pids(name).len(), 1, "{name}");
        assert!(alive(&running.pids(name)[0]), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_in_flight_survive_the_edit_of_another_server() {
    let running = four().await;
    let server = running.server("one");
    let arguments = json!({"ms": 1500, "steps": 3}).as_object().cloned();
    let call = tokio::spawn(async move { server.call_tool("slow", arguments, Default::default()).await });
    write(&running.home, &["one"]);
    running.until("the others are gone", || running.judgement("three").is_none()).await;
    assert!(!call.is_finished(), "the edit came during the call");
    assert_eq!(call.await.unwrap().unwrap().text(), "slept 1500 ms");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_save_keeps_everything_running_and_says_where() {
    let running = four().await;
    let records = ["one", "two", "three", "own"].map(|name| running.record(name));
    running.home.write(CURSOR, "{\n  \"mcpServers\": {\n    \"one\": }\n}");
    let broken = || {
        let catalog = running.engine.catalog();
        catalog.diagnostics.iter().find(|found| found.code == Code::FileSyntax).cloned()
    };
    running.until("it is told", || broken().is_some()).await;
    let found = broken().unwrap();
    let at = found.position.unwrap();
    assert_eq!((at.line, at.column), (3, 12), "{found:#?}");
    assert!(found.path.unwrap().ends_with(".cursor/mcp.json"));
    let catalog = running.engine.catalog();
    let reading =
        catalog.sources.iter().find(|reading| reading.spec.path.ends_with(".cursor/mcp.json")).unwrap();
    assert_eq!(reading.state, ReadState::LastGood);

    write(&running.home, &["one", "two", "three", "four"]);
    running.until("the repaired file is read", || running.judgement("four").is_some()).await;
    running.ready("four").await;
    assert!(broken().is_none());
    for (name, record) in ["one", "two", "three", "own"].into_iter().zip(records) {
        assert_eq!(record.seen(), ["ready"], "{name}");
        assert_eq!(running.pids(name).len(), 1, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_empty_for_a_moment_stops_nothing() {
    let running = four().await;
    let records = ["one", "two", "three"].map(|name| running.record(name));
    let path = running.home.path(CURSOR);
    let text = text(&running.home, &["one", "two", "three", "four"]);
    let mut news = running.engine.subscribe();
    // As an editor that truncates and then writes, caught in between.
    std::fs::write(&path, "").unwrap();
    let seen = async { while !matches!(news.recv().await, Ok(Changed::Everything)) {} };
    tokio::time::timeout(LONG, seen).await.expect("the empty file was looked at");
    std::fs::write(&path, text).unwrap();
    running.until("the file is read", || running.judgement("four").is_some()).await;
    for (name, record) in ["one", "two", "three"].into_iter().zip(records) {
        assert_eq!(record.seen(), ["ready"], "{name}");
        assert_eq!(running.pids(name).len(), 1, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_stays_empty_or_goes_stops_its_servers() {
    for gone in [false, true] {
        let running = four().await;
        let path = running.home.path(CURSOR);
        let start = Instant::now();
        if gone {
            std::fs::remove_file(&path).unwrap();
        } else {
            std::fs::write(&path, "").unwrap();
        }
        running.until("they are gone", || running.judgement("one").is_none()).await;
        for name in ["one", "two", "three"] {
            let pid = running.pids(name)[0].clone();
            assert!(until_async(LONG, || !alive(&pid)).await, "{name}");
        }
        assert!(start.elapsed() < SOON + SOON, "{:?}", start.elapsed());
        assert!(alive(&running.pids("own")[0]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_commented_out_stops_and_an_unrelated_key_restarts_nothing() {
    let home = Home::new();
    let entry = |home: &Home, name: &str| tracked(home, name, &[]).to_string();
    let file = |home: &Home, mark: &str, more: &str| {
        format!(
            "{{\n  \"mcpServers\": {{\n    \"a\": {},\n{mark}    \"b\": {},\n  }},{more}\n}}",
            entry(home, "a"),
            entry(home, "b")
        )
    };
    home.write("home/.xcsh/mcp.json", &file(&home, "", ""));
    let running = Running::start(home, ConnectWhen::Always).await;
    running.ready("a").await;
    running.ready("b").await;
    let record = running.record("a");
    let pid = running.pids("b")[0].clone();
    let start = Instant::now();
    running.home.write("home/.xcsh/mcp.json", &file(&running.home, "//", ""));
    assert!(until_async(SOON, || !alive(&pid)).await, "still there after {:?}", start.elapsed());
    assert!(running.judgement("b").is_none());

    running.home.write("home/.xcsh/mcp.json", &file(&running.home, "//", "\n  \"theme\": \"dark\","));
    let changed =
        || running.engine.facts().last_change.is_some_and(|(_, at)| at.elapsed().is_ok_and(|age| age < LONG));
    running.until("the change was seen", changed).await;
    // A third change that does show proves that the second was dealt with.
    running.home.write("home/.xcsh/mcp.json", &file(&running.home, "", "\n  \"theme\": \"dark\","));
    running.until("`b` is back", || running.judgement("b").is_some()).await;
    running.ready("b").await;
    assert_eq!(record.seen(), ["ready"]);
    assert_eq!(running.pids("a").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_definition_restarts_its_server_once() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("a", tracked(&home, "a", &[])), ("b", tracked(&home, "b", &[]))]);
    let running = Running::start(home, ConnectWhen::Always).await;
    running.ready("a").await;
    running.ready("b").await;
    let home = &running.home;
    home.servers(
        "home/.xcsh/mcp.json",
        &[("a", tracked(home, "a", &["--name", "new"])), ("b", tracked(home, "b", &[]))],
    );
    running.until("it was started anew", || running.pids("a").len() == 2).await;
    running.wait_for("a", |status| {
        matches!(&status.phase, jackfield_engine::status::Phase::Ready(session) if session.server_name == "new")
    }).await;
    let old = running.pids("a")[0].clone();
    assert!(!alive(&old), "the successor waits for the end of its predecessor");
    assert_eq!(running.pids("b").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_in_folders_that_do_not_exist_yet_are_noticed() {
    let running = four().await;
    let entry = tracked(&running.home, "fresh", &[]);
    let codex = format!("[mcp_servers.fresh]\ncommand = {}\nargs = {}\n", entry["command"], entry["args"]);
    running.home.write("home/.codex/config.toml", &codex);
    running.until("it is there", || running.judgement("fresh").is_some()).await;
    running.ready("fresh").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_winner_that_goes_reveals_the_one_it_shadowed() {
    let running = four().await;
    let home = &running.home;
    home.servers(
        "home/.xcsh/mcp.json",
        &[("own", tracked(home, "own", &[])), ("one", tracked(home, "winner", &[]))],
    );
    running.until("it is shadowed", || running.definition("one").source.host.id == "xcsh").await;
    running.ready("one").await;
    let old = running.pids("one")[0].clone();
    assert!(until_async(LONG, || !alive(&old)).await, "a shadowed server does not run");
    home.servers("home/.xcsh/mcp.json", &[("own", tracked(home, "own", &[]))]);
    running.until("it is back", || running.definition("one").source.host.id == "cursor").await;
    running.until("it was started again", || running.pids("one").len() == 2).await;
    running.ready("one").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_touches_one_server_only() {
    let running = four().await;
    let records = ["one", "three"].map(|name| running.record(name));
    let pid = running.pids("own")[0].clone();
    let id = running.id("own");
    let told = running.engine.set_enabled(&id, false).await.unwrap();
    assert!(told.path.ends_with(".xcsh/mcp.json"));
    assert_eq!(running.judgement("own"), Some(Judgement::Disabled));
    assert!(running.engine.server(&id).is_none(), "what is off has no task");
    assert!(until_async(SOON, || !alive(&pid)).await);
    running.engine.set_enabled(&id, true).await.unwrap();
    running.ready("own").await;

    // Cursor has no switch: the denylist does it, at once.
    let pid = running.pids("two")[0].clone();
    running.engine.set_enabled(&running.id("two"), false).await.unwrap();
    assert_eq!(running.judgement("two"), Some(Judgement::Denied));
    assert!(until_async(SOON, || !alive(&pid)).await);
    running.engine.set_enabled(&running.id("two"), true).await.unwrap();
    running.ready("two").await;
    for (name, record) in ["one", "three"].into_iter().zip(records) {
        assert_eq!(record.seen(), ["ready"], "{name}");
    }
}

/// A text that makes an entry unusable is not saved; what was so before keeps nothing else from being saved.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_with_a_new_invalid_entry_is_refused() {
    const CODEX: &str = "home/.codex/config.toml";
    let before = "[mcp_servers.docs]\nurl = \"https://developers.openai.com/mcp\"\n";
    let broken = format!("[mcp_servers.codex_apps]\nstartup_timeout_sec = 60\n\n{before}");
    let home = Home::new();
    home.write(CODEX, before);
    let running = Running::start(home, ConnectWhen::OnRequest).await;
    let source = running.definition("docs").source.id.clone();
    let save = async |base: &str, text: &str| {
        let text = Operation::Text { source: source.clone(), base: base.to_owned(), text: text.to_owned() };
        running.engine.apply(text).await
    };
    let refused = save(before, &broken).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Server \"codex_apps\": stdio server requires \"command\" field (line 1)"
    );
    assert_eq!(running.home.read(CODEX), before);

    running.home.write(CODEX, &broken);
    running.until("the entry is there", || running.judgement("codex_apps").is_some()).await;
    let better = broken.replace("developers", "docs");
    save(&broken, &better).await.unwrap();
    assert_eq!(running.home.read(CODEX), better);
    running.engine.shutdown().await;
}

/// What was lost comes back as it was, comments and the tool's own extensions too; what is new since then stays.
#[tokio::test(flavor = "multi_thread")]
async fn a_restored_file_is_the_one_from_before_as_far_as_it_can_be() {
    const GOOSE: &str = "home/.config/goose/config.yaml";
    let goose = "GOOSE_MODEL: m # mine\nextensions:\n  # its own\n  developer:\n    type: builtin\n    name: developer\n    enabled: true\n  one:\n    name: one\n    type: stdio\n    cmd: \"true\"\n    enabled: false # off\n";
    let cursor = "{\n  // mine\n  \"mcpServers\": {\n    // the first\n    \"two\": { \"command\": \"true\" }\n  },\n  \"other\": 1\n}\n";
    for (path, name, good, emptied, restored) in [
        (GOOSE, "one", goose, "GOOSE_MODEL: m\nextensions: {}\n", goose),
        (CURSOR, "two", cursor, "{\"mcpServers\": {}, \"other\": 1}", cursor),
        (CURSOR, "two", cursor, "{\"other\": 1}", cursor),
        (
            CURSOR,
            "two",
            cursor,
            "{\n  \"mcpServers\": {},\n  \"other\": 2\n}\n",
            "{\n  \"mcpServers\": {\n    \"two\": {\n      \"command\": \"true\"\n    }\n  },\n  \"other\": 2\n}\n",
        ),
    ] {
        let home = Home::new();
        home.write(path, good);
        let running = Running::start(home, ConnectWhen::OnRequest).await;
        running.until("the server is there", || running.judgement(name).is_some()).await;
        running.home.write(path, emptied);
        let file = running.home.path(path);
        running
            .until("the loss is told", || {
                running.engine.facts().alerts.iter().any(|alert| alert.path == file)
            })
            .await;
        running.engine.apply(Operation::Restore { path: file.clone() }).await.unwrap();
        assert_eq!(running.home.read(path), restored, "{path}: {emptied}");
        running.engine.shutdown().await;
    }
}

/// A file that was left without its servers can be restored all the same.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_left_so_can_still_be_restored() {
    let home = Home::new();
    let good = "{\"mcpServers\": {\"two\": {\"command\": \"true\"}}}\n";
    home.write(CURSOR, good);
    let running = Running::start(home, ConnectWhen::OnRequest).await;
    running.until("the server is there", || running.judgement("two").is_some()).await;
    running.home.write(CURSOR, "{\"mcpServers\": {}}\n");
    let told = || running.engine.facts().alerts.iter().any(|alert| !alert.answered);
    running.until("the loss is told", told).await;
    let file = running.home.path(CURSOR);
    running.engine.dismiss_alert(&file).await.unwrap();
    assert!(!told(), "it is not told any more");
    running.engine.apply(Operation::Restore { path: file }).await.unwrap();
    assert_eq!(running.home.read(CURSOR), good);
    assert!(running.engine.facts().alerts.is_empty());
    running.engine.shutdown().await;
}

/// Several servers at once are one write: shown together, undone together, and none of them if one is not accepted.
#[tokio::test(flavor = "multi_thread")]
async fn several_servers_are_added_as_one_write() {
    let home = Home::new();
    let before = "{\n  // mine\n  \"mcpServers\": {\n    \"one\": { \"command\": \"true\" }\n  }\n}\n";
    home.write(CURSOR, before);
    let running = Running::start(home, ConnectWhen::OnRequest).await;
    running.until("the server is there", || running.judgement("one").is_some()).await;
    let source = running.definition("one").source.id.clone();
    let pattern = Draft::of(&running.definition("one"));
    let add = |names: &[&str]| Operation::Add {
        source: source.clone(),
        drafts: names.iter().map(|name| Draft { name: (*name).to_owned(), ..pattern.clone() }).collect(),
    };
    for taken in [["two", "one"], ["two", "two"]] {
        let refused = running.engine.apply(add(&taken)).await.unwrap_err();
        assert!(refused.to_string().contains(taken[1]), "{refused}");
        assert_eq!(running.home.read(CURSOR), before, "none of them is written");
    }
    let shown = running.engine.preview(add(&["two", "three"])).await.unwrap();
    let [file] = shown.files.as_slice() else { panic!("one file: {:?}", shown.files) };
    let applied = running.engine.apply(add(&["two", "three"])).await.unwrap();
    let after = running.home.read(CURSOR);
    assert_eq!(file.after.as_deref(), Some(after.as_str()), "it is as it was shown");
    assert!(after.contains("// mine") && after.contains("\"two\"") && after.contains("\"three\""), "{after}");
    running.engine.apply(Operation::Undo { group: applied.group.unwrap() }).await.unwrap();
    assert_eq!(running.home.read(CURSOR), before);
    running.engine.shutdown().await;
}

/// A cure that changes no line says what it changes.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_the_mode_is_told_before_it_is_made() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    home.write(CURSOR, "{\"mcpServers\": {\"one\": {\"command\": \"true\", \"env\": {\"API_TOKEN\": \"abcdefgh12345678\"}}}}\n");
    let file = home.path(CURSOR);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let running = Running::start(home, ConnectWhen::OnRequest).await;
    let found = || {
        let catalog = running.engine.catalog();
        catalog.diagnostics.iter().find(|found| found.code == Code::ReadableByOthers).map(|found| found.key())
    };
    running.until("it is found", || found().is_some()).await;
    let fix = Operation::Fix { finding: found().unwrap(), fix: 0 };
    let shown = running.engine.preview(fix.clone()).await.unwrap();
    assert_eq!(
        shown.prepared.notes,
        ["Only you can read `~/.cursor/mcp.json` then (now 0644, then 0600); what it says stays"]
    );
    running.engine.apply(fix).await.unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    running.engine.shutdown().await;
}
