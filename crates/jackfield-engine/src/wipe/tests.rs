use std::collections::BTreeMap;
use std::sync::Arc;

use jackfield_config::edit::Change;
use jackfield_config::host::Format;
use jackfield_config::settings::Settings;
use jackfield_config::{Definition, ReadState};

use super::*;
use crate::loader::{Loader, Rules};
use crate::paths::Paths;
use crate::writer::{FileEdit, Occasion, Work, Writer};

const GOOD: &str =
    "{\n  // mine\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}, \"b\": {\"command\": \"y\"}}\n}\n";

struct World {
    folder: tempfile::TempDir,
    loader: Loader,
    guard: WipeGuard,
    writer: Writer,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_string_lossy().into_owned();
        let env: BTreeMap<String, String> = [("HOME".to_owned(), home)].into();
        let paths = Paths::from_env(&env).unwrap();
        let guard = WipeGuard::load(&paths.state).0;
        let writer = Writer::new(&paths.state, folder.path());
        World { loader: Loader::new(paths, Arc::new(env)), guard, writer, folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join(".cursor/mcp.json")
    }

    fn write(&self, text: &str) {
        fs::write_atomic(&self.file(), text.as_bytes(), Mode::Private).unwrap();
    }

    /// Loads, and tells whether the alerts are others than before.
    fn look(&mut self) -> bool {
        let rules = Rules {
            project: None,
            exa_allowed: &[],
            approved: &|_: &Definition, _: &Settings| true,
            server_env: &BTreeMap::new(),
        };
        let loaded = self.loader.load(&rules);
        let has_servers = |path: &Path| {
            let mut sources = loaded.catalog.sources.iter();
            sources.any(|reading| {
                *reading.spec.path == *path
                    && reading.state == ReadState::Read
                    && !reading.definitions.is_empty()
            })
        };
        self.guard.look(&loaded.losses, self.writer.journal(), &has_servers, SystemTime::UNIX_EPOCH)
    }

    fn told(&self) -> Vec<(Lost, Vec<String>)> {
        self.guard.alerts().iter().map(|alert| (alert.how, alert.servers.clone())).collect()
    }
}

fn both() -> Vec<String> {
    vec!["a".to_owned(), "b".to_owned()]
}

#[test]
fn a_loss_is_told_once_and_over_when_the_servers_are_back() {
    let mut world = World::new();
    world.write(GOOD);
    assert!(!world.look(), "what is there at the start is no loss");
    world.write("{\"mcpServers\": {}}");
    assert!(world.look());
    assert_eq!(world.told(), [(Lost::Emptied, both())]);
    assert_eq!(world.guard.good(&world.file()).unwrap(), GOOD.as_bytes());
    assert!(!world.look(), "told once");
    // It goes from bad to worse; what is kept is still the good text.
    world.write("{\"mcpServers\": ");
    assert!(world.look());
    assert_eq!(world.told(), [(Lost::Broken, both())]);
    assert_eq!(world.guard.good(&world.file()).unwrap(), GOOD.as_bytes());
    world.write(GOOD);
    assert!(world.look());
    assert!(world.told().is_empty());
    assert!(fs::list(&world.guard.folder()).is_empty(), "the copy goes with the alert");
}

#[test]
fn a_loss_is_remembered_across_a_restart_until_it_is_answered() {
    let mut world = World::new();
    world.write(GOOD);
    world.look();
    fs::remove(&world.file()).unwrap();
    world.look();
    assert_eq!(world.told(), [(Lost::Gone, both())]);
    let (again, broken) = WipeGuard::load(&world.guard.state);
    assert!(broken.is_none());
    assert_eq!(again.alerts(), world.guard.alerts());
    assert_eq!(again.good(&world.file()).unwrap(), GOOD.as_bytes());
    world.guard.dismiss(&world.file());
    assert!(!world.look(), "it was answered");
    let (left, _) = WipeGuard::load(&world.guard.state);
    assert!(left.alerts().iter().all(|alert| alert.answered), "it does not ask again");
    assert_eq!(left.good(&world.file()).unwrap(), GOOD.as_bytes(), "and can be put back all the same");
    world.write("{\"mcpServers\": ");
    assert!(world.look(), "another loss is told");
    assert!(world.guard.alerts().iter().all(|alert| !alert.answered));
    world.write(GOOD);
    assert!(world.look());
    assert!(fs::list(&world.guard.folder()).is_empty(), "nothing is kept of what is there again");
}

#[test]
fn what_we_wrote_ourselves_is_no_loss() {
    let mut world = World::new();
    world.write("{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}");
    world.look();
    let root = ["mcpServers".to_owned()];
    let change =
        Change::Remove { target: jackfield_config::edit::Target::leaf(&[root[0].clone(), "a".to_owned()]) };
    let work = Work::Changes { format: Format::JSONC, changes: vec![change], made: None, blank: None };
    let edit = FileEdit { path: world.file().into(), mode: Mode::Private, work };
    let (title, by) = ("Removed `a`".to_owned(), "test".to_owned());
    let occasion = Occasion { title, by, at: SystemTime::UNIX_EPOCH, undoes: None };
    world.writer.write(&[edit], &occasion).unwrap();
    assert!(!world.look());
    assert!(world.told().is_empty());
}
