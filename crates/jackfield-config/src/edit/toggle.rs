//! What it takes to switch a row on or off, and the words that say so afterwards. Pure: files are not touched here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Change, Target};
use crate::catalog::{Catalog, Entry, Judgement};
use crate::definition::Definition;
use crate::dialect::write;
use crate::host::{Dialect, Format, Scope, Switch};
use crate::places::display_path;
use crate::source::{CLAUDE_OFF, CLAUDE_OFF_SHARED, ReadState, SourceSpec};

/// What an edit of a toggle is, apart from its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// The entry's own switch.
    Flag,
    /// The host's own list of switched-off servers.
    HostList,
    /// Jackfield's denylist, by name.
    Denylist,
    /// The entry itself.
    Entry,
}

/// One edit of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedEdit {
    pub path: Arc<PathBuf>,
    pub format: Format,
    /// Whose file it is; a new one gets its mode by that.
    pub scope: Scope,
    pub means: Means,
    /// One on what the other left; written at once.
    pub changes: Vec<Change>,
}

/// There is nothing to write for a toggle, for this reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoSwitch(pub String);

/// What our journal says about the past of files.
pub trait Past {
    /// Whether the last thing we did to this key was to insert it.
    fn inserted(&self, path: &Path, format: Format, switch: &Target) -> bool;

    /// The topmost key that we made when we put `item` on the list at `list`.
    fn created(&self, path: &Path, list: &[String], item: &str) -> Option<Vec<String>>;
}

/// A past in which nothing happened.
#[derive(Debug, Clone, Copy)]
pub struct NoPast;

impl Past for NoPast {
    fn inserted(&self, _: &Path, _: Format, _: &Target) -> bool {
        false
    }

    fn created(&self, _: &Path, _: &[String], _: &str) -> Option<Vec<String>> {
        None
    }
}

/// Works out the edits that switch `entry` on or off, in their order; there are several if a row is held off by
/// several things.
///
/// # Errors
/// If there is nothing to write.
pub fn plan(
    catalog: &Catalog,
    entry: &Entry,
    on: bool,
    past: &dyn Past,
) -> Result<Vec<PlannedEdit>, NoSwitch> {
    if on { plan_on(catalog, entry, past) } else { plan_off(catalog, entry) }
}

fn plan_off(catalog: &Catalog, entry: &Entry) -> Result<Vec<PlannedEdit>, NoSwitch> {
    let definition = &entry.definition;
    let name = &definition.name;
    if let Some(flag) = Flag::of(catalog, definition) {
        if definition.enabled == Some(false) {
            return nothing(format!("`{name}` is already off"));
        }
        return Ok(vec![flag.set(name, false)]);
    }
    match &entry.judgement {
        Judgement::HostDisabled { by } => return nothing(format!("`{name}` is already off by {by}")),
        Judgement::Denied => return nothing(format!("`{name}` is already off: it is on the denylist")),
        Judgement::Run
        | Judgement::Shadowed { .. }
        | Judgement::Disabled
        | Judgement::Invalid
        | Judgement::Elsewhere { .. }
        | Judgement::NeedsApproval
        | Judgement::ProjectOff
        | Judgement::Filtered => {}
    }
    if let Some((spec, list)) = own_list(catalog, definition) {
        let change = Change::list_add(&list, name);
        return Ok(vec![edit(&spec, Means::HostList, change)]);
    }
    if let Judgement::Shadowed { .. } = entry.judgement {
        return nothing(format!(
            "{} has no switch for `{name}`, and the denylist goes by name: it would switch off the definition in use",
            definition.source.host.name
        ));
    }
    match denylist_file(catalog) {
        Some(spec) => Ok(vec![edit(&spec, Means::Denylist, Change::list_add(&[DENYLIST.to_owned()], name))]),
        None => nothing("there is no file for the denylist".to_owned()),
    }
}

fn plan_on(catalog: &Catalog, entry: &Entry, past: &dyn Past) -> Result<Vec<PlannedEdit>, NoSwitch> {
    let definition = &entry.definition;
    let name = &definition.name;
    let mut edits = Vec::new();
    if definition.enabled == Some(false)
        && let Some(flag) = Flag::of(catalog, definition)
    {
        let remove = Change::remove_flag(&flag.spec.root, name, flag.key).in_list(flag.spec.list);
        edits.push(if past.inserted(&flag.spec.path, flag.spec.format, remove.target()) {
            edit(&flag.spec, Means::Flag, remove)
        } else {
            flag.set(name, true)
        });
    }
    for Held { spec, means, list } in held_by(catalog, entry) {
        let change = list_remove(past, &spec, list, name);
        edits.push(edit(&spec, means, change));
    }
    let edits = unique(edits);
    if edits.is_empty() { nothing(why_not_on(entry)) } else { Ok(edits) }
}

/// A list that holds a server off.
struct Held {
    spec: Arc<SourceSpec>,
    means: Means,
    list: Vec<String>,
}

