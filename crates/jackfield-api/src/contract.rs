//! The JSON of the CLI: a contract with scripts. Keys and enumerations may grow; none changes its meaning.

use jackfield_engine::Engine;
use jackfield_engine::status::Phase;
use serde::Serialize;

use crate::rows;
use crate::wire::{Finding, Reason, Scope, Severity, Status};

/// `jackfield list --json`.
#[derive(Debug, Clone, Serialize)]
pub struct List {
    /// One entry per definition.
    pub servers: Vec<ListedServer>,
    pub diagnostics: Vec<ListedDiagnostic>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ListedServer {
    pub name: String,
    pub host: String,
    pub scope: Scope,
    pub path: String,
    pub line: Option<u32>,
    pub transport: Option<String>,
    pub status: Status,
    /// `null` when connected or connecting.
    pub reason: Option<Reason>,
    pub message: Option<String>,
    pub tools: Option<u32>,
    /// "xcsh, user".
    pub shadowed_by: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ListedDiagnostic {
    pub code: String,
    pub severity: Severity,
    pub path: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub title: String,
    pub detail: String,
    pub server: Option<String>,
}

impl From<Finding> for ListedDiagnostic {
    fn from(found: Finding) -> ListedDiagnostic {
        ListedDiagnostic {
            code: found.code,
            severity: found.severity,
            path: found.path,
            line: found.line,
            column: found.column,
            title: found.title,
            detail: found.detail,
            server: found.server,
        }
    }
}

/// The state of all servers, as of now.
pub fn list(engine: &Engine) -> List {
    let catalog = engine.catalog();
    let servers = catalog.entries.iter().enumerate().map(|(position, entry)| {
        let definition = &entry.definition;
        let status = rows::status_of(engine, definition);
        let row =
            rows::server_row(&catalog, entry, position, status.as_deref(), std::time::SystemTime::now());
        ListedServer {
            name: row.name,
            host: row.host,
            scope: row.scope,
            path: definition.source.path.display().to_string(),
            line: definition.position.map(|position| position.line),
            transport: row.transport,
            status: row.status,
            reason: row.reason,
            message: row.message,
            tools: row.tools,
            shadowed_by: row.shadowed_by,
        }
    });
    List { servers: servers.collect(), diagnostics: diagnostics(engine) }
}

/// Every finding.
pub fn diagnostics(engine: &Engine) -> Vec<ListedDiagnostic> {
    engine.catalog().diagnostics.iter().map(|found| rows::finding(found, engine.paths()).into()).collect()
}

/// `jackfield sources --json`.
#[derive(Debug, Clone, Serialize)]
pub struct Sources {
    pub sources: Vec<ListedSource>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ListedSource {
    pub host: String,
    pub scope: Scope,
    pub path: String,
    pub exists: bool,
    /// `null` when the file does not parse.
    pub servers: Option<u32>,
    pub error: Option<String>,
}

/// Every place that is looked at, by priority.
pub fn sources(engine: &Engine) -> Sources {
    let hosts = rows::host_rows(&engine.catalog(), engine.paths());
    let sources = hosts.into_iter().flat_map(|host| {
        host.sources.into_iter().map(move |source| ListedSource {
            host: host.id.clone(),
            scope: source.scope,
            path: source.path,
            exists: source.exists,
            servers: source.servers,
            error: source.error,
        })
    });
    Sources { sources: sources.collect() }
}

/// `jackfield tools --json`.
#[derive(Debug, Clone, Serialize)]
pub struct Tools {
    pub tools: Vec<ListedTool>,
    /// Servers that should run and did not, with why.
    pub errors: std::collections::BTreeMap<String, String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ListedTool {
    /// As Jackfield offers it.
    pub name: String,
    pub server: String,
    /// As the server calls it.
    pub tool: String,
    pub state: ToolState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    Live,
    Cached,
}

/// All tools, those of servers that are not up from the cache.
pub fn tools(engine: &Engine) -> Tools {
    let catalog = engine.catalog();
    let index = engine.tools();
    let mut all = Tools { tools: Vec::new(), errors: std::collections::BTreeMap::new() };
    for entry in &catalog.entries {
        let name = &entry.definition.name;
        if entry.judgement == jackfield_config::Judgement::Invalid {
            all.errors.entry(name.clone()).or_insert_with(|| entry.definition.problems.join("; "));
        }
        let Some(server) = engine.server(&entry.definition.id) else { continue };
        let status = server.status().borrow().clone();
        if let Phase::Failed(failure) | Phase::Retrying { failure, .. } = &status.phase {
            all.errors.insert(name.clone(), failure.message.clone());
        }
        if let Phase::NeedsSignIn { message } = &status.phase {
            all.errors.insert(name.clone(), message.clone());
        }
    }
    all.tools.extend(index.iter().map(|indexed| ListedTool {
        name: indexed.exposed.clone(),
        server: indexed.server_name.clone(),
        tool: indexed.tool.name.clone(),
        state: if indexed.cached { ToolState::Cached } else { ToolState::Live },
        description: indexed.tool.description.clone(),
    }));
    all
}
