//! `ui/src/bindings` is generated from Rust and committed: this checks that it is what would be generated now,
//! without writing there. The tests of jackfield-api generate them, so the step `test` comes first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::command::{Res, Workspace, at};

/// Where the tests of this run write them.
pub(crate) fn folder(ws: &Workspace) -> PathBuf {
    ws.target.join("bindings")
}

/// Before the tests: nothing of an earlier run may pass for new.
pub(crate) fn clear(ws: &Workspace) -> Res<()> {
    let fresh = folder(ws);
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh).map_err(at(&fresh))?;
    }
    Ok(())
}

/// After the tests.
pub(crate) fn check(ws: &Workspace) -> Res<()> {
    let committed = ws.root.join("ui/src/bindings");
    let fresh = folder(ws);
    if !fresh.exists() {
        return Err("the tests of jackfield-api have not written them; run the step `test` first".to_owned());
    }
    let (committed, fresh) = (read(&committed)?, read(&fresh)?);
    let names: std::collections::BTreeSet<_> = committed.keys().chain(fresh.keys()).collect();
    let stale: Vec<_> = names.into_iter().filter(|name| committed.get(*name) != fresh.get(*name)).collect();
    if stale.is_empty() {
        return Ok(());
    }
    let list = stale.iter().map(|name| name.display().to_string()).collect::<Vec<_>>().join(", ");
    Err(format!(
        "ui/src/bindings is not what the Rust types say: {list}. `cargo test -p jackfield-api` writes them; commit \
         that, and delete what is no longer generated"
    ))
}

fn read(folder: &Path) -> Res<BTreeMap<PathBuf, String>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).map_err(at(&next))?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let content = std::fs::read_to_string(&path).map_err(at(&path))?;
                // A checkout may have changed the line ends.
                let name = path.strip_prefix(folder).unwrap_or(&path).to_path_buf();
                files.insert(name, content.replace("\r\n", "\n"));
            }
        }
    }
    Ok(files)
}
