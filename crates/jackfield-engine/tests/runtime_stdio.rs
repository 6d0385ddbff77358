//! Sessions with child processes. The servers are shell scripts, so that nothing has to be installed.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper of tests that fails is a failed test")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jackfield_engine::client::{ConnectDeps, Era, Session, connect};
use jackfield_engine::log::{LogKind, ServerLog};
use jackfield_engine::resolve::{ResolvedServer, ResolvedTransport, Secret};
use jackfield_engine::status::{Failure, FailureKind};
use jackfield_engine::tools::call::{CallError, CallOptions};
use jackfield_engine::transport::Guard;
use jackfield_engine::transport::http::HttpClients;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Answers like a server of the older protocol with one tool. `$line` is a request, `$id` its id.
const SERVER: &str = r#"
say() { printf '%s\n' "$1"; }
answer() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
refuse() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}"; }
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case "$line" in
    *server/discover*) ON_DISCOVER ;;
    *'"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *tools/list*) answer '{"tools":[{"name":"t","inputSchema":{"type":"object"},"vendor":1}]}' ;;
    *notifications/cancelled*) echo "cancelled: $line" >&2 ;;
    *tools/call*) ON_CALL ;;
  esac
done
"#;

fn script(on_discover: &str, on_call: &str) -> String {
    SERVER.replace("ON_DISCOVER", on_discover).replace("ON_CALL", on_call)
}

fn server(command: &str, args: &[&str]) -> ResolvedServer {
    let env = BTreeMap::from([("PATH".to_owned(), Secret::new("/usr/local/bin:/usr/bin:/bin".to_owned()))]);
    ResolvedServer {
        transport: ResolvedTransport::Stdio {
            command: command.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: Arc::new(env),
            cwd: PathBuf::from("/"),
        },
        timeout: Duration::from_secs(20),
        left_out: Vec::new(),
        secrets: vec![Secret::new("hunter22".to_owned())],
    }
}

fn sh(script: &str) -> ResolvedServer {
    server("sh", &["-c", script])
}

fn deps() -> ConnectDeps {
    ConnectDeps {
        http: HttpClients::default(),
        guard: None,
        tracker: TaskTracker::new(),
        log: ServerLog::new(),
        project: None,
    }
}

async fn open(server: &ResolvedServer, deps: &ConnectDeps) -> Result<Session, Failure> {
    connect(server, Era::Unknown, deps, &|_| ()).await
}

fn texts(log: &ServerLog, kind: LogKind) -> Vec<String> {
    log.after(0, usize::MAX).0.into_iter().filter(|line| line.kind == kind).map(|line| line.text).collect()
}

/// All that is left of a process group.
fn alive(group: u32) -> bool {
    let pid = rustix::process::Pid::from_raw(i32::try_from(group).unwrap()).unwrap();
    rustix::process::test_kill_process_group(pid).is_ok()
}

