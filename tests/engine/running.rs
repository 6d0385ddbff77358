//! An engine over a home of its own, and ways to wait for what it does.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_config::{Definition, Entry, Judgement, ServerId};
use jackfield_engine::paths::Paths;
use jackfield_engine::server::ServerHandle;
use jackfield_engine::status::{Failure, Phase, ServerStatus, SessionInfo};
use jackfield_engine::tools::call::{CallError, CallOptions};
use jackfield_engine::transport::Guard;
use jackfield_engine::{ConnectWhen, Engine, Options};
use serde_json::Value;

use crate::support::{Home, fake, until_async};

/// Longer than anything takes that is not broken.
pub(crate) const LONG: Duration = Duration::from_secs(30);

pub(crate) struct Running {
    pub(crate) home: Home,
    pub(crate) engine: Engine,
}

pub(crate) fn options(home: &Home, connect: ConnectWhen) -> Options {
    let env = home.env();
    Options {
        paths: Paths::from_env(&env).unwrap(),
        env: Arc::new(env),
        project: None,
        connect,
        watch: true,
        trust_project: false,
        offer_projects: false,
        by: "test",
        guard: Some(Guard {
            program: env!("CARGO_BIN_EXE_jackfield").into(),
            prefix: vec!["__guard".into()],
        }),
    }
}

impl Running {
    pub(crate) async fn start(home: Home, connect: ConnectWhen) -> Running {
        let engine = Engine::start(options(&home, connect)).await.unwrap();
        Running { home, engine }
    }

    /// An engine over these servers in xcsh's file, all of them connecting.
    pub(crate) async fn over(servers: &[(&str, Value)]) -> Running {
        let home = Home::new();
        home.servers("home/.xcsh/mcp.json", servers);
        Running::start(home, ConnectWhen::Always).await
    }

    /// The entry that counts for this name.
    #[track_caller]
    pub(crate) fn entry(&self, name: &str) -> Entry {
        self.engine.catalog().by_name(name).unwrap_or_else(|| panic!("no `{name}` in the catalog")).clone()
    }

    pub(crate) fn definition(&self, name: &str) -> Arc<Definition> {
        self.entry(name).definition
    }

    pub(crate) fn id(&self, name: &str) -> ServerId {
        self.definition(name).id.clone()
    }

    pub(crate) fn judgement(&self, name: &str) -> Option<Judgement> {
        self.engine.catalog().by_name(name).map(|entry| entry.judgement.clone())
    }

    pub(crate) fn server(&self, name: &str) -> ServerHandle {
        self.engine.server(&self.id(name)).unwrap_or_else(|| panic!("`{name}` has no task"))
    }

    pub(crate) fn phase(&self, name: &str) -> Phase {
        self.server(name).status().borrow().phase.clone()
    }

    /// Waits until the server's status is as wanted.
    pub(crate) async fn wait_for(
        &self,
        name: &str,
        wanted: impl Fn(&ServerStatus) -> bool,
    ) -> Arc<ServerStatus> {
        let mut status = self.server(name).status();
        let waited = tokio::time::timeout(LONG, status.wait_for(|status| wanted(status))).await;
        match waited {
            Ok(Ok(status)) => status.clone(),
            Ok(Err(_)) => panic!("the task of `{name}` has ended"),
            Err(_) => panic!("`{name}` did not become what it should: {:#?}", self.phase(name)),
        }
    }

    pub(crate) async fn ready(&self, name: &str) -> Arc<SessionInfo> {
        let status =
            self.wait_for(name, |status| matches!(status.phase, Phase::Ready(_) | Phase::Failed(_))).await;
        match &status.phase {
            Phase::Ready(session) => session.clone(),
            other => panic!("`{name}` is not ready: {other:#?}"),
        }
    }

    pub(crate) async fn failed(&self, name: &str) -> Arc<Failure> {
        let status =
            self.wait_for(name, |status| matches!(status.phase, Phase::Ready(_) | Phase::Failed(_))).await;
        match &status.phase {
            Phase::Failed(failure) => failure.clone(),
            other => panic!("`{name}` has not failed: {other:#?}"),
        }
    }

    pub(crate) async fn call(&self, name: &str, tool: &str, arguments: Value) -> Result<String, CallError> {
        let arguments = arguments.as_object().cloned();
        let result = self.server(name).call_tool(tool, arguments, CallOptions::default()).await?;
        Ok(result.text())
    }

    /// The tools' own names, in their order.
    pub(crate) fn tools(&self, name: &str) -> Vec<String> {
        self.server(name).tools().borrow().iter().map(|tool| tool.name.clone()).collect()
    }

    /// Process ids under which a [`tracked`] server was started so far.
    pub(crate) fn pids(&self, name: &str) -> Vec<String> {
        lines(&self.home, &format!("{name}.pids"))
    }

    /// Records every status of a server from now on.
    pub(crate) fn record(&self, name: &str) -> Record {
        let mut status = self.server(name).status();
        let first = word(&status.borrow_and_update().phase);
        let seen = Arc::new(Mutex::new(vec![first]));
        let record = Record(seen.clone());
        tokio::spawn(async move {
            while status.changed().await.is_ok() {
                let now = word(&status.borrow_and_update().phase);
                let mut seen = seen.lock().unwrap();
                if seen.last() != Some(&now) {
                    seen.push(now);
                }
            }
            seen.lock().unwrap().push("ended");
        });
        record
    }

    /// Waits until the catalog is as wanted.
    pub(crate) async fn until(&self, what: &str, wanted: impl FnMut() -> bool) {
        assert!(until_async(LONG, wanted).await, "never: {what}");
    }
}

/// What a server has been, each state once in a row.
pub(crate) struct Record(Arc<Mutex<Vec<&'static str>>>);

impl Record {
    pub(crate) fn seen(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().clone()
    }
}

fn word(phase: &Phase) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Connecting { .. } => "connecting",
        Phase::Ready(_) => "ready",
        Phase::NeedsSignIn { .. } => "needs sign-in",
        Phase::Retrying { .. } => "retrying",
        Phase::Failed(_) => "failed",
        Phase::Stopped => "stopped",
    }
}

pub(crate) fn lines(home: &Home, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(home.path(file)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// A fake server that tells its process ids and the requests it gets, for [`Running::pids`] and [`lines`].
pub(crate) fn tracked(home: &Home, name: &str, flags: &[&str]) -> Value {
    let pids = home.path(&format!("{name}.pids")).display().to_string();
    let requests = home.path(&format!("{name}.requests")).display().to_string();
    fake(&[flags, &["--pid-file", &pids, "--requests", &requests]].concat())
}

/// Whether a process is there.
pub(crate) fn alive(pid: &str) -> bool {
    std::path::Path::new("/proc").join(pid).exists()
}
