//! A definition of one host as a draft for another: strings, and what does not go along.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{around_variable, as_read, bearer_variable, keep, spelling_of};
use crate::definition::{Definition, Transport};
use crate::dialect::helpers::VIBE_AUTH;
use crate::dialect::nested;
use crate::draft::{Draft, DraftTransport};
use crate::format::Node;
use crate::host::{Dialect, Host};
use crate::source::SourceSpec;
use crate::value::translate::{Field, is_loud, translate as translate_value};
use crate::value::{Piece, ValueExpr, ValueKind, VariableSyntax};

/// The draft for another source: variables and units translated, with notes on what cannot be said there.
pub fn translate(definition: &Definition, target: &SourceSpec) -> (Draft, Vec<String>) {
    let (from, to) = (definition.source.host, target.host);
    let mut draft = Draft::of(definition);
    let mut notes = Vec::new();
    if from.id != to.id {
        let codex = target.dialect == Dialect::Codex;
        let bearer = to.variables == VariableSyntax::None && !spelling_of(target).bearer.is_empty();
        let named = spelling_of(target).env_names.is_some();
        // Vibe has keys for one.
        let mut vibe = target.dialect == Dialect::Vibe;
        let mut one = |expr: &ValueExpr, field: Field<'_>| {
            let translated = translate_value(expr, (from, to), field);
            notes.extend(translated.notes);
            translated.text
        };
        let other = Field { key: None, whole: false };
        match (&definition.transport, &mut draft.transport) {
            (
                Transport::Stdio { command, args, env, cwd },
                DraftTransport::Stdio { command: command2, args: args2, env: env2, cwd: cwd2 },
            ) => {
                *command2 = one(command, other);
                *args2 = args.iter().map(|arg| one(arg, other)).collect();
                *cwd2 = cwd.as_ref().map(|cwd| one(cwd, other));
                let kept = env.iter().filter(|(_, value)| value.kind != ValueKind::Remove);
                *env2 = kept
                    .map(|(name, value)| {
                        let whole = named && VariableSyntax::only_variable(&as_braces(value)) == Some(name);
                        (name.clone(), one(value, Field { key: Some(name), whole }))
                    })
                    .collect();
                for (name, _) in env.iter().filter(|(_, value)| value.kind == ValueKind::Remove) {
                    notes.push(format!("{} cannot take `{name}` away: it is left out", to.name));
                }
            }
            (
                Transport::Http { url, headers, .. },
                DraftTransport::Http { url: url2, headers: headers2, .. },
            ) => {
                *url2 = one(url, other);
                *headers2 = headers
                    .iter()
                    .map(|(name, value)| {
                        let braces = as_braces(value);
                        let vibes = vibe && around_variable(&braces).is_some();
                        vibe &= !vibes;
                        let whole = vibes
                            || (codex && VariableSyntax::only_variable(&braces).is_some())
                            || (bearer
                                && target.dialect != Dialect::Vibe
                                && name.eq_ignore_ascii_case("authorization")
                                && bearer_variable(&braces).is_some());
                        (name.clone(), one(value, Field { key: Some(name), whole }))
                    })
                    .collect();
            }
            (Transport::Stdio { .. } | Transport::Http { .. } | Transport::Unknown, _) => {}
        }
        if codex && notes.iter().any(|note| note.contains("has nothing like")) {
            let fields = "`env_vars`, `env_http_headers` and `bearer_token_env_var`";
            notes.push(format!("{} takes variables by their names only, in {fields}", to.name));
        }
        if definition.headers_helper.is_some() {
            notes.push(format!("{} has no `headersHelper`: its headers are left out", to.name));
        }
        let lost = if same_words(definition, target) { Vec::new() } else { lost_keys(definition) };
        let (alike, unlike): (Vec<_>, Vec<_>) =
            lost.into_iter().partition(|key| spelling_of(target).keys.contains(&key.trim_matches('`')));
        if !unlike.is_empty() {
            notes.push(format!("{} has nothing like {}: left out", to.name, unlike.join(", ")));
        }
        if !alike.is_empty() {
            notes.push(format!(
                "{} may mean something else in {}: left out; set it there if it is wanted",
                alike.join(", "),
                to.name
            ));
        }
    }
    let mut seen = std::collections::HashSet::new();
    notes.retain(|note| seen.insert(note.clone()));
    (draft, notes)
}