async fn gone(group: u32) -> bool {
    for _ in 0..100 {
        if !alive(group) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

#[tokio::test]
async fn connects_lists_and_calls() {
    let deps = deps();
    let stray = script(
        "refuse",
        r#"echo 'not json' ; echo "the key is hunter22" >&2; answer '{"content":[{"type":"text","text":"hi"},{"type":"hologram","x":1}]}'"#,
    );
    let session = open(&sh(&stray), &deps).await.unwrap();
    assert_eq!(session.facts().protocol, "2025-06-18");
    assert_eq!(session.facts().era, Era::Legacy);
    let listing = session.list_tools().await.unwrap();
    assert_eq!(listing.tools[0].name, "t");
    assert_eq!(listing.tools[0].input_schema, json!({"type": "object", "properties": {}}));
    let result = session.peer().call_tool("t", None, CallOptions::default()).await.unwrap();
    assert_eq!(result.text(), "hi\n\n[hologram]");
    assert_eq!(result.value["content"][1]["x"], 1);
    assert_eq!(texts(&deps.log, LogKind::Stdout), ["not json"]);
    let pid = session.facts().pid.unwrap();
    session.close().await;
    assert!(gone(pid).await);
    assert_eq!(texts(&deps.log, LogKind::Stderr), ["the key is ••••••••"]);
    deps.tracker.close();
    tokio::time::timeout(Duration::from_secs(5), deps.tracker.wait())
        .await
        .expect("a task outlives its session");
}

#[tokio::test]
async fn a_server_that_is_silent_at_the_probe_costs_three_seconds() {
    let deps = deps();
    let started = Instant::now();
    let session = open(&sh(&script(":", "refuse")), &deps).await.unwrap();
    let took = started.elapsed();
    assert!(took > Duration::from_millis(2_900) && took < Duration::from_secs(6), "{took:?}");
    session.close().await;
    // Known to be of the older protocol, it is not asked.
    let started = Instant::now();
    let session = connect(&sh(&script(":", "refuse")), Era::Legacy, &deps, &|_| ()).await.unwrap();
    assert!(started.elapsed() < Duration::from_millis(1_500));
    session.close().await;
}

#[tokio::test]
async fn a_server_that_ends_at_the_probe_is_started_again() {
    let deps = deps();
    let session = open(&sh(&script("exit 3", "refuse")), &deps).await.unwrap();
    assert_eq!(session.facts().era, Era::Legacy);
    session.close().await;
}

#[tokio::test]
async fn a_server_that_always_ends_says_why() {
    let deps = deps();
    let failure =
        open(&sh("echo starting >&2; echo 'DATABASE_URL is not set, hunter22' >&2; exit 1"), &deps).await;
    let failure = failure.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Exited);
    assert_eq!(failure.message, "Exited with code 1: DATABASE_URL is not set, ••••••••");
    assert_eq!(failure.stderr_tail.len(), 2);
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let deps = deps();
    let failure = open(&server("no-such-command", &[]), &deps).await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::NotFound, "`no-such-command` was not found")
    );
    assert!(failure.hint.contains("/usr/bin"));
    let mut nowhere = sh("cat");
    if let ResolvedTransport::Stdio { cwd, .. } = &mut nowhere.transport {
        *cwd = PathBuf::from("/nowhere");
    }
    let failure = open(&nowhere, &deps).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Config);
    assert!(failure.message.contains("/nowhere"));
}

