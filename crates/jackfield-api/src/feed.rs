//! One snapshot with a revision, then ordered deltas.
//!
//! Owns the rows as they were told last. A change in the engine is answered by computing the rows it concerns anew and
//! telling those that differ; nothing is told twice, nothing is left out.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use jackfield_config::ServerId;
use jackfield_engine::{Changed, Engine};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::rows;
use crate::wire::{
    Change, ConnectAtStart, Delta, Finding, HostRow, LastChange, Overall, ProjectRow, Projects, ServerRow,
    Snapshot, Theme,
};

/// Changes within this time are told together: two frames of a screen.
const GATHER: Duration = Duration::from_millis(16);
/// Deltas a slow listener may be behind; after that it gets a gap and asks for a snapshot.
const BACKLOG: usize = 256;

/// The feed of one engine. Ends with the engine.
#[derive(Debug, Clone)]
pub struct Feed {
    engine: Engine,
    told: Arc<Mutex<Told>>,
    deltas: broadcast::Sender<Arc<Delta>>,
}

#[derive(Debug)]
struct Told {
    revision: u64,
    catalog_at: SystemTime,
    servers: HashMap<String, ServerRow>,
    hosts: Vec<HostRow>,
    findings: Vec<Finding>,
    projects: Projects,
    overall: Overall,
}

impl Feed {
    /// Starts following `engine`, in a task that ends with it.
    pub fn start(engine: Engine) -> Feed {
        let changes = engine.subscribe();
        let told = Told {
            revision: 0,
            catalog_at: SystemTime::now(),
            servers: all_rows(&engine, SystemTime::now()),
            hosts: rows::host_rows(&engine.catalog(), engine.paths()),
            findings: findings(&engine),
            projects: projects(&engine),
            overall: overall(&engine),
        };
        let feed = Feed { engine, told: Arc::new(Mutex::new(told)), deltas: broadcast::Sender::new(BACKLOG) };
        tokio::spawn(feed.clone().follow(changes));
        feed
    }

    /// Everything, as of one revision.
    pub fn snapshot(&self) -> Snapshot {
        let told = self.told();
        let mut servers: Vec<ServerRow> = told.servers.values().cloned().collect();
        servers.sort_by_key(|row| row.rank);
        Snapshot {
            revision: told.revision,
            servers,
            hosts: told.hosts.clone(),
            findings: told.findings.clone(),
            projects: told.projects.clone(),
            overall: told.overall.clone(),
        }
    }

    /// Every delta from now on. Subscribe first, then take a snapshot, and skip what it already holds.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Delta>> {
        self.deltas.subscribe()
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn follow(self, mut changes: broadcast::Receiver<Changed>) {
        loop {
            let mut work = Work::default();
            match changes.recv().await {
                Ok(change) => work.add(change),
                Err(RecvError::Lagged(_)) => work.everything = true,
                Err(RecvError::Closed) => return,
            }
            // The first change is told at once where nothing else is pending; what comes meanwhile goes with the next.
            let gather = tokio::time::sleep(GATHER);
            tokio::pin!(gather);
            loop {
                tokio::select! {
                    biased;
                    change = changes.recv() => match change {
                        Ok(change) => work.add(change),
                        Err(RecvError::Lagged(_)) => work.everything = true,
                        Err(RecvError::Closed) => return,
                    },
                    () = &mut gather => break,
                }
            }
            self.tell(work);
        }
    }

    fn tell(&self, work: Work) {
        let mut told = self.told();
        let mut changes = Vec::new();
        if work.everything {
            told.catalog_at = SystemTime::now();
            let fresh = all_rows(&self.engine, told.catalog_at);
            let mut gone: Vec<&String> = told.servers.keys().filter(|id| !fresh.contains_key(*id)).collect();
            gone.sort();
            changes.extend(gone.into_iter().map(|id| Change::ServerGone { id: id.clone() }));
            let mut rows: Vec<&ServerRow> = fresh
                .values()
                .filter(|row| told.servers.get(&row.id).is_none_or(|old| differs(old, row)))
                .collect();
            rows.sort_by_key(|row| row.rank);
            changes.extend(rows.into_iter().map(|row| Change::Server { row: Box::new(row.clone()) }));
            told.servers = keep_since(&told.servers, fresh);
            let hosts = rows::host_rows(&self.engine.catalog(), self.engine.paths());
            if told.hosts != hosts {
                told.hosts.clone_from(&hosts);
                changes.push(Change::Hosts { hosts });
            }
            let found = findings(&self.engine);
            if told.findings != found {
                told.findings.clone_from(&found);
                changes.push(Change::Findings { findings: found });
            }
            let projects = projects(&self.engine);
            if told.projects != projects {
                told.projects.clone_from(&projects);
                changes.push(Change::Projects { projects });
            }
            let overall = overall(&self.engine);
            if told.overall != overall {
                told.overall.clone_from(&overall);
                changes.push(Change::Overall { overall });
            }
        } else {
            let catalog = self.engine.catalog();
            for id in &work.servers {
                let Some(position) = catalog.entries.iter().position(|entry| entry.definition.id == *id)
                else {
                    continue;
                };
                let row = row(&self.engine, &catalog, position, told.catalog_at);
                if told.servers.get(&row.id).is_none_or(|old| differs(old, &row)) {
                    told.servers.insert(row.id.clone(), row.clone());
                    changes.push(Change::Server { row: Box::new(row) });
                }
            }
        }
        changes.extend(work.tools.into_iter().map(|id| Change::Tools { id: id.to_string() }));
        changes.extend(work.logs.into_iter().map(|(id, last)| Change::Log { id: id.to_string(), last }));
        if changes.is_empty() {
            return;
        }
        told.revision += 1;
        // Nobody may be listening yet.
        let _ = self.deltas.send(Arc::new(Delta { revision: told.revision, changes }));
    }
}

