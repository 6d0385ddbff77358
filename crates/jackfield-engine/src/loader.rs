//! Files to catalog: reads every source, keeps the last good content of those that broke, merges.
//!
//! Owns what was read last. Blocking; called from one place at a time.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jackfield_config::diagnostic::{Code, Diagnostic, Severity};
use jackfield_config::read::Content;
use jackfield_config::settings::{self, Settings};
use jackfield_config::source::Encoding;
use jackfield_config::{
    Catalog, Definition, Policy, ReadState, Scope, SourceId, SourceReading, SourceSpec, SourceText, discover,
    read,
};

use crate::fs;
use crate::paths::Paths;
use crate::{examine, exposure, side_by_side};

/// What decides beside the files: handed in for each load.
pub struct Rules<'a> {
    pub project: Option<&'a Path>,
    pub exa_allowed: &'a [String],
    /// Whether this project-scope definition may run.
    pub approved: &'a dyn Fn(&Definition, &Settings) -> bool,
    /// The environment servers would get, for telling what is missing.
    pub server_env: &'a BTreeMap<String, String>,
}

impl std::fmt::Debug for Rules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rules").field("project", &self.project).finish_non_exhaustive()
    }
}

/// A load's result.
#[derive(Debug)]
pub struct Loaded {
    pub catalog: Catalog,
    pub settings: Settings,
    /// Files whose content differs from the load before. At the first load: none.
    pub changed: Vec<PathBuf>,
    /// Files that had servers while we looked, and have none now.
    pub losses: Vec<Loss>,
    /// A file was just emptied, as some editors do for a moment while saving: its servers are kept for now and the
    /// file should be looked at again soon.
    pub look_again: bool,
}

/// The disk, as discovery asks it.
#[derive(Debug)]
struct Disk;

impl discover::Folders for Disk {
    fn names(&self, folder: &Path) -> Vec<String> {
        let names = fs::list(folder).into_iter();
        names.filter_map(|path| path.file_name()?.to_str().map(str::to_owned)).collect()
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }
}

/// A file that had servers and has none any more, or does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub path: PathBuf,
    pub how: Lost,
    /// The names it had.
    pub servers: Vec<String>,
    /// What it said while it had them.
    pub good: Arc<Vec<u8>>,
    /// What it is now; `None` if it is gone.
    pub now: Option<String>,
}

/// How a file lost its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lost {
    /// It says nothing of them any more.
    Emptied,
    /// It does not parse, or cannot be read.
    Broken,
    /// There is no file.
    Gone,
}

/// What a file said while it had servers.
#[derive(Debug)]
struct Good {
    bytes: Arc<Vec<u8>>,
    servers: Vec<String>,
}

/// Reads sources and remembers them.
#[derive(Debug)]
pub struct Loader {
    paths: Paths,
    env: Arc<BTreeMap<String, String>>,
    files: HashMap<PathBuf, Known>,
    last_good: HashMap<SourceId, Arc<SourceReading>>,
    /// Of files that have changed since.
    good: HashMap<PathBuf, Good>,
    denylist: Vec<String>,
    settings: Settings,
    first: bool,
}

/// A file as it was found last.
#[derive(Debug)]
struct Known {
    found: Found,
    /// Its readings, by source; valid for these bytes.
    readings: HashMap<SourceId, Arc<SourceReading>>,
    emptied: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Found {
    Missing,
    Bytes(Vec<u8>),
    /// With the system's words.
    Unreadable(String),
}

impl Found {
    fn at(path: &Path) -> Found {
        match fs::read_optional(path) {
            Ok(None) => match fs::dangling_link(path) {
                Some(target) => {
                    Found::Unreadable(format!("it is a link to `{}`, which does not exist", target.display()))
                }
                None => Found::Missing,
            },
            Ok(Some(bytes)) => Found::Bytes(bytes),
            Err(error) => Found::Unreadable(error.words()),
        }
    }
}

impl Loader {
    pub fn new(paths: Paths, env: Arc<BTreeMap<String, String>>) -> Loader {
        Loader {
            paths,
            env,
            files: HashMap::new(),
            last_good: HashMap::new(),
            good: HashMap::new(),
            denylist: Vec::new(),
            settings: Settings::default(),
            first: true,
        }
    }

    /// From now on nothing that was read before is relied on, but for the last good content of broken files.
    pub fn forget(&mut self) {
        for known in self.files.values_mut() {
            known.readings.clear();
        }
    }

    /// Every file that matters for this project, whether it exists or not.
    pub fn files(&self, project: Option<&Path>) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self
            .specs(project)
            .iter()
            .filter(|spec| spec.text.is_none())
            .map(|spec| (*spec.path).clone())
            .collect();
        files.push(self.paths.settings());
        files.extend(discover::watched_patterns(&self.places(project), &Disk));
        files.extend(discover::unread_files(&self.places(project)).into_iter().map(|(path, _)| path));
        files.sort();
        files.dedup();
        files
    }

