//! Projects and trust.

use std::time::Duration;

use jackfield_config::Judgement;
use jackfield_engine::ConnectWhen;
use serde_json::json;

use crate::running::{LONG, Running, alive, options, tracked};
use crate::support::{Home, until_async};

fn cloned(home: &Home, flags: &[&str]) {
    home.servers("project/.mcp.json", &[("cloned", tracked(home, "cloned", flags))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn approved_it_runs_and_changed_on_disk_it_stops_and_waits() {
    let home = Home::new();
    cloned(&home, &[]);
    home.servers("home/.xcsh/mcp.json", &[("own", tracked(&home, "own", &[]))]);
    let mut options = options(&home, ConnectWhen::Always);
    options.project = Some(home.project());
    let engine = jackfield_engine::Engine::start(options).await.unwrap();
    let running = Running { home, engine };
    running.ready("own").await;
    assert_eq!(running.judgement("cloned"), Some(Judgement::NeedsApproval));
    assert!(running.engine.server(&running.id("cloned")).is_none());
    assert!(
        running.engine.connect(&running.id("cloned")).await.is_err(),
        "it is not connected on request either"
    );

    let review = running.engine.review(&running.definition("cloned")).unwrap();
    assert!(review.lines[0].ends_with("fake-mcp"), "{review:#?}");
    assert!(review.lines.contains(&"--pid-file".to_owned()) && review.changed.is_empty(), "{review:#?}");
    running.engine.approve(&running.definition("cloned")).await.unwrap();
    running.ready("cloned").await;

    let record = running.record("own");
    let pid = running.pids("cloned")[0].clone();
    cloned(&running.home, &["--name", "changed"]);
    running.until("it waits again", || running.judgement("cloned") == Some(Judgement::NeedsApproval)).await;
    assert!(until_async(Duration::from_secs(3), || !alive(&pid)).await, "its session goes on");
    let review = running.engine.review(&running.definition("cloned")).unwrap();
    assert!(review.changed.iter().any(|line| line.contains("changed")), "{review:#?}");
    // What was approved is approved again when it comes back.
    cloned(&running.home, &[]);
    running.until("it is as it was", || running.judgement("cloned") == Some(Judgement::Run)).await;
    running.ready("cloned").await;
    assert_eq!(record.seen(), ["ready"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_is_opened_and_closed() {
    let home = Home::new();
    cloned(&home, &[]);
    home.write("home/.config/jackfield/settings.json", r#"{"trust": "always"}"#);
    home.servers("home/.xcsh/mcp.json", &[("own", tracked(&home, "own", &[]))]);
    let running = Running::start(home, ConnectWhen::Always).await;
    running.ready("own").await;
    assert!(running.judgement("cloned").is_none());
    let cwd = || async { running.call("own", "cwd", json!({})).await.unwrap() };
    assert_eq!(cwd().await, running.home.home().display().to_string());

    running.engine.open_project(Some(running.home.project())).await.unwrap();
    assert_eq!(running.engine.catalog().project, Some(running.home.project()));
    running.ready("cloned").await;
    running.ready("own").await;
    assert_eq!(
        cwd().await,
        running.home.project().display().to_string(),
        "a server runs in the project's folder"
    );
    let pid = running.pids("cloned").last().unwrap().clone();

    running.engine.open_project(None).await.unwrap();
    assert!(running.judgement("cloned").is_none());
    assert!(until_async(LONG, || !alive(&pid)).await);
    running.ready("own").await;
    assert_eq!(cwd().await, running.home.home().display().to_string());
    let refused = running.engine.open_project(Some(running.home.home())).await;
    assert!(refused.is_err(), "the home directory is no project");
}
