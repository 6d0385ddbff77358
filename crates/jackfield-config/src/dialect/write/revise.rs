//! An entry with some fields changed: the others stay as their owner wrote them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::keep;
use crate::definition::Definition;
use crate::draft::{Draft, DraftTransport};

/// A field that was changed here and in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldConflict {
    pub field: String,
    /// `None` where it was not there.
    pub base: Option<String>,
    pub ours: Option<String>,
    pub theirs: Option<String>,
}

/// Every field of a draft as text, by its name.
fn fields(draft: &Draft) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    let mut put = |field: String, value: String| {
        fields.insert(field, value);
    };
    match &draft.transport {
        DraftTransport::Stdio { command, args, env, cwd } => {
            put("type".to_owned(), "stdio".to_owned());
            put("command".to_owned(), command.clone());
            put("args".to_owned(), args.join("\n"));
            env.iter().for_each(|(name, value)| put(format!("env.{name}"), value.clone()));
            cwd.iter().for_each(|cwd| put("cwd".to_owned(), cwd.clone()));
        }
        DraftTransport::Http { url, headers, protocol } => {
            put("type".to_owned(), format!("{protocol:?}"));
            put("url".to_owned(), url.clone());
            headers.iter().for_each(|(name, value)| put(format!("headers.{name}"), value.clone()));
        }
    }
    put("enabled".to_owned(), draft.enabled.to_string());
    draft.timeout.iter().for_each(|timeout| put("timeout".to_owned(), format!("{} ms", timeout.as_millis())));
    fields
}

/// Brings together what a person made of `base` and what the file says now.
///
/// # Errors
/// Fields that both have changed, and not to the same.
pub fn merge(base: &Draft, ours: &Draft, theirs: &Draft) -> Result<Draft, Vec<FieldConflict>> {
    let (old, mine, now) = (fields(base), fields(ours), fields(theirs));
    let names: Vec<&String> = old.keys().chain(mine.keys()).chain(now.keys()).collect();
    let mut conflicts: Vec<FieldConflict> = Vec::new();
    for name in names {
        let (base, ours, theirs) = (old.get(name), mine.get(name), now.get(name));
        let told = conflicts.iter().any(|conflict| conflict.field == *name);
        if base != ours && base != theirs && ours != theirs && !told {
            conflicts.push(FieldConflict {
                field: name.clone(),
                base: base.cloned(),
                ours: ours.cloned(),
                theirs: theirs.cloned(),
            });
        }
    }
    if !conflicts.is_empty() {
        return Err(conflicts);
    }
    let changed = |field: &str| old.get(field) != mine.get(field);
    let pairs = |kind: &str, ours: &[(String, String)], theirs: &[(String, String)]| {
        let mut merged: Vec<(String, String)> = theirs.to_vec();
        merged.retain(|(name, _)| {
            let field = format!("{kind}.{name}");
            !changed(&field) || mine.contains_key(&field)
        });
        for (name, value) in ours.iter().filter(|(name, _)| changed(&format!("{kind}.{name}"))) {
            match merged.iter_mut().find(|(other, _)| other == name) {
                Some(pair) => pair.1.clone_from(value),
                None => merged.push((name.clone(), value.clone())),
            }
        }
        merged
    };
    let transport = match (&ours.transport, &theirs.transport) {
        (
            DraftTransport::Stdio { command, args, env, cwd },
            DraftTransport::Stdio { command: command2, args: args2, env: env2, cwd: cwd2 },
        ) => DraftTransport::Stdio {
            command: if changed("command") { command.clone() } else { command2.clone() },
            args: if changed("args") { args.clone() } else { args2.clone() },
            env: pairs("env", env, env2),
            cwd: if changed("cwd") { cwd.clone() } else { cwd2.clone() },
        },
        (
            DraftTransport::Http { url, headers, protocol },
            DraftTransport::Http { url: url2, headers: headers2, protocol: protocol2 },
        ) => DraftTransport::Http {
            url: if changed("url") { url.clone() } else { url2.clone() },
            headers: pairs("headers", headers, headers2),
            protocol: if changed("type") { *protocol } else { *protocol2 },
        },
        (ours, theirs) => {
            if changed("type") {
                ours.clone()
            } else {
                theirs.clone()
            }
        }
    };
    Ok(Draft {
        name: ours.name.clone(),
        transport,
        enabled: if changed("enabled") { ours.enabled } else { theirs.enabled },
        timeout: if changed("timeout") { ours.timeout } else { theirs.timeout },
    })
}

/// The entry as it stands with only the fields changed in which `draft` differs from `base`.
///
/// # Errors
/// Fields that have changed in the file, too.
pub fn revised(old: &Definition, base: &Draft, draft: &Draft) -> Result<Value, Vec<FieldConflict>> {
    let theirs = Draft::of(old);
    let merged = merge(base, draft, &theirs)?;
    let mut value = old.entry_value().filter(Value::is_object).unwrap_or_else(|| Value::Object(Map::new()));
    if let Value::Object(entry) = &mut value {
        keep::write_into(entry, &theirs, &merged, &old.source);
    }
    Ok(value)
}