    /// Reads all sources again. What has not changed since the last time is not parsed again.
    pub fn load(&mut self, rules: &Rules<'_>) -> Loaded {
        let mut changed = Vec::new();
        let mut look_again = false;
        let mut diagnostics = self.load_settings(&mut changed);
        let mut readings = Vec::new();
        if self.settings.enable_mcp {
            let specs = self.specs(rules.project);
            let mut looked_at: HashSet<OsString> = HashSet::new();
            let paths: Vec<Arc<PathBuf>> = specs
                .iter()
                .filter(|spec| spec.text.is_none() && looked_at.insert(spec.path.as_os_str().to_owned()))
                .map(|spec| spec.path.clone())
                .collect();
            let found = side_by_side::map(&paths, |path| Found::at(path));
            for (path, found) in paths.iter().zip(found) {
                let state = self.refresh(path, found);
                look_again |= state == Refreshed::Emptied;
                if state == Refreshed::Changed && !self.first {
                    changed.push((**path).clone());
                }
            }
            let specs: Vec<Arc<SourceSpec>> = specs.into_iter().map(Arc::new).collect();
            let fresh = side_by_side::map(&specs, |spec| self.read_anew(spec));
            for (spec, fresh) in specs.iter().zip(fresh) {
                let reading = match &spec.text {
                    None => self.reading(spec, fresh),
                    // There is no file behind it.
                    Some(text) => {
                        let text = SourceText { text: text.to_string(), encoding: Encoding::Utf8 };
                        read::read_source(spec, Content::Text(&text), &self.paths.home)
                    }
                };
                if reading.is_listed() {
                    readings.push(reading);
                }
            }
            diagnostics.extend(self.unread(rules.project));
        }
        let approved = |definition: &Definition| (rules.approved)(definition, &self.settings);
        let policy = Policy {
            hosts_order: &self.settings.hosts,
            project_config: self.settings.enable_project_config,
            filter_exa: self.settings.filter_exa,
            exa_allowed: rules.exa_allowed,
            approved: &approved,
            last_denylist: &self.denylist,
        };
        let mut catalog = jackfield_config::catalog::merge(readings, &policy);
        catalog.project = rules.project.map(Path::to_owned);
        catalog.diagnostics.splice(0..0, diagnostics);
        let found = examine::examine(&catalog, rules.server_env, rules.project, &self.paths.home);
        catalog.diagnostics.extend(found);
        catalog.diagnostics.extend(exposure::exposure(&catalog));
        self.denylist.clone_from(&catalog.denylist);
        self.first = false;
        let losses = self.losses(&catalog);
        Loaded { catalog, settings: self.settings.clone(), changed, losses, look_again }
    }

    fn places(&self, project: Option<&Path>) -> jackfield_config::Places {
        self.paths.places(self.env.clone(), project)
    }

    fn specs(&self, project: Option<&Path>) -> Vec<SourceSpec> {
        let mut specs = discover::sources(&self.places(project), &self.settings.hosts, &Disk);
        discover::dedup(&mut specs, &fs::identity);
        specs
    }

    fn load_settings(&mut self, changed: &mut Vec<PathBuf>) -> Vec<Diagnostic> {
        let path = self.paths.settings();
        if self.refresh(&path, Found::at(&path)) == Refreshed::Changed && !self.first {
            changed.push(path.clone());
        }
        let text = match self.files.get(&path).map(|known| &known.found) {
            None | Some(Found::Missing) => String::new(),
            Some(Found::Unreadable(message)) => return vec![unreadable(&path, message)],
            Some(Found::Bytes(bytes)) => match SourceText::decode(bytes) {
                Ok(source) => source.text,
                Err(message) => return vec![unreadable(&path, &message)],
            },
        };
        let (settings, diagnostics) = settings::parse(&text, &path);
        // While the file is broken, what it said last stays in force.
        if !diagnostics.iter().any(|found| found.code == Code::OwnFileBroken) {
            self.settings = settings;
        }
        diagnostics
    }

    /// Looks at a file again.
    fn refresh(&mut self, path: &Path, found: Found) -> Refreshed {
        match self.files.get_mut(path) {
            Some(known) if known.found == found => Refreshed::Same,
            Some(known) if !known.emptied && was_emptied(&known.found, &found) => {
                known.emptied = true;
                Refreshed::Emptied
            }
            Some(_) | None => {
                let known = Known { found, readings: HashMap::new(), emptied: false };
                match self.files.insert(path.to_owned(), known) {
                    None => Refreshed::New,
                    Some(old) => {
                        self.keep_good(path, old);
                        Refreshed::Changed
                    }
                }
            }
        }
    }

    /// Keeps what a file said before it changed, if it had servers then.
    fn keep_good(&mut self, path: &Path, old: Known) {
        let Found::Bytes(bytes) = old.found else { return };
        let read = old.readings.values().filter(|reading| reading.state == ReadState::Read);
        let names = read.flat_map(|reading| &reading.definitions).map(|definition| definition.name.clone());
        let mut servers: Vec<String> = names.collect();
        servers.sort();
        servers.dedup();
        if !servers.is_empty() {
            self.good.insert(path.to_owned(), Good { bytes: Arc::new(bytes), servers });
        }
    }

