//! A short-lived engine for one call of the program.

use std::sync::Arc;
use std::time::Duration;

use jackfield_api::Api;
use jackfield_api::desktop::NoDesktop;
use jackfield_config::{Entry, Judgement, Scope};
use jackfield_engine::server::ServerHandle;
use jackfield_engine::status::Phase;
use jackfield_engine::{ConnectWhen, Engine, Options, find_guard, projects};

use crate::args::{Common, ScopeArg, Server, Wait, Which};
use crate::output::{Exit, Failure};

/// Starts an engine for the project of the working directory.
pub(crate) async fn start(common: &Common, connect: ConnectWhen) -> Result<Api, Failure> {
    let mut options = Options::from_env().map_err(|error| Failure::new(error.to_string()))?;
    options.connect = connect;
    options.watch = false;
    options.trust_project = common.trust_project;
    options.guard = find_guard(true);
    options.by = "command line";
    options.project = match (&common.project, common.no_project) {
        (_, true) => None,
        (Some(folder), false) => {
            Some(projects::check(&options.paths, folder).map_err(|error| Failure::usage(error.to_string()))?)
        }
        (None, false) => std::env::current_dir()
            .ok()
            .and_then(|folder| projects::nearest(&options.paths, &options.env, &folder)),
    };
    let engine = Engine::start(options).await.map_err(|error| Failure::new(error.to_string()))?;
    // What is known from the last time belongs to every answer.
    futures::future::join_all(engine.servers().values().map(ServerHandle::remembered)).await;
    Ok(Api::new(engine, Arc::new(NoDesktop)))
}

/// Whether to connect, from `--no-connect`.
pub(crate) fn connect_when(wait: &Wait) -> ConnectWhen {
    if wait.no_connect { ConnectWhen::OnRequest } else { ConnectWhen::Always }
}

/// Waits until every server has settled, or the time is over. True if all have.
pub(crate) async fn settle(engine: &Engine, wait: &Wait) -> bool {
    if wait.no_connect {
        return true;
    }
    let servers = engine.servers();
    let all = futures::future::join_all(servers.values().map(settled));
    tokio::time::timeout(Duration::from_secs_f64(wait.wait), all).await.is_ok()
}

/// The same for the one server that a verb is about; the others were not asked.
pub(crate) async fn settle_one(server: &ServerHandle, wait: &Wait) -> bool {
    tokio::time::timeout(Duration::from_secs_f64(wait.wait), settled(server)).await.is_ok()
}

/// Waits until a server is up or will not be.
pub(crate) async fn settled(server: &ServerHandle) {
    let mut status = server.status();
    let _ = status
        .wait_for(|status| match &status.phase {
            Phase::Idle | Phase::Connecting { .. } => false,
            Phase::Ready(_)
            | Phase::NeedsSignIn { .. }
            | Phase::Retrying { .. }
            | Phase::Failed(_)
            | Phase::Stopped => true,
        })
        .await;
}

/// The definition that a verb means: the winner of the name, or the one that `--host`, `--scope`, `--path` pick.
pub(crate) fn pick(engine: &Engine, server: &Server) -> Result<Entry, Failure> {
    pick_named(engine, &server.name, &server.which)
}

/// As [`pick`].
pub(crate) fn pick_named(engine: &Engine, name: &str, which: &Which) -> Result<Entry, Failure> {
    let catalog = engine.catalog();
    let none = || {
        let near = nearest_name(name, catalog.entries.iter().map(|entry| entry.definition.name.as_str()));
        let failure = Failure::new(format!("Server \"{name}\" not found."));
        match near {
            Some(near) => failure.hint(format!("Did you mean `{near}`?")),
            None => failure.hint("See jackfield list."),
        }
    };
    if which.host.is_none() && which.scope.is_none() && which.path.is_none() {
        return catalog.by_name(name).cloned().ok_or_else(none);
    }
    if let Some(host) = &which.host {
        known_host(host)?;
    }
    let path = which.path.as_ref().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
    let mut found = catalog.entries.iter().filter(|entry| {
        let source = &entry.definition.source;
        entry.definition.name == name
            && which.host.as_deref().is_none_or(|host| host == source.host.id)
            && which.scope.is_none_or(|scope| scope == scope_arg(source.scope))
            && path.as_ref().is_none_or(|path| {
                *source.path.as_ref() == *path || source.path.canonicalize().is_ok_and(|own| own == *path)
            })
    });
    found.next().cloned().ok_or_else(none)
}

/// Refuses an application that we do not know.
pub(crate) fn known_host(host: &str) -> Result<(), Failure> {
    if jackfield_config::host::by_id(host).is_some() {
        return Ok(());
    }
    let known = jackfield_config::host::HOSTS.iter().map(|host| host.id);
    let failure = Failure::usage(format!("There is no application `{host}`."));
    Err(match nearest_name(host, known.clone()) {
        Some(near) => failure.hint(format!("Did you mean `{near}`?")),
        None => failure.hint(format!("Known: {}.", known.collect::<Vec<_>>().join(", "))),
    })
}

/// The failure of a verb that needs a server to run, for one that the rules keep from running.
pub(crate) fn may_run(entry: &Entry) -> Result<(), Failure> {
    let name = &entry.definition.name;
    let disabled =
        || Failure::new(format!("Server \"{name}\" is disabled. Run jackfield enable {name} first."));
    match &entry.judgement {
        Judgement::Run | Judgement::Shadowed { .. } | Judgement::Filtered => Ok(()),
        Judgement::Disabled | Judgement::Denied | Judgement::HostDisabled { .. } => Err(disabled()),
        Judgement::Elsewhere { by } => {
            Err(Failure::new(format!("Server \"{name}\" cannot be connected from here. {by}.")))
        }
        Judgement::Invalid => {
            Err(Failure::new(format!("Invalid server config: {}", entry.definition.problems.join("; "))))
        }
        Judgement::NeedsApproval => {
            Err(Failure::new(format!("Server \"{name}\" came with this project and waits for approval."))
                .hint(format!("Review it: jackfield approve {name}"))
                .exit(Exit::NeedsApproval))
        }
        Judgement::ProjectOff => Err(Failure::new(format!(
            "Server \"{name}\" is a project's, and project servers are switched off."
        ))),
    }
}

fn scope_arg(scope: Scope) -> ScopeArg {
    match scope {
        Scope::User => ScopeArg::User,
        Scope::Local => ScopeArg::Local,
        Scope::Project => ScopeArg::Project,
        Scope::Managed => ScopeArg::Managed,
        Scope::Plugin => ScopeArg::Plugin,
    }
}

/// The name that differs least, if it is close enough to be a slip.
fn nearest_name<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    names
        .map(|name| (distance(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 4)
        .min()
        .map(|(_, name)| name)
}

/// Edits (insert, remove, replace) from one text to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = if x == *y { corner } else { 1 + corner.min(row[j]).min(row[j + 1]) };
            corner = row[j + 1];
            row[j + 1] = cost;
        }
    }
    row[b.len()]
}
