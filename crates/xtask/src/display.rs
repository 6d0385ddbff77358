//! A display without a screen, for the tests in the window.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::command::{Res, Workspace};

pub(crate) fn has_display() -> bool {
    !cfg!(target_os = "linux")
        || ["WAYLAND_DISPLAY", "DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()))
}

/// An Xvfb below a guard: it ends with this process, whatever ends that.
pub(crate) struct Display {
    guard: Child,
    pub(crate) name: String,
}

impl Display {
    pub(crate) fn start(ws: &Workspace) -> Res<Self> {
        let mut guard = ws.command(ws.built("jackfield-guard"));
        // It finds a free number itself and writes it to its stdout.
        guard.args(["--", "Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"]);
        guard.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut guard = guard.spawn().map_err(|error| format!("cannot start Xvfb: {error}"))?;
        let mut number = String::new();
        let read = guard.stdout.take().map(|stdout| BufReader::new(stdout).read_line(&mut number));
        let display = Self { guard, name: format!(":{}", number.trim()) };
        if matches!(read, Some(Ok(1..))) { Ok(display) } else { Err("Xvfb ended at once".into()) }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        drop(self.guard.wait());
    }
}
