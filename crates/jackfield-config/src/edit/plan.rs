//! What it takes to add, change, move or remove a server, and the words that say so. Pure: files are not touched here.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::toggle::{self, Means, PlannedEdit};
use super::{Change, Missing, Place, Target};
use crate::catalog::{Catalog, Entry, Judgement};
use crate::definition::Definition;
use crate::diagnostic::Severity;
use crate::dialect::write::{self, FieldConflict, FieldProblem};
use crate::draft::Draft;
use crate::host::{Dialect, Scope};
use crate::places::display_path;
use crate::source::{ReadState, SourceId, SourceReading, SourceSpec};
use crate::validate;

/// Edits of files, and what they are to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// In the order in which they are to be done.
    pub edits: Vec<PlannedEdit>,
    /// For a history: "Added `github`".
    pub title: String,
    /// Which file changed, what the host will notice and when.
    pub message: String,
    /// What the host will notice and when; empty if no host reads the file.
    pub notice: String,
    /// What the target cannot express, and what else is worth knowing.
    pub notes: Vec<String>,
}

/// Why nothing is done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The name is not accepted.
    #[error("{0}")]
    Name(String),
    #[error("Invalid server config: {}", .0.iter().filter(|p| p.severity == Severity::Error).map(|p| p.message.as_str()).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<FieldProblem>),
    #[error("Server \"{name}\" already exists in {path}")]
    Exists { name: String, path: String },
    /// Two of those to be added have this name.
    #[error("Two of the servers are named \"{0}\"")]
    Twice(String),
    #[error("Server \"{name}\" not found in {path}")]
    NotFound { name: String, path: String },
    /// The file says something else by now.
    #[error("{} changed in the file meanwhile", .fields.iter().map(|f| format!("`{}`", f.field)).collect::<Vec<_>>().join(", "))]
    Conflict { path: String, fields: Vec<FieldConflict> },
    /// Nothing can be written there.
    #[error("{0}")]
    Locked(String),
}

/// Adds a server to a source.
///
/// # Errors
/// In this order: a name, a configuration that is not accepted, a server of that name.
pub fn add(catalog: &Catalog, source: &SourceId, draft: &Draft, home: &Path) -> Result<Plan, PlanError> {
    add_all(catalog, source, std::slice::from_ref(draft), home)
}

/// Adds servers to a source, all or none.
///
/// # Errors
/// As for one; also if two have one name.
pub fn add_all(
    catalog: &Catalog,
    source: &SourceId,
    drafts: &[Draft],
    home: &Path,
) -> Result<Plan, PlanError> {
    let reading = writable(catalog, source, home)?;
    let spec = effective(reading);
    let (mut changes, mut notes) = (Vec::new(), Vec::new());
    for (at, draft) in drafts.iter().enumerate() {
        new_name(&draft.name, &spec)?;
        valid(draft, &spec)?;
        absent(reading, &draft.name, home)?;
        if drafts[..at].iter().any(|other| other.name == draft.name) {
            return Err(PlanError::Twice(draft.name.clone()));
        }
        let rendered = write::entry(draft, &spec);
        changes.push(set(&spec, &draft.name, rendered.value));
        notes.extend(rendered.notes);
        notes.extend(denied(catalog, &draft.name));
    }
    notes.extend(unread(&spec));
    let mut told = std::collections::HashSet::new();
    notes.retain(|note| told.insert(note.clone()));
    let names: Vec<String> = drafts.iter().map(|draft| format!("`{}`", draft.name)).collect();
    Ok(plan(&spec, changes, format!("Added {}", names.join(", ")), home, notes))
}

