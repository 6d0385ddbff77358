//! One child process: found, started, watched, ended with everything it started.
//!
//! Owns the child. Two things end it: its own exit, and [`ProcessHandle::stop`]. Whatever way it ends, its process
//! group is killed afterwards, so that nothing of it is left.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::job::Job;
use super::{Ending, Guard};
use crate::log::ServerLog;
use crate::resolve::Secret;
use crate::status::{Failure, FailureKind};

/// How long a server may take to end by itself once its stdin is closed.
const AFTER_EOF: Duration = Duration::from_millis(1_500);
/// How long it may take after SIGTERM.
const AFTER_TERM: Duration = Duration::from_millis(1_000);
/// How long a guard may take for all of that and its own SIGKILL.
const GUARD_STOP: Duration = Duration::from_secs(4);
/// How long the kernel may take for a SIGKILL.
const AFTER_KILL: Duration = Duration::from_secs(1);
/// How long output is still read after the exit. More than an instant only if somebody else holds the pipe.
const DRAIN: Duration = Duration::from_secs(2);
/// From [`ProcessHandle::stop`] to the end, at the most.
pub(crate) const LONGEST_CLOSE: Duration = Duration::from_secs(8);
/// Lines of stderr that a failure carries.
pub(crate) const TAIL: usize = 20;
/// Folders named in the hint of a command that was not found.
const NAMED_FOLDERS: usize = 12;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Code(i32),
    Signal(i32),
    /// It did not end, or the system did not tell.
    Unknown,
}

/// What there is to start.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) env: Arc<BTreeMap<String, Secret>>,
    pub(super) cwd: PathBuf,
    pub(super) guard: Option<Guard>,
}

/// A started child.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
    pub(super) child: Child,
    pub(super) pid: u32,
    pub(super) guarded: bool,
    pub(super) job: Option<Job>,
}

/// Stops a process and tells when it has ended. A clone is another handle to the same process.
#[derive(Debug, Clone)]
pub struct ProcessHandle {
    pid: u32,
    stop: CancellationToken,
    exited: watch::Receiver<Option<Exit>>,
}

impl ProcessHandle {
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Asks it to end; returns at once.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits until it has ended and its output was read.
    pub async fn exited(&self) {
        let mut exited = self.exited.clone();
        // An error means that the keeper is gone, and the process with it.
        let _ = exited.wait_for(Option::is_some).await;
    }

    /// Asks it to end and waits for that.
    pub async fn close(&self) {
        self.stop();
        let _ = timeout(LONGEST_CLOSE, self.exited()).await;
    }
}

/// Looks a command up the way the system does, on the child's own `PATH`.
pub fn find_command(command: &str, path: Option<&str>, cwd: &Path) -> Result<PathBuf, Failure> {
    if let Ok(found) = which::which_in(command, path, cwd) {
        return Ok(found);
    }
    let has_folder = Path::new(command).components().count() > 1;
    let folders: Vec<PathBuf> = match path {
        _ if has_folder => vec![cwd.to_owned()],
        Some(path) => std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty()).collect(),
        None => Vec::new(),
    };
    if let Some(file) = folders.iter().map(|folder| folder.join(command)).find(|file| file.is_file()) {
        return Err(Failure::new(FailureKind::Permission, format!("`{}` is not executable", file.display()))
            .with_hint("Allow it to be executed, or name the interpreter as the command."));
    }
    let hint = if has_folder {
        format!("Looked for {}.", cwd.join(command).display())
    } else if folders.is_empty() {
        "PATH is empty.".to_owned()
    } else {
        let mut named: Vec<String> =
            folders.iter().take(NAMED_FOLDERS).map(|folder| folder.display().to_string()).collect();
        if folders.len() > NAMED_FOLDERS {
            named.push(format!("{} more", folders.len() - NAMED_FOLDERS));
        }
        format!("Looked in {}.", named.join(", "))
    };
    Err(Failure::new(FailureKind::NotFound, format!("`{command}` was not found")).with_hint(hint))
}

/// The program, if what is needed to start it is there. Blocks on the file system.
pub(super) fn locate(launch: &Launch) -> Result<PathBuf, Failure> {
    let Launch { command, args: _, env, cwd, guard: _ } = launch;
    if !cwd.is_dir() {
        let message = format!("The working directory `{}` does not exist", cwd.display());
        return Err(Failure::new(FailureKind::Config, message).with_hint("Create it, or correct `cwd`."));
    }
    let path = env.get("PATH").or_else(|| {
        env.iter()
            .find(|(name, _)| cfg!(windows) && name.eq_ignore_ascii_case("path"))
            .map(|(_, value)| value)
    });
    find_command(command, path.map(Secret::expose), cwd)
}

