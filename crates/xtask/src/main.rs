//! `cargo xtask`: sets up, builds, runs and tests Jackfield. Standard library only, so that it compiles in a second
//! before anything else is there.
#![expect(
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool for developers: it talks, starts programs, and its files are not the user's"
)]

use std::process::ExitCode;

use crate::command::{Res, Workspace};
use crate::steps::Choice;

mod bindings;
mod command;
mod display;
mod install;
mod node;
mod packages;
mod run;
mod steps;

const HELP: &str = "cargo xtask run   [--no-install] [-- ARGS]     set up, build, open the window
cargo xtask test  [--no-install] [--only STEP]… [--list]   set up, then everything that CI runs
cargo xtask check [--no-install]               the quick half of that: format, lints, types
cargo xtask setup [--no-install]               only install what run and test need
cargo xtask bench [ARGS]                       run the benchmarks
--no-install: install nothing; say what is missing and the command that would install it.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let Some((&verb, rest)) = words.split_first() else { return usage("") };
    let done = match verb {
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        "run" => {
            let (flags, args) = split(rest);
            match flags.iter().find(|flag| **flag != "--no-install") {
                Some(flag) => return usage(&format!("unknown: {flag}; arguments for Jackfield go after --")),
                None => Workspace::new(flags.is_empty()).and_then(|mut ws| run::run(&mut ws, args)),
            }
        }
        "setup" if rest.iter().all(|flag| *flag == "--no-install") => {
            Workspace::new(rest.is_empty()).and_then(|mut ws| steps::set_up(&mut ws))
        }
        "test" | "check" => match Choice::parse(verb, rest) {
            Ok(choice) => Workspace::new(choice.install).and_then(|mut ws| steps::run(&mut ws, &choice)),
            Err(message) => return usage(&message),
        },
        "bench" => Workspace::new(true).and_then(|ws| bench(&ws, rest)),
        _ => return usage(&format!("unknown: {}", words.join(" "))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn usage(message: &str) -> ExitCode {
    if !message.is_empty() {
        eprintln!("xtask: {message}");
    }
    eprintln!("{HELP}");
    ExitCode::from(2)
}

/// What comes before `--`, and after it.
fn split<'a, 'b>(words: &'a [&'b str]) -> (&'a [&'b str], &'a [&'b str]) {
    match words.iter().position(|word| *word == "--") {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &[]),
    }
}

fn bench(ws: &Workspace, args: &[&str]) -> Res<()> {
    let (_, rest) = split(args);
    let args = if rest.is_empty() { args } else { rest };
    ws.run(ws.cargo(&["bench", "-q", "-p", "jackfield-cli", "--bench", "*"]).args(args))
}