/// Changes the fields in which `draft` differs from `base`; a new name renames, too.
///
/// # Errors
/// If the outcome is not accepted, or the file has changed in the same fields.
pub fn edit(
    catalog: &Catalog,
    entry: &Entry,
    base: &Draft,
    draft: &Draft,
    home: &Path,
) -> Result<Plan, PlanError> {
    let definition = &entry.definition;
    holds_a_server(definition)?;
    let (reading, spec) = own(catalog, definition, home)?;
    let name = &definition.name;
    let renamed = draft.name != *name;
    if renamed {
        new_name(&draft.name, &spec)?;
    }
    let value = write::revised(definition, base, draft)
        .map_err(|fields| PlanError::Conflict { path: display_path(home, &spec.path), fields })?;
    let merged = write::merge(base, draft, &Draft::of(definition)).unwrap_or_else(|_| draft.clone());
    valid(&merged, &spec)?;
    let read = write::read_back(&value, &draft.name, &spec);
    if !read.problems.is_empty() {
        let prefix = format!("Server \"{}\": ", draft.name);
        let problem = |words: &String| FieldProblem {
            field: String::new(),
            severity: Severity::Error,
            message: words.strip_prefix(&prefix).unwrap_or(words).to_owned(),
        };
        return Err(PlanError::Invalid(read.problems.iter().map(problem).collect()));
    }
    if renamed {
        absent(reading, &draft.name, home)?;
    }
    let old = definition.entry_value().unwrap_or(Value::Null);
    let mut changes = Vec::new();
    let keys = vec![name.clone()];
    differences(&spec, &keys, &old, &value, &mut changes);
    if renamed {
        changes.push(rename_change(&spec, name, &draft.name));
    }
    let title =
        if renamed { format!("Renamed `{name}` to `{}`", draft.name) } else { format!("Edited `{name}`") };
    let notes = write::entry(&merged, &spec).notes.into_iter().chain(unread(&spec)).collect();
    let mut plan = plan(&spec, changes, title, home, notes);
    if renamed {
        plan.edits.extend(toggle::follow(catalog, entry, &draft.name));
    }
    Ok(plan)
}

/// An entry whose server is somebody else's has nothing that could be changed here or taken elsewhere.
fn holds_a_server(definition: &Definition) -> Result<(), PlanError> {
    match &definition.elsewhere {
        Some(who) => Err(PlanError::Locked(format!("`{}`: {who}", definition.name))),
        None => Ok(()),
    }
}

/// Gives a server another name, in its place.
///
/// # Errors
/// If the name is not accepted or taken.
pub fn rename(catalog: &Catalog, entry: &Entry, to: &str, home: &Path) -> Result<Plan, PlanError> {
    let definition = &entry.definition;
    let (reading, spec) = own(catalog, definition, home)?;
    new_name(to, &spec)?;
    absent(reading, to, home)?;
    let name = &definition.name;
    let title = format!("Renamed `{name}` to `{to}`");
    let mut changes = vec![rename_change(&spec, name, to)];
    // Where an entry carries its name as well, the owner goes by that (Goose).
    let own = definition.entry_value().and_then(|value| value.get("name")?.as_str().map(str::to_owned));
    if !spec.list && own.as_deref() == Some(name) {
        changes.push(Change::Set {
            target: target(&spec, vec![to.to_owned(), "name".to_owned()]),
            value: Value::String(to.to_owned()),
            place: Place::Last,
            missing: Missing::Refuse,
        });
    }
    let mut plan = plan(&spec, changes, title, home, takes_over(catalog, entry));
    plan.edits.extend(toggle::follow(catalog, entry, to));
    Ok(plan)
}

/// Adds the same server beside it.
///
/// # Errors
/// If the name is not accepted or taken.
pub fn duplicate(catalog: &Catalog, entry: &Entry, to: &str, home: &Path) -> Result<Plan, PlanError> {
    let definition = &entry.definition;
    let (reading, spec) = own(catalog, definition, home)?;
    new_name(to, &spec)?;
    absent(reading, to, home)?;
    let mut value = definition.entry_value().unwrap_or(Value::Null);
    own_name(&mut value, to);
    let title = format!("Duplicated `{}` as `{to}`", definition.name);
    Ok(plan(&spec, vec![set(&spec, to, value)], title, home, Vec::new()))
}

/// Takes a server out of its file.
///
/// # Errors
/// If it is not the user's to write to.
pub fn remove(catalog: &Catalog, entry: &Entry, home: &Path) -> Result<Plan, PlanError> {
    let definition = &entry.definition;
    let (_, spec) = own(catalog, definition, home)?;
    let title = format!("Removed `{}`", definition.name);
    Ok(plan(&spec, vec![remove_change(&spec, &definition.name)], title, home, takes_over(catalog, entry)))
}

