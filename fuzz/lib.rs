//! What the targets share: every source that any tool may have, and files that are read as one of them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use jackfield_config::catalog::{Catalog, Policy, merge};
use jackfield_config::discover::{Folders, sources};
use jackfield_config::edit::toggle::PlannedEdit;
use jackfield_config::edit::{EditError, apply_all};
use jackfield_config::read::{Content, read_source};
use jackfield_config::{Os, Places, SourceSpec, SourceText};

/// The home directory of nobody.
pub const HOME: &str = "/home/a";

/// A disk on which every folder holds one file of each kind.
struct Everything;

impl Folders for Everything {
    fn names(&self, _: &Path) -> Vec<String> {
        ["x", "x.json", "x.yaml", "x.toml"].map(str::to_owned).to_vec()
    }

    fn exists(&self, _: &Path) -> bool {
        true
    }
}

/// Every source of a machine on which everything is installed.
pub fn every_source() -> &'static [Arc<SourceSpec>] {
    static SOURCES: OnceLock<Vec<Arc<SourceSpec>>> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let places = Places {
            os: Os::Linux,
            home: PathBuf::from(HOME),
            system_root: PathBuf::from("/"),
            env: Arc::default(),
            project: Some(PathBuf::from("/home/a/project")),
        };
        sources(&places, &[], &Everything).into_iter().map(Arc::new).collect()
    })
}

/// The source that a number chooses.
pub fn source(number: u16) -> &'static Arc<SourceSpec> {
    let all = every_source();
    &all[usize::from(number) % all.len()]
}

/// One file, read as the only one on the machine.
pub fn catalog(spec: &Arc<SourceSpec>, text: &SourceText) -> Catalog {
    merge(vec![read_source(spec, Content::Text(text), Path::new(HOME))], &policy())
}

fn policy() -> Policy<'static> {
    Policy {
        hosts_order: &[],
        project_config: true,
        filter_exa: true,
        exa_allowed: &[],
        approved: &|_| true,
        last_denylist: &[],
    }
}

/// What a plan makes of the text of its one file; nothing if it is refused.
pub fn applied(text: &str, edits: &[PlannedEdit]) -> Option<String> {
    let [edit] = edits else { return None };
    match apply_all(text, edit.format, &edit.changes) {
        Ok(edited) => Some(edited.text),
        Err(EditError::Already) => Some(text.to_owned()),
        Err(_) => None,
    }
}

/// What separates the parts of an input; no file holds it.
pub const SEPARATOR: char = '\u{1f}';

/// The parts of an input, the missing ones empty.
pub fn parts<const N: usize>(text: &str) -> [&str; N] {
    let mut parts = text.splitn(N, SEPARATOR);
    [(); N].map(|()| parts.next().unwrap_or_default())
}
