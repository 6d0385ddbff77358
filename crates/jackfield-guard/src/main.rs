//! The program `jackfield-guard`; all of it is in the library.
use std::process::ExitCode;

fn main() -> ExitCode {
    jackfield_guard::main_from(std::env::args_os().skip(1).collect())
}
