//! The engine behind the window, and the two commands of the window.

use std::path::PathBuf;
use std::sync::Arc;

use jackfield_api::error::ApiError;
use jackfield_api::wire::{ApiErrorBody, Delta, ErrorCode};
use jackfield_api::{Api, Command};
use jackfield_engine::{ConnectWhen, Engine, Options, find_guard, projects};
use serde_json::Value;
use tauri::AppHandle;
use tauri::ipc::Channel;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;

use crate::desktop::Shell;

/// Starts with the window and is ready a moment later; a command that comes before waits for it.
#[derive(Clone)]
pub(crate) struct Backend(watch::Receiver<Option<Result<Api, ApiError>>>);

impl Backend {
    pub(crate) fn start(app: AppHandle, project: Option<PathBuf>) -> Backend {
        let (ready, backend) = watch::channel(None);
        tauri::async_runtime::spawn(async move {
            let api = start(app, project).await;
            // The window may have been closed meanwhile.
            let _ = ready.send(Some(api));
        });
        Backend(backend)
    }

    async fn api(&self) -> Result<Api, ApiError> {
        let mut ready = self.0.clone();
        let api = ready.wait_for(Option::is_some).await.ok().and_then(|api| api.clone());
        api.unwrap_or_else(|| Err(ApiError::new(ErrorCode::Internal, "Jackfield is shutting down")))
    }

    /// Opens a folder that a second start was given.
    pub(crate) async fn open_project(&self, project: PathBuf) {
        let opened = match self.api().await {
            Ok(api) => api.open_project(Some(&project)).await.map(|_| ()),
            Err(error) => Err(error),
        };
        if let Err(error) = opened {
            tracing::warn!(project = %project.display(), %error, "project not opened");
        }
    }

    /// Ends every session, within a bounded time.
    pub(crate) async fn shutdown(&self) {
        if let Some(Ok(api)) = self.0.borrow().clone() {
            api.engine().shutdown().await;
        }
    }
}

async fn start(app: AppHandle, project: Option<PathBuf>) -> Result<Api, ApiError> {
    let internal = |message: String| ApiError::new(ErrorCode::Internal, message);
    let mut options = Options::from_env().map_err(|error| internal(error.to_string()))?;
    options.connect = ConnectWhen::AsSettings;
    options.offer_projects = true;
    options.guard = find_guard(true);
    options.by = "window";
    // A folder that cannot be a project does not keep the window from opening.
    options.project = project.and_then(|folder| {
        projects::check(&options.paths, &folder)
            .inspect_err(|error| tracing::warn!(%error, "project not opened"))
            .ok()
    });
    let engine = Engine::start(options).await.map_err(|error| internal(error.to_string()))?;
    Ok(Api::new(engine, Arc::new(Shell(app))))
}

/// Every command of the window but one: the list is `jackfield_api::Command`.
#[tauri::command]
pub(crate) async fn rpc(backend: tauri::State<'_, Backend>, command: Command) -> Result<Value, ApiErrorBody> {
    let api = backend.api().await.map_err(|error| error.body())?;
    api.handle(command).await.map_err(|error| error.body())
}

/// Sends every change from now on into `channel`, in order, until the window is gone.
#[tauri::command]
pub(crate) async fn subscribe(
    backend: tauri::State<'_, Backend>,
    channel: Channel<Arc<Delta>>,
) -> Result<(), ApiErrorBody> {
    let api = backend.api().await.map_err(|error| error.body())?;
    let mut deltas = api.feed().subscribe();
    tauri::async_runtime::spawn(async move {
        loop {
            match deltas.recv().await {
                Ok(delta) => {
                    if channel.send(delta).is_err() {
                        return;
                    }
                }
                // The window sees the gap in the revisions and asks for a snapshot.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
        }
    });
    Ok(())
}
