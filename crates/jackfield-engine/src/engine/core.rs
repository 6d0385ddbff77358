//! The engine's own task. Everything that changes what is desired happens here, one request after the other.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jackfield_config::edit::toggle as plan;
use jackfield_config::edit::{Change, Missing, Place, Target};
use jackfield_config::host::Format;
use jackfield_config::settings::{ConnectAtStart, Settings, Theme, Trust};
use jackfield_config::{Catalog, Definition, Diagnostic, Entry, Judgement, ReadState, ServerId};
use serde_json::Value;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::Instant;

use super::edits::{Applied, Operation, Prepared, Previewed, Scene};
use super::review::approval_lines;
use super::{Changed, ConnectWhen, EngineError, Facts, Offers, Options, Published, Toggled};
use crate::loader::{Loader, Rules, needs_approval};
use crate::projects::{self, ProjectState};
use crate::resolve::Resolver;
use crate::resolve::shell_env::BaseEnv;
use crate::server::{RuntimeDeps, ServerHandle};
use crate::state_file::StateFile;
use crate::status::Phase;
use crate::supervisor::{Desired, Supervisor, Wish};
use crate::tools::cache::ToolCache;
use crate::trust::{Approved, TrustStore};
use crate::watch::{Events, FileWatcher};
use crate::wipe::WipeGuard;
use crate::writer::{Done, FileEdit, Occasion, Work, Writer, Written};

/// A file that was just emptied is looked at again after this time.
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// All servers together may take this long to end.
const CLOSE_ALL: Duration = Duration::from_secs(5);

/// What can be asked of the engine's task.
#[derive(Debug)]
pub(super) enum Request {
    Reload(oneshot::Sender<()>),
    Connect(ServerId, oneshot::Sender<Result<(), EngineError>>),
    ConnectAll(oneshot::Sender<()>),
    TryOut(Arc<Definition>, oneshot::Sender<ServerHandle>),
    SetEnabled(ServerId, bool, oneshot::Sender<Result<Toggled, EngineError>>),
    Preview(Operation, oneshot::Sender<Result<Previewed, EngineError>>),
    Apply(Operation, oneshot::Sender<Result<Applied, EngineError>>),
    DismissAlert(PathBuf, oneshot::Sender<()>),
    Approve(Arc<Definition>, oneshot::Sender<Result<(), EngineError>>),
    Offer(oneshot::Sender<()>),
    OpenProject(Option<PathBuf>, oneshot::Sender<Result<(), EngineError>>),
    SetConnectAtStart(ConnectAtStart, Vec<String>, oneshot::Sender<Result<(), EngineError>>),
    SetTheme(Theme, oneshot::Sender<Result<(), EngineError>>),
    SetHostsOrder(Vec<String>, oneshot::Sender<Result<(), EngineError>>),
    Shutdown(oneshot::Sender<()>),
}

/// Blocking things: lent to a blocking thread for each load.
#[derive(Debug)]
struct Files {
    loader: Loader,
    watcher: Option<FileWatcher>,
    trust: TrustStore,
    wipe: WipeGuard,
}

pub(super) struct Core {
    options: Options,
    resolver: Arc<Resolver>,
    files: Option<Files>,
    events: Option<Events>,
    writer: Arc<Writer>,
    supervisor: Supervisor,
    published: watch::Sender<Arc<Published>>,
    news: broadcast::Sender<Changed>,
    requests: mpsc::Receiver<Request>,
    project: Option<PathBuf>,
    /// Exa servers that the user let in, by name.
    exa_allowed: Vec<String>,
    /// Servers the user asked for before their definition could run.
    asked: HashSet<ServerId>,
    /// Findings about our own files, told once at the start.
    own: Vec<Diagnostic>,
    /// When a file that was just emptied is looked at again.
    look_again: Option<Instant>,
}

