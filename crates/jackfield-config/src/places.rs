//! Where things are on this machine, as plain data: the only knowledge of the outside that this crate gets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An operating system, as far as hosts keep their files elsewhere on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    Linux,
    MacOs,
    Windows,
}

impl Os {
    /// The system this program was built for. Unknown Unix systems count as Linux.
    pub const fn current() -> Os {
        if cfg!(target_os = "macos") {
            Os::MacOs
        } else if cfg!(windows) {
            Os::Windows
        } else {
            Os::Linux
        }
    }
}

/// The outside world as discovery sees it.
#[derive(Debug, Clone)]
pub struct Places {
    pub os: Os,
    /// The home directory that stands for `~` in every host's paths.
    pub home: PathBuf,
    /// Put before absolute system paths such as `/etc/codex`; `/` on a real machine.
    pub system_root: PathBuf,
    /// The environment in which hosts' overrides (`CODEX_HOME`, `XDG_CONFIG_HOME`, …) are looked up.
    pub env: Arc<BTreeMap<String, String>>,
    /// The current project's root, if there is one.
    pub project: Option<PathBuf>,
}

impl Places {
    /// A set, non-empty variable.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The path with the home directory written as `~`, for people.
    pub fn display(&self, path: &Path) -> String {
        display_path(&self.home, path)
    }
}

/// `path` as a person reads it: below `home` it begins with `~`.
pub fn display_path(home: &Path, path: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~{}{}", std::path::MAIN_SEPARATOR, rest.display()),
        Err(_) => path.display().to_string(),
    }
}
