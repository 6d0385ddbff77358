//! Packages of npm and PyPI, installed below the project: only when their lists have changed.

use std::path::Path;

use crate::command::{Res, Workspace, at};

/// The user interface's packages.
pub(crate) fn ui(ws: &Workspace) -> Res<()> {
    let ui = ws.root.join("ui");
    npm_ci(ws, &ui)
}

/// Real MCP servers for the tests, into `target/servers`.
pub(crate) fn servers(ws: &Workspace) -> Res<()> {
    let from = ws.root.join("tests/servers");
    let node = ws.target.join("servers/node");
    std::fs::create_dir_all(&node).map_err(at(&node))?;
    for file in ["package.json", "package-lock.json"] {
        std::fs::copy(from.join(file), node.join(file)).map_err(at(&from.join(file)))?;
    }
    npm_ci(ws, &node)?;

    let list = from.join("requirements.txt");
    let python = ws.target.join("servers/python");
    when_changed(ws, &list, &python.join(".installed"), || {
        venv(ws, &python, &["-r", &list.to_string_lossy()])
    })
}

/// A Python environment at `folder` with these packages, made anew.
pub(crate) fn venv(ws: &Workspace, folder: &Path, packages: &[&str]) -> Res<()> {
    ws.run(ws.command("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let mut pip = ws.command(python);
    ws.run(pip.args(["-m", "pip", "install", "-q", "--disable-pip-version-check"]).args(packages))
}

fn npm_ci(ws: &Workspace, folder: &Path) -> Res<()> {
    let stamp = folder.join("node_modules/.installed");
    when_changed(ws, &folder.join("package-lock.json"), &stamp, || {
        ws.run(&mut ws.npm(folder, &["ci", "--no-audit", "--no-fund"]))
    })
}

/// Installs if `stamp` is not a copy of `list`.
fn when_changed(ws: &Workspace, list: &Path, stamp: &Path, install: impl FnOnce() -> Res<()>) -> Res<()> {
    let wanted = std::fs::read(list).map_err(at(list))?;
    if std::fs::read(stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    if !ws.install {
        return Err(format!(
            "the packages of {} are not installed, or are others; leave out --no-install",
            list.display()
        ));
    }
    install()?;
    std::fs::write(stamp, wanted).map_err(at(stamp))
}