impl Core {
    pub(super) async fn new(
        options: Options,
        news: broadcast::Sender<Changed>,
        requests: mpsc::Receiver<Request>,
    ) -> Result<(Core, watch::Receiver<Arc<Published>>), EngineError> {
        let paths = options.paths.clone();
        let project = options.project.as_deref().map(|folder| projects::check(&paths, folder)).transpose()?;
        let loader = Loader::new(paths.clone(), options.env.clone());
        let (watcher, events) = match options.watch {
            true => {
                let (watcher, events) = FileWatcher::new();
                (Some(watcher), Some(events))
            }
            false => (None, None),
        };
        let (trust, broken_trust) = TrustStore::load(&paths.state);
        let (wipe, broken_alerts) = WipeGuard::load(&paths.state);
        let ask_shell = login_shell_allowed(&paths);
        let env = BaseEnv::new(options.env.clone(), ask_shell, options.guard.clone());
        let resolver = Arc::new(Resolver::new(env, paths.home.clone(), options.guard.clone()));
        let mut deps = RuntimeDeps::new(resolver.clone());
        deps.guard.clone_from(&options.guard);
        deps.cache = Some(ToolCache::new(paths.cache.join("tools")));
        let empty = Published {
            catalog: Arc::default(),
            settings: Arc::default(),
            servers: Arc::default(),
            offers: Arc::default(),
            facts: Facts::default(),
        };
        let (published, view) = watch::channel(Arc::new(empty));
        let mut core = Core {
            writer: Arc::new(Writer::new(&paths.state, &paths.home)),
            options,
            resolver,
            files: Some(Files { loader, watcher, trust, wipe }),
            events,
            supervisor: Supervisor::new(deps),
            published,
            news,
            requests,
            project,
            exa_allowed: Vec::new(),
            asked: HashSet::new(),
            own: broken_trust.into_iter().chain(broken_alerts).collect(),
            look_again: None,
        };
        core.resolver.set_project(core.project.clone());
        core.load(false).await;
        Ok((core, view))
    }

    pub(super) fn writer(&self) -> Arc<Writer> {
        self.writer.clone()
    }

    pub(super) fn resolver(&self) -> Arc<Resolver> {
        self.resolver.clone()
    }

    /// Until it is told to shut down, or nobody is left to ask.
    pub(super) async fn run(mut self) {
        let changes = self.supervisor.changes();
        // Not before the catalog is out: nothing waits for a look at other programs' recent folders.
        if self.options.offer_projects {
            self.offer().await;
        }
        // Findings about commands and variables can change when the login shell has answered.
        let resolver = self.resolver.clone();
        let mut shell = Some(tokio::spawn(async move {
            let before = resolver.env.known();
            *resolver.env.get().await != *before
        }));
        loop {
            tokio::select! {
                request = self.requests.recv() => match request {
                    Some(Request::Shutdown(done)) => {
                        self.supervisor.close_all(CLOSE_ALL).await;
                        // Nobody may be waiting any more.
                        let _ = done.send(());
                        return;
                    }
                    Some(request) => self.answer(request).await,
                    None => {
                        self.supervisor.close_all(CLOSE_ALL).await;
                        return;
                    }
                },
                changed = changes.next() => for (id, what) in changed {
                    if what.status {
                        self.tell(Changed::Server(id.clone()));
                    }
                    if what.tools {
                        self.tell(Changed::Tools(id.clone()));
                    }
                    if what.log
                        && let Some(server) = self.supervisor.get(&id)
                    {
                        let last = server.log().last_seq();
                        self.tell(Changed::Log(id, last));
                    }
                },
                () = files_changed(&mut self.events) => self.load(false).await,
                () = sleep_until(self.look_again) => self.load(false).await,
                answer = shell_answered(&mut shell) => {
                    shell = None;
                    if answer {
                        self.load(false).await;
                    }
                },
            }
        }
    }

