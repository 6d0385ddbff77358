//! What is to become of the bytes of one file. Nothing is read or written here.

use std::path::PathBuf;
use std::sync::Arc;

use jackfield_config::SourceText;
use jackfield_config::edit::toggle::PlannedEdit;
use jackfield_config::edit::{self, Change, EditError, EditedAll, Rewrite, Step, Target};
use jackfield_config::host::Format;
use jackfield_config::source::Encoding;

use crate::fs::{self, Mode};
use crate::writer::mode_of;

/// An edit of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileEdit {
    pub path: Arc<PathBuf>,
    /// For a file that is not there yet.
    pub mode: Mode,
    pub work: Work,
}

/// An object with nothing in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blank {
    pub at: Vec<String>,
    pub inside: String,
}

/// How a file comes to its new bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// Keys are edited, one on what the other left. `made` is a key that we made to hold servers: if nothing is left in
    /// it, it goes too, so that the original bytes return.
    /// `blank` is the white space that an object held before we put the first server in.
    Changes { format: Format, changes: Vec<Change>, made: Option<Vec<String>>, blank: Option<Blank> },
    /// The text as a person wrote it, from `base`. What another program changed meanwhile is merged where it stands
    /// apart.
    Text { format: Format, base: String, text: String },
    /// The whole is written in another way and says the same.
    Rewrite { format: Format, rewrite: Rewrite },
    /// Only the user may read it: the mode changes, no byte does.
    Private,
    /// Exactly these bytes, or no file, in place of those with the hash `now`.
    Bytes { now: Option<String>, bytes: Option<Vec<u8>> },
}

impl From<PlannedEdit> for FileEdit {
    fn from(planned: PlannedEdit) -> FileEdit {
        FileEdit {
            path: planned.path,
            mode: mode_of(planned.scope),
            work: Work::Changes { format: planned.format, changes: planned.changes, made: None, blank: None },
        }
    }
}

/// The new bytes.
#[derive(Debug)]
pub(super) struct Outcome {
    /// `None`: the file goes.
    pub(super) bytes: Option<Vec<u8>>,
    /// As text, to be shown in a conflict.
    pub(super) text: String,
    pub(super) steps: Vec<(Change, Step)>,
}

#[derive(Debug)]
pub(super) enum WorkError {
    /// With the text it does not fit.
    Edit {
        source: EditError,
        text: String,
    },
    Encoding(String),
    Changed,
    Conflict {
        ours: String,
        theirs: String,
    },
}

/// An object that is empty again gets the white space that it had.
fn refilled(text: String, format: Format, blank: Option<&Blank>) -> String {
    let Some(Blank { at, inside }) = blank else { return text };
    edit::with_blank(&text, format, at, inside).unwrap_or(text)
}

/// Takes out the key that we made. If that cannot be done, it stays: it does no harm.
fn tidied(edited: EditedAll, format: Format, made: &[String]) -> (String, Vec<(Change, Step)>) {
    let EditedAll { text, mut steps } = edited;
    let change = Change::Remove { target: Target::leaf(made) };
    match edit::apply(&text, format, &change) {
        Ok(tidy) => {
            steps.push((change, Step { inserted: false, created: None }));
            (tidy.text, steps)
        }
        Err(_) => (text, steps),
    }
}

/// Works out the new bytes; `None` if there is nothing to change.
pub(super) fn carry_out(work: &Work, before: Option<&[u8]>) -> Result<Option<Outcome>, WorkError> {
    if let Work::Bytes { now, bytes } = work {
        if before.map(fs::hash) != *now {
            return Err(WorkError::Changed);
        }
        let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
        let outcome = Outcome { bytes: bytes.clone(), text, steps: Vec::new() };
        return Ok((bytes.as_deref() != before).then_some(outcome));
    }
    let source = match before {
        Some(bytes) => SourceText::decode(bytes).map_err(WorkError::Encoding)?,
        None => SourceText { text: String::new(), encoding: Encoding::Utf8 },
    };
    let failed = |error| WorkError::Edit { source: error, text: source.text.clone() };
    let mut encoding = source.encoding;
    let (text, steps) = match work {
        Work::Changes { format, changes, made, blank } => {
            match edit::apply_all(&source.text, *format, changes) {
                Ok(edited) => {
                    let made = made.as_ref().filter(|made| edit::is_hollow(&edited.text, *format, made));
                    let (text, steps) = match made {
                        Some(made) => tidied(edited, *format, made),
                        None => (edited.text, edited.steps),
                    };
                    (refilled(text, *format, blank.as_ref()), steps)
                }
                Err(EditError::Already) => return Ok(None),
                Err(error) => return Err(failed(error)),
            }
        }
        Work::Text { format, base, text } => {
            let merged = merge(base, text, &source.text)?;
            edit::check(&merged, *format).map_err(failed)?;
            (merged, Vec::new())
        }
        Work::Rewrite { format, rewrite } => {
            if *rewrite == Rewrite::WithoutMark {
                encoding = Encoding::Utf8;
            }
            match edit::rewrite(&source.text, *format, *rewrite) {
                Ok(text) => (text, Vec::new()),
                Err(EditError::Already) if encoding != source.encoding => (source.text.clone(), Vec::new()),
                Err(EditError::Already) => return Ok(None),
                Err(error) => return Err(failed(error)),
            }
        }
        Work::Bytes { .. } | Work::Private => return Ok(None),
    };
    let after = SourceText { text, encoding };
    let bytes = after.encode();
    if Some(bytes.as_slice()) == before {
        return Ok(None);
    }
    Ok(Some(Outcome { bytes: Some(bytes), text: after.text, steps }))
}

/// Brings together what a person made of `base` and what it has become meanwhile.
fn merge(base: &str, ours: &str, theirs: &str) -> Result<String, WorkError> {
    if theirs == base || theirs == ours {
        return Ok(ours.to_owned());
    }
    diffy::merge(base, ours, theirs)
        .map_err(|_| WorkError::Conflict { ours: ours.to_owned(), theirs: theirs.to_owned() })
}
