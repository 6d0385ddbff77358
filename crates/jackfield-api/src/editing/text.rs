//! A file as text: given out with the places of its secrets, checked while it is typed.

use std::sync::PoisonError;

use jackfield_config::read::{self, Content};
use jackfield_config::source::{Encoding, SourceReading};
use jackfield_config::write::schema;
use jackfield_config::{SourceText, mask};
use jackfield_engine::fs;

use super::{language, locked, no_source};
use crate::api::Api;
use crate::error::ApiError;
use crate::rows;
use crate::wire::{ErrorCode, FileServer, FileView};

/// Texts given out that an edit may be based on.
const GIVEN: usize = 16;
/// A larger file is for the user's own editor.
const LIMIT: usize = 4 * 1024 * 1024;

impl Api {
    /// A file as it is now.
    ///
    /// # Errors
    /// If there is no such source, or the file cannot be read.
    pub fn file_text(&self, source: &str) -> Result<FileView, ApiError> {
        let reading = self.reading(source).ok_or_else(|| no_source(source))?;
        let cannot = |words: String| {
            let path = self.engine().paths().display(&reading.spec.path);
            ApiError::new(ErrorCode::Edit, format!("Cannot read {path}: {words}"))
        };
        let bytes = match &reading.spec.text {
            Some(text) => Some(text.as_bytes().to_vec()),
            None => fs::read_optional(&reading.spec.path).map_err(|error| cannot(error.words()))?,
        };
        let exists = bytes.is_some();
        let bytes = bytes.unwrap_or_default();
        if bytes.len() > LIMIT {
            return Err(cannot("it is larger than 4 MB".to_owned()).hint("Open it in your editor."));
        }
        let text = SourceText::decode(&bytes).map_err(cannot)?.text;
        let hash = self.give_text(&text);
        let mut view = self.view(&reading, text, hash);
        view.exists = exists;
        Ok(view)
    }

    /// A text as it would be read from this source.
    ///
    /// # Errors
    /// If there is no such source.
    pub fn check_text(&self, source: &str, text: String) -> Result<FileView, ApiError> {
        let reading = self.reading(source).ok_or_else(|| no_source(source))?;
        Ok(self.view(&reading, text, String::new()))
    }

    fn view(&self, reading: &SourceReading, text: String, hash: String) -> FileView {
        let spec = &reading.spec;
        let paths = self.engine().paths();
        let source = SourceText { text, encoding: Encoding::Utf8 };
        let read = read::read_source(spec, Content::Text(&source), &paths.home);
        let secrets =
            mask::spans(&source.text, spec.format).unwrap_or_else(|| mask::loose_spans(&source.text));
        FileView {
            source: spec.id.0.to_string(),
            path: spec.path.display().to_string(),
            display_path: paths.display(&spec.path),
            exists: true,
            hash,
            language: language(spec.format),
            schema: schema(spec),
            secrets: utf16(&source.text, &secrets),
            findings: read.diagnostics.iter().map(|found| rows::finding(found, paths)).collect(),
            servers: read
                .definitions
                .iter()
                .filter_map(|definition| {
                    let line = definition.position?.line;
                    Some(FileServer { name: definition.name.clone(), line })
                })
                .collect(),
            // A file that does not parse is repaired as text; only what is not the user's is locked.
            locked: locked(reading).filter(|_| {
                matches!(spec.scope, jackfield_config::Scope::Managed | jackfield_config::Scope::Plugin)
                    || spec.read_only().is_some()
            }),
            text: source.text,
        }
    }

    /// Remembers a text that is given out; the answer is its name.
    pub(crate) fn give_text(&self, text: &str) -> String {
        let hash = fs::hash(text.as_bytes());
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.retain(|(known, _)| *known != hash);
        given.push_back((hash.clone(), text.to_owned()));
        while given.len() > GIVEN {
            given.pop_front();
        }
        hash
    }

    pub(crate) fn given_text(&self, hash: &str) -> Option<String> {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.iter().find(|(known, _)| known == hash).map(|(_, text)| text.clone())
    }
}

/// Places in bytes as places in UTF-16 units, which is how a browser counts.
fn utf16(text: &str, spans: &[std::ops::Range<usize>]) -> Vec<(u32, u32)> {
    let mut units = 0_usize;
    let mut at = 0;
    let mut to = |end: usize| {
        units += text[at..end].encode_utf16().count();
        at = end;
        u32::try_from(units).unwrap_or(u32::MAX)
    };
    spans.iter().map(|span| (to(span.start), to(span.end))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_a_browser_does() {
        assert_eq!(utf16("é😀ab😀", &[6..8, 8..12]), [(3, 5), (5, 7)]);
    }
}
