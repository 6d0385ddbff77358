//! The commands, answered. The CLI calls the methods, the window goes through [`Api::handle`].

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jackfield_config::host::{self, HOSTS};
use jackfield_config::registry::Listed;
use jackfield_config::{Entry, Judgement, ServerId, discover, settings};
use jackfield_engine::server::ServerHandle;
use jackfield_engine::status::FailureKind;
use jackfield_engine::tools::call::{CallError, CallOptions};
use jackfield_engine::{Engine, EngineError};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::command::Command;
use crate::desktop::Desktop;
use crate::error::ApiError;
use crate::feed::{self, Feed};
use crate::wire::{
    CallOutcome, ConnectAtStart, ErrorCode, Finding, LogPage, Projects, ServerDetail, Snapshot, Theme,
    ToggleOutcome, ToolRow,
};
use crate::{detail, rows};

/// Lines of a log told at once, if the caller does not say.
const LOG_PAGE: u32 = 2_000;

/// Everything a front end may ask.
#[derive(Clone)]
pub struct Api {
    engine: Engine,
    feed: Feed,
    desktop: Arc<dyn Desktop>,
    calls: Arc<Mutex<HashMap<String, CancellationToken>>>,
    /// Texts of files given out, by their hash: what an edit of the text is based on.
    pub(crate) given: Arc<Mutex<VecDeque<(String, String)>>>,
    /// The server of the registry that was described last, so that each answer to its form is not a question anew.
    pub(crate) described: Arc<Mutex<Option<Listed>>>,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}