/// What has to be computed anew.
#[derive(Debug, Default)]
struct Work {
    everything: bool,
    servers: HashSet<ServerId>,
    tools: BTreeSet<ServerId>,
    logs: BTreeMap<ServerId, u64>,
}

impl Work {
    fn add(&mut self, change: Changed) {
        match change {
            Changed::Everything => self.everything = true,
            Changed::Server(id) => {
                self.servers.insert(id);
            }
            Changed::Tools(id) => {
                self.servers.insert(id.clone());
                self.tools.insert(id);
            }
            Changed::Log(id, last) => {
                self.logs.insert(id, last);
            }
        }
    }
}

/// A definition without a task is as it is since the last load; that alone is no news.
fn differs(old: &ServerRow, new: &ServerRow) -> bool {
    if old.status == new.status && old.reason == new.reason {
        let mut old = old.clone();
        old.since = new.since;
        return old != *new;
    }
    true
}

fn keep_since(
    old: &HashMap<String, ServerRow>,
    mut fresh: HashMap<String, ServerRow>,
) -> HashMap<String, ServerRow> {
    for (id, row) in &mut fresh {
        if let Some(old) = old.get(id).filter(|old| old.status == row.status && old.reason == row.reason) {
            row.since = old.since;
        }
    }
    fresh
}

fn row(
    engine: &Engine,
    catalog: &jackfield_config::Catalog,
    position: usize,
    since: SystemTime,
) -> ServerRow {
    let entry = &catalog.entries[position];
    let status = rows::status_of(engine, &entry.definition);
    rows::server_row(catalog, entry, position, status.as_deref(), since)
}

fn all_rows(engine: &Engine, since: SystemTime) -> HashMap<String, ServerRow> {
    let catalog = engine.catalog();
    (0..catalog.entries.len())
        .map(|position| row(engine, &catalog, position, since))
        .map(|row| (row.id.clone(), row))
        .collect()
}

fn findings(engine: &Engine) -> Vec<Finding> {
    engine.catalog().diagnostics.iter().map(|found| rows::finding(found, engine.paths())).collect()
}

/// The current project and those offered.
pub fn projects(engine: &Engine) -> Projects {
    let row = |path: &std::path::Path| ProjectRow {
        path: path.display().to_string(),
        display_path: engine.paths().display(path),
    };
    let offers = engine.projects();
    Projects {
        current: engine.catalog().project.as_deref().map(row),
        recent: offers.recent.iter().map(|path| row(path)).collect(),
        candidates: offers.candidates.iter().map(|path| row(path)).collect(),
    }
}

fn overall(engine: &Engine) -> Overall {
    use jackfield_config::settings;
    let settings = engine.settings();
    let facts = engine.facts();
    Overall {
        connect_at_start: settings.connect_at_start.map(|choice| match choice {
            settings::ConnectAtStart::All => ConnectAtStart::All,
            settings::ConnectAtStart::Chosen => ConnectAtStart::Chosen,
            settings::ConnectAtStart::None => ConnectAtStart::None,
        }),
        theme: match settings.theme {
            settings::Theme::System => Theme::System,
            settings::Theme::Light => Theme::Light,
            settings::Theme::Dark => Theme::Dark,
        },
        enable_mcp: settings.enable_mcp,
        files_watched: u32::try_from(facts.files_watched).unwrap_or(u32::MAX),
        last_change: facts.last_change.map(|(path, at)| LastChange {
            display_path: engine.paths().display(&path),
            at: rows::millis(at),
        }),
        alerts: facts.alerts.iter().map(|alert| rows::alert(alert, engine.paths())).collect(),
    }
}
