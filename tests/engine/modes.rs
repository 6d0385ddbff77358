//! Every way a server can behave badly, one by one.

use std::time::{Duration, Instant};

use jackfield_engine::log::LogKind;
use jackfield_engine::status::{FailureKind, Phase};
use jackfield_engine::tools::call::CallError;
use serde_json::json;

use crate::running::{LONG, Running, alive, lines, tracked};
use crate::support::{Home, fake, with};
use jackfield_engine::ConnectWhen;

async fn one(flags: &[&str]) -> Running {
    Running::over(&[("s", fake(flags))]).await
}

async fn one_tracked(flags: &[&str]) -> Running {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("s", tracked(&home, "s", flags))]);
    Running::start(home, ConnectWhen::Always).await
}

fn log(running: &Running, kind: LogKind) -> Vec<String> {
    let (lines, _) = running.server("s").log().after(0, usize::MAX);
    lines.into_iter().filter(|line| line.kind == kind).map(|line| line.text).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_server_fails_at_its_timeout() {
    let start = Instant::now();
    let running = Running::over(&[("s", with(fake(&["--silent"]), json!({"timeout": 700})))]).await;
    let failure = running.failed("s").await;
    let took = start.elapsed();
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Timeout, "No answer within 700 ms"));
    assert!(took >= Duration::from_millis(700) && took < Duration::from_secs(4), "{took:?}");
    running.home.nothing_is_left_within(Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_at_the_newer_handshake_it_is_asked_by_the_older() {
    let start = Instant::now();
    let running = one(&["--silent-on-discover", "--protocol", "2025-06-18"]).await;
    assert_eq!(running.ready("s").await.protocol, "2025-06-18");
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_by_the_newer_handshake_it_is_started_again() {
    let running = one_tracked(&["--exit-on-discover", "--protocol", "2025-06-18"]).await;
    assert_eq!(running.ready("s").await.protocol, "2025-06-18");
    assert_eq!(running.pids("s").len(), 2);
    assert_eq!(lines(&running.home, "s.requests")[..2], ["server/discover", "initialize"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newer_protocol_is_spoken() {
    let running = one_tracked(&["--modern"]).await;
    assert_eq!(running.ready("s").await.protocol, "2026-07-28");
    assert_eq!(running.call("s", "echo", json!({"message": "hi"})).await.unwrap(), "hi");
    assert!(!lines(&running.home, "s.requests").contains(&"initialize".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn noise_on_stdout_is_kept_as_lines_and_skipped() {
    for flags in [&["--noisy"][..], &["--noisy", "--modern"], &["--invalid-utf8"]] {
        let running = one(flags).await;
        running.ready("s").await;
        assert_eq!(running.call("s", "echo", json!({"message": "hi"})).await.unwrap(), "hi", "{flags:?}");
        let wanted = if flags[0] == "--noisy" { "Fake MCP server, running on stdio" } else { "caf" };
        let kept = log(&running, LogKind::Stdout);
        assert!(kept.iter().any(|line| line.starts_with(wanted)), "{flags:?}: {kept:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_at_its_start_it_says_why_and_is_not_tried_again() {
    let running = one_tracked(&["--crash-at-start", "4"]).await;
    let failure = running.failed("s").await;
    assert_eq!(failure.kind, FailureKind::Exited);
    assert_eq!(failure.message, "Exited with code 4: fatal: the database is locked");
    assert_eq!(
        failure.stderr_tail,
        ["starting", "fatal: the database is locked", "  at start (fake.js:1:1)"]
    );
    // Once for each way of shaking hands, at most.
    assert!(running.pids("s").len() <= 2, "{:?}", running.pids("s"));
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_later_it_is_started_again() {
    let running = one_tracked(&[]).await;
    running.ready("s").await;
    let record = running.record("s");
    let call = running.call("s", "crash", json!({})).await;
    assert!(
        matches!(call, Err(CallError::Closed { sent: true })),
        "a call that was sent is not repeated: {call:?}"
    );
    running.wait_for("s", |status| matches!(status.phase, Phase::Retrying { .. })).await;
    running.ready("s").await;
    assert_eq!(running.call("s", "echo", json!({"message": "back"})).await.unwrap(), "back");
    running.until("the record is complete", || record.seen().len() >= 4).await;
    assert_eq!(record.seen(), ["ready", "retrying", "connecting", "ready"]);
    assert_eq!(running.pids("s").len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_is_noticed_at_once_and_its_tools_stay() {
    let running = one_tracked(&[]).await;
    running.ready("s").await;
    let pid = running.pids("s")[0].parse().ok().and_then(rustix::process::Pid::from_raw).unwrap();
    let start = Instant::now();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    running.wait_for("s", |status| !matches!(status.phase, Phase::Ready(_))).await;
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(!running.tools("s").is_empty(), "they are those it will have when it comes back");
    running.ready("s").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_auto_reconnect_a_lost_server_stays_down() {
    let home = Home::new();
    home.write("home/.config/jackfield/settings.json", r#"{"auto_reconnect": false}"#);
    home.servers("home/.xcsh/mcp.json", &[("s", tracked(&home, "s", &[]))]);
    let running = Running::start(home, ConnectWhen::Always).await;
    running.ready("s").await;
    let _ = running.call("s", "crash", json!({})).await;
    running.wait_for("s", |status| matches!(status.phase, Phase::Failed(_))).await;
    running.engine.reconnect(&running.id("s")).await.unwrap();
    running.wait_for("s", |status| matches!(status.phase, Phase::Ready(_))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_read_to_the_last_page() {
    let running = one_tracked(&["--tools", "25", "--page", "10"]).await;
    running.ready("s").await;
    assert_eq!(running.tools("s"), (0..25).map(|i| format!("tool_{i}")).collect::<Vec<_>>());
    assert_eq!(lines(&running.home, "s.requests").iter().filter(|method| *method == "tools/list").count(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_that_comes_again_ends_the_list_with_a_warning() {
    let running = one_tracked(&["--tools", "8", "--loop-cursor"]).await;
    running.ready("s").await;
    assert_eq!(running.tools("s"), (0..8).map(|i| format!("tool_{i}")).collect::<Vec<_>>());
    assert_eq!(lines(&running.home, "s.requests").iter().filter(|method| *method == "tools/list").count(), 2);
    let told = log(&running, LogKind::Lifecycle);
    assert!(told.iter().any(|line| line.contains("the same page of tools again")), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_cannot_list_its_tools_has_failed() {
    for flags in [&["--list-error"][..], &["--list-error", "--modern"]] {
        let running = one(flags).await;
        let failure = running.failed("s").await;
        assert_eq!(failure.kind, FailureKind::ListTools, "{failure:?}");
        assert!(failure.message.contains("the list of tools is broken"), "{failure:?}");
        running.home.nothing_is_left_within(Duration::from_secs(5));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_tools_are_read_again() {
    for flags in [&["--list-changed"][..], &["--list-changed", "--modern"]] {
        let running = one(flags).await;
        running.ready("s").await;
        let mut tools = running.server("s").tools();
        running.call("s", "grow", json!({})).await.unwrap();
        let grown = tools.wait_for(|tools| tools.iter().any(|tool| tool.name == "grown_0"));
        assert!(tokio::time::timeout(LONG, grown).await.is_ok(), "{flags:?}: {:?}", running.tools("s"));
        let index = running.engine.tools();
        assert!(index.by_exposed("mcp_s_grown_0").is_some(), "{flags:?}: offered under its name, too");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_hold_up_nobody() {
    let running = Running::over(&[
        ("stderr", fake(&["--stderr-flood", "50000000"])),
        ("stdout", fake(&["--stdout-flood", "50000000"])),
        ("calm", fake(&[])),
    ])
    .await;
    running.ready("calm").await;
    let mut slowest = Duration::ZERO;
    let both_up = || ["stderr", "stdout"].iter().all(|name| matches!(running.phase(name), Phase::Ready(_)));
    let mut calls = 0;
    let end = Instant::now() + LONG;
    // As long as the floods last, and a few times more.
    while (!both_up() || calls < 20) && Instant::now() < end {
        let start = Instant::now();
        assert_eq!(running.call("calm", "echo", json!({"message": "hi"})).await.unwrap(), "hi");
        slowest = slowest.max(start.elapsed());
        calls += 1;
    }
    assert!(slowest < Duration::from_secs(2), "{slowest:?} in {calls} calls");
    for name in ["stderr", "stdout"] {
        running.ready(name).await;
        assert_eq!(running.call(name, "echo", json!({"message": "still"})).await.unwrap(), "still");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_call_holds_up_no_other_call_of_its_server() {
    let running = one(&[]).await;
    running.ready("s").await;
    let slow = {
        let server = running.server("s");
        let arguments = json!({"ms": 3000, "steps": 6}).as_object().cloned();
        tokio::spawn(async move { server.call_tool("slow", arguments, Default::default()).await })
    };
    for _ in 0..10 {
        assert_eq!(running.call("s", "echo", json!({"message": "hi"})).await.unwrap(), "hi");
    }
    assert!(!slow.is_finished(), "the quick calls waited for the slow one");
    assert_eq!(slow.await.unwrap().unwrap().text(), "slept 3000 ms");
}

#[tokio::test(flavor = "multi_thread")]
async fn stopped_while_it_connects_it_is_gone_at_once() {
    let running = one_tracked(&["--silent"]).await;
    running.until("it was started", || !running.pids("s").is_empty()).await;
    let pid = running.pids("s")[0].clone();
    let start = Instant::now();
    running.engine.stop(&running.id("s")).await.unwrap();
    running.wait_for("s", |status| status.phase == Phase::Stopped).await;
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    running.until("its process has ended", || !alive(&pid)).await;
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_tool_of_two_servers_has_two_names_and_each_lands_at_home() {
    let running = Running::over(&[("a", fake(&["--name", "A"])), ("b", fake(&["--name", "B"]))]).await;
    for name in ["a", "b"] {
        running.ready(name).await;
    }
    let index = running.engine.tools();
    for (exposed, wanted) in [("mcp_a_argv", "A"), ("mcp_b_argv", "B")] {
        let found = index.by_exposed(exposed).unwrap();
        let server = running.engine.server(&found.server).unwrap();
        let text = server.call_tool(&found.tool.name, None, Default::default()).await.unwrap().text();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), json!(["--name", wanted]));
    }
}
