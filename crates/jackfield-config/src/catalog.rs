//! All definitions, merged: which one wins, which do not run, and why.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::definition::{Definition, ServerId, Transport};
use crate::diagnostic::Diagnostic;
use crate::discover::{self, host_rank};
use crate::host::{Dialect, Scope};
use crate::source::{CLAUDE_OFF_SHARED, ClaudeRules, Identity, ReadState, SourceReading};

mod claude;
mod layers;
mod look_alikes;

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
    Shadowed {
        by: ServerId,
        differs: Vec<&'static str>,
    },
    /// Its own flag is off.
    Disabled,
    /// On Jackfield's denylist.
    Denied,
    /// On its host's own list.
    HostDisabled {
        by: String,
    },
    /// The entry holds no way to the server: an extension or a plugin does. `by` says who, as a sentence.
    Elsewhere {
        by: String,
    },
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
                        | Judgement::Elsewhere { .. }
                        | Judgement::NeedsApproval
                        | Judgement::ProjectOff
                )
            })
            .or_else(|| named().next())
    }
}

/// Merges what was read into one catalog.
///
/// The order of judgement: what is invalid, switched off with its project, or not approved is set aside; then the first
/// definition of a name wins; then the winner's own flag, the denylist, its host's list and the Exa filter are asked.
pub fn merge(mut readings: Vec<SourceReading>, policy: &Policy<'_>) -> Catalog {
    readings.sort_by_key(|reading| (host_rank(reading.spec.host.id, policy.hosts_order), reading.spec.rank));
    layers::apply(&mut readings);
    let denylist = denylist(&readings, policy);
    let host_lists = HostLists::of(&readings);
    let exclusive = exclusive(&readings);

    let mut entries: Vec<Entry> = Vec::new();
    let mut winners: HashMap<String, usize> = HashMap::new();
    for definition in readings.iter().flat_map(|reading| &reading.definitions) {
        let judgement = match set_aside(definition, policy, exclusive.as_deref()) {
            Some(judgement) => judgement,
            None => match winners.get(&definition.name).and_then(|winner| entries.get(*winner)) {
                Some(winner) => Judgement::Shadowed {
                    by: winner.definition.id.clone(),
                    differs: winner.definition.differs(definition),
                },
                None => {
                    winners.insert(definition.name.clone(), entries.len());
                    judge(definition, policy, &denylist, &host_lists)
                }
            },
        };
        entries.push(Entry { definition: Arc::clone(definition), judgement });
    }

    let mut diagnostics: Vec<Diagnostic> =
        readings.iter().flat_map(|reading| reading.diagnostics.iter().cloned()).collect();
    let winning = entries
        .iter()
        .enumerate()
        .filter(|(index, entry)| winners.get(&entry.definition.name) == Some(index) && !is_aside(entry))
        .map(|(_, entry)| entry);
    diagnostics.extend(look_alikes::find(winning.map(|entry| entry.definition.as_ref())));
    let project = readings.iter().find_map(|reading| reading.spec.project.as_deref().cloned());
    Catalog { entries, sources: readings, diagnostics, denylist, project }
}

fn is_aside(entry: &Entry) -> bool {
    match entry.judgement {
        Judgement::Shadowed { .. }
        | Judgement::Invalid
        | Judgement::Elsewhere { .. }
        | Judgement::NeedsApproval
        | Judgement::ProjectOff => true,
        Judgement::Run
        | Judgement::Disabled
        | Judgement::Denied
        | Judgement::HostDisabled { .. }
        | Judgement::Filtered => false,
    }
}

/// Where Claude Code finds a file of the organisation, it reads no other: that file, in words.
fn exclusive(readings: &[SourceReading]) -> Option<String> {
    let managed = |reading: &&SourceReading| {
        reading.spec.dialect == Dialect::ClaudeCode
            && reading.spec.scope == Scope::Managed
            && reading.state != ReadState::Missing
    };
    let reading = readings.iter().find(managed)?;
    Some(format!("{}, beside which Claude Code reads no other file", reading.spec.path.display()))
}

fn set_aside(definition: &Definition, policy: &Policy<'_>, exclusive: Option<&str>) -> Option<Judgement> {
    let projects = definition.source.scope == Scope::Project;
    if !definition.problems.is_empty() {
        Some(Judgement::Invalid)
    } else if projects && !policy.project_config {
        Some(Judgement::ProjectOff)
    } else if let Some(by) = &definition.elsewhere {
        // There is nothing to approve, and nothing that could stand in the way of another definition.
        Some(Judgement::Elsewhere { by: by.clone() })
    } else if projects && !(policy.approved)(definition) {
        Some(Judgement::NeedsApproval)
    } else {
        let other = definition.source.dialect == Dialect::ClaudeCode
            && definition.source.scope != Scope::Managed
            && !definition.source.is_unread_by_host();
        exclusive.filter(|_| other).map(|by| Judgement::HostDisabled { by: by.to_owned() })
    }
}

