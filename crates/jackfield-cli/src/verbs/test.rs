//! `jackfield test NAME`: connect one server, of any source, and say what came of it.

use std::time::Instant;

use jackfield_engine::ConnectWhen;
use jackfield_engine::log::Direction;
use jackfield_engine::status::{Failure as ServerFailure, FailureKind, Phase};
use serde::Serialize;

use crate::args::{Common, Server};
use crate::output::{self, Exit, Failure, Ink, ink};
use crate::session;

/// `jackfield test --json`.
#[derive(Serialize)]
struct Report<'a> {
    name: &'a str,
    ok: bool,
    server: Option<String>,
    version: Option<String>,
    protocol: Option<String>,
    took_ms: u64,
    tools: Option<Vec<String>>,
    message: Option<String>,
    hint: Option<String>,
    /// What the stages took, in milliseconds.
    timings: Took,
}

#[derive(Serialize)]
struct Took {
    resolve_ms: Option<u32>,
    start_ms: Option<u32>,
    handshake_ms: Option<u32>,
    list_ms: Option<u32>,
}

impl Took {
    fn words(&self) -> String {
        let Took { resolve_ms, start_ms, handshake_ms, list_ms } = self;
        let stages =
            [("variables", resolve_ms), ("start", start_ms), ("handshake", handshake_ms), ("tools", list_ms)];
        let told = stages.iter().filter_map(|(word, took)| took.map(|took| format!("{word} {took} ms")));
        told.collect::<Vec<_>>().join(", ")
    }
}

pub(crate) async fn run(common: &Common, server: &Server, wire: bool) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let engine = api.engine();
    let entry = session::pick(engine, server)?;
    session::may_run(&entry)?;
    let name = &entry.definition.name;
    let start = Instant::now();
    // Apart from the engine's own servers, so that a shadowed definition can be tried as well.
    let server = engine.try_out(&entry.definition).await.map_err(|error| Failure::new(error.to_string()))?;
    server.log().wire().set(wire);
    server.connect();
    let mut statuses = server.status();
    let status = statuses
        .wait_for(|status| {
            matches!(
                status.phase,
                Phase::Ready(_) | Phase::Failed(_) | Phase::NeedsSignIn { .. } | Phase::Retrying { .. }
            )
        })
        .await
        .map(|status| status.clone())
        .map_err(|_| Failure::new("the engine has ended"))?;
    let tools: Vec<String> = server.tools().borrow().iter().map(|tool| tool.name.clone()).collect();
    let stderr = server.log().tail_stderr(10);
    server.close().await;
    for message in server.log().wire().after(0, usize::MAX) {
        let arrow = match message.direction {
            Direction::ToServer => "→",
            Direction::FromServer => "←",
        };
        output::talk(&format!("{arrow} {}", output::inert(&message.text)));
    }
    engine.shutdown().await;
    let took_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut report = Report {
        name,
        ok: false,
        server: None,
        version: None,
        protocol: None,
        took_ms,
        tools: None,
        message: None,
        hint: None,
        timings: Took {
            resolve_ms: status.timings.resolve_ms,
            start_ms: status.timings.start_ms,
            handshake_ms: status.timings.handshake_ms,
            list_ms: status.timings.list_ms,
        },
    };
    let exit = match &status.phase {
        Phase::Ready(session) => {
            report.ok = true;
            report.server = Some(session.server_title.clone().unwrap_or_else(|| session.server_name.clone()));
            report.version = Some(session.server_version.clone());
            report.protocol = Some(session.protocol.clone());
            report.took_ms = u64::from(session.connect_ms);
            report.tools = Some(tools);
            if !common.json {
                print(&report);
                for left in &session.left_out {
                    output::talk(&format!("`{}` was left out: {}", left.name, left.why));
                }
            }
            Exit::Done
        }
        Phase::Failed(failure) | Phase::Retrying { failure, .. } => {
            report.message = Some(format!("Failed to connect to \"{name}\": {}", failure.message));
            report.hint = Some(hint(failure));
            Exit::Failed
        }
        Phase::NeedsSignIn { message } => {
            report.message = Some(format!("Failed to connect to \"{name}\": {message}"));
            report.hint = Some("Check the authentication: the server wants a sign-in.".to_owned());
            Exit::NeedsSignIn
        }
        Phase::Idle | Phase::Connecting { .. } | Phase::Stopped => Exit::Failed,
    };
    if common.json {
        output::json(&report)?;
    } else if let Some(message) = &report.message {
        output::talk(&output::inert(message));
        if let Some(hint) = report.hint.as_ref().filter(|hint| !hint.is_empty()) {
            output::talk(&output::inert(hint));
        }
        for line in stderr {
            output::talk(&format!("  | {}", output::inert(&line)));
        }
    }
    Ok(exit)
}

fn print(report: &Report<'_>) {
    let tools = report.tools.as_deref().unwrap_or_default();
    let mut out = format!(
        "{} {} {}, protocol {}, {} ms, {} tools\n",
        ink("●", Ink::Good),
        output::inert(report.server.as_deref().unwrap_or_default()),
        output::inert(report.version.as_deref().unwrap_or_default()),
        output::inert(report.protocol.as_deref().unwrap_or_default()),
        report.took_ms,
        tools.len()
    );
    for tool in tools {
        out.push_str(&format!("  {}\n", output::inert(tool)));
    }
    output::data(&out);
    output::talk(&report.timings.words());
}

/// What to try, by kind of error; what the engine knows better comes first.
fn hint(failure: &ServerFailure) -> String {
    if !failure.hint.is_empty() {
        return failure.hint.clone();
    }
    match failure.kind {
        FailureKind::NotFound => "Is it installed, and on the PATH?",
        FailureKind::Permission => "May the file be executed?",
        FailureKind::Refused => "Nothing listens there. Is the server running?",
        FailureKind::Unreachable => "Is the address right, and the network there?",
        FailureKind::Timeout => "Try increasing the timeout",
        FailureKind::SignIn | FailureKind::Forbidden => "Check the authentication: token, header, account.",
        FailureKind::Http(_) => "Is the url that of the MCP endpoint?",
        FailureKind::Tls => "Does the certificate fit the address, and is its issuer trusted here?",
        FailureKind::Exited => "It ended by itself; its last lines say why.",
        FailureKind::Protocol => "It answered, but not as an MCP server does.",
        FailureKind::ListTools => "The handshake was fine; the server could not list its tools.",
        FailureKind::Config => "",
    }
    .to_owned()
}