/// Blocks until the program runs.
pub(super) fn start(launch: &Launch) -> Result<Started, Failure> {
    let Launch { command, args, env, cwd, guard } = launch;
    let program = locate(launch)?;
    let mut child = match guard {
        Some(guard) => {
            let mut child = process(guard.program.as_os_str());
            child.args(&guard.prefix).arg("--").arg(&program);
            child
        }
        None => process(program.as_os_str()),
    };
    child
        .args(args)
        .env_clear()
        .envs(env.iter().map(|(name, value)| (name, value.expose())))
        .current_dir(cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A guard ends by itself, and cleanly, when we are gone.
        .kill_on_drop(guard.is_none());
    #[cfg(unix)]
    child.process_group(0);
    let mut child = child.spawn().map_err(|error| not_started(command, &error))?;
    let job = Job::around(&child);
    match (child.stdin.take(), child.stdout.take(), child.stderr.take(), child.id()) {
        (Some(stdin), Some(stdout), Some(stderr), Some(pid)) => {
            Ok(Started { stdin, stdout, stderr, child, pid, guarded: guard.is_some(), job })
        }
        _ => Err(Failure::new(FailureKind::Exited, format!("`{command}` could not be started"))),
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where servers are started")]
fn process(program: &OsStr) -> Command {
    Command::new(program)
}

fn not_started(command: &str, error: &std::io::Error) -> Failure {
    let kind = match error.kind() {
        std::io::ErrorKind::NotFound => FailureKind::NotFound,
        std::io::ErrorKind::PermissionDenied => FailureKind::Permission,
        _ => FailureKind::Config,
    };
    Failure::new(kind, format!("`{command}` could not be started: {error}"))
}

/// A child in the hands of its keeper.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) child: Child,
    pub(super) pid: u32,
    pub(super) guarded: bool,
    /// Lasts as long as its keeper.
    pub(super) job: Option<Job>,
    pub(super) stop: CancellationToken,
    /// The last line of the log before it was started.
    pub(super) log_start: u64,
    /// The tasks that read its output.
    pub(super) readers: [JoinHandle<()>; 2],
}

/// Hands the child to a task of `tracker` that lasts as long as the process, and tells `ending` how it ended.
pub(super) fn keep(kept: Kept, log: ServerLog, ending: Ending, tracker: &TaskTracker) -> ProcessHandle {
    let Kept { mut child, pid, guarded, job, stop, log_start, readers } = kept;
    let (tell, exited) = watch::channel(None);
    let handle = ProcessHandle { pid, stop: stop.clone(), exited };
    let group = Group(pid);
    tracker.spawn(async move {
        // Dropped with this task, also when the runtime ends: then the group is killed by that. A guard is not in
        // need of it, and must not be killed before it has cleaned up.
        let last_resort = (!guarded).then(|| KillOnDrop(group));
        let exit = tokio::select! {
            status = child.wait() => exit_of(status),
            () = stop.cancelled() => end(&mut child, group, guarded).await,
        };
        // Closes its stdin now and not only when all output is read: what a wrapper leaves behind when it is killed
        // still waits for the end of that.
        stop.cancel();
        group.kill();
        if let Some(job) = job {
            job.end();
        }
        std::mem::forget(last_resort);
        for mut reader in readers {
            if timeout(DRAIN, &mut reader).await.is_err() {
                reader.abort();
            }
        }
        ending.tell(failure_of(exit, guarded, log.tail_stderr_after(log_start, TAIL)));
        tell.send_replace(Some(exit));
    });
    handle
}

/// Its stdin is closed by the same token that brought us here.
async fn end(child: &mut Child, group: Group, guarded: bool) -> Exit {
    if guarded {
        if let Ok(status) = timeout(GUARD_STOP, child.wait()).await {
            return exit_of(status);
        }
    } else {
        if let Ok(status) = timeout(AFTER_EOF, child.wait()).await {
            return exit_of(status);
        }
        group.terminate();
        if let Ok(status) = timeout(AFTER_TERM, child.wait()).await {
            return exit_of(status);
        }
    }
    group.kill();
    // Where there are no groups.
    let _ = child.start_kill();
    timeout(AFTER_KILL, child.wait()).await.map_or(Exit::Unknown, exit_of)
}

fn exit_of(status: std::io::Result<ExitStatus>) -> Exit {
    let Ok(status) = status else { return Exit::Unknown };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Exit::Signal(signal);
    }
    match status.code() {
        // What shells and guards say of a child that was ended by a signal.
        Some(code @ 129..=192) if cfg!(unix) => Exit::Signal(code - 128),
        Some(code) => Exit::Code(code),
        None => Exit::Unknown,
    }
}

fn sentence(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("Exited with code {code}"),
        Exit::Signal(signal) => format!("Ended by signal {signal}"),
        Exit::Unknown => "Ended".to_owned(),
    }
}

