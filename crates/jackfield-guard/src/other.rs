//! Where there is no Unix: the engine puts the guard into a job object that ends with the engine, so all that is
//! left to do here is to start the server and to pass on its code.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

pub(crate) fn run(command: &OsString, args: &[OsString]) -> ExitCode {
    #[expect(clippy::disallowed_methods, reason = "starting the server is what the guard is for")]
    let status = Command::new(command).args(args).status();
    match status {
        // Only the low byte survives an ExitCode; a crash (0xC0000005) must not become a success.
        Ok(status) => ExitCode::from(match status.code() {
            Some(0) => 0,
            Some(code) => u8::try_from(code).unwrap_or(u8::MAX),
            None => u8::MAX,
        }),
        Err(error) => crate::cannot_start(command, &error),
    }
}