/// Whether source and target have the same keys but for the switch.
fn same_words(definition: &Definition, target: &SourceSpec) -> bool {
    definition.source.dialect == target.dialect
}

/// The whole entry for a target that has the same words, also what a draft does not hold; `draft` is the translated one.
/// Nothing where the words are others.
pub(crate) fn carried(definition: &Definition, draft: &Draft, target: &SourceSpec) -> Option<Value> {
    let mut value = definition.entry_value().filter(|_| same_words(definition, target))?;
    let Value::Object(entry) = &mut value else { return Some(value) };
    keep::write_into(entry, &Draft::of(definition), draft, &definition.source);
    let (from, to) = (spelling_of(&definition.source), spelling_of(target));
    if from.switch != to.switch {
        from.switch.map(|(key, _)| entry.shift_remove(key));
        if let Some((key, on)) = to.switch.filter(|_| !draft.enabled) {
            entry.insert(key.to_owned(), json!(!on));
        }
    }
    if to.named || entry.contains_key("name") {
        entry.insert("name".to_owned(), json!(draft.name));
    }
    Some(value)
}

/// As [`translate`], for a draft that was never in a file of `from`.
pub fn between(draft: &Draft, from: &'static Host, target: &SourceSpec) -> (Draft, Vec<String>) {
    let spec = Arc::new(SourceSpec::nowhere(from));
    match as_read(draft, &spec) {
        Some(definition) if definition.problems.is_empty() => {
            let (translated, notes) = translate(&definition, target);
            (Draft { enabled: draft.enabled, timeout: draft.timeout, ..translated }, notes)
        }
        Some(_) | None => (draft.clone(), Vec::new()),
    }
}

/// A value with its variables as `${NAME}`, to see whether it is one alone.
fn as_braces(value: &ValueExpr) -> String {
    match &value.kind {
        ValueKind::Template(pieces) => pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Var { name, default: None, .. } => format!("${{{name}}}"),
                _ => "${}".to_owned(),
            })
            .collect(),
        ValueKind::Literal => value.raw.clone(),
        ValueKind::NameOrLiteral if is_loud(&value.raw) => format!("${{{}}}", value.raw),
        ValueKind::NameOrLiteral | ValueKind::Command(_) | ValueKind::Remove => String::new(),
    }
}

/// Keys of the entry that say more than a draft holds.
fn lost_keys(definition: &Definition) -> Vec<String> {
    let remarks = ["description", "name", "gallery", "version", "bundled", "display_name", "source"];
    let keys = other_keys(definition).into_iter();
    keys.filter(|key| !remarks.contains(&key.as_str())).map(|key| format!("`{key}`")).collect()
}

/// Keys of an entry that a form does not show.
pub fn other_keys(definition: &Definition) -> Vec<String> {
    let Some(entry) = &definition.entry else { return Vec::new() };
    let spelling = spelling_of(&definition.source);
    let flat = nested::key(entry, spelling).map(|_| nested::flat(entry, spelling));
    let entry = flat.as_ref().unwrap_or(entry);
    let shown = |key: &str| {
        spelling.commands.contains(&key)
            || key == "args"
            || key == spelling.env
            || spelling.headers.first() == Some(&key)
            || spelling.cwd == Some(key)
            || spelling.type_keys.contains(&key)
            || spelling.bearer.contains(&key)
            || spelling.token.contains(&key)
            || spelling.env_names == Some(key)
            || vibe_shows(entry, key, &definition.source)
            || spelling.urls.iter().any(|(url, _)| *url == key)
            || spelling.timeouts.iter().any(|(timeout, _)| *timeout == key)
            || spelling.switch.is_some_and(|(switch, _)| switch == key)
            || (spelling.named && key == "name")
            || (definition.source.dialect == Dialect::Codex && key == "env_http_headers")
    };
    let members = entry.as_object().unwrap_or_default();
    members.iter().map(|member| member.key.clone()).filter(|key| !shown(key)).collect()
}

/// What says a header of Vibe, in the entry or in its `auth`.
fn vibe_shows(entry: &Node, key: &str, spec: &SourceSpec) -> bool {
    let kind = || entry.get("auth").and_then(|auth| auth.get("type")).and_then(Node::as_str);
    spec.dialect == Dialect::Vibe && (VIBE_AUTH.contains(&key) || (key == "auth" && kind() == Some("static")))
}
