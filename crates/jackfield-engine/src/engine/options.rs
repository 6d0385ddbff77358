//! How an engine is to be run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::paths::{NoHome, Paths};
use crate::transport::Guard;

/// Which servers connect by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectWhen {
    /// As the setting `connect_at_start` says; until it has been answered: none.
    AsSettings,
    /// Every server that may run.
    Always,
    /// Only those asked for.
    OnRequest,
}

/// Options of an engine.
#[derive(Debug, Clone)]
pub struct Options {
    pub paths: Paths,
    /// The environment in which hosts' overrides and variables are looked up.
    pub env: Arc<BTreeMap<String, String>>,
    /// The current project's root.
    pub project: Option<PathBuf>,
    pub connect: ConnectWhen,
    /// Follow changes of the files.
    pub watch: bool,
    /// The project's servers count as approved, for scripts.
    pub trust_project: bool,
    /// Remember opened projects and look for candidates to offer.
    pub offer_projects: bool,
    /// Who edits, as the history says it: "window", "command line".
    pub by: &'static str,
    /// What runs between us and a stdio server.
    pub guard: Option<Guard>,
}

impl Options {
    /// For this process's environment: nothing connects until asked, changes are followed, no project.
    ///
    /// # Errors
    /// If there is no home directory.
    pub fn from_env() -> Result<Options, NoHome> {
        let env: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| {
                Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
            })
            .collect();
        Ok(Options {
            paths: Paths::from_env(&env)?,
            env: Arc::new(env),
            project: None,
            connect: ConnectWhen::OnRequest,
            watch: true,
            trust_project: false,
            offer_projects: false,
            by: "library",
            guard: super::find_guard(false),
        })
    }
}
