//! What only a desktop can do: editors, file managers, browsers, the chooser of folders.
//!
//! The shell plugin starts programs for us, from here only; the window has no permission to use it. The programs are
//! these and no others, and none of them gets a word that came from the window but a path that the API has checked.

use std::path::{Path, PathBuf};
use std::pin::Pin;

use jackfield_api::desktop::{Desktop, DesktopError};
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt as _;
use tauri_plugin_shell::ShellExt as _;

/// Editors that take a line, in the order in which they are tried: `program`, and how it is told the place.
const EDITORS: &[(&str, Place)] = &[
    ("code", Place::Goto),
    ("cursor", Place::Goto),
    ("codium", Place::Goto),
    ("windsurf", Place::Goto),
    ("zed", Place::Suffix),
    ("subl", Place::Suffix),
];

/// How an editor takes file and line.
#[derive(Clone, Copy)]
enum Place {
    /// `-g file:line`
    Goto,
    /// `file:line`
    Suffix,
}

#[cfg(target_os = "linux")]
const OPEN: &str = "xdg-open";
#[cfg(target_os = "macos")]
const OPEN: &str = "open";
#[cfg(windows)]
const OPEN: &str = "explorer";

/// The desktop this window is on.
pub(crate) struct Shell(pub(crate) AppHandle);

impl Shell {
    fn start(&self, program: &str, args: &[&str]) -> Result<(), DesktopError> {
        self.0
            .shell()
            .command(program)
            .args(args)
            .spawn()
            .map(|_| ())
            .map_err(|error| DesktopError(format!("`{program}` could not be started: {error}")))
    }
}

impl Desktop for Shell {
    fn open_file(&self, path: &Path, line: Option<u32>) -> Result<(), DesktopError> {
        let file = path.display().to_string();
        if let Some(line) = line {
            let place = format!("{file}:{line}");
            for (program, how) in EDITORS.iter().filter(|(program, _)| on_path(program)) {
                let started = match how {
                    Place::Goto => self.start(program, &["-g", &place]),
                    Place::Suffix => self.start(program, &[&place]),
                };
                if started.is_ok() {
                    return Ok(());
                }
            }
        }
        self.start(OPEN, &[&file])
    }

    fn reveal(&self, path: &Path) -> Result<(), DesktopError> {
        let file = path.display().to_string();
        if cfg!(target_os = "macos") {
            return self.start(OPEN, &["-R", &file]);
        }
        if cfg!(windows) {
            return self.start(OPEN, &[&format!("/select,{file}")]);
        }
        let folder = path.parent().unwrap_or(path).display().to_string();
        self.start(OPEN, &[&folder])
    }

    fn open_link(&self, url: &str) -> Result<(), DesktopError> {
        webbrowser::open(url).map_err(|error| DesktopError(format!("No browser could be started: {error}")))
    }

    fn pick_folder(&self) -> Pin<Box<dyn Future<Output = Option<PathBuf>> + Send + '_>> {
        let (chosen, answer) = tokio::sync::oneshot::channel();
        self.0.dialog().file().pick_folder(move |folder| {
            let _ = chosen.send(folder);
        });
        Box::pin(async move { answer.await.ok().flatten().and_then(|folder| folder.into_path().ok()) })
    }
}

fn on_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}