    /// Files whose servers are gone since we looked first. One that has servers again is forgotten.
    fn losses(&mut self, catalog: &Catalog) -> Vec<Loss> {
        let files = &self.files;
        self.good.retain(|path, _| {
            let mut readings = catalog.sources.iter().filter(|reading| *reading.spec.path == *path);
            readings.any(|_| true)
                && !catalog.sources.iter().any(|reading| {
                    *reading.spec.path == *path
                        && reading.state == ReadState::Read
                        && !reading.definitions.is_empty()
                })
        });
        let losses = self.good.iter().filter_map(|(path, good)| {
            let (how, now) = match &files.get(path)?.found {
                Found::Missing => (Lost::Gone, None),
                Found::Unreadable(_) => return None,
                Found::Bytes(bytes) => {
                    let mut readings = catalog.sources.iter().filter(|reading| *reading.spec.path == *path);
                    let broken = readings.any(|reading| reading.state != ReadState::Read);
                    (if broken { Lost::Broken } else { Lost::Emptied }, Some(fs::hash(bytes)))
                }
            };
            let servers = good.servers.clone();
            Some(Loss { path: path.clone(), how, servers, good: good.bytes.clone(), now })
        });
        let mut losses: Vec<Loss> = losses.collect();
        losses.sort_by(|a, b| a.path.cmp(&b.path));
        losses
    }

    /// Reads a source, if what was read before does not hold any more.
    fn read_anew(&self, spec: &Arc<SourceSpec>) -> Option<SourceReading> {
        let known = self.files.get(&*spec.path)?;
        // The rank may have changed with the order of the hosts.
        if known.readings.get(&spec.id).is_some_and(|reading| reading.spec.rank == spec.rank) {
            return None;
        }
        let read = |content| read::read_source(spec, content, &self.paths.home);
        Some(match &known.found {
            Found::Missing => read(Content::Missing),
            Found::Unreadable(message) => read(Content::Unreadable(message)),
            Found::Bytes(bytes) => match SourceText::decode(bytes) {
                Ok(text) => read(Content::Text(&text)),
                Err(message) => read(Content::Unreadable(&message)),
            },
        })
    }

    /// The reading in force: the fresh one, the one before, or for a broken file its last good one.
    fn reading(&mut self, spec: &Arc<SourceSpec>, fresh: Option<SourceReading>) -> SourceReading {
        let Some(known) = self.files.get_mut(&*spec.path) else {
            return read::read_source(spec, Content::Missing, &self.paths.home);
        };
        let mut reading = match (fresh, known.readings.get(&spec.id)) {
            (Some(fresh), _) => fresh,
            (None, Some(reading)) => return SourceReading::clone(reading),
            (None, None) => return read::read_source(spec, Content::Missing, &self.paths.home),
        };
        if let ReadState::Broken | ReadState::Unreadable(_) = reading.state
            && let Some(good) = self.last_good.get(&spec.id)
        {
            reading.state = ReadState::LastGood;
            reading.definitions.clone_from(&good.definitions);
            reading.host_disabled.clone_from(&good.host_disabled);
            reading.host_allowed.clone_from(&good.host_allowed);
            reading.claude.clone_from(&good.claude);
            reading.denylist.clone_from(&good.denylist);
        }
        let reading = Arc::new(reading);
        match reading.state {
            ReadState::Read => {
                self.last_good.insert(spec.id.clone(), reading.clone());
            }
            ReadState::Missing => {
                self.last_good.remove(&spec.id);
            }
            ReadState::LastGood | ReadState::Broken | ReadState::Unreadable(_) => {}
        }
        known.readings.insert(spec.id.clone(), reading.clone());
        // The catalog lays files over each other, so it has its own.
        SourceReading::clone(&reading)
    }

    fn unread(&self, project: Option<&Path>) -> Vec<Diagnostic> {
        let exists = |path: &Path| path.is_file();
        discover::unread_files(&self.places(project))
            .into_iter()
            .filter(|(path, _)| exists(path))
            .map(|(path, why)| Diagnostic {
                code: Code::UnreadFile,
                severity: Severity::Warning,
                title: format!("No application reads `{}`", self.paths.display(&path)),
                detail: why.to_owned(),
                path: Some(Arc::new(path)),
                position: None,
                server: None,
                fixes: Vec::new(),
            })
            .collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refreshed {
    /// Seen for the first time.
    New,
    Same,
    Changed,
    /// Emptied a moment ago; the old content still counts.
    Emptied,
}

fn was_emptied(before: &Found, now: &Found) -> bool {
    matches!((before, now), (Found::Bytes(before), Found::Bytes(now)) if now.is_empty() && !before.is_empty())
}

fn unreadable(path: &Path, message: &str) -> Diagnostic {
    Diagnostic {
        code: Code::FileUnreadable,
        severity: Severity::Error,
        title: message.to_owned(),
        detail: String::new(),
        path: Some(Arc::new(path.to_owned())),
        position: None,
        server: None,
        fixes: Vec::new(),
    }
}

/// Whether a definition came with a project and so has to be approved.
pub fn needs_approval(definition: &Definition) -> bool {
    definition.source.scope == Scope::Project
}

#[cfg(test)]
mod tests;
