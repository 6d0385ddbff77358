//! `cargo xtask run`.

use std::path::Path;
use std::time::SystemTime;

use crate::command::{Res, Workspace};
use crate::display::has_display;
use crate::packages::{self, BUILD};
use crate::{install, node};

/// What `jackfield` exits with when it was called wrongly.
const USAGE: i32 = 2;

pub(crate) fn run(ws: &mut Workspace, args: &[&str]) -> Res<()> {
    packages::require(ws, &BUILD.iter().collect::<Vec<_>>())?;
    node::require(ws)?;
    install::ui(ws)?;
    if ui_changed(&ws.root.join("ui")) {
        eprintln!("==> building the user interface");
        build_ui(ws)?;
    }
    eprintln!("==> building Jackfield (the first time takes a few minutes)");
    ws.run(&mut ws.cargo(&[
        "build",
        "-p",
        "jackfield-cli",
        "-p",
        "jackfield-guard",
        "-p",
        "jackfield-desktop",
    ]))?;
    if has_display() {
        return ws.run(ws.command(ws.built("jackfield-desktop")).args(args).current_dir(here(ws)));
    }
    eprintln!(
        "no display (DISPLAY and WAYLAND_DISPLAY are unset), so no window: here is the list instead. \
         `{} --help` shows what else there is.",
        ws.built("jackfield").display()
    );
    let mut list = ws.command(ws.built("jackfield"));
    let status = list.arg("list").args(args).current_dir(here(ws)).status();
    // Servers that are not connected are Jackfield's business, not a failure of ours.
    match status.map_err(|error| format!("cannot start jackfield: {error}"))?.code() {
        Some(USAGE) => Err("jackfield list was called wrongly".into()),
        Some(_) => Ok(()),
        None => Err("jackfield list was killed".into()),
    }
}

pub(crate) fn build_ui(ws: &Workspace) -> Res<()> {
    ws.run(&mut ws.npm(&ws.root.join("ui"), &["run", "build"]))
}

/// Where the developer is: arguments may be relative paths.
fn here(ws: &Workspace) -> std::path::PathBuf {
    std::env::current_dir().unwrap_or_else(|_| ws.root.clone())
}

/// Whether anything that the user interface is built from is newer than the result.
fn ui_changed(ui: &Path) -> bool {
    let Some(built) = changed(&ui.join("dist/index.html")) else { return true };
    let parts = std::fs::read_dir(ui).into_iter().flatten().flatten();
    let parts = parts.filter(|part| part.file_name() != "dist" && part.file_name() != "node_modules");
    parts.into_iter().any(|part| newest(&part.path()) > Some(built))
}

/// Folders count too: removing a file changes its folder.
fn newest(path: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| newest(&entry.path())).chain([changed(path)]).max().flatten()
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}