#[tokio::test]
async fn a_server_that_never_answers_is_ended_with_its_children() {
    let deps = deps();
    let mut hanging =
        sh("trap '' TERM; echo $$ >&2; sh -c 'trap \"\" TERM; sleep 100' & sleep 100; sleep 100");
    hanging.timeout = Duration::from_millis(500);
    let failure = open(&hanging, &deps).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert_eq!(failure.message, "No answer within 500 ms");
    assert_eq!(failure.hint, "Try increasing the timeout.");
    let group: u32 = failure.stderr_tail[0].trim().parse().unwrap();
    assert!(gone(group).await);
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let deps = deps();
    let args = ["-c", r#"printf '%s\n' "$@" >&2; exit 1"#, "sh", "-c /p", "", "a\"b", "two\nlines", "*"];
    let failure = open(&server("sh", &args), &deps).await.unwrap_err();
    assert_eq!(failure.stderr_tail, ["-c /p", "a\"b", "two", "lines", "*"]);
}

#[tokio::test]
async fn a_killed_server_is_noticed_at_once() {
    let deps = deps();
    let session = open(&sh(&script("refuse", "kill -9 $$")), &deps).await.unwrap();
    let call = session.peer().call_tool("t", None, CallOptions::default()).await;
    assert_eq!(call, Err(CallError::Closed { sent: true }));
    let failure = tokio::time::timeout(Duration::from_secs(1), session.ended()).await.unwrap();
    assert_eq!(failure.message, "Ended by signal 9");
    assert!(session.peer().is_closed());
    session.close().await;
}

#[tokio::test]
async fn a_cancelled_call_and_a_dropped_one_are_told_to_the_server() {
    let deps = deps();
    let session = open(&sh(&script("refuse", ":")), &deps).await.unwrap();
    let cancel = CancellationToken::new();
    let options = CallOptions { cancel: cancel.clone(), ..CallOptions::default() };
    let peer = session.peer();
    let call = peer.call_tool("t", None, options);
    let (call, ()) = tokio::join!(call, async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancel.cancel();
    });
    assert_eq!(call, Err(CallError::Cancelled));
    let timed = CallOptions { timeout: Some(Duration::from_millis(200)), ..CallOptions::default() };
    match peer.call_tool("t", None, timed).await {
        Err(CallError::Failed(failure)) => assert_eq!(failure.kind, FailureKind::Timeout),
        other => panic!("{other:?}"),
    }
    let dropped =
        tokio::time::timeout(Duration::from_millis(200), peer.call_tool("t", None, CallOptions::default()));
    assert!(dropped.await.is_err());
    let mut seen = deps.log.subscribe();
    let told = async {
        while texts(&deps.log, LogKind::Stderr).len() < 3 {
            seen.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(5), told).await.expect("three cancellations");
    session.close().await;
}

#[tokio::test]
async fn floods_block_nobody() {
    let deps = deps();
    let flood = format!(
        "yes 'noise on stderr' | head -c 20000000 >&2 & \n yes 'noise on stdout' | head -c 2000000; wait; {}",
        script("refuse", r#"answer '{"content":[]}'"#)
    );
    let session = open(&sh(&flood), &deps).await.unwrap();
    assert!(session.peer().call_tool("t", None, CallOptions::default()).await.is_ok());
    assert!(texts(&deps.log, LogKind::Stderr).len() + texts(&deps.log, LogKind::Stdout).len() <= 2_000);
    session.close().await;
}

#[tokio::test]
async fn a_message_beyond_the_limit_ends_the_session_with_a_reason() {
    let deps = deps();
    let huge = script("refuse", r#"head -c 68000000 /dev/zero | tr '\0' 'x'; echo"#);
    let session = open(&sh(&huge), &deps).await.unwrap();
    let peer = session.peer();
    let (call, failure) = tokio::join!(peer.call_tool("t", None, CallOptions::default()), session.ended());
    assert!(call.is_err());
    assert_eq!(failure.kind, FailureKind::Protocol);
    assert_eq!(failure.message, "Sent a message of more than 64 MiB");
    session.close().await;
}

/// Says at `initialize` what it was asked for, like servers that know every version.
const ECHO: &str = r#"
answer() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  version=${line#*\"protocolVersion\":\"}; version=${version%%\"*}
  case "$line" in
    *server/discover*) printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}" ;;
    *'"initialize"'*) answer "{\"protocolVersion\":\"VERSION\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"sh\",\"version\":\"1\"}}" ;;
  esac
done
"#;

#[tokio::test]
async fn the_era_is_that_of_the_handshake() {
    let deps = deps();
    let echo = sh(&ECHO.replace("VERSION", "$version"));
    let mut era = Era::Unknown;
    for _ in 0..3 {
        let session = connect(&echo, era, &deps, &|_| ()).await.unwrap();
        assert_eq!((session.facts().protocol.as_str(), session.facts().era), ("2025-11-25", Era::Legacy));
        era = session.facts().era;
        session.close().await;
    }
    // It names the newest version, and still was asked the older way.
    let boasting = sh(&ECHO.replace("VERSION", "2026-07-28"));
    let session = open(&boasting, &deps).await.unwrap();
    assert_eq!(session.facts().era, Era::Legacy);
    session.close().await;
}

#[tokio::test]
async fn the_tail_is_that_of_the_last_start() {
    let deps = deps();
    let failure = open(&sh("echo boom >&2; exit 1"), &deps).await.unwrap_err();
    assert_eq!(failure.stderr_tail, ["boom"]);
    assert_eq!(texts(&deps.log, LogKind::Stderr), ["boom", "boom"]);
    assert_eq!(deps.log.tail_stderr(10), ["boom"]);
}

#[tokio::test]
async fn what_the_guard_cannot_start_is_not_started_twice() {
    for (code, kind) in [(127, FailureKind::NotFound), (126, FailureKind::Permission)] {
        let mut deps = deps();
        let prefix = ["-c".to_owned(), format!("echo guard >&2; exit {code}")].map(Into::into).to_vec();
        deps.guard = Some(Guard { program: "/bin/sh".into(), prefix });
        let failure = open(&sh("cat"), &deps).await.unwrap_err();
        assert_eq!(failure.kind, kind);
        assert_eq!(texts(&deps.log, LogKind::Stderr), ["guard"]);
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn stdin_is_closed_as_soon_as_the_process_has_ended() {
    let deps = deps();
    let folder = tempfile::tempdir().unwrap();
    let (ready, seen) = (folder.path().join("ready"), folder.path().join("seen"));
    // It has left the group and holds all pipes, like what a killed wrapper leaves behind.
    let orphan = format!(
        "setsid sh -c 'touch {}; cat > /dev/null; echo eof > {}' <&3 &",
        ready.display(),
        seen.display()
    );
    let left = format!("while [ ! -e {} ]; do sleep 0.01; done", ready.display());
    let server = sh(&format!("exec 3<&0; {orphan} {left}; exit 1"));
    let waiting = async {
        while !ready.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let started = Instant::now();
        while !seen.exists() && started.elapsed() < Duration::from_secs(20) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        started.elapsed()
    };
    let (failure, took) = tokio::join!(open(&server, &deps), waiting);
    assert_eq!(failure.unwrap_err().kind, FailureKind::Exited);
    assert!(took < Duration::from_millis(1_500), "{took:?}");
}

/// Has a secret in everything that it says.
const TELLTALE: &str = r#"
answer() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
refuse() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32000,\"message\":\"bad hunter22\"}}"; }
lists=0
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case "$line" in
    *server/discover*) refuse ;;
    *'"initialize"'*) ON_INITIALIZE ;;
    *tools/list*) lists=$((lists+1)); if [ $lists -gt 1 ]; then refuse; else answer '{"tools":[{"name":"t","title":"T hunter22","description":"D hunter22","inputSchema":{"type":"object","description":"S hunter22","default":"hunter22","properties":{"a":{"title":"hunter22","description":"sk-abcdefghijklmnopqrstuvwxyz"}}},"outputSchema":{"type":"object","description":"hunter22"}}]}'; fi ;;
    *'"refuse"'*) refuse ;;
    *tools/call*) answer '{"content":[{"type":"text","text":"hunter22"}]}' ;;
  esac
