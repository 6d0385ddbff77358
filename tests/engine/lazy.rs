//! Servers that start when they are first used and rest when they are not.

use std::time::Duration;

use jackfield_engine::status::{self, Phase, Reason};
use jackfield_engine::tools::call::CallError;
use jackfield_engine::{ConnectWhen, Engine};
use serde_json::json;

use crate::running::{Running, alive, options, tracked};
use crate::support::Home;

fn home(settings: &str) -> Home {
    let home = Home::new();
    home.servers(
        "home/.xcsh/mcp.json",
        &[("lazy", tracked(&home, "lazy", &[])), ("eager", tracked(&home, "eager", &[]))],
    );
    home.write("home/.config/jackfield/settings.json", settings);
    home
}

fn reason(running: &Running, name: &str) -> (Option<Reason>, Option<String>) {
    let entry = running.entry(name);
    let status = running.server(name).status().borrow().clone();
    let verdict = status::verdict(&running.engine.catalog(), &entry, Some(&status));
    (verdict.reason, verdict.message)
}

#[tokio::test(flavor = "multi_thread")]
async fn it_starts_once_to_learn_its_tools_and_then_when_it_is_used() {
    let home = home(r#"{"connect_at_start": "all", "lazy": {"servers": ["lazy"], "stop_after": 0}}"#);
    let running = Running::start(home, ConnectWhen::AsSettings).await;
    // Nobody knows its tools yet.
    running.ready("lazy").await;
    running.ready("eager").await;
    let (engine, home) = (running.engine, running.home);
    engine.shutdown().await;

    let running =
        Running { engine: Engine::start(options(&home, ConnectWhen::AsSettings)).await.unwrap(), home };
    running.ready("eager").await;
    running.server("lazy").remembered().await;
    assert_eq!(running.phase("lazy"), Phase::Idle);
    assert_eq!(reason(&running, "lazy"), (Some(Reason::Idle), Some("Starts when it is used".to_owned())));
    assert!(running.tools("lazy").contains(&"echo".to_owned()), "they are offered all the same");
    assert_eq!((running.pids("lazy").len(), running.pids("eager").len()), (1, 2));

    assert_eq!(running.call("lazy", "echo", json!({"message": "hi"})).await.unwrap(), "hi");
    assert_eq!(running.pids("lazy").len(), 2, "the call has started it");

    // One that is stopped by the user is not started by a call.
    running.server("lazy").stop();
    running.wait_for("lazy", |status| status.phase == Phase::Stopped).await;
    let call = running.call("lazy", "echo", json!({"message": "hi"})).await;
    assert!(matches!(call, Err(CallError::NotConnected)), "{call:?}");
    running.engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_rests_without_use_but_not_in_the_middle_of_a_call() {
    let home =
        home(r#"{"connect_at_start": "all", "lazy": {"all": true, "except": ["eager"], "stop_after": 1}}"#);
    let running = Running::start(home, ConnectWhen::AsSettings).await;
    running.ready("lazy").await;
    let pid = running.pids("lazy")[0].clone();
    // Longer than it may rest.
    assert!(running.call("lazy", "slow", json!({"ms": 2500})).await.is_ok());
    assert!(alive(&pid), "it was in use");
    running.wait_for("lazy", |status| status.phase == Phase::Idle).await;
    running.until("its process has ended", || !alive(&pid)).await;
    assert!(running.tools("lazy").contains(&"echo".to_owned()));
    assert!(matches!(running.phase("eager"), Phase::Ready(_)), "this one does not rest");

    assert_eq!(running.call("lazy", "echo", json!({"message": "back"})).await.unwrap(), "back");
    // The setting goes: what is up stays up.
    running.home.write("home/.config/jackfield/settings.json", r#"{"connect_at_start": "all"}"#);
    running.until("the setting is read", || !running.engine.settings().lazy.all).await;
    running.wait_for("lazy", |status| !status.lazy).await;
    tokio::time::timeout(Duration::from_millis(1500), async {
        running.wait_for("lazy", |status| status.phase == Phase::Idle).await;
    })
    .await
    .expect_err("it does not rest any more");
    running.engine.shutdown().await;
}
