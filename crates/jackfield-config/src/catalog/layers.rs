//! Hosts that merge their own files deeply: Codex, Zed, and opencode for entries of its first shape.
//!
//! Each definition becomes itself laid over those of the same name in the host's lower files. So a project's file that
//! only switches a user's server off is that server, switched off, and needs approval as a whole; and the user's own
//! definition is still there for when it is not approved.

use std::collections::HashSet;
use std::sync::Arc;

use crate::definition::{Definition, FieldOrigin, FieldPlace};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Shape;
use crate::dialect::entry::{self, Place};
use crate::format::{Kind, Member, Node};
use crate::host::Dialect;
use crate::source::{SourceId, SourceReading};

/// Lays the definitions of such hosts over each other. The readings are in order of priority.
pub(super) fn apply(readings: &mut [SourceReading]) {
    // From the lowest file up, so that each step needs the one below only.
    for index in (0..readings.len()).rev() {
        let (above, below) = readings.split_at_mut(index + 1);
        let Some(reading) = above.last_mut() else { continue };
        let mut cured: HashSet<String> = HashSet::new();
        let mut told: Vec<Diagnostic> = Vec::new();
        for definition in &mut reading.definitions {
            let toggle = definition.elsewhere.is_some();
            if !is_layered(definition, toggle) {
                continue;
            }
            let lower = below.iter().flat_map(|reading| &reading.definitions).find(|lower| {
                lower.source.host.id == definition.source.host.id
                    && lower.name == definition.name
                    && is_layered(lower, toggle)
            });
            if let Some((merged, findings)) = lower.and_then(|lower| over(definition, lower)) {
                if definition.problems.is_empty() {
                    told.extend(findings.into_iter().filter(|finding| finding.code == Code::InvalidEntry));
                }
                if merged.problems.is_empty() && !definition.problems.is_empty() {
                    cured.insert(merged.name.clone());
                }
                *definition = Arc::new(merged);
            }
        }
        reading.diagnostics.retain(|finding| {
            let about_structure = finding.code == Code::InvalidEntry || finding.code == Code::UrlWithoutType;
            !(about_structure && finding.server.as_ref().is_some_and(|name| cured.contains(name)))
        });
        reading.diagnostics.extend(told);
    }
}

/// Kilo Code is known to lay an entry that is only a switch over another; of others nothing is known.
fn is_layered(definition: &Definition, toggle: bool) -> bool {
    match definition.source.dialect {
        Dialect::Codex | Dialect::Zed => true,
        Dialect::Kilo => toggle,
        // The second shape replaces entries as a whole.
        Dialect::OpenCode => definition.source.root.last().is_some_and(|key| key == "mcp"),
        _ => false,
    }
}

fn over(upper: &Definition, lower: &Definition) -> Option<(Definition, Vec<Diagnostic>)> {
    let (top, bottom) = (upper.entry.as_deref()?, lower.entry.as_deref()?);
    let (fields, below) = (top.as_object()?, bottom.as_object()?);
    let mut origins: Vec<FieldOrigin> = Vec::new();
    for member in below {
        let own = fields.iter().find(|field| field.key == member.key);
        let from_below = match own {
            None => true,
            Some(field) => field.value.as_object().is_some() && member.value.as_object().is_some(),
        };
        if from_below {
            let source = origin(lower, &member.key);
            origins.push(FieldOrigin { field: member.key.clone(), source });
        }
    }
    if origins.is_empty() {
        return None;
    }
    let node = Node { kind: lay(top, bottom), span: top.span.clone() };
    let place = Place { at: 0, lines: None, home: None };
    let (mut merged, mut findings) =
        entry::read(&upper.source, Shape::First, &upper.source, &upper.name, &node, place);
    merged.id = upper.id.clone();
    merged.position = upper.position;
    merged.origins = origins;
    merged.places = places(upper, lower);
    for finding in &mut findings {
        finding.position = upper.position;
        finding.detail =
            format!("{} This is so together with what the lower files say about it.", finding.detail);
    }
    Some((merged, findings))
}

/// Places of the upper one's fields, then of those that only the lower one has. What has no parts of its own, such as the
/// list of arguments, is all of the one or of the other.
fn places(upper: &Definition, lower: &Definition) -> Vec<FieldPlace> {
    let whole = |field: &str| match field.split_once('.') {
        Some(("env" | "headers", _)) | None => field.to_owned(),
        Some((list, _)) => list.to_owned(),
    };
    let own: HashSet<String> = upper.places.iter().map(|place| whole(&place.field)).collect();
    let below = lower.places.iter().filter(|place| !own.contains(&whole(&place.field)));
    let below = below.map(|place| FieldPlace {
        source: place.source.clone().or_else(|| Some(lower.source.id.clone())),
        ..place.clone()
    });
    upper.places.iter().cloned().chain(below).collect()
}

fn origin(definition: &Definition, field: &str) -> SourceId {
    let passed_on = definition.origins.iter().find(|origin| origin.field == field);
    passed_on.map_or_else(|| definition.source.id.clone(), |origin| origin.source.clone())
}

/// Objects are merged by key; anything else above hides what is below. Depth is bounded by the parser.
fn lay(top: &Node, bottom: &Node) -> Kind {
    let (Some(upper), Some(lower)) = (top.as_object(), bottom.as_object()) else { return top.kind.clone() };
    let mut members: Vec<Member> = upper
        .iter()
        .map(|member| match bottom.get(&member.key) {
            Some(below) => {
                let value = Node { kind: lay(&member.value, below), span: member.value.span.clone() };
                Member { value, ..member.clone() }
            }
            None => member.clone(),
        })
        .collect();
    members.extend(lower.iter().filter(|member| top.get(&member.key).is_none()).cloned());
    Kind::Object(members)
}