    async fn answer(&mut self, request: Request) {
        match request {
            Request::Reload(done) => {
                self.reload().await;
                let _ = done.send(());
            }
            Request::Connect(id, reply) => {
                let _ = reply.send(self.connect(&id).await);
            }
            Request::ConnectAll(reply) => {
                // One that the user stopped stays so until it is named.
                let stopped = |server: &&ServerHandle| server.status().borrow().phase == Phase::Stopped;
                self.supervisor
                    .all()
                    .values()
                    .filter(|server| !stopped(server))
                    .for_each(ServerHandle::connect);
                let _ = reply.send(());
            }
            Request::TryOut(definition, reply) => {
                let project = self.project.clone().map(Arc::new);
                let _ = reply.send(self.supervisor.try_out(definition, project));
            }
            Request::SetEnabled(id, on, reply) => {
                let _ = reply.send(self.set_enabled(&id, on).await);
            }
            Request::Preview(operation, reply) => {
                let _ = reply.send(self.preview(operation).await);
            }
            Request::Apply(operation, reply) => {
                let _ = reply.send(self.apply(operation).await);
            }
            Request::DismissAlert(path, done) => {
                if let Some(files) = &mut self.files {
                    files.wipe.dismiss(&path);
                }
                self.load(false).await;
                let _ = done.send(());
            }
            Request::Approve(definition, reply) => {
                let _ = reply.send(self.approve(&definition).await);
            }
            Request::Offer(done) => {
                self.offer().await;
                let _ = done.send(());
            }
            Request::OpenProject(folder, reply) => {
                let _ = reply.send(self.open_project(folder).await);
            }
            Request::SetConnectAtStart(choice, chosen, reply) => {
                let _ = reply.send(self.set_connect_at_start(choice, chosen).await);
            }
            Request::SetTheme(theme, reply) => {
                let word = serde_json::to_value(theme).unwrap_or_default();
                let _ = reply.send(self.write_settings(vec![("theme", word)]).await);
            }
            Request::SetHostsOrder(hosts, reply) => {
                let _ = reply.send(self.write_settings(vec![("hosts", hosts.into())]).await);
            }
            Request::Shutdown(_) => {}
        }
    }

    fn catalog(&self) -> Arc<Catalog> {
        self.published.borrow().catalog.clone()
    }

    fn entry(&self, id: &ServerId) -> Result<Entry, EngineError> {
        self.catalog().get(id).cloned().ok_or_else(|| EngineError::NoServer(id.to_string()))
    }

    fn tell(&self, change: Changed) {
        // Nobody may be listening.
        let _ = self.news.send(change);
    }

    /// Reads the files, and brings the servers in line with them. With `fresh`, nothing read before is relied on.
    async fn load(&mut self, fresh: bool) {
        let Some(mut files) = self.files.take() else { return };
        let (project, exa, env) = (self.project.clone(), self.exa_allowed.clone(), self.resolver.env.known());
        let trust_project = self.options.trust_project;
        let writer = self.writer.clone();
        let loaded = tokio::task::spawn_blocking(move || {
            if fresh {
                files.loader.forget();
            }
            // Watched first, so that no change falls between.
            let paths = files.loader.files(project.as_deref());
            if let Some(watcher) = &mut files.watcher {
                watcher.follow(paths.iter().map(PathBuf::as_path));
            }
            let broken = files.trust.reload();
            let trust = &files.trust;
            let approved = |definition: &Definition, settings: &Settings| {
                trust_project || approved(trust, definition, settings)
            };
            let rules = Rules {
                project: project.as_deref(),
                exa_allowed: &exa,
                approved: &approved,
                server_env: &env,
            };
            let loaded = files.loader.load(&rules);
            // Only who watches sees a file lose something; a short-lived program sees what is.
            if files.watcher.is_some() {
                let has_servers = |path: &Path| {
                    loaded.catalog.sources.iter().any(|reading| {
                        *reading.spec.path == *path
                            && reading.state == ReadState::Read
                            && !reading.definitions.is_empty()
                    })
                };
                files.wipe.look(&loaded.losses, writer.journal(), &has_servers, SystemTime::now());
            }
            (files, loaded, broken)
        })
        .await;
        let (files, mut loaded, broken) = match loaded {
            Ok(loaded) => loaded,
            Err(error) => {
                // A bug in a reader: say so and keep what is there. The files cannot be got back, so start anew.
                tracing::error!(%error, "reading the configuration failed");
                let (trust, _) = TrustStore::load(&self.options.paths.state);
                let (wipe, _) = WipeGuard::load(&self.options.paths.state);
                let loader = Loader::new(self.options.paths.clone(), self.options.env.clone());
                self.files = Some(Files { loader, watcher: None, trust, wipe });
                return;
            }
        };
        self.own.extend(broken);
        loaded.catalog.diagnostics.splice(0..0, self.own.iter().cloned());
        let alerts = files.wipe.alerts().to_vec();
        self.files = Some(files);
        self.look_again = loaded.look_again.then(|| Instant::now() + LOOK_AGAIN);
        self.supervisor.set_auto_reconnect(loaded.settings.auto_reconnect);
        self.supervisor.set_lazy(&loaded.settings.lazy);
        self.resolver.set_everywhere(loaded.settings.resolve_everywhere);
        let desired = self.desired(&loaded.catalog, &loaded.settings);
        self.supervisor.reconcile(desired);
        let existing = loaded
            .catalog
            .sources
            .iter()
            .filter(|reading| reading.state != jackfield_config::ReadState::Missing)
            .map(|reading| &reading.spec.path)
            .collect::<HashSet<_>>();
        let before = self.published.borrow().clone();
        let last_change = loaded.changed.into_iter().next_back().map(|path| (path, SystemTime::now()));
        let facts = Facts {
            files_watched: existing.len(),
            last_change: last_change.or_else(|| before.facts.last_change.clone()),
            alerts,
        };
        self.published.send_replace(Arc::new(Published {
            catalog: Arc::new(loaded.catalog),
            settings: Arc::new(loaded.settings),
            servers: Arc::new(self.supervisor.all().clone()),
            offers: before.offers.clone(),
            facts,
        }));
        self.tell(Changed::Everything);
    }