impl Api {
    /// Over a running engine; starts its feed.
    pub fn new(engine: Engine, desktop: Arc<dyn Desktop>) -> Api {
        Api {
            feed: Feed::start(engine.clone()),
            engine,
            desktop,
            calls: Arc::default(),
            given: Arc::default(),
            described: Arc::default(),
        }
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub fn feed(&self) -> &Feed {
        &self.feed
    }

    /// Answers any command; the answer's type is named at the command.
    ///
    /// # Errors
    /// As the command's own method.
    pub async fn handle(&self, command: Command) -> Result<Value, ApiError> {
        match command {
            Command::Snapshot => json(&self.snapshot()),
            Command::ServerDetail { id } => json(&self.server_detail(&server_id(&id))?),
            Command::ServerTools { id } => json(&self.server_tools(&server_id(&id))?),
            Command::ServerLog { id, after, limit } => {
                json(&self.server_log(&server_id(&id), after, limit)?)
            }
            Command::ServerUsage { id } => json(&self.server_usage(&server_id(&id)).await?),
            Command::WireLog { id, after } => json(&self.wire_log(&server_id(&id), after.unwrap_or(0))?),
            Command::SetWireLog { id, on } => null(self.set_wire_log(&server_id(&id), on)),
            Command::ForeignProcesses => json(&self.foreign_processes().await?),
            Command::EndProcess { pid, started } => null(self.end_process(pid, started).await),
            Command::CallTool { id, tool, arguments, call } => {
                json(&self.call_tool(&server_id(&id), &tool, arguments, call, None).await?)
            }
            Command::CancelCall { call } => {
                self.cancel_call(&call);
                Ok(Value::Null)
            }
            Command::SetEnabled { id, on } => json(&self.set_enabled(&server_id(&id), on).await?),
            Command::Approve { id, hash } => null(self.approve(&server_id(&id), &hash).await),
            Command::Connect { id } => null(self.engine.connect(&server_id(&id)).await.map_err(engine_error)),
            Command::Stop { id } => null(self.engine.stop(&server_id(&id)).await.map_err(engine_error)),
            Command::Reconnect { id } => {
                null(self.engine.reconnect(&server_id(&id)).await.map_err(engine_error))
            }
            Command::Reload => null(self.engine.reload().await.map_err(engine_error)),
            Command::SetConnectAtStart { choice, chosen } => {
                null(self.set_connect_at_start(choice, &chosen).await)
            }
            Command::SetTheme { theme } => null(self.set_theme(theme).await),
            Command::SetHostsOrder { hosts } => null(self.set_hosts_order(&hosts).await),
            Command::OpenProject { path } => {
                json(&self.open_project(path.map(PathBuf::from).as_deref()).await?)
            }
            Command::PickFolder => {
                json(&self.desktop.pick_folder().await.map(|path| path.display().to_string()))
            }
            Command::OpenFile { path, line } => {
                let path = self.source_file(&path)?;
                null(self.desktop.open_file(&path, line).map_err(|error| desktop_error(&error)))
            }
            Command::RevealFile { path } => {
                let path = self.source_file(&path)?;
                null(self.desktop.reveal(&path).map_err(|error| desktop_error(&error)))
            }
            Command::Targets => json(&self.targets()),
            Command::ServerForm { id } => json(&self.server_form(&id)?),
            Command::PreviewEdit { edit } => json(&self.preview_edit(edit).await?),
            Command::ApplyEdit { edit } => json(&self.apply_edit(edit).await?),
            Command::History { limit } => json(&self.history(limit)),
            Command::HistoryDiff { entry } => json(&self.history_diff(entry)?),
            Command::FileText { source } => json(&self.file_text(&source)?),
            Command::CheckText { source, text } => json(&self.check_text(&source, text)?),
            Command::Import { text } => json(&self.import(&text)?),
            Command::RegistrySearch { query, cursor } => {
                json(&self.registry_search(&query, cursor.as_deref()).await?)
            }
            Command::RegistryServer { name } => json(&self.registry_server(&name).await?),
            Command::RegistryFill { name, version, choice, values, source } => {
                json(&self.registry_fill(&name, &version, &choice, &values, &source).await?)
            }
            Command::DismissAlert { path } => {
                null(self.engine.dismiss_alert(Path::new(&path)).await.map_err(engine_error))
            }
            Command::OpenLink { url } => null(self.open_link(&url)),
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        self.feed.snapshot()
    }

    /// # Errors
    /// If there is no such server.
    pub fn server_detail(&self, id: &ServerId) -> Result<ServerDetail, ApiError> {
        detail::detail(&self.engine, id)
    }

    /// The tools that are live, or known from the cache.
    ///
    /// # Errors
    /// If there is no such server.
    pub fn server_tools(&self, id: &ServerId) -> Result<Vec<ToolRow>, ApiError> {
        self.entry(id)?;
        Ok(self
            .engine
            .tools()
            .of(id)
            .map(|indexed| ToolRow {
                exposed: indexed.exposed.clone(),
                name: indexed.tool.name.clone(),
                title: indexed.tool.title.clone(),
                description: indexed.tool.description.clone(),
                input_schema: indexed.tool.input_schema.clone(),
                output_schema: indexed.tool.output_schema.clone(),
                read_only: indexed.tool.annotations.read_only == Some(true),
                destructive: indexed.tool.annotations.destructive == Some(true),
                cached: indexed.cached,
            })
            .collect())
    }

    /// # Errors
    /// If there is no such server.
    pub fn server_log(
        &self,
        id: &ServerId,
        after: Option<u64>,
        limit: Option<u32>,
    ) -> Result<LogPage, ApiError> {
        self.entry(id)?;
        let Some(server) = self.engine.server(id) else {
            return Ok(LogPage { lines: Vec::new(), dropped: 0 });
        };
        let limit = limit.unwrap_or(LOG_PAGE).min(LOG_PAGE) as usize;
        let (lines, dropped) = server.log().after(after.unwrap_or(0), limit);
        Ok(LogPage { lines: lines.iter().map(detail::log_line).collect(), dropped })
    }

    /// Every finding of the files, and what came of connecting.
    pub fn findings(&self) -> Vec<Finding> {
        let found = self
            .engine
            .catalog()
            .diagnostics
            .iter()
            .map(|found| rows::finding(found, self.engine.paths()))
            .collect();
        detail::with_failures(&self.engine, found)
    }

    /// Calls a tool by its own name. `call` names the call for [`Api::cancel_call`].
    ///
    /// # Errors
    /// If the server is not connected, or the call fails on the way. A tool's own error is an outcome.
    pub async fn call_tool(
        &self,
        id: &ServerId,
        tool: &str,
        arguments: Value,
        call: Option<String>,
        timeout: Option<Duration>,
    ) -> Result<CallOutcome, ApiError> {
        let entry = self.entry(id)?;
        let arguments = match arguments {
            Value::Object(map) => Some(map),
            Value::Null => None,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(ApiError::new(ErrorCode::BadRequest, "The arguments must be a JSON object"));
            }
        };
        let server = self.connected(&entry)?;
        let cancel = CancellationToken::new();
        if let Some(call) = &call {
            self.calls.lock().unwrap_or_else(PoisonError::into_inner).insert(call.clone(), cancel.clone());
        }
        let start = Instant::now();
        let options = CallOptions { timeout, cancel, progress: None };
        let result = server.call_tool(tool, arguments, options).await;
        if let Some(call) = &call {
            self.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(call);
        }
        let outcome = result.map_err(|error| call_error(&error))?;
        Ok(CallOutcome {
            is_error: outcome.is_error,
            text: outcome.text(),
            result: outcome.value,
            took_ms: u32::try_from(start.elapsed().as_millis()).unwrap_or(u32::MAX),
        })
    }

    /// Ends a call that is still running; one that is not is no error.
    pub fn cancel_call(&self, call: &str) {
        if let Some(cancel) = self.calls.lock().unwrap_or_else(PoisonError::into_inner).get(call) {
            cancel.cancel();
        }
    }

    /// # Errors
    /// If the server has no switch, or its file cannot be edited.
    pub async fn set_enabled(&self, id: &ServerId, on: bool) -> Result<ToggleOutcome, ApiError> {
        let toggled = self.engine.set_enabled(id, on).await.map_err(engine_error)?;
        Ok(ToggleOutcome {
            message: toggled.message,
            display_path: self.engine.paths().display(&toggled.path),
            on,
        })
    }

    /// Approves what was shown under `hash`.
    ///
    /// # Errors
    /// `stale` if something else stands there now.
    pub async fn approve(&self, id: &ServerId, hash: &str) -> Result<(), ApiError> {
        let entry = self.entry(id)?;
        if entry.definition.hash.0.as_ref() != hash {
            return Err(ApiError::new(
                ErrorCode::Stale,
                format!("`{}` has changed since it was shown", entry.definition.name),
            )
            .hint("Review it again."));
        }
        self.engine.approve(&entry.definition).await.map_err(engine_error)
    }

    async fn set_connect_at_start(&self, choice: ConnectAtStart, chosen: &[String]) -> Result<(), ApiError> {
        let choice = match choice {
            ConnectAtStart::All => settings::ConnectAtStart::All,
            ConnectAtStart::Chosen => settings::ConnectAtStart::Chosen,
            ConnectAtStart::None => settings::ConnectAtStart::None,
        };
        let catalog = self.engine.catalog();
        let mut names: Vec<String> = Vec::new();
        for id in chosen {
            let entry = catalog.get(&server_id(id)).ok_or_else(|| ApiError::no_server(id))?;
            if !names.contains(&entry.definition.name) {
                names.push(entry.definition.name.clone());
            }
        }
        self.engine.set_connect_at_start(choice, names).await.map_err(engine_error)
    }

    /// What is written is no longer than it has to be: a tool that comes later keeps its usual place.
    async fn set_hosts_order(&self, hosts: &[String]) -> Result<(), ApiError> {
        if let Some(unknown) = hosts.iter().find(|id| host::by_id(id).is_none()) {
            let known = HOSTS.iter().map(|host| host.id).collect::<Vec<_>>().join(", ");
            return Err(ApiError::new(ErrorCode::NotFound, format!("There is no tool `{unknown}`"))
                .hint(format!("Known are: {known}.")));
        }
        let now = discover::hosts_in_order(&self.engine.settings().hosts);
        let rest = now.iter().map(|host| host.id).filter(|id| !hosts.iter().any(|listed| listed == id));
        let wanted: Vec<&str> = hosts.iter().map(String::as_str).chain(rest).collect();
        let enough = |length: &usize| {
            let start: Vec<String> = wanted.iter().take(*length).map(|id| (*id).to_owned()).collect();
            discover::hosts_in_order(&start).iter().map(|host| host.id).eq(wanted.iter().copied())
        };
        let length = (0..=wanted.len()).find(enough).unwrap_or(wanted.len());
        let order = wanted.into_iter().take(length).map(str::to_owned).collect();
        self.engine.set_hosts_order(order).await.map_err(engine_error)
    }

    async fn set_theme(&self, theme: Theme) -> Result<(), ApiError> {
        let theme = match theme {
            Theme::System => settings::Theme::System,
            Theme::Light => settings::Theme::Light,
            Theme::Dark => settings::Theme::Dark,
        };
        self.engine.set_theme(theme).await.map_err(engine_error)
    }

    /// # Errors
    /// If the folder cannot be a project.
    pub async fn open_project(&self, folder: Option<&Path>) -> Result<Projects, ApiError> {
        // What a person types may begin with `~`.
        let folder = folder.map(|folder| match folder.strip_prefix("~") {
            Ok(rest) => self.engine.paths().home.join(rest),
            Err(_) => folder.to_owned(),
        });
        self.engine.open_project(folder).await.map_err(engine_error)?;
        Ok(feed::projects(&self.engine))
    }

    /// # Errors
    /// If it is no http or https link.
    fn open_link(&self, url: &str) -> Result<(), ApiError> {
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        if !is_web || url.chars().any(char::is_control) {
            return Err(ApiError::new(ErrorCode::BadRequest, "Only http and https links are opened"));
        }
        self.desktop.open_link(url).map_err(|error| desktop_error(&error))
    }

    /// Only files that are sources (or our settings) are opened: the window cannot ask for any other.
    fn source_file(&self, path: &str) -> Result<PathBuf, ApiError> {
        let wanted = Path::new(path);
        let catalog = self.engine.catalog();
        let sources = catalog.sources.iter().map(|reading| reading.spec.path.as_path());
        let found =
            catalog.diagnostics.iter().filter_map(|found| found.path.as_deref().map(PathBuf::as_path));
        sources.chain(found).find(|source| *source == wanted).map(Path::to_owned).ok_or_else(|| {
            ApiError::new(ErrorCode::NotFound, format!("`{path}` is not a file Jackfield reads"))
        })
    }

    pub(crate) fn entry(&self, id: &ServerId) -> Result<Entry, ApiError> {
        self.engine.catalog().get(id).cloned().ok_or_else(|| ApiError::no_server(&id.0))
    }

    fn connected(&self, entry: &Entry) -> Result<ServerHandle, ApiError> {
        let name = &entry.definition.name;
        if entry.judgement == Judgement::NeedsApproval {
            return Err(ApiError::new(ErrorCode::NeedsApproval, format!("`{name}` waits for approval"))
                .hint(format!("Review it in the window, or run jackfield approve {name}.")));
        }
        self.engine
            .server(&entry.definition.id)
            .filter(|server| server.peer().is_some())
            .ok_or_else(|| ApiError::new(ErrorCode::NotConnected, format!("`{name}` is not connected")))
    }
}

/// An id as it came over the wire.
pub fn server_id(id: &str) -> ServerId {
    ServerId(Arc::from(id))
}

fn json<T: serde::Serialize>(value: &T) -> Result<Value, ApiError> {
    serde_json::to_value(value).map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))
}

