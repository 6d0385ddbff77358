//! The engine: one task that owns loader, watcher and supervisor, and a handle that everybody else has.
//!
//! Requests go through a mailbox, so two of them never see each other's halves. State is read past the mailbox, from
//! watch channels. Calls of tools go straight to the server.

mod core;
pub mod edits;
pub mod gather;
mod index;
mod options;
mod review;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use jackfield_config::edit::toggle::NoSwitch;
use jackfield_config::settings::{ConnectAtStart, Settings, Theme};
use jackfield_config::{Catalog, Definition, ServerId};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::fs::FsError;
use crate::paths::Paths;
use crate::processes::{EndError, Foreign, Processes, Usage};
use crate::projects::NotAProject;
use crate::resolve::Resolver;
use crate::server::ServerHandle;
use crate::status::Phase;
use crate::wipe::Alert;
use crate::writer::{WriteError, Writer};

use edits::{Applied, Operation, Previewed};
pub use index::{IndexedTool, ToolIndex};
pub use options::{ConnectWhen, Options};

/// Requests that may wait at the engine.
const MAILBOX: usize = 64;
/// News a slow listener may be behind; after that it looks at everything again.
const NEWS: usize = 1024;

/// The first argument under which our programs act as the guard.
const GUARD_WORD: &str = "__guard";

/// A handle to a running engine. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    paths: Paths,
    resolver: Arc<Resolver>,
    writer: Arc<Writer>,
    processes: Arc<Processes>,
    mailbox: mpsc::Sender<core::Request>,
    news: broadcast::WeakSender<Changed>,
    view: watch::Receiver<Arc<Published>>,
}

/// What the engine publishes: replaced as a whole, so that its parts always fit together.
#[derive(Debug, Clone)]
pub(crate) struct Published {
    catalog: Arc<Catalog>,
    settings: Arc<Settings>,
    servers: Arc<HashMap<ServerId, ServerHandle>>,
    offers: Arc<Offers>,
    facts: Facts,
}

/// News of the engine. What changed is read from the engine itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// The catalog, the settings, the project: look at everything.
    Everything,
    /// The status of one server.
    Server(ServerId),
    /// The tools of one server.
    Tools(ServerId),
    /// The log of one server, and the number of its last line.
    Log(ServerId, u64),
}

/// Projects that may be opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offers {
    pub recent: Vec<PathBuf>,
    pub candidates: Vec<PathBuf>,
}

/// Small things worth showing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Existing configuration files.
    pub files_watched: usize,
    pub last_change: Option<(PathBuf, SystemTime)>,
    /// Files that lost their servers while we watched.
    pub alerts: Vec<Alert>,
}

/// What a toggle did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toggled {
    /// Which file changed, what the host will notice and when.
    pub message: String,
    pub path: PathBuf,
}

/// Exactly what a person approves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    pub project: PathBuf,
    /// The command, one argument a line, or the url: as written, secrets masked.
    pub lines: Vec<String>,
    /// All else that decides what happens.
    pub values: Vec<ReviewValue>,
    /// Lines that differ from what was approved before.
    pub changed: Vec<String>,
}

/// One value of a definition under review, as written, secrets masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewValue {
    pub kind: ReviewKind,
    /// Of the variable or header; empty for the others.
    pub name: String,
    pub value: String,
    /// It is a command that would be run for its output.
    pub runs: bool,
}

/// What a value under review is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewKind {
    Env,
    Header,
    /// The working directory.
    Folder,
    /// A file with more variables.
    EnvFile,
    /// A command that prints more headers.
    HeadersHelper,
}