/// The lists that hold a row off, as far as they are ours to write. They go by name, so one that is shadowed is not
/// held off by them.
fn held_by(catalog: &Catalog, entry: &Entry) -> Vec<Held> {
    let definition = &entry.definition;
    let name = &definition.name;
    let mut held = Vec::new();
    if matches!(entry.judgement, Judgement::Shadowed { .. }) {
        return held;
    }
    let shared = definition.source.is_claude_shared();
    for reading in &catalog.sources {
        let spec = &reading.spec;
        if reading.denylist.contains(name) {
            let list = vec![DENYLIST.to_owned()];
            held.push(Held { spec: Arc::clone(spec), means: Means::Denylist, list });
        }
        for disabled in reading.host_disabled.iter().filter(|disabled| disabled.name == *name) {
            let rules = if shared {
                disabled.list == CLAUDE_OFF_SHARED
            } else {
                disabled.list != CLAUDE_OFF_SHARED && spec.host.id == definition.source.host.id
            };
            if rules
                && !is_not_ours(spec)
                && let Some(list) = disabled_list(catalog, spec, disabled.list)
            {
                held.push(Held { spec: Arc::clone(spec), means: Means::HostList, list });
            }
        }
    }
    held
}

/// What keeps a server off that gets another name: the lists that hold it by its old one.
pub(super) fn follow(catalog: &Catalog, entry: &Entry, to: &str) -> Vec<PlannedEdit> {
    let definition = &entry.definition;
    let mut edits = Vec::new();
    for Held { spec, means, list } in held_by(catalog, entry) {
        let others = catalog.entries.iter().any(|other| {
            other.definition.name == definition.name
                && other.definition.id != definition.id
                && (means == Means::Denylist || other.definition.source.host.id == spec.host.id)
        });
        let mut renamed = edit(&spec, means, Change::list_add(&list, to));
        if !others {
            renamed.changes.push(Change::list_remove(&list, &definition.name));
        }
        edits.push(renamed);
    }
    unique(edits)
}

/// One file can be several sources.
fn unique(edits: Vec<PlannedEdit>) -> Vec<PlannedEdit> {
    let mut unique: Vec<PlannedEdit> = Vec::new();
    for edit in edits {
        if !unique.iter().any(|other| other.path == edit.path && other.changes == edit.changes) {
            unique.push(edit);
        }
    }
    unique
}

fn nothing(why: String) -> Result<Vec<PlannedEdit>, NoSwitch> {
    Err(NoSwitch(why))
}

fn why_not_on(entry: &Entry) -> String {
    let name = &entry.definition.name;
    match &entry.judgement {
        Judgement::Run => format!("`{name}` is already on"),
        Judgement::Shadowed { .. } => format!("`{name}` is on; another definition of that name is in use"),
        Judgement::Disabled => format!("the switch of `{name}` can only be edited by hand"),
        Judgement::Denied => {
            format!("`{name}` is on a denylist that cannot be read now; the last good one stays in force")
        }
        Judgement::HostDisabled { by } => format!("`{name}` is off by {by}; that cannot be changed here"),
        Judgement::Elsewhere { .. } => format!("`{name}` is on, and its server is provided elsewhere"),
        Judgement::Invalid => format!("`{name}` is on, but cannot be used as it is written"),
        Judgement::NeedsApproval => format!("`{name}` is on, and waits for your approval"),
        Judgement::ProjectOff => format!("`{name}` is on, but project configuration is switched off"),
        Judgement::Filtered => format!("`{name}` is on, but Exa servers are set apart"),
    }
}

const DENYLIST: &str = "disabledServers";

fn edit(spec: &SourceSpec, means: Means, change: Change) -> PlannedEdit {
    PlannedEdit {
        path: Arc::clone(&spec.path),
        format: spec.format,
        scope: spec.scope,
        means,
        changes: vec![change],
    }
}

fn list_remove(past: &dyn Past, spec: &SourceSpec, list: Vec<String>, name: &str) -> Change {
    let prune = past.created(&spec.path, &list, name);
    let target = super::Target::leaf(&list);
    Change::ListRemove { target, item: name.to_owned(), prune }
}

/// The switch in an entry.
struct Flag {
    spec: Arc<SourceSpec>,
    key: &'static str,
    on: bool,
}

impl Flag {
    fn of(catalog: &Catalog, definition: &Definition) -> Option<Flag> {
        // What is not the user's is not written to; the denylist is left.
        if is_not_ours(&definition.source) {
            return None;
        }
        match definition.source.host.switch {
            Switch::Flag { .. } => {}
            Switch::List | Switch::None => return None,
        }
        // As the file spells it: not all files of a host are written in one dialect.
        let (key, on) = write::switch(&definition.source)?;
        let mut flag = Flag { spec: Arc::clone(&definition.source), key, on };
        // Where a host merges its files, the file that has the switch is the one to edit.
        let origin = definition.origins.iter().find(|origin| origin.field == flag.key);
        let found = origin.and_then(|origin| catalog.sources.iter().find(|s| s.spec.id == origin.source));
        if let Some(reading) = found {
            flag.spec = Arc::clone(&reading.spec);
        }
        (!is_not_ours(&flag.spec)).then_some(flag)
    }