fn null(result: Result<(), ApiError>) -> Result<Value, ApiError> {
    result.map(|()| Value::Null)
}

fn desktop_error(error: &crate::desktop::DesktopError) -> ApiError {
    ApiError::new(ErrorCode::Internal, error.to_string())
}

/// A failure of the engine, coded.
pub fn engine_error(error: EngineError) -> ApiError {
    let code = match &error {
        EngineError::NoServer(_) => ErrorCode::NotFound,
        EngineError::NotRunnable { .. } => ErrorCode::BadRequest,
        EngineError::NoSwitch(_) => ErrorCode::BadRequest,
        EngineError::Edit(_) | EngineError::File(_) => ErrorCode::Edit,
        EngineError::NoSource(_) | EngineError::NoFix => ErrorCode::NotFound,
        EngineError::Plan(_) | EngineError::Invalid(_) | EngineError::Unreviewed(_) => ErrorCode::Invalid,
        EngineError::Project(_) | EngineError::Process(_) => ErrorCode::BadRequest,
        EngineError::Ended => ErrorCode::Internal,
    };
    let hint = error.hint();
    ApiError::new(code, error.to_string()).hint(hint)
}

/// "MCP error: …", as the specification words it.
fn call_error(error: &CallError) -> ApiError {
    let code = match error {
        CallError::Cancelled => ErrorCode::Cancelled,
        CallError::NotConnected => ErrorCode::NotConnected,
        CallError::Failed(failure) => match failure.kind {
            FailureKind::Timeout => ErrorCode::Timeout,
            FailureKind::SignIn => ErrorCode::NeedsSignIn,
            FailureKind::NotFound
            | FailureKind::Permission
            | FailureKind::Refused
            | FailureKind::Unreachable
            | FailureKind::Forbidden
            | FailureKind::Http(_)
            | FailureKind::Tls
            | FailureKind::Exited
            | FailureKind::Protocol
            | FailureKind::ListTools
            | FailureKind::Config => ErrorCode::CallFailed,
        },
        CallError::Closed { .. } | CallError::Refused { .. } | CallError::NeedsInput(_) => {
            ErrorCode::CallFailed
        }
    };
    let hint = match error {
        CallError::Failed(failure) => failure.hint.clone(),
        CallError::Cancelled
        | CallError::NotConnected
        | CallError::Closed { .. }
        | CallError::Refused { .. }
        | CallError::NeedsInput(_) => String::new(),
    };
    ApiError::new(code, error.text().unwrap_or_else(|| "The call was cancelled".to_owned())).hint(hint)
}
