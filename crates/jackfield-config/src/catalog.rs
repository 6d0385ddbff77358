//! All definitions, merged: which one wins, which do not run, and why.

use std::path::PathBuf;
use std::sync::Arc;

use crate::definition::{Definition, ServerId};
use crate::diagnostic::Diagnostic;
use crate::source::SourceReading;

/// What decides beside the files themselves.
pub struct Policy<'a> {
    /// Host ids in the user's order; hosts that are not listed follow in the order of the table.
    pub hosts_order: &'a [String],
    /// Off: project sources are listed, not used.
    pub project_config: bool,
    /// On: Exa servers are set apart, because the agent has Exa built in.
    pub filter_exa: bool,
    /// Exa servers the user connected anyway, by name.
    pub exa_allowed: &'a [String],
    /// Whether this project-scope definition may run.
    pub approved: &'a dyn Fn(&Definition) -> bool,
    /// Names on the last denylist that could be read, in force while the file that holds it is broken.
    pub last_denylist: &'a [String],
}

impl std::fmt::Debug for Policy<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policy").field("hosts_order", &self.hosts_order).finish_non_exhaustive()
    }
}

/// What the rules say about a definition. Only `Run` gets a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    Run,
    /// Another definition of the same name wins.
    Shadowed { by: ServerId, differs: Vec<&'static str> },
    /// Its own flag is off.
    Disabled,
    /// On Jackfield's denylist.
    Denied,
    /// On its host's own list.
    HostDisabled { by: String },
    /// Unusable as written; the problems are the definition's.
    Invalid,
    /// A project's definition that nobody has approved yet.
    NeedsApproval,
    /// A project's, while project configuration is switched off.
    ProjectOff,
    /// An Exa server.
    Filtered,
}

/// One definition and its judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub definition: Arc<Definition>,
    pub judgement: Judgement,
}

/// Everything there is, in order of priority and then of the files.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    pub entries: Vec<Entry>,
    pub sources: Vec<SourceReading>,
    /// Of all sources, then of the catalog as a whole.
    pub diagnostics: Vec<Diagnostic>,
    /// The denylist in force.
    pub denylist: Vec<String>,
    pub project: Option<PathBuf>,
}

impl Catalog {
    pub fn get(&self, id: &ServerId) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.definition.id == *id)
    }

    /// The definition a verb that names a server acts on: the winner, else the first of that name.
    pub fn by_name(&self, name: &str) -> Option<&Entry> {
        let named = || self.entries.iter().filter(|entry| entry.definition.name == name);
        named()
            .find(|entry| {
                !matches!(
                    entry.judgement,
                    Judgement::Shadowed { .. }
                        | Judgement::Invalid
                        | Judgement::NeedsApproval
                        | Judgement::ProjectOff
                )
            })
            .or_else(|| named().next())
    }
}
