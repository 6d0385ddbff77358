//! Tasks of servers, and the set of them.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper of tests that fails is a failed test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use jackfield_config::host::Listed;
use jackfield_config::read::{Content, read_source};
use jackfield_config::source::{Encoding, SourceSpec, SourceText};
use jackfield_config::{Definition, SourceId, Transport, host};
use jackfield_engine::log::LogKind;
use jackfield_engine::resolve::{ResolvedServer, ResolvedTransport, Secret};
use jackfield_engine::server::{Resolve, RuntimeDeps, ServerHandle};
use jackfield_engine::status::{Failure, FailureKind, Phase, ServerStatus, Stage};
use jackfield_engine::supervisor::{Desired, Supervisor, Wish};
use jackfield_engine::tools::cache::ToolCache;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

const LIMIT: Duration = Duration::from_secs(20);

/// `TOOLS` are its tools; before it answers anything it runs `FIRST`.
const SERVER: &str = r#"
FIRST
answer() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case "$line" in
    *server/discover*) printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}" ;;
    *'"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *tools/list*) answer '{"tools":[{"name":"TOOL","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}' ;;
    *tools/call*) answer '{"content":[{"type":"text","text":"TOOL"}]}' ;;
  esac
done
"#;

fn script(first: &str, tool: &str) -> String {
    SERVER.replace("FIRST", first).replace("TOOL", tool)
}

/// Definitions as a file holds them; a server is `sh -c <script>`.
fn definitions(servers: &[(&str, &str)]) -> Vec<Arc<Definition>> {
    let host = host::HOSTS.iter().find(|host| host.id == "xcsh").unwrap();
    let spec = SourceSpec {
        id: SourceId("test".into()),
        host,
        scope: host::Scope::User,
        path: Arc::new(PathBuf::from("/home/u/.xcsh/mcp.json")),
        format: host.locations[0].format,
        dialect: host.dialect,
        root: vec!["mcpServers".to_owned()],
        list: false,
        project: None,
        rank: 0,
        note: None,
        listed: Listed::Always,
        text: None,
    };
    let entries: serde_json::Map<String, serde_json::Value> = servers
        .iter()
        .map(|(name, script)| {
            let entry = if script.starts_with("http") {
                serde_json::json!({"type": "http", "url": script})
            } else {
                serde_json::json!({"command": "sh", "args": ["-c", script]})
            };
            ((*name).to_owned(), entry)
        })
        .collect();
    let text = serde_json::json!({ "mcpServers": entries }).to_string();
    let text = SourceText { text, encoding: Encoding::Utf8 };
    let reading = read_source(&Arc::new(spec), Content::Text(&text), Path::new("/home/u"));
    assert_eq!(reading.definitions.len(), servers.len(), "{:?}", reading.diagnostics);
    reading.definitions
}

/// Takes every value as it is written.
struct Plain;

impl Resolve for Plain {
    fn resolve(
        &self,
        definition: &Arc<Definition>,
        _fresh: bool,
    ) -> BoxFuture<'_, Result<ResolvedServer, Failure>> {
        let transport = match &definition.transport {
            Transport::Stdio { command, args, .. } => ResolvedTransport::Stdio {
                // The one script that is no script.
                command: match args.last() {
                    Some(arg) if arg.raw == "no-such-command" => arg.raw.clone(),
                    Some(_) | None => command.raw.clone(),
                },
                args: args.iter().map(|arg| arg.raw.clone()).collect(),
                env: Arc::new(BTreeMap::from([("PATH".to_owned(), Secret::new("/usr/bin:/bin".to_owned()))])),
                cwd: PathBuf::from("/"),
            },
            Transport::Http { .. } | Transport::Unknown => panic!("not in this test"),
        };
        let server = ResolvedServer { transport, timeout: LIMIT, left_out: Vec::new(), secrets: Vec::new() };
        std::future::ready(Ok(server)).boxed()
    }
}

fn supervisor() -> Supervisor {
    Supervisor::new(RuntimeDeps::new(Arc::new(Plain)))
}

fn desired(definitions: &[Arc<Definition>], connect: bool) -> Vec<Desired> {
    let connect = if connect { Wish::Yes } else { Wish::No };
    definitions.iter().map(|one| Desired { definition: one.clone(), project: None, connect }).collect()
}

async fn until(server: &ServerHandle, what: impl Fn(&ServerStatus) -> bool) -> ServerStatus {
    let mut status = server.status();
    let reached = timeout(LIMIT, status.wait_for(|status| what(status))).await;
    match reached {
        Ok(Ok(status)) => ServerStatus::clone(&status),
        Ok(Err(_)) | Err(_) => {
            panic!("stuck at {:?}, log {:#?}", server.status().borrow(), server.log().after(0, 99))
        }
    }
}

fn is_ready(status: &ServerStatus) -> bool {
    matches!(status.phase, Phase::Ready(_))
}

fn pid(status: &ServerStatus) -> u32 {
    match &status.phase {
        Phase::Ready(info) => info.pid.unwrap(),
        other => panic!("{other:?}"),
    }
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).unwrap();
}

