//! Whether git tracks a file: a look into the repository's index.
//!
//! git itself is not asked: it would run what a repository's own configuration names. Of the index only the names are
//! read (gitformat-index, versions 2 to 4).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::fs;

/// A larger index is not searched.
const LIMIT: u64 = 64 * 1024 * 1024;

/// A work tree and its index; no index if that cannot be read.
#[derive(Debug)]
struct Repository {
    root: PathBuf,
    index: Option<Vec<u8>>,
}

/// What one look has found around the files so far: many of them stand in few folders.
#[derive(Debug, Default)]
pub(crate) struct Repositories(HashMap<PathBuf, Option<Rc<Repository>>>);

impl Repositories {
    /// Whether the file is in the index of the repository around it. What cannot be read counts as no.
    pub(crate) fn track(&mut self, path: &Path) -> bool {
        let Some(repository) = path.parent().and_then(|folder| self.around(folder)) else { return false };
        let Some(index) = &repository.index else { return false };
        let Ok(below) = path.strip_prefix(&repository.root) else { return false };
        let wanted: Vec<_> = below.components().map(|part| part.as_os_str().as_encoded_bytes()).collect();
        holds(index, &wanted.join(&b'/')).unwrap_or(false)
    }

    /// The repository that a folder is in.
    fn around(&mut self, folder: &Path) -> Option<Rc<Repository>> {
        if let Some(known) = self.0.get(folder) {
            return known.clone();
        }
        let found = match git_folder(folder) {
            Some(git) => Some(Rc::new(Repository {
                root: folder.to_owned(),
                index: fs::read_bounded(&git.join("index"), LIMIT).ok(),
            })),
            None => folder.parent().and_then(|parent| self.around(parent)),
        };
        self.0.insert(folder.to_owned(), found.clone());
        found
    }
}

/// The git folder of a work tree, if this is the top of one.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    // A work tree beside its repository has a file that says where that is.
    let text = fs::read_bounded(&git, 4096).ok()?;
    let target = String::from_utf8_lossy(&text).strip_prefix("gitdir:")?.trim().to_owned();
    Some(folder.join(target))
}

/// Whether an index has an entry of this name; `None` if it cannot be read.
fn holds(index: &[u8], wanted: &[u8]) -> Option<bool> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    if index.get(..4)? != b"DIRC" {
        return None;
    }
    let version = number(4)?;
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    // SHA-1; an index with SHA-256 is told by its repository's format, and is not read.
    let fixed = 62;
    for _ in 0..number(8)? {
        let flags = u16::from_be_bytes(index.get(at + 60..at + 62)?.try_into().ok()?);
        let extended = if version >= 3 && flags & 0x4000 != 0 { 2 } else { 0 };
        let start = at + fixed + extended;
        if version == 4 {
            let (drop, begin) = variable(index, start)?;
            let end = begin + index.get(begin..)?.iter().position(|byte| *byte == 0)?;
            name.truncate(name.len().checked_sub(drop)?);
            name.extend_from_slice(&index[begin..end]);
            at = end + 1;
        } else {
            let end = start + index.get(start..)?.iter().position(|byte| *byte == 0)?;
            name.clear();
            name.extend_from_slice(&index[start..end]);
            // Padded with 1 to 8 zeros to a multiple of eight bytes.
            at += (end - at + 8) & !7;
        }
        if name == wanted {
            return Some(true);
        }
    }
    Some(false)
}

/// The number that says how much of the name before is dropped, and where the rest begins.
fn variable(index: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut at = at;
    let mut byte = *index.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *index.get(at)?;
        value = value.checked_add(1)?.checked_shl(7)?.checked_add(usize::from(byte & 0x7f))?;
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, args: &[&str]) {
        #[expect(clippy::disallowed_methods, reason = "the test makes a repository")]
        let status = std::process::Command::new("git")
            .current_dir(folder)
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdout(std::process::Stdio::null())
            .status();
        assert!(status.unwrap().success(), "git {args:?}");
    }

    #[test]
    fn what_git_tracks_is_found_in_every_version_of_the_index() {
        for version in ["2", "3", "4"] {
            let folder = tempfile::tempdir().unwrap();
            let path = |name: &str| folder.path().join(name);
            git(folder.path(), &["init", "-q"]);
            for name in [".mcp.json", "a/b/mcp.json", "a/b/mcp.json.bak", "a/c", "new.json"] {
                fs::write_atomic(&path(name), name.as_bytes(), fs::Mode::Shared).unwrap();
            }
            git(folder.path(), &["add", ".mcp.json", "a"]);
            git(folder.path(), &["update-index", "--index-version", version]);
            if version == "3" {
                git(folder.path(), &["add", "-N", "new.json"]);
            }
            let mut repositories = Repositories::default();
            for (name, tracked) in [
                (".mcp.json", true),
                ("a/b/mcp.json", true),
                ("a/c", true),
                ("a/b", false),
                ("mcp.json", false),
                ("new.json", version == "3"),
            ] {
                assert_eq!(repositories.track(&path(name)), tracked, "{name} in version {version}");
            }
        }
    }

    #[test]
    fn a_broken_index_is_no_answer() {
        let whole = [b"DIRC".as_slice(), &2_u32.to_be_bytes(), &9_u32.to_be_bytes(), &[0; 200]].concat();
        for length in 0..whole.len() {
            assert_ne!(holds(&whole[..length], b"x"), Some(true));
        }
        assert_eq!(holds(b"nothing of the kind", b"x"), None);
        assert!(!Repositories::default().track(Path::new("/no/such/file")));
    }
}
