//! What is remembered of a server between runs: its tools and which protocol it speaks. One file a server.
//!
//! Best effort: whatever goes wrong here, a connection does not.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jackfield_config::DefinitionHash;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::ToolInfo;
use crate::client::Era;

/// Older knowledge is not used.
const VALID_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Changes with the shape of the file; a file of another version is a miss. (1 could hold secrets that a server said.)
const VERSION: u32 = 2;
/// A larger file is not ours.
const MAX_SIZE: u64 = 256 * 1024 * 1024;

/// The folder of the cache.
#[derive(Debug, Clone)]
pub struct ToolCache {
    folder: PathBuf,
}

/// What is known of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub tools: Vec<ToolInfo>,
    pub era: Era,
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    server: String,
    definition: String,
    /// Seconds since 1970.
    written: u64,
    era: Era,
    tools: Vec<ToolInfo>,
}

impl ToolCache {
    pub fn new(folder: PathBuf) -> ToolCache {
        ToolCache { folder }
    }

    /// Blocks on the file. Unreadable, another version, another definition, too old, an empty list: a miss.
    pub fn read(&self, server: &str, definition: &DefinitionHash) -> Option<Known> {
        self.read_at(server, definition, SystemTime::now())
    }

    fn read_at(&self, server: &str, definition: &DefinitionHash, now: SystemTime) -> Option<Known> {
        let path = self.path(server);
        if std::fs::metadata(&path).ok()?.len() > MAX_SIZE {
            return None;
        }
        let file: File = serde_json::from_slice(&read(&path).ok()?).ok()?;
        let written = UNIX_EPOCH + Duration::from_secs(file.written);
        // A date in the future is a clock that was wrong.
        let fresh = now.duration_since(written).is_ok_and(|age| age <= VALID_FOR);
        let same = file.version == VERSION && file.server == server && file.definition == *definition.0;
        (fresh && same && !file.tools.is_empty()).then_some(Known { tools: file.tools, era: file.era })
    }

    /// Blocks on the file; an error is told in the trace only.
    pub fn write(&self, server: &str, definition: &DefinitionHash, known: &Known) {
        let written = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let file = File {
            version: VERSION,
            server: server.to_owned(),
            definition: definition.0.to_string(),
            written,
            era: known.era,
            tools: known.tools.clone(),
        };
        if let Err(error) = self.replace(&self.path(server), &file) {
            tracing::debug!(server, %error, "the tool cache could not be written");
        }
    }

    /// Forgets a server.
    pub fn remove(&self, server: &str) {
        #[expect(clippy::disallowed_methods, reason = "a cache file; whether it is there does not matter")]
        let _ = std::fs::remove_file(self.path(server));
    }

    fn replace(&self, path: &Path, file: &File) -> std::io::Result<()> {
        let bytes = serde_json::to_vec(file)?;
        create_folder(&self.folder)?;
        let mut temporary = tempfile::NamedTempFile::new_in(&self.folder)?;
        std::io::Write::write_all(&mut temporary, &bytes)?;
        temporary.persist(path)?;
        Ok(())
    }

    /// A server's name may hold anything, so the file has a hash for a name.
    fn path(&self, server: &str) -> PathBuf {
        let hash: String = Sha256::digest(server).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(format!("{hash}.json"))
    }
}

#[expect(clippy::disallowed_methods, reason = "an unreadable cache file is a miss, whatever its path")]
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}

#[expect(clippy::disallowed_methods, reason = "the cache's own folder; without it there is no cache")]
fn create_folder(path: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_written_is_read_under_the_same_definition_only() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ToolCache::new(folder.path().join("tools"));
        let hash = |text: &str| DefinitionHash(text.into());
        assert_eq!(cache.read("a", &hash("1")), None);
        let tool =
            ToolInfo::from_json(&json!({"name": "x", "inputSchema": {"type": "object", "b": 1, "a": 2}}))
                .unwrap();
        let known = Known { tools: vec![tool], era: Era::Modern };
        cache.write("a", &hash("1"), &known);
        assert_eq!(cache.read("a", &hash("1")), Some(known.clone()));
        assert_eq!(cache.read("a", &hash("2")), None);
        assert_eq!(cache.read("../a", &hash("1")), None);
        let later = SystemTime::now() + VALID_FOR + Duration::from_secs(5);
        assert_eq!(cache.read_at("a", &hash("1"), later), None);
        cache.write("a", &hash("1"), &Known { tools: Vec::new(), era: Era::Legacy });
        assert_eq!(cache.read("a", &hash("1")), None);
        cache.write("a", &hash("1"), &known);
        cache.remove("a");
        assert_eq!(cache.read("a", &hash("1")), None);
    }

    #[test]
    fn a_broken_file_is_a_miss() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ToolCache::new(folder.path().to_owned());
        #[expect(clippy::disallowed_methods, reason = "a test's file")]
        std::fs::write(cache.path("a"), "{").unwrap();
        assert_eq!(cache.read("a", &DefinitionHash("1".into())), None);
    }
}
