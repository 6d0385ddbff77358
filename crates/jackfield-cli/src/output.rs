//! stdout is data, stderr is talk, the exit code is the answer in short.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use jackfield_api::error::ApiError;
use jackfield_api::wire::ErrorCode;
use serde::Serialize;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    Failed,
    Usage,
    /// Some servers that should run did not, or the doctor found an error.
    Trouble,
    NeedsSignIn,
    NeedsApproval,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Trouble => 3,
            Exit::NeedsSignIn => 4,
            Exit::NeedsApproval => 5,
        })
    }
}

/// A verb could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    pub message: String,
    pub hint: Option<String>,
    pub exit: Exit,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), hint: None, exit: Exit::Failed }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { exit: Exit::Usage, ..Failure::new(message) }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn exit(mut self, exit: Exit) -> Failure {
        self.exit = exit;
        self
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Failure {
        let exit = match error.code {
            ErrorCode::NeedsApproval => Exit::NeedsApproval,
            ErrorCode::NeedsSignIn => Exit::NeedsSignIn,
            ErrorCode::NotFound
            | ErrorCode::BadRequest
            | ErrorCode::Edit
            | ErrorCode::Conflict
            | ErrorCode::Invalid
            | ErrorCode::NotConnected
            | ErrorCode::CallFailed
            | ErrorCode::Registry
            | ErrorCode::Cancelled
            | ErrorCode::Timeout
            | ErrorCode::Stale
            | ErrorCode::Internal => Exit::Failed,
        };
        Failure { message: error.message, hint: error.hint, exit }
    }
}

/// Set once stdout could not be written: the exit code has to say so.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes to stdout. A reader that has gone away (`| head`) is no error; a full disk is.
pub(crate) fn data(text: &str) {
    if text.is_empty() {
        return;
    }
    let mut out = std::io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(end.as_bytes()))
        .and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != std::io::ErrorKind::BrokenPipe
        && !LOST.swap(true, Ordering::Relaxed)
    {
        talk(&format!("jackfield: cannot write to standard output: {error}"));
    }
}

/// Whether something that was to be written was lost.
pub(crate) fn lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes JSON to stdout.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::new(error.to_string()))?;
    data(&text);
    Ok(())
}

/// Writes to stderr.
pub(crate) fn talk(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A colour, used only beside a word or a shape that says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Plain,
    Faint,
    Good,
    Wait,
    Bad,
    Bold,
}

/// Text in a colour, where stdout is a terminal that wants it.
pub(crate) fn ink(text: &str, ink: Ink) -> String {
    let code = match ink {
        Ink::Plain => return text.to_owned(),
        Ink::Faint => "2",
        Ink::Good => "32",
        Ink::Wait => "33",
        Ink::Bad => "31",
        Ink::Bold => "1",
    };
    if colours() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn colours() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal()
        && !set("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Text from a file or a server, without what a terminal would take as a command or a reader could be fooled by.
pub(crate) fn inert(text: &str) -> String {
    text.chars().map(|c| if c == '\n' || c == '\t' { c } else { visible(c) }).collect()
}

/// As [`inert`], for text that has to stay on one line.
pub(crate) fn inert_line(text: &str) -> String {
    inert(text).replace(['\n', '\t'], " ")
}

/// Control characters, and those that turn the direction of writing, made visible.
pub(crate) fn visible(c: char) -> char {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if turns || c.is_control() { '\u{fffd}' } else { c }
}