    /// What is to have a task, and which of those that begin connect at once.
    fn desired(&mut self, catalog: &Catalog, settings: &Settings) -> Vec<Desired> {
        let project = self.project.clone().map(Arc::new);
        let runs = catalog.entries.iter().filter(|entry| entry.judgement == Judgement::Run);
        let mut desired = Vec::new();
        for Entry { definition, .. } in runs {
            let by_settings = match settings.connect_at_start {
                Some(ConnectAtStart::All) => true,
                Some(ConnectAtStart::Chosen) => settings.chosen.contains(&definition.name),
                Some(ConnectAtStart::None) | None => false,
            };
            let connect = match self.options.connect {
                _ if self.asked.remove(&definition.id) => Wish::Yes,
                ConnectWhen::AsSettings if by_settings && settings.lazy.holds(&definition.name) => {
                    Wish::IfUnknown
                }
                ConnectWhen::AsSettings if by_settings => Wish::Yes,
                ConnectWhen::Always => Wish::Yes,
                ConnectWhen::AsSettings | ConnectWhen::OnRequest => Wish::No,
            };
            desired.push(Desired { connect, definition: definition.clone(), project: project.clone() });
        }
        desired
    }

    async fn reload(&mut self) {
        self.load(true).await;
        for server in self.supervisor.all().values() {
            let up = match &server.status().borrow().phase {
                Phase::Idle | Phase::Stopped => false,
                Phase::Connecting { .. }
                | Phase::Ready(_)
                | Phase::NeedsSignIn { .. }
                | Phase::Retrying { .. }
                | Phase::Failed(_) => true,
            };
            if up {
                server.reconnect();
            }
        }
    }

    async fn connect(&mut self, id: &ServerId) -> Result<(), EngineError> {
        let entry = self.entry(id)?;
        if entry.judgement == Judgement::Filtered {
            self.exa_allowed.push(entry.definition.name.clone());
            self.asked.insert(id.clone());
            self.load(false).await;
            return Ok(());
        }
        match self.supervisor.get(id) {
            Some(server) => {
                server.connect();
                Ok(())
            }
            None => {
                let verdict = crate::status::verdict(&self.catalog(), &entry, None);
                let why = verdict.message.or(verdict.reason.map(|reason| reason.as_str().replace('_', " ")));
                let name = entry.definition.name.clone();
                Err(EngineError::NotRunnable { name, why: why.unwrap_or_default() })
            }
        }
    }

    async fn set_enabled(&mut self, id: &ServerId, on: bool) -> Result<Toggled, EngineError> {
        // What the window shows may be older than the file; the edit is planned on what is there now.
        self.load(false).await;
        let entry = self.entry(id)?;
        let catalog = self.catalog();
        let edits = plan::plan(&catalog, &entry, on, &*self.writer)?;
        let message = plan::outcome(&entry.definition, &edits, on, &self.options.paths.home);
        let path = edits.last().map(|edit| (*edit.path).clone()).unwrap_or_default();
        let word = if on { "Switched on" } else { "Switched off" };
        let title = format!("{word} `{}`", entry.definition.name);
        let written = self.write(edits.into_iter().map(FileEdit::from).collect(), title, None).await;
        if on && self.options.connect == ConnectWhen::AsSettings {
            self.asked.insert(id.clone());
        }
        self.load(false).await;
        written?;
        Ok(Toggled { message, path })
    }

