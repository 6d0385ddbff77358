//! Servers over HTTP: the reference server in both of its transports, and one that is not there yet.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use jackfield_engine::ConnectWhen;
use jackfield_engine::status::{FailureKind, Phase};
use serde_json::{Value, json};

use crate::running::Running;
use crate::support::{Home, answers_always, free_port, real, until};

/// The reference server, ended with the test.
struct Everything(Child);

impl Everything {
    fn start(home: &Home, mode: &str, port: u16) -> Option<Everything> {
        let program = real("node/node_modules/.bin/mcp-server-everything")?;
        let child = Command::new(program)
            .arg(mode)
            .env_clear()
            .envs(home.env())
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Everything(child);
        let up = until(Duration::from_secs(30), || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        assert!(up, "the reference server did not start");
        Some(server)
    }
}

impl Drop for Everything {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn check(mode: &str, path: &str, file: &str, entry: Value) {
    let home = Home::new();
    let port = free_port();
    let Some(_server) = Everything::start(&home, mode, port) else { return };
    let mut entry = entry;
    entry["url"] = format!("http://127.0.0.1:{port}{path}").into();
    home.servers(file, &[("every", entry)]);
    let running = Running::start(home, ConnectWhen::Always).await;
    let session = running.ready("every").await;
    assert!(session.pid.is_none());
    assert!(running.tools("every").contains(&"echo".to_owned()), "{:?}", running.tools("every"));
    let text = running.call("every", "echo", json!({"message": "over the wire"})).await.unwrap();
    assert_eq!(text, "Echo: over the wire");
    running.engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn streamable_http_connects_lists_and_calls() {
    check("streamableHttp", "/mcp", "home/.xcsh/mcp.json", json!({"type": "http"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn http_with_sse_connects_lists_and_calls() {
    check("sse", "/sse", "home/.xcsh/mcp.json", json!({"type": "sse"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_type_the_tools_own_order_of_tries_finds_the_transport() {
    check("sse", "/sse", "home/.cursor/mcp.json", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_yet_is_tried_again() {
    let home = Home::new();
    let port = free_port();
    home.servers(
        "home/.xcsh/mcp.json",
        &[("every", json!({"type": "http", "url": format!("http://127.0.0.1:{port}/mcp")}))],
    );
    let running = Running::start(home, ConnectWhen::Always).await;
    let status = running.wait_for("every", |status| matches!(status.phase, Phase::Retrying { .. })).await;
    match &status.phase {
        Phase::Retrying { failure, .. } => assert_eq!(failure.kind, FailureKind::Refused),
        other => panic!("{other:?}"),
    }
    let Some(_server) = Everything::start(&running.home, "streamableHttp", port) else { return };
    running.wait_for("every", |status| matches!(status.phase, Phase::Ready(_))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_is_judged_by_status_and_only_some_is_tried_again() {
    let cases =
        [(401, "needs sign-in"), (403, "failed"), (404, "failed"), (500, "retrying"), (503, "retrying")];
    for (status, wanted) in cases {
        let (port, _) =
            answers_always(status, if status == 401 { "WWW-Authenticate: Bearer\r\n" } else { "" });
        let entry = json!({"type": "http", "url": format!("http://127.0.0.1:{port}/mcp")});
        let running = Running::over(&[("s", entry)]).await;
        let settled = running
            .wait_for("s", |status| !matches!(status.phase, Phase::Connecting { .. } | Phase::Idle))
            .await;
        let word = match &settled.phase {
            Phase::NeedsSignIn { .. } => "needs sign-in",
            Phase::Failed(_) => "failed",
            Phase::Retrying { .. } => "retrying",
            _ => "something else",
        };
        assert_eq!(word, wanted, "{status}: {settled:#?}");
    }
}
