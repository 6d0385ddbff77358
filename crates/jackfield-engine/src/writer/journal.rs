//! What we wrote into whose file, with the texts before and after: for undo, and to know which switches are ours.
//!
//! `journal.jsonl` in our state folder has one record a line, `journal/` the texts by their hash. Both are bounded;
//! what says that a switch was inserted by us is kept longer than the texts.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use jackfield_config::SourceText;
use jackfield_config::edit::{self, Change, Step};
use jackfield_config::host::Format;
use serde::{Deserialize, Serialize};

use super::Occasion;
use crate::fs::{self, Durability, FsError, Mode};

/// Writes that can be undone.
const RECORDS: usize = 500;
/// Of all their texts together; one of the hosts' files can have many megabytes.
const BYTES: u64 = 64 * 1024 * 1024;
/// Records that are left over from older writes, because they say that a switch is ours.
const OLD_RECORDS: usize = 1000;

/// What kind of change it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Set,
    Remove,
    Rename,
    ListAdd,
    ListRemove,
}

/// One write of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub id: u64,
    /// The id of the first record of the edit; an edit can write several files.
    pub group: u64,
    /// Milliseconds since 1970.
    pub at: u64,
    /// What it was to a person.
    pub title: String,
    pub by: String,
    /// The group that this one takes back.
    pub undoes: Option<u64>,
    pub path: PathBuf,
    /// Hash of the bytes before; `None` if there was no file.
    pub before: Option<String>,
    /// `None` if there is none any more.
    pub after: Option<String>,
    /// Of both texts together; 0 once they are gone.
    pub bytes: u64,
    /// The keys that were edited.
    pub steps: Vec<Noted>,
}

/// One change of a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    pub kind: Kind,
    /// The keys that lead to what was edited, the last one included.
    pub keys: Vec<String>,
    /// Of a list.
    pub item: Option<String>,
    /// The key was not there before.
    pub inserted: bool,
    /// The topmost key that was made.
    pub created: Option<Vec<String>>,
}

/// One edit: all its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub id: u64,
    pub records: Vec<Record>,
    /// It was taken back, and that was not taken back again.
    pub undone: bool,
}

/// What is noted before a write.
pub(super) struct Note<'a> {
    pub(super) path: &'a Path,
    pub(super) occasion: &'a Occasion,
    pub(super) group: Option<u64>,
    pub(super) before: Option<&'a [u8]>,
    pub(super) after: Option<&'a [u8]>,
    pub(super) steps: &'a [(Change, Step)],
}

/// The journal of one state folder.
#[derive(Debug, Clone)]
pub struct Journal {
    state: PathBuf,
}

impl Journal {
    pub(super) fn new(state: &Path) -> Journal {
        Journal { state: state.to_owned() }
    }

    fn file(&self) -> PathBuf {
        self.state.join("journal.jsonl")
    }

    fn text_path(&self, hash: &str) -> PathBuf {
        self.state.join("journal").join(hash)
    }

