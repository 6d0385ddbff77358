//! Follows the configuration files. Folders are watched, not files: an atomic save replaces the file itself.
//!
//! Owns the system's watcher. It tells *that* something changed, after a short quiet time; what changed is the
//! loader's business, which compares contents.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jackfield_config::discover;
use notify::event::ModifyKind;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// A change is reported when nothing more has come for this long …
const QUIET: Duration = Duration::from_millis(25);
/// … and at the latest this long after the first event.
const LONGEST: Duration = Duration::from_millis(100);

/// Watches the folders of a set of files.
#[derive(Debug)]
pub struct FileWatcher {
    system: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
    interest: Arc<Mutex<Interest>>,
}

/// What is followed.
#[derive(Debug, Default)]
struct Interest {
    paths: HashSet<PathBuf>,
    /// Folders with the names that count in them, such as `*.json`.
    patterns: HashMap<PathBuf, Vec<String>>,
}

impl Interest {
    fn concerns(&self, event: &notify::Event) -> bool {
        // A file that is there already is followed by its path; of the others it is news that they come.
        let comes_or_goes = match event.kind {
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => true,
            EventKind::Modify(kind) => !matches!(kind, ModifyKind::Data(_) | ModifyKind::Metadata(_)),
            EventKind::Access(_) => return false,
        };
        event.paths.iter().any(|path| self.paths.contains(path) || (comes_or_goes && self.fits(path)))
    }

    fn fits(&self, path: &Path) -> bool {
        let patterns = path.parent().and_then(|folder| self.patterns.get(folder));
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        patterns.is_some_and(|patterns| patterns.iter().any(|pattern| discover::fits(name, pattern)))
    }
}

/// The receiving end. One pending event is as good as many.
#[derive(Debug)]
pub struct Events {
    seen: mpsc::Receiver<()>,
    /// When the event came that is waiting for quiet. Kept here, so that a wait that is dropped loses nothing.
    since: Option<Instant>,
}

impl FileWatcher {
    /// A watcher of nothing yet. Where the system offers no watching, it says so in the log and stays silent.
    pub fn new() -> (FileWatcher, Events) {
        let (tx, rx) = mpsc::channel(1);
        let interest: Arc<Mutex<Interest>> = Arc::default();
        let seen = interest.clone();
        let on_event = move |event: notify::Result<notify::Event>| {
            let concerns = match &event {
                // Events may have been lost.
                Err(_) => true,
                Ok(event) if event.need_rescan() => true,
                Ok(event) => seen.lock().unwrap_or_else(PoisonError::into_inner).concerns(event),
            };
            if concerns {
                let _ = tx.try_send(());
            }
        };
        let system = notify::recommended_watcher(on_event)
            .inspect_err(|error| tracing::warn!(%error, "files cannot be watched; use reload"))
            .ok();
        (FileWatcher { system, folders: BTreeSet::new(), interest }, Events { seen: rx, since: None })
    }

    /// From now on exactly these files are followed, whether they exist or not. A name with a `*` in it stands for all
    /// that fit. Call it before reading them, so that
    /// no change falls between.
    pub fn follow<'a>(&mut self, files: impl IntoIterator<Item = &'a Path>) {
        let mut interest = Interest::default();
        let mut folders = BTreeSet::new();
        for file in files {
            follow_one(file, &mut interest, &mut folders);
            // A symlink's target changes without an event in the link's folder.
            if let Ok(target) = file.canonicalize()
                && target != file
            {
                follow_one(&target, &mut interest, &mut folders);
            }
        }
        *self.interest.lock().unwrap_or_else(PoisonError::into_inner) = interest;
        let Some(system) = &mut self.system else { return };
        for gone in self.folders.difference(&folders) {
            // It may have been deleted, which ended the watch already.
            let _ = system.unwatch(gone);
        }
        // Watched anew each time: a folder that was deleted and made again has lost its watch, and the system takes
        // a second watch of the same folder as the first one.
        for folder in &folders {
            if let Err(error) = system.watch(folder, RecursiveMode::NonRecursive) {
                tracing::warn!(folder = %folder.display(), %error, "folder cannot be watched");
            }
        }
        self.folders = folders;
    }
}