done
"#;

#[tokio::test]
async fn secrets_in_what_a_server_sends_are_masked() {
    let deps = deps();
    let hello = r#"answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"instructions":"I hunter22","serverInfo":{"name":"N hunter22","title":"T hunter22","version":"V hunter22"}}'"#;
    let session = open(&sh(&TELLTALE.replace("ON_INITIALIZE", hello)), &deps).await.unwrap();
    let facts = session.facts();
    assert_eq!((facts.server_name.as_str(), facts.server_version.as_str()), ("N ••••••••", "V ••••••••"));
    assert_eq!(facts.server_title.as_deref(), Some("T ••••••••"));
    assert_eq!(facts.instructions.as_deref(), Some("I ••••••••"));
    let tool = session.list_tools().await.unwrap().tools.remove(0);
    assert_eq!(
        (tool.title.as_deref(), tool.description.as_deref()),
        (Some("T ••••••••"), Some("D ••••••••"))
    );
    let schema = &tool.input_schema;
    assert_eq!(schema["description"], "S ••••••••");
    assert_eq!(schema["properties"]["a"]["title"], "••••••••");
    // Only what is known to be secret, and only where people read.
    assert_eq!(schema["properties"]["a"]["description"], "sk-abcdefghijklmnopqrstuvwxyz");
    assert_eq!(schema["default"], "hunter22");
    assert_eq!(tool.output_schema.unwrap()["description"], "••••••••");
    assert_eq!(session.list_tools().await.unwrap_err().message, "bad ••••••••");
    let peer = session.peer();
    assert_eq!(peer.call_tool("t", None, CallOptions::default()).await.unwrap().text(), "hunter22");
    match peer.call_tool("refuse", None, CallOptions::default()).await {
        Err(CallError::Refused { message, .. }) => assert_eq!(message, "bad ••••••••"),
        other => panic!("{other:?}"),
    }
    session.close().await;
    let failure = open(&sh(&TELLTALE.replace("ON_INITIALIZE", "refuse")), &deps).await.unwrap_err();
    assert_eq!(failure.message, "Refused to start a session: bad ••••••••");
}