    /// All records, oldest first. Lines that cannot be read, as after a full disk, are skipped.
    pub fn records(&self) -> Vec<Record> {
        let bytes = fs::read_optional(&self.file()).ok().flatten().unwrap_or_default();
        bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    /// All edits, newest first.
    pub fn groups(&self) -> Vec<Group> {
        let records = self.records();
        let undone = undone(&records);
        let mut groups: Vec<Group> = Vec::new();
        for record in records {
            match groups.iter_mut().rfind(|group| group.id == record.group) {
                Some(group) => group.records.push(record),
                None => groups.push(Group {
                    id: record.group,
                    undone: undone.contains(&record.group),
                    records: vec![record],
                }),
            }
        }
        groups.reverse();
        // Noted, and then the program was killed before it wrote: the file is as it was, and there is nothing to undo.
        for group in &mut groups {
            let is_before = |record: &Record| {
                let now = fs::read_optional(&record.path).ok().map(|bytes| bytes.as_deref().map(fs::hash));
                record.before != record.after && now.as_ref() == Some(&record.before)
            };
            if !group.undone && !group.records.iter().all(is_before) {
                break;
            }
            group.undone = true;
        }
        groups
    }

    /// The bytes of a file before or after a write, while they are kept.
    pub fn text(&self, hash: &str) -> Option<Vec<u8>> {
        fs::read_optional(&self.text_path(hash)).ok().flatten().filter(|bytes| fs::hash(bytes) == hash)
    }

    /// Whether the last write to this file was ours and left these bytes.
    pub fn left(&self, path: &Path, bytes: Option<&[u8]>) -> bool {
        let last = self.records().into_iter().rfind(|record| record.path == path);
        last.is_some_and(|record| record.after == bytes.map(fs::hash))
    }

    /// Whether the last thing we did to this key was to insert it.
    pub fn inserted(&self, path: &Path, keys: &[String]) -> bool {
        let last =
            self.last_step(path, |step| matches!(step.kind, Kind::Set | Kind::Remove) && step.keys == keys);
        last.is_some_and(|step| step.kind == Kind::Set && step.inserted)
    }

    /// The topmost key that we made when we put `item` on the list at `list`, if that was the last we did to it.
    pub fn created(&self, path: &Path, list: &[String], item: &str) -> Option<Vec<String>> {
        let last = self.last_step(path, |step| {
            let entry = matches!(step.kind, Kind::ListAdd | Kind::ListRemove);
            entry && step.keys == list && step.item.as_deref() == Some(item)
        })?;
        if last.kind == Kind::ListAdd { last.created } else { None }
    }

    /// The topmost of the keys down to `root` that we made ourselves, if we did not take it out again since.
    pub fn made(&self, path: &Path, root: &[String]) -> Option<Vec<String>> {
        let above = |keys: &[String]| !keys.is_empty() && root.starts_with(keys);
        let last = self.last_step(path, |step| {
            step.created.as_deref().is_some_and(above) || (step.kind == Kind::Remove && above(&step.keys))
        })?;
        last.created.filter(|_| last.kind != Kind::Remove)
    }

    /// What stood between the brackets of the object at `root` before we put the first server in.
    pub fn blank(&self, path: &Path, format: Format, root: &[String]) -> Option<String> {
        let records = self.records();
        let undone = undone(&records);
        let into_it = |step: &Noted| {
            let created = step.created.as_deref().and_then(<[String]>::split_last);
            created.is_some_and(|(_, parent)| parent == root)
        };
        let mut ours = records.iter().rev().filter(|record| {
            record.path == path && !undone.contains(&record.group) && record.steps.iter().any(into_it)
        });
        ours.find_map(|record| {
            let before = SourceText::decode(&self.text(record.before.as_deref()?)?).ok()?;
            edit::blank(&before.text, format, root).map(str::to_owned)
        })
    }

    /// The last step of this kind that was not taken back.
    fn last_step(&self, path: &Path, wanted: impl Fn(&Noted) -> bool) -> Option<Noted> {
        let records = self.records();
        let undone = undone(&records);
        let in_force = records
            .into_iter()
            .filter(|record| record.path == path && !undone.contains(&record.group))
            .rev()
            .flat_map(|record| record.steps.into_iter().rev());
        in_force.into_iter().find(|step| wanted(step))
    }

    /// Notes a write that is about to happen: its id and its group.
    pub(super) fn note(&self, note: &Note<'_>) -> Result<(u64, u64), FsError> {
        let guard = fs::lock(&self.state, &self.file())?;
        for bytes in note.before.into_iter().chain(note.after) {
            let path = self.text_path(&fs::hash(bytes));
            if !path.exists() {
                fs::write_checked(&path, bytes, Mode::Private, Durability::Quick, || true)?;
            }
        }
        let records = self.records();
        let length = |bytes: Option<&[u8]>| u64::try_from(bytes.map_or(0, <[u8]>::len)).unwrap_or(u64::MAX);
        let id = records.last().map_or(1, |last| last.id + 1);
        let group = note.group.unwrap_or(id);
        let record = Record {
            id,
            group,
            at: milliseconds(note.occasion.at),
            title: note.occasion.title.clone(),
            by: note.occasion.by.clone(),
            undoes: note.occasion.undoes,
            path: note.path.to_owned(),
            before: note.before.map(fs::hash),
            after: note.after.map(fs::hash),
            bytes: length(note.before).saturating_add(length(note.after)),
            steps: note.steps.iter().map(|(change, step)| noted(change, step)).collect(),
        };
        fs::append(&self.file(), &line(&record))?;
        if records.len() >= RECORDS + OLD_RECORDS
            || records.iter().filter(|record| record.bytes > 0).count() >= RECORDS + RECORDS / 5
            || records.iter().map(|record| record.bytes).sum::<u64>() > BYTES
        {
            self.trim(records.into_iter().chain([record]).collect())?;
        }
        drop(guard);
        Ok((id, group))
    }

    /// Takes back a note: the write did not happen.
    pub(super) fn retract(&self, id: u64) -> Result<(), FsError> {
        let guard = fs::lock(&self.state, &self.file())?;
        let mut records = self.records();
        records.retain(|record| record.id != id);
        self.store(&records)?;
        drop(guard);
        Ok(())
    }

    /// Drops the oldest texts, and the records that say nothing without them.
    fn trim(&self, records: Vec<Record>) -> Result<(), FsError> {
        let mut kept: Vec<Record> = Vec::new();
        let (mut whole, mut old, mut bytes) = (0, 0, 0_u64);
        let mut seen: HashSet<(PathBuf, Vec<String>, Option<String>)> = HashSet::new();
        for mut record in records.into_iter().rev() {
            let mut ours = false;
            for step in &record.steps {
                let latest = seen.insert((record.path.clone(), step.keys.clone(), step.item.clone()));
                ours |= latest && step.inserted;
            }
            bytes = bytes.saturating_add(record.bytes);
            // The newest is always whole, however large it is.
            let fits = kept.is_empty() || (whole < RECORDS && bytes <= BYTES);
            if record.bytes > 0 && fits {
                whole += 1;
            } else if ours && old < OLD_RECORDS / 2 {
                record.bytes = 0;
                old += 1;
            } else {
                continue;
            }
            kept.push(record);
        }
        kept.reverse();
        let used: HashSet<&str> = kept
            .iter()
            .filter(|record| record.bytes > 0)
            .flat_map(|record| record.before.iter().chain(&record.after))
            .map(String::as_str)
            .collect();
        self.store(&kept)?;
        for text in fs::list(&self.state.join("journal")) {
            let name = text.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if !used.contains(name.as_str()) {
                fs::remove(&text)?;
            }
        }
        Ok(())
    }

    fn store(&self, records: &[Record]) -> Result<(), FsError> {
        fs::write_atomic(&self.file(), &records.iter().flat_map(line).collect::<Vec<u8>>(), Mode::Private)
    }
}

/// The groups that were taken back, and those that took back; an undoing that was itself undone counts as neither.
fn undone(records: &[Record]) -> HashSet<u64> {
    let mut undone: HashSet<u64> = HashSet::new();
    for record in records.iter().rev() {
        if let Some(group) = record.undoes
            && !undone.contains(&record.group)
        {
            undone.insert(group);
        }
    }
    undone
}

fn noted(change: &Change, step: &Step) -> Noted {
    let (kind, item) = match change {
        Change::Set { .. } => (Kind::Set, None),
        Change::Remove { .. } => (Kind::Remove, None),
        Change::Rename { .. } => (Kind::Rename, None),
        Change::ListAdd { item, .. } => (Kind::ListAdd, Some(item.clone())),
        Change::ListRemove { item, .. } => (Kind::ListRemove, Some(item.clone())),
    };
    Noted { kind, keys: change.target().path(), item, inserted: step.inserted, created: step.created.clone() }
}

fn line(record: &Record) -> Vec<u8> {
    // A record has no map with keys that are not strings, and nothing else that JSON has not.
    let mut line = serde_json::to_vec(record).unwrap_or_default();
    line.push(b'\n');
    line
}

fn milliseconds(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