/// Writes a server to another source in that one's spelling: copied, or moved if it is not kept here.
///
/// # Errors
/// If the target cannot take it, or has one of that name.
pub fn transfer(
    catalog: &Catalog,
    entry: &Entry,
    to: &SourceId,
    name: Option<&str>,
    keep: bool,
    home: &Path,
) -> Result<Plan, PlanError> {
    let definition = &entry.definition;
    holds_a_server(definition)?;
    let reading = writable(catalog, to, home)?;
    let spec = effective(reading);
    if spec.id == definition.source.id {
        return Err(PlanError::Locked(format!(
            "`{}` is in {} already",
            definition.name,
            display_path(home, &spec.path)
        )));
    }
    let (mut draft, mut notes) = write::translate(definition, &spec);
    if matches!(entry.judgement, Judgement::HostDisabled { .. }) {
        draft.enabled = false;
    }
    if let Some(name) = name {
        name.clone_into(&mut draft.name);
    }
    new_name(&draft.name, &spec)?;
    valid(&draft, &spec)?;
    absent(reading, &draft.name, home)?;
    let value = match write::carried(definition, &draft, &spec) {
        // The same words: everything goes along, also what we do not know.
        Some(value) => value,
        None => {
            let rendered = write::entry(&draft, &spec);
            notes.extend(rendered.notes);
            rendered.value
        }
    };
    notes.extend(unread(&spec));
    let verb = if keep { "Copied" } else { "Moved" };
    let title = format!("{verb} `{}` to {}", definition.name, spec.host.name);
    let mut plan = plan(&spec, vec![set(&spec, &draft.name, value)], title, home, notes);
    if !keep {
        let (_, from) = own(catalog, definition, home)?;
        plan.edits.push(planned(&from, vec![remove_change(&from, &definition.name)]));
        plan.message = format!(
            "Moved `{}` from `{}` to `{}`. {}",
            definition.name,
            display_path(home, &from.path),
            display_path(home, &spec.path),
            plan.notice
        )
        .trim_end()
        .to_owned();
    }
    plan.notes.extend(denied(catalog, &draft.name));
    plan.notes.dedup();
    Ok(plan)
}

/// The source, if it can be written to.
fn writable<'c>(
    catalog: &'c Catalog,
    source: &SourceId,
    home: &Path,
) -> Result<&'c SourceReading, PlanError> {
    let reading = catalog.sources.iter().find(|reading| reading.spec.id == *source);
    let reading = reading.ok_or_else(|| PlanError::Locked("there is no such file".to_owned()))?;
    let path = display_path(home, &reading.spec.path);
    match reading.spec.scope {
        Scope::Managed => return Err(PlanError::Locked(format!("{path} is managed by your organisation"))),
        Scope::Plugin => return Err(PlanError::Locked(format!("{path} belongs to a plugin"))),
        Scope::User | Scope::Local | Scope::Project => {}
    }
    if !reading.spec.holds_servers() {
        let host = reading.spec.host.name;
        return Err(PlanError::Locked(format!("{host} reads no servers from {path}")));
    }
    if let Some(why) = reading.spec.read_only() {
        return Err(PlanError::Locked(format!("Cannot edit {path}: {why}")));
    }
    match &reading.state {
        ReadState::Missing | ReadState::Read => Ok(reading),
        ReadState::Unreadable(words) => Err(PlanError::Locked(format!("Cannot edit {path}: {words}"))),
        ReadState::Broken | ReadState::LastGood => {
            let finding =
                reading.diagnostics.iter().find(|found| found.code == crate::diagnostic::Code::FileSyntax);
            let words = match finding.and_then(|found| found.position.map(|at| (found, at))) {
                Some((found, at)) => format!("{} at line {}, column {}", found.title, at.line, at.column),
                None => "it does not parse".to_owned(),
            };
            Err(PlanError::Locked(format!("Cannot edit {path}: {words}")))
        }
    }
}

/// The source as its file really is: a bare file may have `servers`, opencode's may be of its second shape.
fn effective(reading: &SourceReading) -> Arc<SourceSpec> {
    match reading.definitions.iter().rfind(|definition| definition.source.root != reading.spec.root) {
        Some(definition)
            if reading.spec.dialect != Dialect::ClaudeCode || reading.spec.scope == Scope::Local =>
        {
            Arc::clone(&definition.source)
        }
        Some(_) | None => Arc::clone(&reading.spec),
    }
}

/// The source of a definition and how its entry stands there.
fn own<'c>(
    catalog: &'c Catalog,
    definition: &Definition,
    home: &Path,
) -> Result<(&'c SourceReading, Arc<SourceSpec>), PlanError> {
    let reading = writable(catalog, &definition.source.id, home)?;
    if !reading.definitions.iter().any(|other| other.name == definition.name) {
        let path = display_path(home, &reading.spec.path);
        return Err(PlanError::NotFound { name: definition.name.clone(), path });
    }
    Ok((reading, Arc::clone(&definition.source)))
}

fn new_name(name: &str, spec: &SourceSpec) -> Result<(), PlanError> {
    validate::new_name(name).map_err(|words| PlanError::Name(words.to_owned()))?;
    write::host_name_rule(name, spec).map_err(PlanError::Name)
}

fn valid(draft: &Draft, spec: &Arc<SourceSpec>) -> Result<(), PlanError> {
    let problems = write::check(draft, spec);
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(PlanError::Invalid(problems));
    }
    Ok(())
}

