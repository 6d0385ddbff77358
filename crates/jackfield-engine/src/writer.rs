//! The one writer of the hosts' files: lock, read, edit, prove, look again, replace.
//!
//! It writes on the user's word only. What another program wrote meanwhile is never lost: if the file is no longer
//! what was read, the edit is worked out again on the new text. All functions block.

mod journal;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jackfield_config::edit::toggle::{Past, PlannedEdit};
use jackfield_config::edit::{self, Change, EditError, Edited};
use jackfield_config::host::Format;
use jackfield_config::places::display_path;
use jackfield_config::source::Encoding;
use jackfield_config::{Scope, SourceText};

use crate::fs::{self, Durability, FsError, Mode};

pub use journal::{Journal, Kind, Record};

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
    #[error("Cannot edit {path}: it was changed meanwhile, and now {source}")]
    Conflict { path: String, source: EditError, versions: Box<Versions> },
    #[error("Cannot edit {path}: another program keeps writing it")]
    Busy { path: String },
}

/// The two texts of a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    /// What the file would have become.
    pub ours: String,
    /// What it is.
    pub theirs: String,
}

/// An edit that was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub path: &'a Path,
    pub format: Format,
    /// For a file that is not there yet.
    pub mode: Mode,
    pub changes: &'a [Change],
    /// When the user said so.
    pub at: SystemTime,
}

/// What became of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub path: PathBuf,
    /// The key was not there before.
    pub inserted: bool,
    /// SHA-256 of the bytes; `None` if there was no file.
    pub before_hash: Option<String>,
    pub after_hash: String,
}

impl Written {
    /// The file says already what it should; nothing was written.
    pub fn is_unchanged(&self) -> bool {
        self.before_hash.as_ref() == Some(&self.after_hash)
    }
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

    /// Carries out one edit of a toggle.
    ///
    /// # Errors
    /// As [`Writer::edit`].
    pub fn edit_planned(&self, edit: &PlannedEdit, at: SystemTime) -> Result<Written, WriteError> {
        let mode = match edit.scope {
            Scope::Project => Mode::Shared,
            Scope::Managed | Scope::Local | Scope::User | Scope::Plugin => Mode::Private,
        };
        self.edit(Request { path: &edit.path, format: edit.format, mode, changes: &edit.changes, at })
    }

    /// Edits a file.
    ///
    /// # Errors
    /// If it cannot be read, edited, proved or written. Then it is as it was.
    pub fn edit(&self, request: Request<'_>) -> Result<Written, WriteError> {
        self.edit_with(request, || {})
    }

    /// `meanwhile` is what tests let other programs do between reading and writing.
    fn edit_with(&self, request: Request<'_>, mut meanwhile: impl FnMut()) -> Result<Written, WriteError> {
        let path = request.path;
        let shown = || display_path(&self.home, path);
        let guard = fs::lock(&self.state, path)?;
        fs::sweep(path, &guard);
        let mut ours: Option<String> = None;
        for _ in 0..ATTEMPTS {
            let before = fs::read_optional(path)?;
            let text = match &before {
                Some(bytes) => SourceText::decode(bytes)
                    .map_err(|message| WriteError::Encoding { path: shown(), message })?,
                None => SourceText { text: String::new(), encoding: Encoding::Utf8 },
            };
            let edited = match edit::apply_all(&text.text, request.format, request.changes) {
                Ok(edited) => edited,
                Err(EditError::Already) => return Ok(unchanged(path, before.as_deref())),
                Err(source) => {
                    let path = shown();
                    return Err(match ours {
                        Some(ours) => WriteError::Conflict {
                            path,
                            source,
                            versions: Box::new(Versions { ours, theirs: text.text }),
                        },
                        None => WriteError::Edit { path, source },
                    });
                }
            };
            meanwhile();
            let after = SourceText { text: edited.text.clone(), encoding: text.encoding }.encode();
            if self.replace(request, before.as_deref(), &after, &edited)? {
                return Ok(Written {
                    path: path.to_owned(),
                    inserted: edited.inserted,
                    before_hash: before.as_deref().map(fs::hash),
                    after_hash: fs::hash(&after),
                });
            }
            ours = Some(edited.text);
        }
        Err(WriteError::Busy { path: shown() })
    }

    /// Replaces the file if it is still what was read. The journal comes first: what is not in it cannot be undone.
    fn replace(
        &self,
        request: Request<'_>,
        before: Option<&[u8]>,
        after: &[u8],
        edited: &Edited,
    ) -> Result<bool, FsError> {
        self.keep_original(request.path, before)?;
        let id = self.journal.note(&request, before, after, edited)?;
        let still = || fs::read_optional(request.path).is_ok_and(|now| now.as_deref() == before);
        let done = fs::write_checked(request.path, after, request.mode, Durability::Synced, still);
        if !matches!(done, Ok(true)) {
            self.journal.retract(id)?;
        }
        done
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
    fn inserted(&self, path: &Path, root: &[String], name: &str, key: &str) -> bool {
        self.journal.inserted(path, root, name, key) && is_as_inserted(path, root, name, key)
    }

    fn created(&self, path: &Path, list: &[String], item: &str) -> Option<Vec<String>> {
        self.journal.created(path, list, item)
    }
}

/// Whether a switch stands in the file just as an insertion of ours would leave it. A user who has written one of
/// their own since keeps it.
fn is_as_inserted(path: &Path, root: &[String], name: &str, key: &str) -> bool {
    let format = match path.extension() {
        Some(end) if end == "toml" => Format::Toml,
        Some(_) | None => Format::JSONC,
    };
    let Ok(Some(bytes)) = fs::read_optional(path) else { return false };
    let Ok(now) = SourceText::decode(&bytes) else { return false };
    let Ok(without) = edit::apply(&now.text, format, &Change::remove_flag(root, name, key)) else {
        return false;
    };
    [false, true].into_iter().any(|value| {
        edit::apply(&without.text, format, &Change::set_flag(root, name, key, value))
            .is_ok_and(|again| again.text == now.text)
    })
}

fn unchanged(path: &Path, bytes: Option<&[u8]>) -> Written {
    let hash = fs::hash(bytes.unwrap_or_default());
    Written { path: path.to_owned(), inserted: false, before_hash: Some(hash.clone()), after_hash: hash }
}

#[cfg(test)]
mod tests;
