//! `jackfield`: the terminal side of Jackfield. Arguments in, text or JSON out; what happens in between is the API's.

mod args;
mod output;
mod session;
mod table;
mod verbs;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Args;
use crate::output::{Exit, Failure};

fn main() -> ExitCode {
    // As the guard this is another program; it must not start a runtime or parse our arguments.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == "__guard") {
        return jackfield_guard::main_from(words.collect());
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are answers, not mistakes; clap knows which stream each belongs to.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    start_log();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return report(&Failure::new(format!("cannot start: {error}"))).into(),
    };
    let exit = runtime.block_on(verbs::run(args)).unwrap_or_else(|failure| report(&failure));
    // Nothing is waited for that did not end by itself: the guards see to the processes.
    runtime.shutdown_background();
    let exit = if exit == Exit::Done && output::lost() { Exit::Failed } else { exit };
    exit.into()
}

/// stderr is talk: warnings of ours, and more with `JACKFIELD_LOG`.
fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("JACKFIELD_LOG")
        // rmcp reports the first, unauthenticated answer of a server that wants a sign-in as an error.
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,rmcp=off,notify=off"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .without_time()
        .with_target(false)
        .init();
}

fn report(failure: &Failure) -> Exit {
    // Both may hold names out of files.
    output::talk(&output::inert(&format!("jackfield: {}", failure.message)));
    if let Some(hint) = &failure.hint {
        output::talk(&output::inert(hint));
    }
    failure.exit
}
