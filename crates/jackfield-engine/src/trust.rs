//! What the user has approved of the things that arrived with a project.
//!
//! An approval is of exactly one definition: project, name, source file and hash. It is kept outside of the project,
//! together with what was shown, so that a later change can be shown against it. Nothing here runs anything.

use std::path::{Path, PathBuf};

use jackfield_config::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::fs::FsError;
use crate::state_file::StateFile;

/// One approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    pub project: PathBuf,
    pub name: String,
    /// The file the definition stands in.
    pub source: PathBuf,
    /// Of the canonical, unresolved definition.
    pub hash: String,
    /// The definition as it was shown, one field a line, secrets masked.
    pub lines: Vec<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Approvals {
    approved: Vec<Approved>,
}

/// All approvals, as they were on disk when last looked at.
#[derive(Debug)]
pub struct TrustStore {
    file: StateFile<Approvals>,
    approvals: Approvals,
}

impl TrustStore {
    /// Reads `trust.json` in our state folder. If that is broken, nothing is approved, and the finding says so.
    pub fn load(state: &Path) -> (TrustStore, Option<Diagnostic>) {
        let file = StateFile::new(state, "trust.json");
        let (approvals, finding) = file.load();
        (TrustStore { file, approvals }, finding)
    }

    /// Looks at the file again: another process of ours may have changed it.
    pub fn reload(&mut self) -> Option<Diagnostic> {
        let (approvals, finding) = self.file.load();
        self.approvals = approvals;
        finding
    }

    /// Whether exactly this was approved.
    pub fn is_approved(&self, project: &Path, name: &str, source: &Path, hash: &str) -> bool {
        self.previous(project, name, source).is_some_and(|approved| approved.hash == hash)
    }

    /// What was approved under this name before, whatever it was.
    pub fn previous(&self, project: &Path, name: &str, source: &Path) -> Option<&Approved> {
        self.approvals.approved.iter().find(|approved| approved.is(project, name, source))
    }

    /// The lines of `now` that were not there when this was approved. All of them if nothing was.
    pub fn changed(&self, project: &Path, name: &str, source: &Path, now: &[String]) -> Vec<String> {
        let before = self.previous(project, name, source).map_or(&[][..], |approved| &approved.lines);
        now.iter().filter(|line| !before.contains(line)).cloned().collect()
    }

    /// Approves; an earlier approval of the same name in the same file is replaced.
    ///
    /// # Errors
    /// If that cannot be written down; then it is not approved.
    pub fn approve(&mut self, approval: Approved) -> Result<(), FsError> {
        let noted = approval.clone();
        self.change(move |approved| {
            approved.retain(|other| !other.is(&noted.project, &noted.name, &noted.source));
            approved.push(noted);
        })
    }

    /// Takes an approval back.
    ///
    /// # Errors
    /// If that cannot be written down. For this process it is taken back nevertheless.
    pub fn revoke(&mut self, project: &Path, name: &str, source: &Path) -> Result<(), FsError> {
        self.approvals.approved.retain(|approved| !approved.is(project, name, source));
        self.change(|approved| approved.retain(|other| !other.is(project, name, source)))
    }

    fn change(&mut self, change: impl FnOnce(&mut Vec<Approved>)) -> Result<(), FsError> {
        let approved = self.file.update(|approvals| {
            change(&mut approvals.approved);
            approvals.approved.clone()
        })?;
        self.approvals = Approvals { approved };
        Ok(())
    }
}

impl Approved {
    fn is(&self, project: &Path, name: &str, source: &Path) -> bool {
        self.project == project && self.name == name && self.source == source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approval(hash: &str, lines: &[&str]) -> Approved {
        Approved {
            project: PathBuf::from("/p"),
            name: "x".to_owned(),
            source: PathBuf::from("/p/.mcp.json"),
            hash: hash.to_owned(),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        }
    }

    #[test]
    fn an_approval_is_of_exactly_one_thing() {
        let folder = tempfile::tempdir().unwrap();
        let (mut store, finding) = TrustStore::load(folder.path());
        assert!(finding.is_none());
        let (project, source) = (Path::new("/p"), Path::new("/p/.mcp.json"));
        store.approve(approval("1", &["npx", "a"])).unwrap();
        let (other, _) = TrustStore::load(folder.path());
        for store in [&store, &other] {
            assert!(store.is_approved(project, "x", source, "1"));
            assert!(!store.is_approved(project, "x", source, "2"));
            assert!(!store.is_approved(project, "y", source, "1"));
            assert!(!store.is_approved(Path::new("/q"), "x", source, "1"));
            assert!(!store.is_approved(project, "x", Path::new("/p/mcp.json"), "1"));
        }
        let now = ["npx".to_owned(), "evil".to_owned()];
        assert_eq!(store.changed(project, "x", source, &now), ["evil"]);
        store.approve(approval("2", &["npx", "evil"])).unwrap();
        assert!(!store.is_approved(project, "x", source, "1"));
        assert!(store.is_approved(project, "x", source, "2"));
        store.revoke(project, "x", source).unwrap();
        assert!(!store.is_approved(project, "x", source, "2"));
    }

    #[test]
    fn a_broken_file_approves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (mut store, _) = TrustStore::load(folder.path());
        store.approve(approval("1", &[])).unwrap();
        crate::fs::write_for_test(&folder.path().join("trust.json"), "{");
        assert!(store.reload().is_some());
        assert!(!store.is_approved(Path::new("/p"), "x", Path::new("/p/.mcp.json"), "1"));
    }
}