fn absent(reading: &SourceReading, name: &str, home: &Path) -> Result<(), PlanError> {
    if reading.definitions.iter().any(|definition| definition.name == name) {
        let path = display_path(home, &reading.spec.path);
        return Err(PlanError::Exists { name: name.to_owned(), path });
    }
    Ok(())
}

/// An entry of a list says its own name.
fn own_name(value: &mut Value, name: &str) {
    if let Value::Object(map) = value
        && map.contains_key("name")
    {
        map.insert("name".to_owned(), Value::String(name.to_owned()));
    }
}

fn target(spec: &SourceSpec, keys: Vec<String>) -> Target {
    Target { root: spec.root.clone(), keys, list: spec.list }
}

fn set(spec: &SourceSpec, name: &str, value: Value) -> Change {
    let target = target(spec, vec![name.to_owned()]);
    Change::Set { target, value, place: Place::Last, missing: Missing::New }
}

fn remove_change(spec: &SourceSpec, name: &str) -> Change {
    Change::Remove { target: target(spec, vec![name.to_owned()]) }
}

fn rename_change(spec: &SourceSpec, name: &str, to: &str) -> Change {
    Change::Rename { target: target(spec, vec![name.to_owned()]), to: to.to_owned() }
}

/// The changes that turn one value into the other, each of one key.
fn differences(spec: &SourceSpec, keys: &[String], old: &Value, new: &Value, into: &mut Vec<Change>) {
    let below = |key: &String| keys.iter().chain([key]).cloned().collect::<Vec<String>>();
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        let target = target(spec, keys.to_vec());
        into.push(Change::Set { target, value: new.clone(), place: Place::Last, missing: Missing::Create });
        return;
    };
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        into.push(Change::Remove { target: target(spec, below(key)) });
    }
    for (key, value) in after {
        match before.get(key) {
            Some(same) if same == value => {}
            Some(inner) if inner.is_object() && value.as_object().is_some_and(|map| !map.is_empty()) => {
                differences(spec, &below(key), inner, value, into);
            }
            Some(Value::Object(_)) if value.is_object() => {
                into.push(Change::Remove { target: target(spec, below(key)) });
            }
            // Something of another kind stands there.
            Some(other) if other.is_object() || other.is_array() != value.is_array() => {
                into.push(Change::Remove { target: target(spec, below(key)) });
                let target = target(spec, below(key));
                into.push(Change::Set {
                    target,
                    value: value.clone(),
                    place: Place::Last,
                    missing: Missing::Create,
                });
            }
            Some(_) | None => {
                let target = target(spec, below(key));
                into.push(Change::Set {
                    target,
                    value: value.clone(),
                    place: Place::Last,
                    missing: Missing::Create,
                });
            }
        }
    }
}

fn planned(spec: &SourceSpec, changes: Vec<Change>) -> PlannedEdit {
    PlannedEdit {
        path: Arc::clone(&spec.path),
        format: spec.format,
        scope: spec.scope,
        means: Means::Entry,
        changes,
    }
}

fn plan(spec: &SourceSpec, changes: Vec<Change>, title: String, home: &Path, notes: Vec<String>) -> Plan {
    let path = display_path(home, &spec.path);
    let host = spec.host;
    let (message, notice) = if host.dialect == Dialect::Bare || spec.is_unread_by_host() {
        (format!("{title} in `{path}`."), String::new())
    } else {
        let notice = format!("{} notices {}.", host.name, host.notices);
        (format!("{title} in `{path}`. {notice}"), notice)
    };
    Plan { edits: vec![planned(spec, changes)], title, message, notice, notes }
}

/// A name that is on Jackfield's denylist, from an earlier server perhaps.
fn denied(catalog: &Catalog, name: &str) -> Option<String> {
    let listed = catalog.denylist.iter().any(|denied| denied == name);
    listed.then(|| format!("`{name}` is on the denylist: it stays off in Jackfield until it is switched on"))
}

/// A file that its host does not read itself.
fn unread(spec: &SourceSpec) -> Option<String> {
    spec.is_unread_by_host().then(|| format!("{} itself does not read this file", spec.host.name))
}

/// Another definition of the name that is in force from then on.
fn takes_over(catalog: &Catalog, entry: &Entry) -> Vec<String> {
    let definition = &entry.definition;
    let shadowed = catalog.entries.iter().find(|other| {
        matches!(&other.judgement, crate::catalog::Judgement::Shadowed { by, .. } if *by == definition.id)
    });
    shadowed
        .map(|other| {
            let source = &other.definition.source;
            format!(
                "`{}` of {}, {} is in use from then on",
                definition.name,
                source.host.name,
                source.scope.as_str()
            )
        })
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests;
