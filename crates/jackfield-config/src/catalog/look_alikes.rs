//! The same server under two names: pointed out, never removed.

use std::collections::BTreeMap;

use crate::definition::{Definition, Transport};
use crate::diagnostic::{Code, Diagnostic, Severity};

/// Groups the winners by what they reach.
pub(super) fn find<'d>(definitions: impl Iterator<Item = &'d Definition>) -> Vec<Diagnostic> {
    let mut groups: BTreeMap<Vec<&str>, Vec<&Definition>> = BTreeMap::new();
    for definition in definitions {
        if let Some(endpoint) = endpoint(definition) {
            groups.entry(endpoint).or_default().push(definition);
        }
    }
    let mut found = Vec::new();
    for group in groups.values() {
        let [first, others @ ..] = group.as_slice() else { continue };
        for other in others {
            found.push(Diagnostic {
                code: Code::LookAlike,
                severity: Severity::Info,
                title: format!("`{}` and `{}` go to the same place", first.name, other.name),
                detail: format!(
                    "{} has the one, {} the other. If you need one only, switch the other off.",
                    first.source.host.name, other.source.host.name
                ),
                path: Some(other.source.path.clone()),
                position: other.position,
                server: Some(other.name.clone()),
            });
        }
    }
    found
}

fn endpoint(definition: &Definition) -> Option<Vec<&str>> {
    match &definition.transport {
        Transport::Stdio { command, args, cwd, .. } => {
            let cwd = cwd.as_ref().map_or("", |cwd| cwd.raw.as_str());
            let words = [cwd, command.raw.as_str()].into_iter();
            Some(words.chain(args.iter().map(|arg| arg.raw.as_str())).collect())
        }
        Transport::Http { url, .. } => Some(vec![url.raw.trim_end_matches('/')]),
        Transport::Unknown => None,
    }
}
