//! Start and end: what connects by itself, what is remembered, and that nothing is left.

use std::time::{Duration, Instant};

use jackfield_config::settings::ConnectAtStart;
use jackfield_engine::status::Phase;
use jackfield_engine::{ConnectWhen, Engine};
use serde_json::json;

use crate::running::{LONG, Running, lines, options, tracked};
use crate::support::{Home, fake, until_async, with, wrapped};

#[tokio::test(flavor = "multi_thread")]
async fn the_first_start_connects_nothing_and_the_answer_is_done_at_once() {
    let home = Home::new();
    let entries = ["a", "b", "c"].map(|name| (name, tracked(&home, name, &[])));
    home.servers("home/.xcsh/mcp.json", &entries);
    let running = Running::start(home, ConnectWhen::AsSettings).await;
    running.engine.connect(&running.id("a")).await.unwrap();
    running.ready("a").await;
    for name in ["b", "c"] {
        assert_eq!(running.phase(name), Phase::Idle);
        assert!(running.pids(name).is_empty());
    }
    running.engine.set_connect_at_start(ConnectAtStart::Chosen, vec!["b".to_owned()]).await.unwrap();
    running.ready("b").await;
    assert_eq!(running.phase("c"), Phase::Idle);
    running.engine.shutdown().await;

    let Running { home, .. } = running;
    let running = Running::start(home, ConnectWhen::AsSettings).await;
    running.ready("b").await;
    assert_eq!((running.phase("a"), running.phase("c")), (Phase::Idle, Phase::Idle));
    running.engine.set_connect_at_start(ConnectAtStart::All, Vec::new()).await.unwrap();
    for name in ["a", "c"] {
        running.ready(name).await;
    }
    assert_eq!(
        running.home.read("home/.config/jackfield/settings.json").matches("connect_at_start").count(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_is_answered_by_none_connects_nothing() {
    let home = Home::new();
    home.write("home/.config/jackfield/settings.json", r#"{"connect_at_start": "none"}"#);
    home.servers("home/.xcsh/mcp.json", &[("a", tracked(&home, "a", &[])), ("b", fake(&[]))]);
    let running = Running::start(home, ConnectWhen::AsSettings).await;
    running.engine.connect(&running.id("b")).await.unwrap();
    running.ready("b").await;
    assert_eq!(running.phase("a"), Phase::Idle);
    assert!(running.pids("a").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_known_before_anything_is_connected() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("a", tracked(&home, "a", &["--tools", "4"]))]);
    let running = Running::start(home, ConnectWhen::Always).await;
    running.ready("a").await;
    running.engine.shutdown().await;
    let Running { home, .. } = running;
    let running = Running::start(home, ConnectWhen::OnRequest).await;
    running.until("they are known", || running.tools("a").len() == 4).await;
    let status = running.wait_for("a", |status| status.tools == Some(4)).await;
    assert!(status.tools_cached && status.phase == Phase::Idle, "{status:#?}");
    assert!(running.engine.tools().by_exposed("mcp_a_tool_3").is_some_and(|tool| tool.cached));
    assert_eq!(running.pids("a").len(), 1, "nothing was started");
    running.engine.connect(&running.id("a")).await.unwrap();
    running.ready("a").await;
    assert!(running.engine.tools().by_exposed("mcp_a_tool_3").is_some_and(|tool| !tool.cached));
    // What it speaks is known, too.
    let requests = lines(&running.home, "a.requests");
    assert_eq!(requests.iter().filter(|method| *method == "server/discover").count(), 1, "{requests:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unwritable_cache_fails_no_connection() {
    let home = Home::new();
    home.write("home/.cache/jackfield", "a file in the folder's place");
    home.servers("home/.xcsh/mcp.json", &[("a", fake(&[]))]);
    let running = Running::start(home, ConnectWhen::Always).await;
    running.ready("a").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_once_until_the_server_is_reconnected() {
    let home = Home::new();
    let count = home.path("count").display().to_string();
    let env = json!({"env": {"VALUE": format!("!echo x >> {count}; wc -l < {count}")}});
    home.servers("home/.xcsh/mcp.json", &[("a", with(tracked(&home, "a", &[]), env))]);
    let running = Running::start(home, ConnectWhen::Always).await;
    let value = || async {
        running.ready("a").await;
        running.call("a", "env", json!({"name": "VALUE"})).await.unwrap()
    };
    assert_eq!(value().await, "1");
    let _ = running.call("a", "crash", json!({})).await;
    running.until("it was started again", || running.pids("a").len() == 2).await;
    assert_eq!(value().await, "1", "a lost connection is no reason to run it again");
    running.engine.reconnect(&running.id("a")).await.unwrap();
    running.until("it was started once more", || running.pids("a").len() == 3).await;
    assert_eq!(value().await, "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_shutdown_nothing_is_left_however_stubborn_it_was() {
    let stubborn = ["--ignore-eof", "--ignore-term"];
    for guarded in [true, false] {
        let home = Home::new();
        home.servers(
            "home/.xcsh/mcp.json",
            &[
                ("plain", fake(&[])),
                ("stubborn", fake(&stubborn)),
                ("wrapped", wrapped(&stubborn)),
                ("hangs", wrapped(&["--silent", "--ignore-eof", "--ignore-term"])),
                ("floods", wrapped(&["--stderr-flood", "1000000000", "--ignore-eof", "--ignore-term"])),
            ],
        );
        let mut options = options(&home, ConnectWhen::Always);
        options.guard = options.guard.filter(|_| guarded);
        let engine = Engine::start(options).await.unwrap();
        let running = Running { home, engine };
        for name in ["plain", "stubborn", "wrapped"] {
            running.ready(name).await;
        }
        let start = Instant::now();
        running.engine.shutdown().await;
        running.home.nothing_is_left_within(Duration::from_secs(5).saturating_sub(start.elapsed()));
        assert!(start.elapsed() < Duration::from_secs(6), "guarded: {guarded}, {:?}", start.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_is_dropped_leaves_nothing() {
    let home = Home::new();
    home.servers(
        "home/.xcsh/mcp.json",
        &[("a", fake(&[])), ("b", wrapped(&["--ignore-eof", "--ignore-term"]))],
    );
    let running = Running::start(home, ConnectWhen::Always).await;
    running.ready("a").await;
    running.ready("b").await;
    let Running { home, engine } = running;
    drop(engine);
    assert!(until_async(LONG, || home.processes().is_empty()).await, "{:#?}", home.processes());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_connects_what_was_connected_and_reads_every_file() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("a", tracked(&home, "a", &[])), ("b", tracked(&home, "b", &[]))]);
    let mut options = options(&home, ConnectWhen::Always);
    options.watch = false;
    let engine = Engine::start(options).await.unwrap();
    let running = Running { home, engine };
    running.ready("a").await;
    running.ready("b").await;
    running.engine.stop(&running.id("b")).await.unwrap();
    running.wait_for("b", |status| status.phase == Phase::Stopped).await;
    let home = &running.home;
    home.servers(
        "home/.xcsh/mcp.json",
        &[("a", tracked(home, "a", &[])), ("b", tracked(home, "b", &[])), ("c", tracked(home, "c", &[]))],
    );
    running.engine.reload().await.unwrap();
    running.ready("c").await;
    running.until("`a` was connected anew", || running.pids("a").len() == 2).await;
    running.ready("a").await;
    assert_eq!(running.phase("b"), Phase::Stopped, "what the user stopped stays so");
}
