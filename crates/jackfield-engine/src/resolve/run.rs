//! Programs that are run for their output: bounded in time and size, and gone when we are.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use crate::transport::Guard;

/// More output than this is an error.
const MOST: u64 = 1024 * 1024;

/// What to run, and how.
pub(super) struct Run<'a> {
    pub(super) program: &'a str,
    pub(super) args: &'a [&'a str],
    pub(super) env: &'a BTreeMap<String, String>,
    pub(super) cwd: Option<&'a Path>,
    /// Ends the program and all it started when we end, by whatever way.
    pub(super) guard: Option<&'a Guard>,
    pub(super) limit: Duration,
}

/// What came of it.
pub(super) struct Ran {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    #[error("it took too long")]
    TimedOut,
    #[error("it printed more than {} KiB", MOST / 1024)]
    TooMuch,
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

/// Runs a program to its end. Its standard input is empty.
pub(super) async fn run(run: Run<'_>) -> Result<Ran, RunError> {
    let mut command = command(&run);
    let mut child = command.spawn()?;
    // The guard watches the other end of this: it lasts until the program has ended or has to.
    let stdin = child.stdin.take();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let group = child.id();
    let whole = async {
        let (stdout, stderr) = tokio::join!(all(stdout), all(stderr));
        let (stdout, stderr) = (stdout?, stderr?);
        Ok::<_, RunError>(Ran { status: child.wait().await?, stdout, stderr })
    };
    let ran = tokio::time::timeout(run.limit, whole).await.unwrap_or(Err(RunError::TimedOut));
    drop(stdin);
    if ran.is_err() && run.guard.is_none() {
        end_group(group);
    }
    ran
}

#[expect(
    clippy::disallowed_methods,
    reason = "running what the user's files and shell say is what this is for"
)]
fn command(run: &Run<'_>) -> Command {
    let mut command = match run.guard {
        // The guard needs a pipe as its stdin; the program itself gets an empty one.
        Some(guard) if cfg!(unix) => {
            let mut command = Command::new(&guard.program);
            command.args(&guard.prefix).args([
                "--",
                "/bin/sh",
                "-c",
                "exec \"$@\" </dev/null",
                "sh",
                run.program,
            ]);
            command.stdin(Stdio::piped());
            command
        }
        Some(_) | None => {
            let mut command = Command::new(run.program);
            command.stdin(Stdio::null()).kill_on_drop(true);
            command
        }
    };
    command.args(run.args).env_clear().envs(run.env.iter()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(cwd) = run.cwd {
        command.current_dir(cwd);
    }
    #[cfg(unix)]
    command.process_group(0);
    command
}

async fn all(stream: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, RunError> {
    let Some(stream) = stream else { return Ok(Vec::new()) };
    let mut bytes = Vec::new();
    stream.take(MOST + 1).read_to_end(&mut bytes).await?;
    if bytes.len() as u64 > MOST { Err(RunError::TooMuch) } else { Ok(bytes) }
}

#[cfg(unix)]
fn end_group(group: Option<u32>) {
    let pid = group.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // The one error there can be is that nobody is left.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_group: Option<u32>) {}
