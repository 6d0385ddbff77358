//! The one writer of the hosts' files: lock, read, edit, prove, look again, replace.
//!
//! It writes on the user's word only. What another program wrote meanwhile is never lost: if the file is no longer
//! what was read, the edit is worked out again on the new text. All functions block.

mod journal;
mod work;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jackfield_config::edit::toggle::Past;
use jackfield_config::edit::{self, Change, EditError, Missing, Place, Step, Target};
use jackfield_config::host::Format;
use jackfield_config::places::display_path;
use jackfield_config::{Scope, SourceText};

use crate::fs::{self, Durability, FsError, Mode};

pub use journal::{Group, Journal, Kind, Noted, Record};
pub use work::{Blank, FileEdit, Work};

/// How often an edit is worked out anew because another program writes the file at the same time.
const ATTEMPTS: u32 = 8;

/// Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    File(#[from] FsError),
    #[error("Cannot edit {path}: {source}")]
    Edit { path: String, source: EditError },
    #[error("Cannot edit {path}: {message}")]
    Encoding { path: String, message: String },
    /// The file changed after it was read, and the edit does not fit what it says now.
    #[error("Cannot edit {path}: it was changed meanwhile, and {why}")]
    Conflict { path: String, why: String, versions: Box<Versions> },
    #[error("Cannot edit {path}: another program keeps writing it")]
    Busy { path: String },
    /// It was to be put back to what it was, and it is not any more what we left.
    #[error("Cannot undo: {path} has changed since")]
    Changed { path: String },
    #[error("Cannot undo: {0}")]
    NotUndoable(&'static str),
}

/// The two texts of a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    pub path: PathBuf,
    /// What the file would have become.
    pub ours: String,
    /// What it is.
    pub theirs: String,
}

/// What an edit is to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occasion {
    /// "Added `github`".
    pub title: String,
    /// Who: "window", "command line".
    pub by: String,
    pub at: SystemTime,
    /// The group of writes that this one takes back.
    pub undoes: Option<u64>,
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub path: PathBuf,
    /// SHA-256 of the bytes; `None` if there was no file, or is none now.
    pub before_hash: Option<String>,
    pub after_hash: Option<String>,
}

impl Written {
    /// The file says already what it should; nothing was written.
    pub fn is_unchanged(&self) -> bool {
        self.before_hash == self.after_hash
    }
}

/// What became of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    pub files: Vec<Written>,
    /// Its group in the journal; `None` if there was nothing to change.
    pub group: Option<u64>,
}

/// What an edit would do to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    pub path: PathBuf,
    /// `None` if there is no file.
    pub before: Option<String>,
    /// `None` if there would be none.
    pub after: Option<String>,
}

/// Writes hosts' files and remembers what it did.
#[derive(Debug, Clone)]
pub struct Writer {
    state: PathBuf,
    home: PathBuf,
    journal: Journal,
}

impl Writer {
    /// `state` is our own folder, for locks, journal and the copies of originals; `home` is for paths in messages.
    pub fn new(state: &Path, home: &Path) -> Writer {
        Writer { state: state.to_owned(), home: home.to_owned(), journal: Journal::new(state) }
    }

    /// What was written so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What the edits would do; several on one file one after the other.
    ///
    /// # Errors
    /// If one is not possible now.
    pub fn preview(&self, edits: &[FileEdit]) -> Result<Vec<Preview>, WriteError> {
        let mut previews: Vec<Preview> = Vec::new();
        for edit in edits {
            let earlier = previews.iter().position(|preview| preview.path == *edit.path);
            let before = match earlier {
                Some(index) => previews[index].after.clone().map(String::into_bytes),
                None => fs::read_optional(&edit.path)?,
            };
            let now = before.as_deref();
            let after =
                match work::carry_out(&edit.work, now).map_err(|error| self.told(edit, error, None))? {
                    Some(outcome) => outcome.bytes,
                    None => before.clone(),
                };
            let text = |bytes: &[u8]| match SourceText::decode(bytes) {
                Ok(text) => text.text,
                Err(_) => String::from_utf8_lossy(bytes).into_owned(),
            };
            match earlier {
                Some(index) => previews[index].after = after.as_deref().map(text),
                None => previews.push(Preview {
                    path: (*edit.path).clone(),
                    before: now.map(text),
                    after: after.as_deref().map(text),
                }),
            }
        }
        Ok(previews)
    }