/// A request to the engine failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("Server \"{0}\" not found.")]
    NoServer(String),
    /// The rules keep it from running.
    #[error("`{name}` does not run: {why}")]
    NotRunnable { name: String, why: String },
    #[error("there is no source `{0}`")]
    NoSource(String),
    #[error("there is nothing to put right any more")]
    NoFix,
    /// In another file it would run at once, and nobody has looked at it.
    #[error("`{0}` came with the project and waits for your approval")]
    Unreviewed(String),
    /// A text would make an entry unusable.
    #[error("{0}")]
    Invalid(String),
    #[error(transparent)]
    Plan(Box<jackfield_config::edit::plan::PlanError>),
    #[error(transparent)]
    NoSwitch(#[from] NoSwitch),
    #[error(transparent)]
    Edit(#[from] WriteError),
    #[error(transparent)]
    File(#[from] FsError),
    #[error(transparent)]
    Project(#[from] NotAProject),
    #[error(transparent)]
    Process(#[from] EndError),
    #[error("the engine has ended")]
    Ended,
}

impl EngineError {
    /// What to do, as a sentence; may be empty.
    pub fn hint(&self) -> String {
        match self {
            EngineError::NoServer(_) => "See jackfield list.".to_owned(),
            EngineError::Edit(_) | EngineError::Plan(_) | EngineError::Invalid(_) => {
                "Nothing was written.".to_owned()
            }
            EngineError::Unreviewed(_) => {
                "Review it first: in that file it would run without being asked about.".to_owned()
            }
            EngineError::Project(_) => "Choose a folder that holds one project.".to_owned(),
            EngineError::NotRunnable { .. }
            | EngineError::NoSource(_)
            | EngineError::NoFix
            | EngineError::NoSwitch(_)
            | EngineError::File(_)
            | EngineError::Process(_)
            | EngineError::Ended => String::new(),
        }
    }
}

impl Engine {
    /// Reads the configuration and starts what is to be started. Returns as soon as the catalog is there; connections
    /// are made in the background.
    ///
    /// # Errors
    /// If the project is none.
    pub async fn start(options: Options) -> Result<Engine, EngineError> {
        let (mailbox, requests) = mpsc::channel(MAILBOX);
        let news = broadcast::Sender::new(NEWS);
        let weak = news.downgrade();
        let paths = options.paths.clone();
        let (core, view) = core::Core::new(options, news, requests).await?;
        let (resolver, writer) = (core.resolver(), core.writer());
        tokio::spawn(core.run());
        Ok(Engine(Arc::new(Shared {
            paths,
            resolver,
            writer,
            processes: Arc::default(),
            mailbox,
            news: weak,
            view,
        })))
    }

    pub fn paths(&self) -> &Paths {
        &self.0.paths
    }

    pub fn resolver(&self) -> &Resolver {
        &self.0.resolver
    }

    /// What was written so far; writing itself goes through [`Engine::apply`].
    pub fn writer(&self) -> &Writer {
        &self.0.writer
    }

    /// All definitions, merged, as of now.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.0.view.borrow().catalog.clone()
    }

    pub fn settings(&self) -> Arc<Settings> {
        self.0.view.borrow().settings.clone()
    }

    /// The task of a server that may run.
    pub fn server(&self, id: &ServerId) -> Option<ServerHandle> {
        self.0.view.borrow().servers.get(id).cloned()
    }

    /// All servers that may run.
    pub fn servers(&self) -> Arc<HashMap<ServerId, ServerHandle>> {
        self.0.view.borrow().servers.clone()
    }

    pub fn projects(&self) -> Arc<Offers> {
        self.0.view.borrow().offers.clone()
    }

    pub fn facts(&self) -> Facts {
        self.0.view.borrow().facts.clone()
    }

    /// All tools that are live or known from the cache, by the names under which they are offered.
    pub fn tools(&self) -> ToolIndex {
        let view = self.0.view.borrow().clone();
        ToolIndex::build(&view.catalog, &view.servers)
    }

    /// What the processes of a server take; `None` for one that has none.
    pub async fn usage(&self, id: &ServerId) -> Option<Usage> {
        let status = self.server(id)?.status().borrow().clone();
        let Phase::Ready(session) = &status.phase else { return None };
        let pid = session.pid?;
        let processes = self.0.processes.clone();
        tokio::task::spawn_blocking(move || processes.usage(pid)).await.ok()?
    }

    /// MCP servers that other programs have started.
    ///
    /// # Errors
    /// If the runtime ends.
    pub async fn foreign_processes(&self) -> Result<Vec<Foreign>, EngineError> {
        let (processes, catalog) = (self.0.processes.clone(), self.catalog());
        let found = tokio::task::spawn_blocking(move || processes.foreign(&catalog)).await;
        found.map_err(|_| EngineError::Ended)
    }

    /// Asks one of those to end, with all that it started.
    ///
    /// # Errors
    /// If it is not that process any more, or may not be ended.
    pub async fn end_process(&self, pid: u32, started: u64) -> Result<(), EngineError> {
        let processes = self.0.processes.clone();
        let ended = tokio::task::spawn_blocking(move || processes.end(pid, started)).await;
        Ok(ended.map_err(|_| EngineError::Ended)??)
    }

    /// News from now on. Closed when the engine ends.
    pub fn subscribe(&self) -> broadcast::Receiver<Changed> {
        match self.0.news.upgrade() {
            Some(news) => news.subscribe(),
            // Ended: a receiver whose sender is gone already.
            None => broadcast::Sender::new(1).subscribe(),
        }
    }

    /// Exactly what approving this definition would allow. `None` if it did not come with a project.
    pub fn review(&self, definition: &Definition) -> Option<Review> {
        review::review(&self.0.paths, definition)
    }

    /// Every file is read again; all servers are disconnected and connected anew.
    ///
    /// # Errors
    /// If the engine has ended.
    pub async fn reload(&self) -> Result<(), EngineError> {
        self.ask(core::Request::Reload).await
    }

    /// Connects a server, whatever the settings say about the start. One that is set apart (Exa) is let in.
    ///
    /// # Errors
    /// If there is none, or the rules keep it from running.
    pub async fn connect(&self, id: &ServerId) -> Result<(), EngineError> {
        let id = id.clone();
        self.ask(|reply| core::Request::Connect(id, reply)).await?
    }

    /// Connects every server that may run. Returns when they have been told, not when they are up.
    ///
    /// # Errors
    /// If the engine has ended.
    pub async fn connect_all(&self) -> Result<(), EngineError> {
        self.ask(core::Request::ConnectAll).await
    }

    /// A task for this definition apart from the engine's own, whatever the rules say about it: to test a shadowed
    /// one, or one that is being edited. It is the caller's to connect and to close.
    ///
    /// # Errors
    /// If the engine has ended.
    pub async fn try_out(&self, definition: &Arc<Definition>) -> Result<ServerHandle, EngineError> {
        let definition = definition.clone();
        self.ask(|reply| core::Request::TryOut(definition, reply)).await
    }

    /// Stops a server without writing anything.
    ///
    /// # Errors
    /// If there is none.
    pub async fn stop(&self, id: &ServerId) -> Result<(), EngineError> {
        self.running(id)?.stop();
        Ok(())
    }

    /// Connects anew; values that commands gave are asked for again.
    ///
    /// # Errors
    /// If there is none, or the rules keep it from running.
    pub async fn reconnect(&self, id: &ServerId) -> Result<(), EngineError> {
        match self.server(id) {
            Some(server) => {
                server.reconnect();
                Ok(())
            }
            None => self.connect(id).await,
        }
    }

    /// Switches a definition on or off in its file, its host's list or the denylist.
    ///
    /// # Errors
    /// If it has no switch, or the file cannot be edited.
    pub async fn set_enabled(&self, id: &ServerId, on: bool) -> Result<Toggled, EngineError> {
        let id = id.clone();
        self.ask(|reply| core::Request::SetEnabled(id, on, reply)).await?
    }

    /// What an edit would do. Nothing is written.
    ///
    /// # Errors
    /// If it is not possible as the files are now.
    pub async fn preview(&self, operation: Operation) -> Result<Previewed, EngineError> {
        self.ask(|reply| core::Request::Preview(operation, reply)).await?
    }

    /// Does an edit, as one write in the history.
    ///
    /// # Errors
    /// If it is not possible as the files are now; then nothing has changed.
    pub async fn apply(&self, operation: Operation) -> Result<Applied, EngineError> {
        self.ask(|reply| core::Request::Apply(operation, reply)).await?
    }

    /// The user has seen that a file lost its servers, and leaves it so.
    ///
    /// # Errors
    /// If the engine has ended.
    pub async fn dismiss_alert(&self, path: &Path) -> Result<(), EngineError> {
        let path = path.to_owned();
        self.ask(|reply| core::Request::DismissAlert(path, reply)).await
    }

    /// Allows this definition, exactly as it is, to run.
    ///
    /// # Errors
    /// If it cannot be remembered.
    pub async fn approve(&self, definition: &Arc<Definition>) -> Result<(), EngineError> {
        let definition = definition.clone();
        self.ask(|reply| core::Request::Approve(definition, reply)).await?
    }

    /// Looks for projects to offer; [`Engine::projects`] has them afterwards.
    ///
    /// # Errors
    /// If the engine has ended.
    pub async fn look_for_projects(&self) -> Result<(), EngineError> {
        self.ask(core::Request::Offer).await
    }

    /// Makes a folder the current project, or none.
    ///
    /// # Errors
    /// If the folder cannot be one.
    pub async fn open_project(&self, folder: Option<PathBuf>) -> Result<(), EngineError> {
        self.ask(|reply| core::Request::OpenProject(folder, reply)).await?
    }

    /// The answer to the first start's question; written to the settings and done at once.
    ///
    /// # Errors
    /// If the settings cannot be written.
    pub async fn set_connect_at_start(
        &self,
        choice: ConnectAtStart,
        chosen: Vec<String>,
    ) -> Result<(), EngineError> {
        self.ask(|reply| core::Request::SetConnectAtStart(choice, chosen, reply)).await?
    }

    /// # Errors
    /// If the settings cannot be written.
    pub async fn set_theme(&self, theme: Theme) -> Result<(), EngineError> {
        self.ask(|reply| core::Request::SetTheme(theme, reply)).await?
    }

    /// The order of the tools, the first first; those that are not named follow in their usual order.
    ///
    /// # Errors
    /// If the settings cannot be written.
    pub async fn set_hosts_order(&self, hosts: Vec<String>) -> Result<(), EngineError> {
        self.ask(|reply| core::Request::SetHostsOrder(hosts, reply)).await?
    }

    /// Closes every session and ends every process, within a bounded time. The engine is gone afterwards.
    pub async fn shutdown(&self) {
        // An engine that has ended already is as good.
        let _ = self.ask(core::Request::Shutdown).await;
    }

    fn running(&self, id: &ServerId) -> Result<ServerHandle, EngineError> {
        self.server(id).ok_or_else(|| EngineError::NoServer(self.name_of(id)))
    }

    fn name_of(&self, id: &ServerId) -> String {
        self.catalog().get(id).map_or_else(|| id.to_string(), |entry| entry.definition.name.clone())
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> core::Request,
    ) -> Result<T, EngineError> {
        let (reply, answer) = oneshot::channel();
        self.0.mailbox.send(request(reply)).await.map_err(|_| EngineError::Ended)?;
        answer.await.map_err(|_| EngineError::Ended)
    }
}

/// The guard beside the running program, if there is one: `jackfield-guard`, else the program itself under
/// `__guard` where it says that it answers to that.
pub fn find_guard(own_program_answers: bool) -> Option<crate::transport::Guard> {
    let own = std::env::current_exe().ok()?;
    let name = if cfg!(windows) { "jackfield-guard.exe" } else { "jackfield-guard" };
    let beside = own.parent().map(|folder: &Path| folder.join(name)).filter(|path| path.is_file());
    match beside {
        Some(program) => Some(crate::transport::Guard { program, prefix: Vec::new() }),
        None => own_program_answers
            .then(|| crate::transport::Guard { program: own, prefix: vec![GUARD_WORD.into()] }),
    }
}