/// A killed grandchild is there until init has taken note of it.
async fn gone(pid: u32) -> bool {
    for _ in 0..100 {
        if !alive(pid) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

fn alive(pid: u32) -> bool {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::test_kill_process_group(pid).is_ok()
}

#[tokio::test]
async fn only_what_changed_is_restarted() {
    let mut supervisor = supervisor();
    let before = definitions(&[("a", &script("", "x")), ("b", &script("", "y")), ("c", &script("", "z"))]);
    supervisor.reconcile(desired(&before, true));
    let of = |supervisor: &Supervisor, at: usize| supervisor.get(&before[at].id).unwrap().clone();
    let a = pid(&until(&of(&supervisor, 0), is_ready).await);
    let b = pid(&until(&of(&supervisor, 1), is_ready).await);
    let removed = of(&supervisor, 2);
    let c = pid(&until(&removed, is_ready).await);

    let after = definitions(&[("a", &script("", "x")), ("b", &script("", "changed"))]);
    supervisor.reconcile(desired(&after, false));
    let server = of(&supervisor, 1);
    assert_ne!(pid(&until(&server, is_ready).await), b);
    assert_eq!(server.tools().borrow()[0].name, "changed");
    assert_eq!(pid(&until(&of(&supervisor, 0), is_ready).await), a);
    assert!(supervisor.get(&before[2].id).is_none());
    timeout(LIMIT, removed.close()).await.unwrap();
    assert!(gone(b).await && gone(c).await);

    supervisor.close_all(Duration::from_secs(5)).await;
    assert!(gone(a).await);
}

#[tokio::test]
async fn a_lost_server_comes_back_and_a_call_waits_for_it() {
    let mut supervisor = supervisor();
    let definitions = definitions(&[("a", &script("", "x"))]);
    supervisor.reconcile(desired(&definitions, true));
    let server = supervisor.get(&definitions[0].id).unwrap().clone();
    let first = pid(&until(&server, is_ready).await);
    kill(first);
    let status = until(&server, |status| matches!(status.phase, Phase::Retrying { .. })).await;
    assert_eq!((status.tools, status.tools_cached), (Some(1), true));
    assert!(server.peer().is_none());
    let result = timeout(LIMIT, server.call_tool("x", None, Default::default())).await.unwrap().unwrap();
    assert_eq!(result.text(), "x");
    assert_ne!(pid(&until(&server, is_ready).await), first);
    let lines: Vec<String> = server.log().after(0, 99).0.into_iter().map(|line| line.text).collect();
    assert!(lines.contains(&"Ended by signal 9".to_owned()), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("Trying again in ")), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.starts_with("Connected in ") && line.ends_with("1 tool")),
        "{lines:?}"
    );
    supervisor.close_all(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn what_never_worked_is_not_retried_and_can_be_asked_for_again() {
    let mut supervisor = supervisor();
    let definitions = definitions(&[("a", "echo 'no key' >&2; exit 1")]);
    supervisor.reconcile(desired(&definitions, false));
    let server = supervisor.get(&definitions[0].id).unwrap().clone();
    assert_eq!(server.status().borrow().phase, Phase::Idle);
    server.connect();
    let failed = |status: &ServerStatus| matches!(status.phase, Phase::Failed(_));
    let status = until(&server, failed).await;
    let Phase::Failed(failure) = &status.phase else { panic!() };
    assert_eq!(failure.message, "Exited with code 1: no key");
    assert_eq!(failure.stderr_tail, ["no key"]);
    let before = server.log().last_seq();
    server.reconnect();
    let connecting = |status: &ServerStatus| matches!(status.phase, Phase::Connecting { .. });
    until(&server, connecting).await;
    until(&server, failed).await;
    let (again, _) = server.log().after(before, 99);
    assert!(again.iter().any(|line| line.kind == LogKind::Stderr));
    supervisor.close_all(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn stopping_works_at_once_while_connecting_too() {
    let mut supervisor = supervisor();
    let definitions = definitions(&[("a", "echo $$ >&2; trap '' TERM; sleep 100; sleep 100")]);
    supervisor.reconcile(desired(&definitions, true));
    let server = supervisor.get(&definitions[0].id).unwrap().clone();
    let mut lines = server.log().subscribe();
    let pid: u32 = timeout(LIMIT, async {
        loop {
            if let Some(line) = server.log().tail_stderr(1).first() {
                return line.trim().parse().unwrap();
            }
            lines.changed().await.unwrap();
        }
    })
    .await
    .unwrap();
    server.stop();
    timeout(Duration::from_millis(500), server.status().wait_for(|status| status.phase == Phase::Stopped))
        .await
        .expect("not stopped at once")
        .unwrap();
    supervisor.close_all(Duration::from_secs(8)).await;
    assert!(gone(pid).await);
}

#[tokio::test]
async fn nothing_waits_for_the_slowest_start() {
    let mut deps = RuntimeDeps::new(Arc::new(Plain));
    deps.starts = Arc::new(Semaphore::new(1));
    let mut supervisor = Supervisor::new(deps);
    let definitions = definitions(&[("a", "sleep 100"), ("b", &script("", "y"))]);
    supervisor.reconcile(desired(&definitions, true));
    let started = Instant::now();
    until(supervisor.get(&definitions[1].id).unwrap(), is_ready).await;
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    supervisor.close_all(Duration::from_secs(8)).await;
}

#[tokio::test]
async fn servers_that_hang_make_room_at_once() {
    let mut deps = RuntimeDeps::new(Arc::new(Plain));
    deps.starts = Arc::new(Semaphore::new(1));
    let mut supervisor = Supervisor::new(deps);
    let names: Vec<String> = (0..8).map(|at| format!("hangs{at}")).collect();
    let good = script("", "y");
    let mut servers: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "sleep 100")).collect();
    servers.push(("z", &good));
    let definitions = definitions(&servers);
    supervisor.reconcile(desired(&definitions, true));
    let started = Instant::now();
    until(supervisor.get(&definitions[8].id).unwrap(), is_ready).await;
    assert!(started.elapsed() < Duration::from_millis(1_500), "{:?}", started.elapsed());
    supervisor.close_all(Duration::from_secs(8)).await;
}

#[tokio::test]
async fn waiting_to_start_is_not_connecting_and_a_missing_command_does_not_wait() {
    let mut deps = RuntimeDeps::new(Arc::new(Plain));
    let starts = Arc::new(Semaphore::new(0));
    deps.starts = starts.clone();
    let mut supervisor = Supervisor::new(deps);
    let definitions = definitions(&[("a", &script("", "x")), ("b", "no-such-command")]);
    supervisor.reconcile(desired(&definitions, true));
    let missing = supervisor.get(&definitions[1].id).unwrap();
    let status = until(missing, |status| matches!(status.phase, Phase::Failed(_))).await;
    let Phase::Failed(failure) = &status.phase else { panic!() };
    assert_eq!(failure.kind, FailureKind::NotFound);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    starts.add_permits(1);
    let status = until(supervisor.get(&definitions[0].id).unwrap(), is_ready).await;
    let Phase::Ready(info) = &status.phase else { panic!() };
    assert!(info.connect_ms < 1_400, "{}", info.connect_ms);
    supervisor.close_all(Duration::from_secs(8)).await;
}

#[tokio::test]
async fn tools_are_known_before_the_server_is_up() {
    let folder = tempfile::tempdir().unwrap();
    let definitions = definitions(&[("a", &script("", "x"))]);
    for round in 0..2 {
        let mut deps = RuntimeDeps::new(Arc::new(Plain));
        deps.cache = Some(ToolCache::new(folder.path().to_owned()));
        let mut supervisor = Supervisor::new(deps);
        supervisor.reconcile(desired(&definitions, round == 0));
        let server = supervisor.get(&definitions[0].id).unwrap().clone();
        if round == 0 {
            until(&server, is_ready).await;
        } else {
            let status = until(&server, |status| status.tools.is_some()).await;
            assert_eq!((&status.phase, status.tools, status.tools_cached), (&Phase::Idle, Some(1), true));
            assert_eq!(server.tools().borrow()[0].name, "x");
        }
        supervisor.close_all(Duration::from_secs(5)).await;
    }
}

/// Fails as it is told to, after a moment.
struct Failing {
    kinds: Mutex<Vec<FailureKind>>,
    asked: AtomicUsize,
}

impl Resolve for Failing {
    fn resolve(
        &self,
        _definition: &Arc<Definition>,
        _fresh: bool,
    ) -> BoxFuture<'_, Result<ResolvedServer, Failure>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let kind = self.kinds.lock().unwrap().remove(0);
        async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Err(Failure::new(kind, format!("{kind:?}")))
        }
        .boxed()
    }
}

