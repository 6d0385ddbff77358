//! Our own small JSON files: read as a whole, changed under a lock, written at one stroke.
//!
//! A broken one costs only itself: it is set aside as `.broken`, told, and treated as empty.

use std::ffi::OsString;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jackfield_config::{Code, Diagnostic, Severity};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fs::{self, FsError, LockGuard, Mode};

/// One file that holds one `T`.
#[derive(Debug)]
pub struct StateFile<T> {
    state: PathBuf,
    path: PathBuf,
    holds: PhantomData<fn() -> T>,
}

impl<T> Clone for StateFile<T> {
    fn clone(&self) -> StateFile<T> {
        StateFile { state: self.state.clone(), path: self.path.clone(), holds: PhantomData }
    }
}

impl<T: Serialize + DeserializeOwned + Default> StateFile<T> {
    /// The file `name` in our state folder.
    pub fn new(state: &Path, name: &str) -> StateFile<T> {
        StateFile { state: state.to_owned(), path: state.join(name), holds: PhantomData }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file holds. If it cannot be used, the default, and what is wrong with it.
    pub fn load(&self) -> (T, Option<Diagnostic>) {
        match fs::read_optional(&self.path) {
            Ok(None) => (T::default(), None),
            Ok(Some(bytes)) => match serde_json::from_slice(&bytes) {
                Ok(value) => (value, None),
                Err(_) => self.load_broken(),
            },
            Err(error) => (T::default(), Some(self.finding(&error.to_string(), ""))),
        }
    }

    /// Changes the file. What `change` sees is what is on disk, and nobody else changes it meanwhile.
    ///
    /// # Errors
    /// If the file cannot be read, locked or written; then nothing has changed.
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> Result<R, FsError> {
        let guard = fs::lock(&self.state, &self.path)?;
        let (mut value, _) = self.load_locked(&guard)?;
        let answer = change(&mut value);
        self.write(&value)?;
        Ok(answer)
    }

    fn write(&self, value: &T) -> Result<(), FsError> {
        let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| FsError {
            path: self.path.clone(),
            verb: "write",
            source: std::io::Error::other(error),
        })?;
        bytes.push(b'\n');
        fs::write_atomic(&self.path, &bytes, Mode::Private)
    }

    /// The reader without the lock may have seen what another process is about to set aside.
    fn load_broken(&self) -> (T, Option<Diagnostic>) {
        let loaded = fs::lock(&self.state, &self.path).and_then(|guard| self.load_locked(&guard));
        loaded.unwrap_or_else(|error| (T::default(), Some(self.finding(&error.to_string(), ""))))
    }

    fn load_locked(&self, _: &LockGuard) -> Result<(T, Option<Diagnostic>), FsError> {
        let Some(bytes) = fs::read_optional(&self.path)? else { return Ok((T::default(), None)) };
        match serde_json::from_slice(&bytes) {
            Ok(value) => Ok((value, None)),
            Err(error) => {
                let mut name = self.path.file_name().map(OsString::from).unwrap_or_default();
                name.push(".broken");
                let aside = self.path.with_file_name(name);
                fs::rename(&self.path, &aside)?;
                let detail =
                    format!("It was set aside as `{}`; Jackfield goes on without it.", aside.display());
                let title = format!("`{}` is broken: {error}", self.path.display());
                Ok((T::default(), Some(self.finding(&title, &detail))))
            }
        }
    }

    fn finding(&self, title: &str, detail: &str) -> Diagnostic {
        Diagnostic {
            code: Code::OwnFileBroken,
            severity: Severity::Warning,
            title: title.to_owned(),
            detail: detail.to_owned(),
            path: Some(Arc::new(self.path.clone())),
            position: None,
            server: None,
            fixes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Numbers = BTreeMap<String, u32>;

    #[test]
    fn a_broken_file_is_set_aside_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let file: StateFile<Numbers> = StateFile::new(folder.path(), "n.json");
        assert_eq!(file.load(), (Numbers::new(), None));
        fs::write_for_test(file.path(), "{\"a\": 1,");
        let (value, finding) = file.load();
        assert!(value.is_empty());
        let finding = finding.unwrap();
        assert_eq!(finding.code, Code::OwnFileBroken);
        assert!(finding.detail.contains("n.json.broken"), "{}", finding.detail);
        assert_eq!(fs::read(&folder.path().join("n.json.broken")).unwrap(), b"{\"a\": 1,");
        assert_eq!(file.load(), (Numbers::new(), None), "told once");
        file.update(|numbers| numbers.insert("b".to_owned(), 2)).unwrap();
        assert_eq!(file.load().0, Numbers::from([("b".to_owned(), 2)]));
    }

    #[test]
    fn no_update_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file: StateFile<Numbers> = StateFile::new(folder.path(), "n.json");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let file = file.clone();
                scope.spawn(move || {
                    for index in 0..10 {
                        file.update(|numbers| numbers.insert(format!("{thread}.{index}"), index)).unwrap();
                    }
                });
            }
        });
        assert_eq!(file.load().0.len(), 40);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_may_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file: StateFile<Numbers> = StateFile::new(&folder.path().join("state"), "n.json");
        file.update(|numbers| numbers.insert("a".to_owned(), 1)).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(file.path()), mode(&folder.path().join("state"))), (0o600, 0o700));
    }
}
