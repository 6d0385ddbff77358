//! One server's trouble is its own.

use std::time::{Duration, Instant};

use jackfield_engine::status::{FailureKind, Phase};
use serde_json::{Value, json};

use crate::running::Running;
use crate::support::{fake, with};

/// More than a machine under load needs for starting eight small programs.
const SLACK: Duration = Duration::from_secs(3);

fn good() -> Vec<(String, Value)> {
    (0..8).map(|i| (format!("good-{i}"), fake(&["--tools", "3"]))).collect()
}

/// How long until all the good ones are ready.
async fn all_good(servers: &[(String, Value)]) -> (Running, Duration) {
    let servers: Vec<(&str, Value)> =
        servers.iter().map(|(name, entry)| (name.as_str(), entry.clone())).collect();
    let start = Instant::now();
    let running = Running::over(&servers).await;
    for (name, _) in servers.iter().filter(|(name, _)| name.starts_with("good")) {
        running.ready(name).await;
    }
    (running, start.elapsed())
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_good_servers_do_not_wait_for_the_bad() {
    let (alone, by_themselves) = all_good(&good()).await;
    alone.engine.shutdown().await;
    let mut servers = vec![
        ("missing".to_owned(), json!({"command": "no-such-command-here"})),
        ("silent".to_owned(), with(fake(&["--silent"]), json!({"timeout": 9000}))),
    ];
    servers.extend(good());
    let (running, in_company) = all_good(&servers).await;
    assert!(in_company < by_themselves + SLACK, "alone {by_themselves:?}, in company {in_company:?}");
    assert_eq!(running.engine.tools().iter().count(), 24, "all their tools are there");
    let missing = running.failed("missing").await;
    assert_eq!(missing.kind, FailureKind::NotFound);
    assert!(matches!(running.phase("silent"), Phase::Connecting { .. }), "it has its own time");
    let silent = running.failed("silent").await;
    assert_eq!(silent.kind, FailureKind::Timeout);
    for (name, _) in good() {
        assert!(matches!(running.phase(&name), Phase::Ready(_)), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_that_hang_do_not_delay_one_that_works() {
    let (alone, by_themselves) = all_good(&good()).await;
    alone.engine.shutdown().await;
    let mut servers: Vec<(String, Value)> =
        (0..12).map(|i| (format!("a-silent-{i}"), fake(&["--silent"]))).collect();
    servers.extend(good());
    let (_running, in_company) = all_good(&servers).await;
    assert!(in_company < by_themselves + SLACK, "alone {by_themselves:?}, in company {in_company:?}");
}