fn judge(
    definition: &Definition,
    policy: &Policy<'_>,
    denylist: &[String],
    host_lists: &HostLists<'_>,
) -> Judgement {
    if definition.enabled == Some(false) {
        Judgement::Disabled
    } else if denylist.contains(&definition.name) {
        Judgement::Denied
    } else if let Some(by) =
        host_lists.off(definition).or_else(|| claude::off(&host_lists.settings, definition))
    {
        Judgement::HostDisabled { by }
    } else if policy.filter_exa && is_exa(definition) && !policy.exa_allowed.contains(&definition.name) {
        Judgement::Filtered
    } else {
        Judgement::Run
    }
}

/// The union of what the files hold; the last known one stays in force while a file that may hold it cannot be read.
fn denylist(readings: &[SourceReading], policy: &Policy<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for reading in readings {
        names.extend(reading.denylist.iter().cloned());
        let holds_it = reading.spec.dialect == Dialect::Xcsh && reading.spec.scope == Scope::User;
        match reading.state {
            ReadState::Missing | ReadState::Read => {}
            ReadState::Unreadable(_) | ReadState::Broken | ReadState::LastGood if holds_it => {
                names.extend(policy.last_denylist.iter().cloned());
            }
            ReadState::Unreadable(_) | ReadState::Broken | ReadState::LastGood => {}
        }
    }
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// What each host's own lists switch off.
struct HostLists<'a> {
    /// The few files that have a list at all.
    lists: Vec<&'a SourceReading>,
    settings: Vec<&'a ClaudeRules>,
}

impl<'a> HostLists<'a> {
    fn of(readings: &'a [SourceReading]) -> HostLists<'a> {
        let has =
            |reading: &&SourceReading| !reading.host_disabled.is_empty() || reading.host_allowed.is_some();
        HostLists {
            lists: readings.iter().filter(has).collect(),
            settings: readings.iter().filter_map(|reading| reading.claude.as_ref()).collect(),
        }
    }

    fn off(&self, definition: &Definition) -> Option<String> {
        let host = definition.source.host.id;
        if definition.source.is_claude_shared() {
            let mut listed = self.lists.iter().flat_map(|reading| &reading.host_disabled);
            let off =
                listed.find(|listed| listed.list == CLAUDE_OFF_SHARED && listed.name == definition.name);
            return off.map(|listed| listed.by.clone());
        }
        let mut lists = self.lists.iter().filter(|reading| reading.spec.host.id == host);
        lists.find_map(|reading| {
            // Qwen's lists hold patterns.
            let is = |listed: &str| match reading.spec.dialect {
                Dialect::Qwen => discover::fits(&definition.name, listed),
                _ => listed == definition.name,
            };
            let mut listed = reading.host_disabled.iter();
            let listed = listed.find(|listed| listed.list != CLAUDE_OFF_SHARED && is(&listed.name));
            let left_out = || {
                let allowed = reading.host_allowed.as_ref()?;
                let named = allowed.names.iter().any(|name| is(name));
                let mut identities = allowed.identities.iter().filter(|(name, _)| *name == definition.name);
                let same = identities.all(|(_, identity)| is_identity(definition, identity));
                (!named || !same).then(|| allowed.by.clone())
            };
            listed.map(|listed| listed.by.clone()).or_else(left_out)
        })
    }
}

fn is_identity(definition: &Definition, identity: &Identity) -> bool {
    match (&definition.transport, identity) {
        (Transport::Stdio { command, .. }, Identity::Command(wanted)) => command.raw == *wanted,
        (Transport::Http { url, .. }, Identity::Url(wanted)) => url.raw == *wanted,
        (Transport::Stdio { .. } | Transport::Http { .. } | Transport::Unknown, _) => false,
    }
}

const EXA_HOST: &str = "mcp.exa.ai";

/// Whether the agent has this server built in: its name is `exa`, or it goes to `mcp.exa.ai`.
pub fn is_exa(definition: &Definition) -> bool {
    definition.name.eq_ignore_ascii_case("exa") || exa_texts(definition).any(|text| text.contains(EXA_HOST))
}

/// The API key for Exa that the definition holds, unresolved: in the url or an argument, else in `EXA_API_KEY`.
pub fn exa_key(definition: &Definition) -> Option<String> {
    let in_text = exa_texts(definition).find_map(|text| {
        let (_, rest) = text.split_once("exaApiKey=")?;
        let key = rest.split(['&', '#', ' ', '"', '\'']).next().unwrap_or_default();
        (!key.is_empty()).then(|| key.to_owned())
    });
    in_text.or_else(|| match &definition.transport {
        Transport::Stdio { env, .. } => {
            env.iter().find(|(name, _)| name == "EXA_API_KEY").map(|(_, value)| value.raw.clone())
        }
        Transport::Http { .. } | Transport::Unknown => None,
    })
}

fn exa_texts(definition: &Definition) -> impl Iterator<Item = &str> {
    let (url, args) = match &definition.transport {
        Transport::Stdio { args, .. } => (None, args.as_slice()),
        Transport::Http { url, .. } => (Some(url), [].as_slice()),
        Transport::Unknown => (None, [].as_slice()),
    };
    url.into_iter().chain(args).map(|value| value.raw.as_str())
}

#[cfg(test)]
mod lists_tests;
#[cfg(test)]
mod tests;