    /// Carries out the edits, in their order, as one write in the history.
    ///
    /// # Errors
    /// If one of them cannot be done. Then all files are as they were, unless another program has written to one that
    /// was done already.
    pub fn write(&self, edits: &[FileEdit], occasion: &Occasion) -> Result<Done, WriteError> {
        // What cannot be done at all is told before the first file is touched.
        if edits.len() > 1 {
            self.preview(edits)?;
        }
        let mut done = Done { files: Vec::new(), group: None };
        for edit in edits {
            match self.write_one(edit, occasion, done.group, || {}) {
                Ok((written, group)) => {
                    done.group = done.group.or(group);
                    done.files.push(written);
                }
                Err(error) => {
                    if let Some(group) = done.group {
                        self.take_back(group, occasion);
                    }
                    return Err(error);
                }
            }
        }
        Ok(done)
    }

    /// Undoes what was done of an edit that failed half-way. What cannot be put back stays in the history.
    fn take_back(&self, group: u64, occasion: &Occasion) {
        let Ok(edits) = self.undo(group) else { return };
        let occasion = Occasion {
            title: format!("Took back: {}", occasion.title),
            undoes: Some(group),
            ..occasion.clone()
        };
        for edit in &edits {
            if let Err(error) = self.write_one(edit, &occasion, None, || {}) {
                tracing::warn!(%error, "an edit that failed half-way could not be taken back");
            }
        }
    }

    /// The edits that put every file of a group back to what it was.
    ///
    /// # Errors
    /// If a file has changed since, or the texts are not kept any more.
    pub fn undo(&self, group: u64) -> Result<Vec<FileEdit>, WriteError> {
        let records: Vec<Record> =
            self.journal.records().into_iter().filter(|record| record.group == group).collect();
        if records.is_empty() {
            return Err(WriteError::NotUndoable("it is not in the history any more"));
        }
        let mut edits: Vec<FileEdit> = Vec::new();
        for record in &records {
            if edits.iter().any(|edit| *edit.path == record.path) {
                continue;
            }
            let last = records.iter().rfind(|other| other.path == record.path).unwrap_or(record);
            let bytes =
                match &record.before {
                    Some(hash) => {
                        let kept = self.journal.text(hash);
                        Some(kept.ok_or(WriteError::NotUndoable(
                            "what the file said before is not kept any more",
                        ))?)
                    }
                    None => None,
                };
            let now = fs::read_optional(&record.path)?;
            if now.as_deref().map(fs::hash) != last.after {
                return Err(WriteError::Changed { path: display_path(&self.home, &record.path) });
            }
            edits.push(FileEdit {
                path: record.path.clone().into(),
                mode: Mode::Private,
                work: Work::Bytes { now: last.after.clone(), bytes },
            });
        }
        Ok(edits)
    }

    /// `meanwhile` is what tests let other programs do between reading and writing.
    fn write_one(
        &self,
        edit: &FileEdit,
        occasion: &Occasion,
        group: Option<u64>,
        mut meanwhile: impl FnMut(),
    ) -> Result<(Written, Option<u64>), WriteError> {
        let path: &Path = &edit.path;
        let guard = fs::lock(&self.state, path)?;
        fs::sweep(path, &guard);
        if edit.work == Work::Private {
            fs::make_private(path)?;
        }
        let mut ours: Option<String> = None;
        for _ in 0..ATTEMPTS {
            let before = fs::read_optional(path)?;
            let outcome = work::carry_out(&edit.work, before.as_deref())
                .map_err(|error| self.told(edit, error, ours.take()))?;
            let before_hash = before.as_deref().map(fs::hash);
            let Some(outcome) = outcome else {
                let written = Written { path: path.to_owned(), after_hash: before_hash.clone(), before_hash };
                return Ok((written, None));
            };
            meanwhile();
            let after = outcome.bytes.as_deref();
            let id = self.replace(edit, occasion, group, before.as_deref(), after, &outcome.steps)?;
            if let Some(id) = id {
                let after_hash = after.map(fs::hash);
                return Ok((Written { path: path.to_owned(), before_hash, after_hash }, Some(id)));
            }
            ours = Some(outcome.text);
        }
        Err(WriteError::Busy { path: display_path(&self.home, path) })
    }