    fn set(&self, name: &str, on: bool) -> PlannedEdit {
        let value = if on { self.on } else { !self.on };
        let change = Change::set_flag(&self.spec.root, name, self.key, value).in_list(self.spec.list);
        edit(&self.spec, Means::Flag, change)
    }
}

/// A file that an administrator or a plugin's author writes, not the user; or one that cannot be written to at all.
fn is_not_ours(spec: &SourceSpec) -> bool {
    matches!(spec.scope, Scope::Managed | Scope::Plugin) || spec.read_only().is_some()
}

/// Where the host's own list for this definition is, if it has one that can be used now.
fn own_list(catalog: &Catalog, definition: &Definition) -> Option<(Arc<SourceSpec>, Vec<String>)> {
    match definition.source.host.switch {
        Switch::List => {}
        Switch::Flag { .. } | Switch::None => return None,
    }
    let spec = if definition.source.dialect == Dialect::ClaudeCode {
        // The list of the current project, which stands beside the project's own servers in the user's file.
        catalog
            .sources
            .iter()
            .map(|reading| &reading.spec)
            .find(|spec| spec.scope == Scope::Local && spec.host.id == definition.source.host.id)?
    } else if is_not_ours(&definition.source) {
        // The list goes by name, so the user's own file can hold it.
        let host = definition.source.host.id;
        let user = |spec: &&Arc<SourceSpec>| spec.host.id == host && spec.scope == Scope::User;
        catalog.sources.iter().map(|reading| &reading.spec).find(user)?
    } else {
        &definition.source
    };
    Some((Arc::clone(spec), list_path(catalog, spec)?))
}

/// The path of the list of this name that holds a server off.
fn disabled_list(catalog: &Catalog, spec: &SourceSpec, name: &str) -> Option<Vec<String>> {
    let mut list = match spec.dialect {
        Dialect::ClaudeSettings => Vec::new(),
        Dialect::RovoSettings => vec!["mcp".to_owned()],
        _ => {
            let mut path = list_path(catalog, spec)?;
            path.pop();
            path
        }
    };
    list.push(name.to_owned());
    Some(list)
}

/// The path of the list in a file of this source.
fn list_path(catalog: &Catalog, spec: &SourceSpec) -> Option<Vec<String>> {
    if matches!(spec.dialect, Dialect::Gemini | Dialect::Qwen) {
        return Some(vec!["mcp".to_owned(), "excluded".to_owned()]);
    }
    if spec.dialect != Dialect::ClaudeCode {
        return None;
    }
    // As the file spells the folder, which on Windows can differ from how we do.
    let local = catalog
        .sources
        .iter()
        .find(|reading| reading.spec.scope == Scope::Local && reading.spec.host.id == spec.host.id)?;
    let written = local.definitions.first().map_or(&local.spec, |definition| &definition.source);
    let project = written.root.get(1)?.clone();
    Some(vec!["projects".to_owned(), project, CLAUDE_OFF.to_owned()])
}

/// The file the denylist is written to: the first of xcsh's user files that exists, else the first.
fn denylist_file(catalog: &Catalog) -> Option<Arc<SourceSpec>> {
    let candidates = || {
        catalog.sources.iter().filter(|reading| {
            let spec = &reading.spec;
            spec.host.id == "xcsh"
                && spec.scope == Scope::User
                && spec.path.file_name().is_some_and(|name| name == "mcp.json")
        })
    };
    candidates()
        .find(|reading| reading.state != ReadState::Missing)
        .or_else(|| candidates().next())
        .map(|reading| Arc::clone(&reading.spec))
}

/// What was done, in a sentence or two: where, and what the host makes of it and when. `home` is for the path.
pub fn outcome(definition: &Definition, edits: &[PlannedEdit], on: bool, home: &Path) -> String {
    let host = definition.source.host;
    let files = edits.iter().map(|edit| format!("`{}`", display_path(home, &edit.path)));
    let files = files.collect::<Vec<_>>().join(" and ");
    let word = if on { "On" } else { "Off" };
    let denylist = edits.iter().all(|edit| edit.means == Means::Denylist);
    let list = if denylist { "denylist in " } else { "" };
    // Whether the host itself goes by what was written.
    let bare = host.dialect == Dialect::Bare;
    let heeds = !denylist && !bare && !definition.source.is_unread_by_host();
    if heeds {
        return format!("{word}. Changed: {files}. {} notices {}.", host.name, host.notices);
    }
    let dotted = definition.source.path.file_name().is_some_and(|name| name == ".mcp.json");
    let but = if on {
        String::new()
    } else if definition.source.is_unread_by_host() {
        format!("; {} does not read this server's file", host.name)
    } else if bare && dotted {
        // The name of a bare file is nobody's.
        "; Claude Code and other applications that read this file have no such switch and still start it themselves"
            .to_owned()
    } else if bare {
        "; other applications that read this file may not know `enabled` and start it themselves".to_owned()
    } else {
        format!("; {} still starts it itself", host.name)
    };
    format!("{word} in Jackfield and its gateway{but}. Changed: {list}{files}.")
}
