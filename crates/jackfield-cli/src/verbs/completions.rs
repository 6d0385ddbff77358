//! `jackfield completions SHELL`.

use clap::CommandFactory as _;

use crate::args::Args;
use crate::output::{self, Exit};

pub(crate) fn run(shell: clap_complete::Shell) -> Exit {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "jackfield", &mut out);
    output::data(&String::from_utf8_lossy(&out));
    Exit::Done
}
