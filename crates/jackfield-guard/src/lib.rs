//! The process between Jackfield and one stdio server. It starts the server and stays until everything that the
//! server started has ended; it ends all of it when Jackfield goes away, in whatever way that happens.
//!
//! `jackfield-guard -- <command> [args…]`. Jackfield's own programs are guards too, when called with [`SUBCOMMAND`]
//! before that, so that nothing breaks where only one of them is installed.
//!
//! What a caller has to know:
//! - The server gets the guard's stdin, stdout and stderr, its working directory and its environment. The guard
//!   never reads or writes any of them. It looks only at whether stdin's other end is still there, which the kernel
//!   tells it even after a `kill -9`. So **stdin must be a pipe or a socket** whose other end only the caller holds;
//!   with a terminal, a file or `/dev/null` nothing but a signal ends the server.
//! - To stop the server, close stdin and wait for the guard to exit: when it has, nothing is left (on Linux a
//!   daemon that left session and process group included). That takes at most [`LONGEST_STOP`]. SIGTERM, SIGINT
//!   and SIGHUP to the guard do the same without the time for EOF, which the server does not see then.
//! - While the caller keeps stdin open, the guard outlives its server for as long as something that the server
//!   started is alive. The caller sees the server's end as EOF on its stdout and then closes stdin.
//! - The guard exits with the server's code, with 128 + n if signal n ended it; with 127 if there is no such
//!   program, with 126 if it cannot be started, with a line on stderr in both cases.
//! - Start it in a process group of its own, so that Ctrl-C in a terminal does not reach it.
//! - `kill -9` of the guard takes the server's own process with it (Linux), but not what that had started.
//!
//! Must not: read a configuration, log, use a thread, or wake up while nothing happens.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

/// The first argument that makes one of Jackfield's own programs a guard.
pub const SUBCOMMAND: &str = "__guard";

/// How long the server may take to end by itself once its stdin is at EOF.
pub const AFTER_EOF: Duration = Duration::from_millis(1500);
/// How long everything may take to end after SIGTERM, before SIGKILL.
pub const AFTER_TERM: Duration = Duration::from_millis(1000);
/// How long we wait for the kernel to remove what was killed; more than this only for a process in a hung system
/// call, or one of another user.
pub const AFTER_KILL: Duration = Duration::from_millis(5000);
/// From EOF to the SIGKILL: after this nothing that can be killed is left.
pub const LONGEST_STOP: Duration = AFTER_EOF.saturating_add(AFTER_TERM);

const USAGE: u8 = 2;
const NOT_STARTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Runs the command after `--` in `args` and returns when it and all that it started have ended.
pub fn main_from(args: Vec<OsString>) -> ExitCode {
    #[cfg(target_os = "linux")]
    if args.first().is_some_and(|first| first == unix::THEN_EXEC) {
        return unix::become_server(&args[1..]);
    }
    let mut words = args.into_iter();
    match (words.next(), words.next()) {
        (Some(dashes), Some(command)) if dashes == "--" => {
            let args: Vec<OsString> = words.collect();
            #[cfg(unix)]
            return unix::run(&command, &args);
            #[cfg(not(unix))]
            return other::run(&command, &args);
        }
        _ => {
            say("usage: jackfield-guard -- <command> [args…]");
            ExitCode::from(USAGE)
        }
    }
}

/// Says on stderr why `command` cannot be started.
fn cannot_start(command: &OsString, error: &std::io::Error) -> ExitCode {
    say(&format!("cannot start `{}`: {error}", command.display()));
    ExitCode::from(match error.kind() {
        std::io::ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_STARTABLE,
    })
}

fn say(line: &str) {
    // There is nobody to tell if stderr is closed.
    drop(writeln!(std::io::stderr(), "jackfield-guard: {line}"));
}