fn failure_of(exit: Exit, guarded: bool, stderr_tail: Vec<String>) -> Failure {
    let kind = match exit {
        // The words of a guard, and of shells, for a program that is not there or may not be executed.
        Exit::Code(127) if guarded => FailureKind::NotFound,
        Exit::Code(126) if guarded => FailureKind::Permission,
        Exit::Code(_) | Exit::Signal(_) | Exit::Unknown => FailureKind::Exited,
    };
    let message = match telling(&stderr_tail) {
        Some(line) => format!("{}: {}", sentence(exit), line.trim()),
        None => sentence(exit),
    };
    Failure { stderr_tail, ..Failure::new(kind, message) }
}

/// The line to show: the last one that speaks of trouble, else the last that says something at all. Only for people to
/// read; nothing is decided by it.
fn telling(lines: &[String]) -> Option<&String> {
    const TROUBLE: &[&str] = &[
        "error",
        "cannot",
        "can't",
        "could not",
        "couldn't",
        "failed",
        "fatal",
        "denied",
        "missing",
        "not found",
        "not set",
        "refused",
        "required",
        "unable",
        "invalid",
        "panicked",
    ];
    // Not a frame of a stack, a lone bracket, a field of a dumped object, or Node's farewell.
    let says = |line: &&String| {
        let line = line.trim();
        line.chars().any(char::is_alphabetic)
            && !line.starts_with("at ")
            && !line.starts_with("Node.js v")
            && !line.starts_with("File \"")
            && !line.starts_with("throw ")
    };
    let field =
        |line: &str| line.starts_with("code: '") || line.starts_with("url: '") || line.starts_with("errno: ");
    let troubled = |line: &&String| {
        let lower = line.to_lowercase();
        says(line) && !field(line.trim()) && TROUBLE.iter().any(|word| lower.contains(word))
    };
    lines.iter().rfind(troubled).or_else(|| lines.iter().rfind(says)).or_else(|| lines.last())
}

/// A process group, named by its first process.
#[derive(Debug, Clone, Copy)]
struct Group(u32);

impl Group {
    #[cfg(unix)]
    fn signal(self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.0).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid {
            // The one error there can be is that nobody is left, and that is what we want.
            let _ = rustix::process::kill_process_group(pid, signal);
        }
    }

    #[cfg(unix)]
    fn terminate(self) {
        self.signal(rustix::process::Signal::TERM);
    }

    #[cfg(unix)]
    fn kill(self) {
        self.signal(rustix::process::Signal::KILL);
    }

    #[cfg(not(unix))]
    fn terminate(self) {}

    #[cfg(not(unix))]
    fn kill(self) {}
}

struct KillOnDrop(Group);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        self.0.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_not_there_says_where_it_was_looked_for() {
        let failure = find_command("npx-not-here", Some("/nowhere:/bin"), Path::new("/")).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotFound);
        assert_eq!(failure.message, "`npx-not-here` was not found");
        assert_eq!(failure.hint, "Looked in /nowhere, /bin.");
    }

    #[test]
    fn a_file_without_the_bit_is_a_matter_of_permission() {
        let folder = tempfile::tempdir().unwrap();
        #[expect(clippy::disallowed_methods, reason = "a test's file")]
        std::fs::write(folder.path().join("tool"), "#!/bin/sh\n").unwrap();
        let path = folder.path().to_str().unwrap().to_owned();
        let failure = find_command("tool", Some(&path), Path::new("/")).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Permission);
        let failure = find_command("./tool", None, folder.path()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Permission);
    }

    #[test]
    fn of_stderr_the_line_that_speaks_of_trouble_is_told() {
        let cases: &[(&str, &str)] = &[
            ("starting\nDATABASE_URL is not set\nbye", "DATABASE_URL is not set"),
            (
                "docker: Cannot connect to the Docker daemon.\n\nRun 'docker run --help' for more information",
                "docker: Cannot connect to the Docker daemon.",
            ),
            (
                "throw new ERR_X(\n^\nError [ERR_X]: Cannot find module 'a'\n    at resolve (node:1)\n  code: 'ERR_X',\n  url: 'file:///a'\n}\nNode.js v20",
                "Error [ERR_X]: Cannot find module 'a'",
            ),
            ("Traceback\n  File \"x.py\", line 1\nKeyError: 'TOKEN'", "KeyError: 'TOKEN'"),
            ("one\ntwo\n}", "two"),
        ];
        for (stderr, wanted) in cases {
            let lines: Vec<String> = stderr.lines().map(str::to_owned).collect();
            assert_eq!(telling(&lines).unwrap().trim(), *wanted);
        }
    }

    #[test]
    fn the_telling_line_is_not_the_last_bracket() {
        let lines = ["TypeError: no url", "    at main (x.js:1)", "}", "Node.js v22.1.0"].map(str::to_owned);
        assert_eq!(
            failure_of(Exit::Code(1), false, lines.to_vec()).message,
            "Exited with code 1: TypeError: no url"
        );
        assert_eq!(failure_of(Exit::Code(127), true, Vec::new()).kind, FailureKind::NotFound);
        assert_eq!(failure_of(Exit::Signal(9), false, Vec::new()).message, "Ended by signal 9");
    }
}
