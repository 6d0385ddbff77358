//! What a test of the window starts from, and what it looks at outside of the window.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::app::missing;

/// A folder of its own, with a home in it.
pub(crate) struct Prepared {
    folder: PathBuf,
}

impl Prepared {
    pub(crate) fn new(name: &str) -> Prepared {
        let folder = std::env::temp_dir().join(format!("jackfield-window-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let prepared = Prepared { folder };
        std::fs::create_dir_all(prepared.home()).expect("a home");
        prepared
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.home().join(below)
    }

    pub(crate) fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("written");
    }

    pub(crate) fn read(&self, below: &str) -> String {
        std::fs::read_to_string(self.path(below)).unwrap_or_default()
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A well-behaved server of `tests/fakes`.
pub(crate) fn fake() -> String {
    let tests = std::env::current_exe().expect("this program");
    let built = tests.parent().and_then(Path::parent).expect("target").join("examples/fake-mcp");
    assert!(built.is_file(), "{} is not built", built.display());
    built.display().to_string()
}

pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// Processes of fakes that were started with this home.
pub(crate) fn fakes_of(home: &Path) -> usize {
    let needle = format!("HOME={}", home.display());
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            let read = |file: &str| std::fs::read(entry.path().join(file)).unwrap_or_default();
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            text(read("cmdline")).contains("fake-mcp")
                && text(read("environ")).split('\0').any(|one| one == needle)
        })
        .count()
}

/// Skips where the window cannot be tested; in CI that is a failure.
pub(crate) fn can_run() -> bool {
    let Some(why) = missing() else { return true };
    assert!(std::env::var_os("CI").is_none(), "the window has to be tested here, but {why}");
    eprintln!("SKIPPED: the window is not tested: {why}. cargo xtask test brings what is needed.");
    false
}
