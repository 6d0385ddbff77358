//! The library's one call: what is there a moment after the start, and what comes later.

use std::time::{Duration, Instant};

use jackfield_engine::status::Phase;
use jackfield_engine::tools::call::CallOptions;
use jackfield_engine::{ConnectWhen, discover_mcp_servers};
use serde_json::json;

use crate::running::{Running, options};
use crate::support::{Home, fake, with};

fn names(gathered: &jackfield_engine::Gathered) -> Vec<String> {
    gathered
        .tools
        .iter()
        .map(|tool| format!("{}{}", tool.exposed, if tool.cached { " later" } else { "" }))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_slow_is_offered_as_it_was_and_holds_up_nobody() {
    let home = Home::new();
    let slow = |more: &[&str]| fake(&[&["--tools", "1", "--slow-start", "4000"], more].concat());
    let servers = [
        ("quick", fake(&["--tools", "2"])),
        ("slow", slow(&[])),
        ("gone", json!({"command": "no-such-program"})),
        ("off", with(fake(&[]), json!({"enabled": false}))),
        ("wrong", json!({"args": []})),
        ("exa", json!({"url": "https://mcp.exa.ai/mcp?exaApiKey=key-of-exa&x=1"})),
    ];
    home.servers("home/.xcsh/mcp.json", &servers);

    // Nobody knows the slow one's tools yet, and who wants them waits.
    let start = Instant::now();
    let (engine, gathered) = discover_mcp_servers(options(&home, ConnectWhen::OnRequest), true).await;
    assert!(start.elapsed() >= Duration::from_secs(4));
    assert_eq!(names(&gathered), ["mcp_quick_tool_0", "mcp_quick_tool_1", "mcp_slow_tool_0"]);
    assert_eq!(gathered.connected, ["quick", "slow"]);
    assert_eq!(gathered.errors.keys().collect::<Vec<_>>(), ["mcp:gone", "mcp:wrong"]);
    assert_eq!(gathered.errors["mcp:gone"], "`no-such-program` was not found");
    assert_eq!(gathered.tools[0].path(), "mcp:quick via xcsh");
    assert_eq!(gathered.exa_api_keys.iter().map(|key| key.expose()).collect::<Vec<_>>(), ["key-of-exa"]);
    engine.unwrap().shutdown().await;

    // Now they are known: nothing is waited for beyond the gate, and a call waits for its server.
    let start = Instant::now();
    let (engine, gathered) = discover_mcp_servers(options(&home, ConnectWhen::OnRequest), true).await;
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert!(names(&gathered).contains(&"mcp_slow_tool_0 later".to_owned()), "{:?}", names(&gathered));
    assert!(!gathered.connected.contains(&"slow".to_owned()));
    let running = Running { home, engine: engine.unwrap() };
    let called =
        running.server("slow").call_tool("echo", Some(serde_json::Map::new()), CallOptions::default()).await;
    assert!(called.is_ok(), "{called:?}");
    let session = running.engine.wait_for_connection(&running.id("slow")).await.unwrap();
    assert!(matches!(running.phase("slow"), Phase::Ready(now) if now == session));
    assert!(running.engine.wait_for_connection(&running.id("gone")).await.is_err());
    running.engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panel_does_not_wait_for_what_nobody_knows() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("slow", fake(&["--slow-start", "5000"]))]);
    let start = Instant::now();
    let (engine, gathered) = discover_mcp_servers(options(&home, ConnectWhen::OnRequest), false).await;
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert!(gathered.tools.is_empty() && gathered.errors.is_empty() && gathered.connected.is_empty());
    engine.unwrap().shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_as_a_whole_is_told_as_one_error() {
    let home = Home::new();
    let mut options = options(&home, ConnectWhen::OnRequest);
    options.project = Some(home.path("no-such-folder"));
    let (engine, gathered) = discover_mcp_servers(options, true).await;
    assert!(engine.is_none() && gathered.tools.is_empty());
    assert_eq!(gathered.errors.keys().collect::<Vec<_>>(), [".mcp.json"]);
}
