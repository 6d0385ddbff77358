//! The guard on Unix: one thread, one `poll`, no wake-up while nothing happens.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use crate::{AFTER_EOF, AFTER_KILL, AFTER_TERM, cannot_start};

mod family;

/// How often SIGKILL is repeated, for what was started between a look at the processes and the signal.
const KILL_AGAIN: Duration = Duration::from_millis(20);
/// Only where orphans do not become our children: how often we look whether the server's group is empty.
#[cfg(not(target_os = "linux"))]
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// The first argument of the short-lived stage between guard and server; see [`become_server`].
#[cfg(target_os = "linux")]
pub(crate) const THEN_EXEC: &str = "--then-exec";

/// How far the stopping of the server has come.
enum Stage {
    Running,
    /// stdin is at EOF: it may end by itself until then.
    Asked {
        until: Instant,
    },
    /// SIGTERM was sent.
    Terminated {
        until: Instant,
    },
    /// SIGKILL was sent, and is again at `next`.
    Killed {
        next: Instant,
        until: Instant,
    },
}

pub(crate) fn run(command: &OsString, args: &[OsString]) -> ExitCode {
    match start(command, args) {
        Ok((server, signals)) => watch(server, signals),
        Err(error) => cannot_start(command, &error),
    }
}

/// Wakes the poll for SIGCHLD and for the signals that ask us to stop.
struct Signals {
    wake: UnixStream,
    stop: Arc<AtomicBool>,
}

impl Signals {
    fn install() -> std::io::Result<Self> {
        let (wake, write) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            // The flag first: whoever is woken must find it set.
            signal_hook::flag::register(signal, Arc::clone(&stop))?;
            pipe::register(signal, write.try_clone()?)?;
        }
        pipe::register(SIGCHLD, write)?;
        Ok(Self { wake, stop })
    }

    fn drain(&mut self) {
        let mut buffer = [0; 64];
        while self.wake.read(&mut buffer).is_ok_and(|read| read > 0) {}
    }
}

fn start(command: &OsString, args: &[OsString]) -> std::io::Result<(Pid, Signals)> {
    // Before the server exists, so that neither its end nor an early SIGTERM is missed.
    let signals = Signals::install()?;
    // Orphans become our children instead of init's, so that what left its session and group is still found.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;

    let child = server(command, args).process_group(0).spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(std::io::ErrorKind::Other)?;

    // Else the caller would not see the end of the server's output while we are there.
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok((pid, signals))
}

/// The command that becomes the server: itself, or by way of [`become_server`].
#[expect(clippy::disallowed_methods, reason = "starting the server is what the guard is for")]
fn server(command: &OsStr, args: &[OsString]) -> Command {
    #[cfg(target_os = "linux")]
    if std::env::args_os().nth(1).is_none_or(|first| first != crate::SUBCOMMAND) && family::proc_is_there() {
        let mut stage = Command::new("/proc/self/exe");
        stage
            .arg0("jackfield-guard")
            .arg(THEN_EXEC)
            .arg(std::process::id().to_string())
            .arg(command)
            .args(args);
        return stage;
    }
    let mut server = Command::new(command);
    server.args(args);
    server
}

/// Asks the kernel to kill this process when the guard dies, then becomes the server. It is a stage of its own
/// because between fork and exec only unsafe code can run; large programs that are guards by [`crate::SUBCOMMAND`]
/// skip it, for they would load twice.
#[cfg(target_os = "linux")]
pub(crate) fn become_server(words: &[OsString]) -> ExitCode {
    let [guard, command, args @ ..] = words else { return ExitCode::from(crate::USAGE) };
    // Not worth failing for: everything but a kill -9 of the guard is covered without.
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().to_string());
    if parent.is_none_or(|parent| *guard != *parent) {
        // It died before we asked.
        return ExitCode::from(128 + 9);
    }
    #[expect(clippy::disallowed_methods, reason = "starting the server is what the guard is for")]
    let error = Command::new(command).args(args).exec();
    cannot_start(command, &error)
}

fn watch(server: Pid, mut signals: Signals) -> ExitCode {
    let stdin = std::io::stdin();
    let mut stdin_open = true;
    let mut stage = Stage::Running;
    let mut code = None;
    loop {
        let now = Instant::now();
        if reap(server, &mut code) && family::ended(server) {
            break;
        }
        if signals.stop.swap(false, Ordering::SeqCst) && matches!(stage, Stage::Running | Stage::Asked { .. })
        {
            stage = terminate(server, now);
        }
        stage = match stage {
            Stage::Running if !stdin_open => Stage::Asked { until: now + AFTER_EOF },
            Stage::Asked { until } if until <= now => terminate(server, now),
            Stage::Terminated { until } if until <= now => kill(server, now, now + AFTER_KILL),
            Stage::Killed { until, .. } if until <= now => break,
            Stage::Killed { next, until } if next <= now => kill(server, now, until),
            other => other,
        };
        let wake_at = match stage {
            Stage::Running => None,
            Stage::Asked { until } | Stage::Terminated { until } => Some(until),
            Stage::Killed { next, .. } => Some(next),
        };
        let timeout = wake_at.map(|at| at.saturating_duration_since(now));
        #[cfg(not(target_os = "linux"))]
        let timeout =
            if code.is_some() { Some(timeout.map_or(LOOK_AGAIN, |t| t.min(LOOK_AGAIN))) } else { timeout };

        // No events asked for: the kernel reports HUP and ERR anyway, and data is the server's business.
        let mut fds = [
            PollFd::new(&signals.wake, PollFlags::IN),
            PollFd::from_borrowed_fd(stdin_fd(&stdin), PollFlags::empty()),
        ];
        let watched = if stdin_open { 2 } else { 1 };
        let timeout = timeout.and_then(|t| Timespec::try_from(t).ok());
        // An interrupted poll is like one that found nothing.
        let _ = rustix::event::poll(&mut fds[..watched], timeout.as_ref());
        stdin_open = stdin_open && fds[1].revents().is_empty();
        signals.drain();
    }
    code.unwrap_or(ExitCode::from(128 + 9))
}

fn stdin_fd(stdin: &std::io::Stdin) -> std::os::fd::BorrowedFd<'_> {
    std::os::fd::AsFd::as_fd(stdin)
}

/// Collects what has ended, keeps the server's code; true if no child is left.
fn reap(server: Pid, code: &mut Option<ExitCode>) -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == server => *code = Some(exit_code(status)),
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

fn exit_code(status: WaitStatus) -> ExitCode {
    let code = status.exit_status().or(status.terminating_signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

fn terminate(server: Pid, now: Instant) -> Stage {
    family::signal(server, Signal::TERM);
    Stage::Terminated { until: now + AFTER_TERM }
}

fn kill(server: Pid, now: Instant, until: Instant) -> Stage {
    family::signal(server, Signal::KILL);
    Stage::Killed { next: now + KILL_AGAIN, until }
}