    /// A failure with its path. `ours` is what the file was to become, where it was changed meanwhile.
    fn told(&self, edit: &FileEdit, error: work::WorkError, ours: Option<String>) -> WriteError {
        let path = display_path(&self.home, &edit.path);
        let conflict = |ours: String, theirs: String, why: String| WriteError::Conflict {
            path: path.clone(),
            why,
            versions: Box::new(Versions { path: (*edit.path).clone(), ours, theirs }),
        };
        match (error, ours) {
            (work::WorkError::Edit { source, text }, Some(ours)) => {
                conflict(ours, text, format!("now {source}"))
            }
            (work::WorkError::Edit { source, .. }, None) => WriteError::Edit { path, source },
            (work::WorkError::Encoding(message), _) => WriteError::Encoding { path, message },
            (work::WorkError::Changed, _) => WriteError::Changed { path },
            (work::WorkError::Conflict { ours, theirs }, _) => {
                conflict(ours, theirs, "both changes touch the same lines".to_owned())
            }
        }
    }

    /// Replaces the file if it is still what was read; the answer is the group. The journal comes first: what is not
    /// in it cannot be undone.
    fn replace(
        &self,
        edit: &FileEdit,
        occasion: &Occasion,
        group: Option<u64>,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
        steps: &[(Change, Step)],
    ) -> Result<Option<u64>, FsError> {
        let path: &Path = &edit.path;
        self.keep_original(path, before)?;
        let note = journal::Note { path, occasion, group, before, after, steps };
        let (id, group) = self.journal.note(&note)?;
        let still = || fs::read_optional(path).is_ok_and(|now| now.as_deref() == before);
        let done = match after {
            Some(bytes) => fs::write_checked(path, bytes, edit.mode, Durability::Synced, still),
            None if still() => fs::remove(path).map(|()| true),
            None => Ok(false),
        };
        match done {
            Ok(true) => Ok(Some(group)),
            Ok(false) => self.journal.retract(id).map(|()| None),
            Err(error) => {
                self.journal.retract(id)?;
                Err(error)
            }
        }
    }

    /// Keeps a copy of a file as it was before we wrote to it for the first time. For one that we make ourselves a
    /// mark is left instead, so that our own work never passes for an original.
    fn keep_original(&self, path: &Path, before: Option<&[u8]>) -> Result<(), FsError> {
        let copy = self.original(path);
        let mut ours = copy.clone().into_os_string();
        ours.push(".ours");
        let ours = PathBuf::from(ours);
        if copy.exists() || ours.exists() {
            return Ok(());
        }
        match before {
            Some(bytes) => fs::write_atomic(&copy, bytes, Mode::Private),
            None => fs::write_atomic(&ours, b"", Mode::Private),
        }
    }

    /// Where the copy of a file is that was made before our first write to it.
    pub fn original(&self, path: &Path) -> PathBuf {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let hash = fs::hash(path.as_os_str().as_encoded_bytes());
        self.state.join("originals").join(format!("{}-{name}", &hash[..16]))
    }
}

impl Past for Writer {
    fn inserted(&self, path: &Path, format: Format, switch: &Target) -> bool {
        self.journal.inserted(path, &switch.path()) && is_as_inserted(path, format, switch)
    }

    fn created(&self, path: &Path, list: &[String], item: &str) -> Option<Vec<String>> {
        self.journal.created(path, list, item)
    }
}

/// The mode of a file that has to be made, by whose it is.
pub fn mode_of(scope: Scope) -> Mode {
    match scope {
        Scope::Project => Mode::Shared,
        Scope::Managed | Scope::Local | Scope::User | Scope::Plugin => Mode::Private,
    }
}

/// Whether a switch stands in the file just as an insertion of ours would leave it. A user who has written one of
/// their own since keeps it.
fn is_as_inserted(path: &Path, format: Format, switch: &Target) -> bool {
    let Ok(Some(bytes)) = fs::read_optional(path) else { return false };
    let Ok(now) = SourceText::decode(&bytes) else { return false };
    let Ok(without) = edit::apply(&now.text, format, &Change::Remove { target: switch.clone() }) else {
        return false;
    };
    [false, true].into_iter().any(|value| {
        let set = Change::Set {
            target: switch.clone(),
            value: value.into(),
            place: Place::First,
            missing: Missing::Refuse,
        };
        edit::apply(&without.text, format, &set).is_ok_and(|again| again.text == now.text)
    })
}

#[cfg(test)]
mod tests;
