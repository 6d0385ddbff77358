//! Announces a file that lost its servers, or broke, while we watched; keeps what it said, so that it can be put back.
//!
//! What a tool or a script does to a file by mistake is seen within moments, and is not lost even if Jackfield ends.
//! What we wrote ourselves is no loss: the history undoes it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jackfield_config::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::fs::{self, FsError, Mode};
use crate::loader::{Loss, Lost};
use crate::state_file::StateFile;
use crate::writer::Journal;

/// A file that lost its servers, until it has some again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    pub path: PathBuf,
    pub how: Lost,
    pub servers: Vec<String>,
    pub at: SystemTime,
    /// Where what it said is kept.
    kept: String,
    /// Hash of the file as it was when this was told; another one is another loss.
    now: Option<String>,
    /// The person left the file so. What it said stays at hand all the same.
    #[serde(default)]
    pub answered: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    alerts: Vec<Alert>,
}

/// The alerts in force.
#[derive(Debug)]
pub struct WipeGuard {
    state: PathBuf,
    file: StateFile<Kept>,
    alerts: Vec<Alert>,
}

impl WipeGuard {
    /// With what was told before the program ended. The finding is there if that cannot be read.
    pub fn load(state: &Path) -> (WipeGuard, Option<Diagnostic>) {
        let file: StateFile<Kept> = StateFile::new(state, "alerts.json");
        let (kept, broken) = file.load();
        let guard = WipeGuard { state: state.to_owned(), file, alerts: kept.alerts };
        (guard, broken)
    }

    pub fn alerts(&self) -> &[Alert] {
        &self.alerts
    }

    /// Brings the alerts in line with what a load found. `has_servers` says so of a file as it is now. True if the
    /// alerts are others than before.
    pub fn look(
        &mut self,
        losses: &[Loss],
        journal: &Journal,
        has_servers: &dyn Fn(&Path) -> bool,
        at: SystemTime,
    ) -> bool {
        let before = self.alerts.clone();
        self.alerts.retain(|alert| !has_servers(&alert.path));
        for loss in losses {
            let known = self.alerts.iter().any(|alert| alert.path == loss.path && alert.now == loss.now);
            if known {
                continue;
            }
            let now = fs::read_optional(&loss.path).ok().flatten();
            if journal.left(&loss.path, now.as_deref()) {
                continue;
            }
            let first = self
                .alerts
                .iter()
                .find(|alert| alert.path == loss.path && !alert.answered)
                .map(|alert| alert.at);
            self.alerts.retain(|alert| alert.path != loss.path);
            match self.keep(&loss.path, &loss.good) {
                Ok(kept) => self.alerts.push(Alert {
                    path: loss.path.clone(),
                    how: loss.how,
                    servers: loss.servers.clone(),
                    at: first.unwrap_or(at),
                    kept,
                    now: loss.now.clone(),
                    answered: false,
                }),
                Err(error) => tracing::warn!(%error, "what a file said before could not be kept"),
            }
        }
        let changed = before != self.alerts;
        if changed {
            self.store();
        }
        changed
    }

    /// The person leaves the file as it is. What it said can be put back as long as it has no servers.
    pub fn dismiss(&mut self, path: &Path) {
        if let Some(alert) = self.alerts.iter_mut().find(|alert| alert.path == path) {
            alert.answered = true;
            self.store();
        }
    }

    /// What the file said while it had servers.
    pub fn good(&self, path: &Path) -> Option<Vec<u8>> {
        let alert = self.alerts.iter().find(|alert| alert.path == path)?;
        let bytes = fs::read_optional(&self.folder().join(&alert.kept)).ok().flatten()?;
        (fs::hash(&bytes) == alert.kept).then_some(bytes)
    }

    fn folder(&self) -> PathBuf {
        self.state.join("last-good")
    }

    fn keep(&self, path: &Path, bytes: &[u8]) -> Result<String, FsError> {
        let hash = fs::hash(bytes);
        tracing::debug!(path = %path.display(), "keeping what the file said");
        fs::write_atomic(&self.folder().join(&hash), bytes, Mode::Private)?;
        Ok(hash)
    }

    /// Remembers the alerts, and drops the texts of those that are over.
    fn store(&self) {
        let alerts = self.alerts.clone();
        if let Err(error) = self.file.update(move |kept| kept.alerts = alerts) {
            tracing::warn!(%error, "the alerts could not be remembered");
            return;
        }
        for text in fs::list(&self.folder()) {
            let name = text.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if !self.alerts.iter().any(|alert| alert.kept == name)
                && let Err(error) = fs::remove(&text)
            {
                tracing::warn!(%error, "an old copy could not be removed");
            }
        }
    }
}

#[cfg(test)]
mod tests;
