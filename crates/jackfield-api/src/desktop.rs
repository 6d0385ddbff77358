//! What only a desktop can do. The shell of the window answers; a bridge or a test answers otherwise.

use std::path::{Path, PathBuf};

use std::pin::Pin;

/// A desktop could not do what it was asked for, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DesktopError(pub String);

/// Named by the question, so that every shell can answer it.
pub trait Desktop: Send + Sync {
    /// Open a configuration file in the user's editor. Editors that take no line just open it.
    ///
    /// # Errors
    /// If no editor could be started.
    fn open_file(&self, path: &Path, line: Option<u32>) -> Result<(), DesktopError>;

    /// Show a file in the file manager.
    ///
    /// # Errors
    /// If no file manager could be started.
    fn reveal(&self, path: &Path) -> Result<(), DesktopError>;

    /// Open a link in the browser. The scheme was checked.
    ///
    /// # Errors
    /// If no browser could be started.
    fn open_link(&self, url: &str) -> Result<(), DesktopError>;

    /// Let the user choose a folder.
    fn pick_folder(&self) -> Pin<Box<dyn Future<Output = Option<PathBuf>> + Send + '_>>;
}

/// No desktop: a terminal, a test.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDesktop;

impl Desktop for NoDesktop {
    fn open_file(&self, path: &Path, _line: Option<u32>) -> Result<(), DesktopError> {
        Err(DesktopError(format!("There is no desktop here to open `{}`", path.display())))
    }

    fn reveal(&self, path: &Path) -> Result<(), DesktopError> {
        Err(DesktopError(format!("There is no desktop here to show `{}`", path.display())))
    }

    fn open_link(&self, url: &str) -> Result<(), DesktopError> {
        Err(DesktopError(format!("There is no desktop here to open {url}")))
    }

    fn pick_folder(&self) -> Pin<Box<dyn Future<Output = Option<PathBuf>> + Send + '_>> {
        Box::pin(std::future::ready(None))
    }
}