    /// Works out what an operation would do to the files as they are now.
    async fn prepare(&mut self, operation: Operation) -> Result<Prepared, EngineError> {
        self.load(false).await;
        let Some(files) = self.files.take() else { return Err(EngineError::Ended) };
        let (catalog, writer, home) = (self.catalog(), self.writer.clone(), self.options.paths.home.clone());
        let (settings, settings_file) =
            (self.published.borrow().settings.clone(), self.options.paths.settings());
        let prepared = tokio::task::spawn_blocking(move || {
            let scene = Scene {
                catalog: &catalog,
                writer: &writer,
                wipe: &files.wipe,
                settings: &settings,
                settings_file: &settings_file,
                home: &home,
            };
            let prepared = scene.prepare(operation);
            (files, prepared)
        });
        let (files, prepared) = prepared.await.map_err(|_| EngineError::Ended)?;
        self.files = Some(files);
        prepared
    }

    async fn preview(&mut self, operation: Operation) -> Result<Previewed, EngineError> {
        let prepared = self.prepare(operation).await?;
        let writer = self.writer.clone();
        let previewed = tokio::task::spawn_blocking(move || {
            let files = writer.preview(&prepared.edits)?;
            Ok::<_, EngineError>(Previewed { prepared, files })
        });
        previewed.await.map_err(|_| EngineError::Ended)?
    }

    async fn apply(&mut self, operation: Operation) -> Result<Applied, EngineError> {
        // What nobody has looked at yet is not approved by being renamed, copied or changed in one field.
        let unseen = operation
            .of()
            .is_some_and(|id| self.entry(id).is_ok_and(|entry| entry.judgement == Judgement::NeedsApproval));
        let Prepared { edits, title, message, notice: _, notes, servers, undoes } =
            self.prepare(operation).await?;
        let private = edits.iter().any(|edit| matches!(edit.work, Work::Private));
        let done = self.write(edits, title, undoes).await;
        // What the user wrote through us is approved by that.
        self.load(false).await;
        let done = done?;
        for server in servers.iter().filter(|_| !unseen) {
            if let Ok(entry) = self.entry(server)
                && entry.judgement == Judgement::NeedsApproval
            {
                self.approve(&entry.definition).await?;
            }
        }
        let unchanged = done.files.iter().all(Written::is_unchanged) && done.group.is_none();
        let message = if unchanged && !private { "There was nothing to change.".to_owned() } else { message };
        Ok(Applied { message, notes, servers, group: done.group })
    }

    async fn approve(&mut self, definition: &Arc<Definition>) -> Result<(), EngineError> {
        let Some(project) = definition.source.project.as_deref().cloned() else { return Ok(()) };
        let approved = Approved {
            project,
            name: definition.name.clone(),
            source: (*definition.source.path).clone(),
            hash: definition.hash.to_string(),
            lines: approval_lines(definition),
        };
        if let Some(files) = &mut self.files {
            files.trust.approve(approved)?;
        }
        if self.options.connect != ConnectWhen::OnRequest {
            self.asked.insert(definition.id.clone());
        }
        self.load(false).await;
        Ok(())
    }

    async fn open_project(&mut self, folder: Option<PathBuf>) -> Result<(), EngineError> {
        let project = folder.map(|folder| projects::check(&self.options.paths, &folder)).transpose()?;
        if project != self.project {
            self.project.clone_from(&project);
            self.resolver.set_project(project.clone());
            self.load(false).await;
        }
        if let Some(project) = project.filter(|_| self.options.offer_projects) {
            let file = self.project_file();
            let kept = tokio::task::spawn_blocking(move || file.update(|state| state.opened(&project))).await;
            kept.map_err(|_| EngineError::Ended)??;
        }
        self.offer().await;
        Ok(())
    }

    fn project_file(&self) -> StateFile<ProjectState> {
        StateFile::new(&self.options.paths.state, "projects.json")
    }

