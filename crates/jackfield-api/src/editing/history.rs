//! What was written, and how it is taken back.

use jackfield_config::{SourceText, mask};
use jackfield_engine::writer::{Group, Preview};

use crate::api::Api;
use crate::error::ApiError;
use crate::wire::{ErrorCode, FilePreview, HistoryEntry};

impl Api {
    /// Edits of the hosts' files, newest first. Our own settings are not among them.
    pub fn history(&self, limit: Option<u32>) -> Vec<HistoryEntry> {
        let limit = limit.map_or(usize::MAX, |limit| limit as usize);
        self.groups().iter().take(limit).map(|group| self.history_entry(group)).collect()
    }

    fn groups(&self) -> Vec<Group> {
        let settings = self.engine().paths().settings();
        let mut groups = self.engine().writer().journal().groups();
        groups.retain(|group| group.records.iter().any(|record| record.path != settings));
        groups
    }

    fn history_entry(&self, group: &Group) -> HistoryEntry {
        let first = group.records.first();
        let mut files: Vec<String> = Vec::new();
        for record in &group.records {
            let path = self.engine().paths().display(&record.path);
            if !files.contains(&path) {
                files.push(path);
            }
        }
        let locked = if group.undone {
            Some("It was undone already".to_owned())
        } else {
            self.engine().writer().undo(group.id).err().map(|error| {
                let words = error.to_string();
                words.strip_prefix("Cannot undo: ").map_or(words.clone(), str::to_owned)
            })
        };
        HistoryEntry {
            id: group.id,
            at: first.map_or(0, |record| record.at),
            title: first.map_or_else(String::new, |record| mask::text(&record.title, &[])),
            by: first.map_or_else(String::new, |record| record.by.clone()),
            files,
            locked,
            undoes: first.is_some_and(|record| record.undoes.is_some()),
        }
    }

    /// What a write changed.
    ///
    /// # Errors
    /// If it is not in the history, or its texts are not kept any more.
    pub fn history_diff(&self, entry: u64) -> Result<Vec<FilePreview>, ApiError> {
        let groups = self.groups();
        let group = groups.iter().find(|group| group.id == entry);
        let group = group.ok_or_else(|| {
            ApiError::new(ErrorCode::NotFound, format!("There is no entry {entry} in the history"))
        })?;
        let journal = self.engine().writer().journal();
        let text = |hash: &Option<String>| -> Result<Option<String>, ApiError> {
            let Some(hash) = hash else { return Ok(None) };
            let bytes = journal.text(hash).ok_or_else(|| {
                ApiError::new(ErrorCode::NotFound, "What the file said then is not kept any more")
            })?;
            let decoded = SourceText::decode(&bytes).map(|text| text.text);
            Ok(Some(decoded.unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned())))
        };
        let record = |record: &jackfield_engine::writer::Record| {
            let preview = Preview {
                path: record.path.clone(),
                before: text(&record.before)?,
                after: text(&record.after)?,
            };
            Ok(self.file_preview(&preview))
        };
        group.records.iter().map(record).collect()
    }

    /// The write that is taken back: the one named, or the newest that is not itself an undoing.
    ///
    /// # Errors
    /// If there is none.
    pub fn undo_entry(&self, entry: Option<u64>) -> Result<u64, ApiError> {
        if let Some(entry) = entry {
            return Ok(entry);
        }
        let groups = self.groups();
        let undoing = |group: &&Group| group.records.iter().any(|record| record.undoes.is_some());
        let newest = groups.iter().find(|group| !group.undone && !undoing(group));
        newest
            .map(|group| group.id)
            .ok_or_else(|| ApiError::new(ErrorCode::NotFound, "There is nothing to undo"))
    }
}