/// The nearest folder that exists is watched; the way from there to the file is of interest.
fn follow_one(file: &Path, interest: &mut Interest, folders: &mut BTreeSet<PathBuf>) {
    let pattern = file.file_name().and_then(|name| name.to_str()).filter(|name| name.contains('*'));
    let mut folder = file.parent();
    match (pattern, folder) {
        (Some(pattern), Some(folder)) => {
            interest.patterns.entry(folder.to_owned()).or_default().push(pattern.to_owned());
        }
        (_, _) => {
            interest.paths.insert(file.to_owned());
        }
    }
    while let Some(path) = folder {
        // The folder itself may go, or come.
        interest.paths.insert(path.to_owned());
        if path.is_dir() {
            folders.insert(path.to_owned());
            // So that its replacement (rename of the folder) is seen.
            if let Some(parent) = path.parent().filter(|parent| parent.parent().is_some()) {
                folders.insert(parent.to_owned());
            }
            return;
        }
        folder = path.parent();
    }
}

impl Events {
    /// The next change, when things have settled. `None` when the watcher is gone. May be dropped and called again.
    pub async fn next(&mut self) -> Option<()> {
        let start = match self.since {
            Some(since) => since,
            None => {
                self.seen.recv().await?;
                *self.since.insert(Instant::now())
            }
        };
        while let Ok(Some(())) =
            timeout_at((Instant::now() + QUIET).min(start + LONGEST), self.seen.recv()).await
        {}
        self.since = None;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn next(events: &mut Events) {
        tokio::time::timeout(Duration::from_secs(10), events.next())
            .await
            .expect("an event")
            .expect("a watcher");
    }

    #[tokio::test]
    async fn a_file_is_followed_through_save_by_rename_and_through_its_folders_birth() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let file = root.join("a/b/mcp.json");
        let (mut watcher, mut events) = FileWatcher::new();
        watcher.follow([file.as_path()]);

        for folder in ["a", "a/b"] {
            std::fs::create_dir(root.join(folder)).unwrap();
            next(&mut events).await;
            watcher.follow([file.as_path()]);
        }
        let new = root.join("a/b/.new");
        crate::fs::write_for_test(&new, "{}");
        crate::fs::rename_for_test(&new, &file);
        next(&mut events).await;
    }

    #[tokio::test]
    async fn neighbours_are_no_concern() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (mut watcher, mut events) = FileWatcher::new();
        watcher.follow([root.join("mcp.json").as_path()]);
        crate::fs::write_for_test(&root.join("other"), "x");
        crate::fs::write_for_test(&root.join("mcp.json"), "{}");
        next(&mut events).await;
        // The one event was of the file: nothing else is pending.
        assert!(events.seen.try_recv().is_err());
    }

    #[tokio::test]
    async fn what_fits_a_pattern_is_followed_when_it_comes() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (mut watcher, mut events) = FileWatcher::new();
        watcher.follow([root.join("servers/*.json").as_path()]);
        std::fs::create_dir(root.join("servers")).unwrap();
        next(&mut events).await;
        watcher.follow([root.join("servers/*.json").as_path()]);
        crate::fs::write_for_test(&root.join("servers/notes.txt"), "x");
        crate::fs::write_for_test(&root.join("servers/a.json"), "{}");
        next(&mut events).await;
        assert!(events.seen.try_recv().is_err());
    }

    #[test]
    fn other_names_and_mere_writes_are_no_news_of_a_pattern() {
        let mut interest = Interest::default();
        follow_one(Path::new("/f/*.json"), &mut interest, &mut BTreeSet::new());
        let news = |kind: EventKind, path: &str| {
            interest.concerns(&notify::Event::new(kind).add_path(PathBuf::from(path)))
        };
        let create = EventKind::Create(notify::event::CreateKind::File);
        let write = EventKind::Modify(ModifyKind::Data(notify::event::DataChange::Any));
        assert!(news(create, "/f/a.json"));
        assert!(!news(create, "/f/a.txt"));
        assert!(!news(create, "/f/g/a.json"));
        assert!(!news(write, "/f/a.json"));
    }

    #[tokio::test]
    async fn a_wait_that_is_dropped_loses_nothing() {
        let (tx, rx) = mpsc::channel(1);
        let mut events = Events { seen: rx, since: None };
        tx.try_send(()).unwrap();
        // Something else happens while things settle, again and again.
        for _ in 0..3 {
            assert!(tokio::time::timeout(Duration::from_millis(5), events.next()).await.is_err());
        }
        next(&mut events).await;
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_target_of_a_symlink_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("dotfiles")).unwrap();
        let target = root.join("dotfiles/mcp.json");
        crate::fs::write_for_test(&target, "{}");
        let link = root.join("mcp.json");
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let (mut watcher, mut events) = FileWatcher::new();
        watcher.follow([link.as_path()]);
        crate::fs::write_for_test(&target, "{ }");
        next(&mut events).await;
    }
}