    /// Looks for projects to offer.
    async fn offer(&mut self) {
        let (paths, env, file) = (self.options.paths.clone(), self.options.env.clone(), self.project_file());
        let found = tokio::task::spawn_blocking(move || {
            let (state, broken) = file.load();
            let recent: Vec<PathBuf> = state.recent.into_iter().filter(|folder| folder.is_dir()).collect();
            let mut candidates = projects::candidates(&paths, &env);
            candidates.retain(|folder| !recent.contains(folder));
            (Offers { recent, candidates }, broken)
        });
        let Ok((offers, broken)) = found.await else { return };
        self.own.extend(broken);
        let mut published = (**self.published.borrow()).clone();
        published.offers = Arc::new(offers);
        self.published.send_replace(Arc::new(published));
        self.tell(Changed::Everything);
    }

    async fn set_connect_at_start(
        &mut self,
        choice: ConnectAtStart,
        chosen: Vec<String>,
    ) -> Result<(), EngineError> {
        let word = serde_json::to_value(choice).unwrap_or_default();
        let mut changes = Vec::new();
        if choice == ConnectAtStart::Chosen {
            changes.push(("chosen", serde_json::to_value(&chosen).unwrap_or_default()));
        }
        changes.push(("connect_at_start", word));
        self.write_settings(changes).await?;
        // The answer is done at once, not only at the next start.
        for (id, server) in self.supervisor.all() {
            let name = &server.definition().name;
            let wanted = match choice {
                ConnectAtStart::All => true,
                ConnectAtStart::Chosen => chosen.contains(name),
                ConnectAtStart::None => false,
            };
            if wanted {
                tracing::debug!(%id, "connecting, as chosen");
                server.connect();
            }
        }
        Ok(())
    }

    async fn write_settings(&mut self, changes: Vec<(&'static str, Value)>) -> Result<(), EngineError> {
        let names = changes.iter().map(|(key, _)| format!("`{key}`")).collect::<Vec<_>>().join(" and ");
        let changes = changes.into_iter().map(|(key, value)| Change::Set {
            target: Target { root: Vec::new(), keys: vec![key.to_owned()], list: false },
            value,
            place: Place::Last,
            missing: Missing::Create,
        });
        let edit = FileEdit {
            path: self.options.paths.settings().into(),
            mode: crate::fs::Mode::Private,
            work: Work::Changes {
                format: Format::JSONC,
                changes: changes.collect(),
                made: None,
                blank: None,
            },
        };
        self.write(vec![edit], format!("Changed the setting {names}"), None).await?;
        self.load(false).await;
        Ok(())
    }

    /// Carries out edits as one write in the history.
    async fn write(
        &self,
        edits: Vec<FileEdit>,
        title: String,
        undoes: Option<u64>,
    ) -> Result<Done, EngineError> {
        let writer = self.writer.clone();
        let occasion = Occasion { title, by: self.options.by.to_owned(), at: SystemTime::now(), undoes };
        let written = tokio::task::spawn_blocking(move || writer.write(&edits, &occasion));
        Ok(written.await.map_err(|_| EngineError::Ended)??)
    }
}

/// Never, where files are not watched.
async fn files_changed(events: &mut Option<Events>) {
    match events {
        Some(events) => {
            if events.next().await.is_none() {
                std::future::pending::<()>().await;
            }
        }
        None => std::future::pending().await,
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

async fn shell_answered(shell: &mut Option<tokio::task::JoinHandle<bool>>) -> bool {
    match shell {
        Some(answer) => answer.await.unwrap_or(false),
        None => std::future::pending().await,
    }
}

fn approved(trust: &TrustStore, definition: &Definition, settings: &Settings) -> bool {
    if !needs_approval(definition) {
        return true;
    }
    match settings.trust {
        Trust::Always => true,
        Trust::Never => false,
        Trust::Ask => definition.source.project.as_deref().is_some_and(|project| {
            trust.is_approved(project, &definition.name, &definition.source.path, &definition.hash.0)
        }),
    }
}

/// The setting is needed before the first load, which needs the environment: it is read by itself.
fn login_shell_allowed(paths: &crate::paths::Paths) -> bool {
    let path = paths.settings();
    let text = crate::fs::read_optional(&path).ok().flatten();
    let text = text.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    jackfield_config::settings::parse(&text, &path).0.login_shell_env
}
