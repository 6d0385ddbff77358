//! The same server under two names: pointed out, never removed.

use std::collections::BTreeMap;

use crate::definition::{Definition, Transport};
use crate::diagnostic::{Code, Diagnostic, Severity};

/// How many names of a group are told.
const NAMED: usize = 3;

/// Groups the winners by what they reach; each group is told once.
pub(super) fn find<'d>(definitions: impl Iterator<Item = &'d Definition>) -> Vec<Diagnostic> {
    let mut groups: BTreeMap<Endpoint<'d>, Vec<&'d Definition>> = BTreeMap::new();
    for definition in definitions {
        if let Some(endpoint) = endpoint(definition) {
            groups.entry(endpoint).or_default().push(definition);
        }
    }
    groups.values().filter_map(|group| tell(group)).collect()
}

fn tell(group: &[&Definition]) -> Option<Diagnostic> {
    let [first, second, more @ ..] = group else { return None };
    let detail = if more.is_empty() {
        format!(
            "{} has the one, {} the other. If you need one only, switch the other off.",
            first.source.host.name, second.source.host.name
        )
    } else {
        let mut hosts: Vec<&str> = Vec::new();
        for definition in group {
            if !hosts.contains(&definition.source.host.name) {
                hosts.push(definition.source.host.name);
            }
        }
        format!("They are in the files of {}. If you need one only, switch the others off.", listed(&hosts))
    };
    let names: Vec<String> = group.iter().map(|definition| format!("`{}`", definition.name)).collect();
    Some(Diagnostic {
        code: Code::LookAlike,
        severity: Severity::Info,
        title: format!("{} go to the same place", listed(&names)),
        detail,
        path: Some(second.source.path.clone()),
        position: second.position,
        server: Some(second.name.clone()),
        fixes: Vec::new(),
    })
}

/// `a`, `b`, `c` and 2 more.
fn listed<T: AsRef<str>>(items: &[T]) -> String {
    let named: Vec<&str> = items.iter().take(NAMED).map(AsRef::as_ref).collect();
    let more = items.len().saturating_sub(NAMED);
    match named.split_last() {
        Some((last, others)) if more == 0 && !others.is_empty() => {
            format!("{} and {last}", others.join(", "))
        }
        Some(_) if more > 0 => format!("{} and {more} more", named.join(", ")),
        Some(_) | None => named.concat(),
    }
}

/// All that decides where a definition goes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Endpoint<'d> {
    Program { words: Vec<&'d str>, cwd: &'d str, env: Vec<(&'d str, &'d str)> },
    Url(&'d str),
}

fn endpoint(definition: &Definition) -> Option<Endpoint<'_>> {
    match &definition.transport {
        Transport::Stdio { command, args, env, cwd } => {
            let words = std::iter::once(command).chain(args).map(|word| word.raw.as_str()).collect();
            let cwd = cwd.as_ref().map_or("", |cwd| cwd.raw.as_str());
            let mut env: Vec<(&str, &str)> =
                env.iter().map(|(name, value)| (name.as_str(), value.raw.as_str())).collect();
            env.sort_unstable();
            Some(Endpoint::Program { words, cwd, env })
        }
        Transport::Http { url, .. } => Some(Endpoint::Url(url.raw.trim_end_matches('/'))),
        Transport::Unknown => None,
    }
}