/// The canonical sequence, on a paused clock.
#[tokio::test(start_paused = true)]
async fn statuses_come_in_order() {
    let kinds = vec![
        FailureKind::Refused,
        FailureKind::Timeout,
        FailureKind::Http(503),
        FailureKind::SignIn,
        FailureKind::Config,
    ];
    let resolver = Arc::new(Failing { kinds: Mutex::new(kinds), asked: AtomicUsize::new(0) });
    let mut supervisor = Supervisor::new(RuntimeDeps::new(resolver.clone()));
    let definitions = definitions(&[("a", "http://127.0.0.1:9/mcp")]);
    supervisor.reconcile(desired(&definitions, true));
    let server = supervisor.get(&definitions[0].id).unwrap().clone();
    let mut status = server.status();
    let mut seen = Vec::new();
    let started = Instant::now();
    let word = |status: &ServerStatus| match &status.phase {
        Phase::Connecting { attempt, stage: Stage::Resolving } => format!("connecting {attempt}"),
        Phase::Retrying { attempt, failure, .. } => format!("retrying {attempt} after {}", failure.message),
        Phase::NeedsSignIn { .. } => "needs sign-in".to_owned(),
        Phase::Failed(failure) => format!("failed {}", failure.message),
        other => format!("{other:?}"),
    };
    seen.push(word(&status.borrow_and_update()));
    while seen.last().is_some_and(|last| last != "needs sign-in") {
        timeout(Duration::from_secs(60), status.changed()).await.unwrap().unwrap();
        seen.push(word(&status.borrow_and_update()));
    }
    let took = started.elapsed();
    // 0.5 + 1 + 2 s, give or take a fifth.
    assert!(took > Duration::from_millis(2_800) && took < Duration::from_millis(4_300), "{took:?}");
    server.connect();
    while seen.last().is_some_and(|last| !last.starts_with("failed")) {
        timeout(Duration::from_secs(60), status.changed()).await.unwrap().unwrap();
        seen.push(word(&status.borrow_and_update()));
    }
    assert_eq!(
        seen,
        [
            "connecting 1",
            "retrying 2 after Refused",
            "connecting 2",
            "retrying 3 after Timeout",
            "connecting 3",
            "retrying 4 after Http(503)",
            "connecting 4",
            "needs sign-in",
            "connecting 1",
            "failed Config",
        ]
    );
    assert_eq!(resolver.asked.load(Ordering::Relaxed), 5);
    let changes = supervisor.changes();
    let told = timeout(Duration::from_secs(1), changes.next()).await.unwrap();
    assert_eq!(told.len(), 1);
    assert!(told[0].1.status && told[0].1.log && !told[0].1.tools);
    supervisor.close_all(Duration::from_secs(5)).await;
}
