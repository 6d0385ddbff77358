//! `!command` values: run in a shell, bounded, cached until the user reconnects, and never twice at once.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use jackfield_config::ServerId;

use super::Secret;
use super::run::{self, Ran, Run, RunError};
use crate::transport::Guard;

/// How long a command may take.
pub const COMMAND_LIMIT: Duration = Duration::from_secs(10);

/// Why a command gave no value, as the end of a sentence that begins with the command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    #[error("took longer than {} s", COMMAND_LIMIT.as_secs())]
    TimedOut,
    #[error("printed nothing")]
    Empty,
    #[error("printed far too much")]
    TooMuch,
    #[error("failed with {0}")]
    Failed(String),
    #[error("could not be started: {0}")]
    NotStarted(String),
}

type Running = Shared<BoxFuture<'static, Result<Secret, CommandError>>>;

/// Outputs of commands by server, and the commands that run right now.
#[derive(Debug, Default)]
pub struct Commands {
    guard: Option<Guard>,
    done: Mutex<HashMap<(ServerId, String), Secret>>,
    running: Mutex<HashMap<String, Running>>,
}

impl Commands {
    /// With what ends a command when we end.
    pub fn new(guard: Option<Guard>) -> Commands {
        Commands { guard, ..Commands::default() }
    }

    /// The trimmed output of `command`. A success is kept for this server until [`Commands::forget`].
    ///
    /// # Errors
    /// If it cannot be started, fails, takes too long or prints nothing; failures are not kept.
    pub async fn run(
        self: &Arc<Self>,
        server: &ServerId,
        command: &str,
        env: &Arc<BTreeMap<String, String>>,
        cwd: &Path,
    ) -> Result<Secret, CommandError> {
        let key = (server.clone(), command.to_owned());
        if let Some(value) = lock(&self.done).get(&key) {
            return Ok(value.clone());
        }
        let running = lock(&self.running)
            .entry(command.to_owned())
            .or_insert_with(|| {
                let (this, text, env, cwd) = (self.clone(), command.to_owned(), env.clone(), cwd.to_owned());
                // A task of its own, so that a caller that gives up does not end it for the others.
                let task = tokio::spawn(async move {
                    let result = shell(&text, &env, &cwd, this.guard.as_ref()).await;
                    lock(&this.running).remove(&text);
                    result
                });
                async move { task.await.unwrap_or_else(|error| Err(CommandError::Failed(error.to_string()))) }
                    .boxed()
                    .shared()
            })
            .clone();
        let value = running.await?;
        lock(&self.done).insert(key, value.clone());
        Ok(value)
    }

    /// What a command gave for this server, if it has run.
    pub fn known(&self, server: &ServerId, command: &str) -> Option<Secret> {
        lock(&self.done).get(&(server.clone(), command.to_owned())).cloned()
    }

    /// Drop what is kept for a server: its next connection runs its commands again.
    pub fn forget(&self, server: &ServerId) {
        lock(&self.done).retain(|(owner, _), _| owner != server);
    }
}

/// The maps stay whole whatever happens to a holder, so a poisoned lock is used as it is.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn shell(
    text: &str,
    env: &BTreeMap<String, String>,
    cwd: &Path,
    guard: Option<&Guard>,
) -> Result<Secret, CommandError> {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("/bin/sh", "-c") };
    let run = Run { program, args: &[flag, text], env, cwd: Some(cwd), guard, limit: COMMAND_LIMIT };
    let ran = run::run(run).await.map_err(|error| match error {
        RunError::TimedOut => CommandError::TimedOut,
        RunError::TooMuch => CommandError::TooMuch,
        RunError::Io(error) => CommandError::NotStarted(error.to_string()),
    })?;
    if !ran.status.success() {
        return Err(CommandError::Failed(failure(&ran)));
    }
    let value = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
    if value.is_empty() { Err(CommandError::Empty) } else { Ok(Secret::new(value)) }
}

/// "exit code 2: op: not signed in": stderr is for people, stdout is the secret and never shown.
fn failure(output: &Ran) -> String {
    let status = match output.status.code() {
        Some(code) => format!("exit code {code}"),
        None => output.status.to_string(),
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    match stderr.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("{status}: {}", line.trim()),
        None => status,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn env() -> Arc<BTreeMap<String, String>> {
        Arc::new(
            [("PATH".to_owned(), "/usr/bin:/bin".to_owned()), ("WHO".to_owned(), "you".to_owned())].into(),
        )
    }

    fn id(name: &str) -> ServerId {
        ServerId(name.into())
    }

    #[tokio::test]
    async fn output_is_trimmed_and_variables_are_the_shells() {
        let commands = Arc::new(Commands::default());
        let got = commands.run(&id("a"), "printf ' hi %s \\n' \"$WHO\"", &env(), Path::new("/")).await;
        assert_eq!(got.unwrap().expose(), "hi you");
    }

    #[tokio::test]
    async fn failures_say_why_and_are_not_kept() {
        let commands = Arc::new(Commands::default());
        let cases = [
            ("echo no >&2; exit 3", CommandError::Failed("exit code 3: no".into())),
            ("true", CommandError::Empty),
        ];
        for (command, want) in cases {
            assert_eq!(commands.run(&id("a"), command, &env(), Path::new("/")).await, Err(want));
            assert_eq!(commands.known(&id("a"), command), None);
        }
    }

    #[tokio::test]
    async fn asked_for_twice_at_once_it_runs_once_and_then_only_after_forget() {
        let dir = tempfile::tempdir().unwrap();
        let count = dir.path().join("count");
        let command = format!("echo x >> {}; wc -l < {}", count.display(), count.display());
        let commands = Arc::new(Commands::default());
        let env = env();
        let (a, b) = (id("a"), id("b"));
        let both = futures::join!(
            commands.run(&a, &command, &env, Path::new("/")),
            commands.run(&b, &command, &env, Path::new("/")),
        );
        assert_eq!((both.0.unwrap().expose(), both.1.unwrap().expose()), ("1", "1"));
        assert_eq!(commands.run(&a, &command, &env, Path::new("/")).await.unwrap().expose(), "1");
        commands.forget(&a);
        assert_eq!(commands.run(&a, &command, &env, Path::new("/")).await.unwrap().expose(), "2");
    }
}
