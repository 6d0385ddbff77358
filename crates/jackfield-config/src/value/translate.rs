//! A string in one host's syntax, written in another's.

use super::syntax::Commands;
use super::{Piece, Role, ValueExpr, ValueKind, ValueRules, VariableSyntax, template};
use crate::host::Host;
use crate::mask;

/// A string as the target writes it, and what a person should know about that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translated {
    pub text: String,
    pub notes: Vec<String>,
}

/// A string of an entry.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// The name of the variable or the header whose value it is; nothing for other strings.
    pub key: Option<&'a str>,
    /// The target names a variable for this value in a field of its own (Codex); the writer sees to that.
    pub whole: bool,
}

/// Writes `value` of the first host as the second reads it.
pub fn translate(value: &ValueExpr, (from, to): (&Host, &Host), field: Field<'_>) -> Translated {
    let whole = field.whole;
    let mut notes = Vec::new();
    let text = match &value.kind {
        ValueKind::Literal if whole => {
            let key = field.key.unwrap_or_default();
            notes.push(format!("{} finds a variable in the value of `{key}`, {} a text", to.name, from.name));
            value.raw.clone()
        }
        ValueKind::Literal => literal(&value.raw, from, to, field, &mut notes),
        ValueKind::Remove => String::new(),
        ValueKind::Command(command) if runs_commands(to) && field.key.is_some() => format!("$({command})"),
        ValueKind::Command(_) => {
            if from.values != to.values {
                notes.push(format!(
                    "{} takes `{}` as text: only {} runs what begins with `!`",
                    to.name,
                    mask::value(None, &value.raw),
                    from.name
                ));
            }
            value.raw.clone()
        }
        ValueKind::NameOrLiteral => {
            let name = &value.raw;
            let form = to.variables.variable(name).or_else(|| whole.then(|| format!("${{{name}}}")));
            match form.filter(|_| from.values != to.values && is_loud(name)) {
                Some(form) => {
                    notes.push(format!(
                        "`{name}` is the name of a variable for {}; written as `{form}`",
                        from.name
                    ));
                    form
                }
                None => {
                    if from.values != to.values && is_loud(name) {
                        notes.push(format!("{} takes `{name}` as text, not as a variable", to.name));
                    }
                    name.clone()
                }
            }
        }
        ValueKind::Template(pieces)
            if to.values == ValueRules::Xcsh && field.key.is_some() && only_command(pieces).is_some() =>
        {
            format!("!{}", only_command(pieces).unwrap_or_default())
        }
        ValueKind::Template(pieces) => {
            pieces.iter().map(|piece| one(piece, from, to, field, &mut notes)).collect()
        }
    };
    Translated { text, notes }
}

/// Whether `$(command)` is run there.
fn runs_commands(host: &Host) -> bool {
    host.variables.forms().commands == Commands::Run
}

/// The command of a value that is nothing else.
fn only_command(pieces: &[Piece]) -> Option<&str> {
    match pieces {
        [Piece::Command { command, .. }] => Some(command),
        _ => None,
    }
}

/// A text that means itself must mean itself there, too.
fn literal(raw: &str, from: &Host, to: &Host, field: Field<'_>, notes: &mut Vec<String>) -> String {
    let to_xcsh = from.values != to.values && to.values == ValueRules::Xcsh;
    match field.key {
        Some(key) if to_xcsh && raw.len() > 1 && raw.starts_with('!') => {
            notes.push(format!("{} runs the value of `{key}` as a command", to.name));
        }
        Some(key) if to_xcsh && is_loud(raw) && template::is_name(raw) => {
            notes.push(format!(
                "{} takes the value of `{key}` as the name of a variable, if there is one",
                to.name
            ));
        }
        Some(_) | None => meant_as_text(raw, to, field, notes),
    }
    raw.to_owned()
}

/// Tells of a variable that the target sees in a text that has none. A value is not shown: it may be a secret with a `$`.
fn meant_as_text(text: &str, to: &Host, field: Field<'_>, notes: &mut Vec<String>) {
    let role = if field.key.is_some() { Role::Header } else { Role::Other };
    let pieces = template::pieces(text, to.variables.forms().at(role));
    let Some(piece) = pieces.iter().find(|piece| !matches!(piece, Piece::Text(_))) else { return };
    notes.push(match (field.key, piece) {
        (Some(key), _) => format!("{} finds a variable in the value of `{key}`", to.name),
        (None, Piece::Var { name, .. }) => format!("{} takes `${name}` as a variable", to.name),
        (None, _) => format!("{} finds something to fill in where there was a text", to.name),
    });
}

/// Whether a word looks like the name of a variable and not like a word: `GITHUB_TOKEN`.
pub(crate) fn is_loud(name: &str) -> bool {
    name.contains('_') && !name.contains(|c: char| c.is_ascii_lowercase())
}

fn one(piece: &Piece, from: &Host, to: &Host, field: Field<'_>, notes: &mut Vec<String>) -> String {
    let forms = to.variables.forms();
    let cannot = |written: &str, notes: &mut Vec<String>| {
        let shown = mask::form(None, written);
        notes.push(format!("{} has nothing like `{shown}`; the text is written as it stands", to.name));
        written.to_owned()
    };
    match piece {
        Piece::Text(text) => {
            meant_as_text(text, to, field, notes);
            text.clone()
        }
        Piece::Var { name, default, written } => {
            let lost_default = |notes: &mut Vec<String>| {
                if default.as_ref().is_some_and(|default| !default.is_empty()) {
                    notes.push(format!("{} has no defaults: without `{name}` the value is missing", to.name));
                }
            };
            match (default, to.variables.variable(name)) {
                (Some(default), Some(_)) if forms.defaults => format!("${{{name}:-{default}}}"),
                (_, Some(form)) => {
                    lost_default(notes);
                    form
                }
                // It names the variable in a field of its own; the writer sees to that.
                (_, None) if field.whole => {
                    lost_default(notes);
                    format!("${{{name}}}")
                }
                (_, None) => cannot(written, notes),
            }
        }
        Piece::WorkspaceFolder { .. } if forms.folder => "${workspaceFolder}".to_owned(),
        Piece::UserHome { .. } if forms.home => "${userHome}".to_owned(),
        Piece::UserHome { written } => match to.variables.variable("HOME") {
            Some(form) => form,
            None => cannot(written, notes),
        },
        Piece::WorkspaceFolderBasename { .. } if forms.more => "${workspaceFolderBasename}".to_owned(),
        Piece::PathSeparator { .. } if forms.more => "${pathSeparator}".to_owned(),
        Piece::PathSeparator { .. } => "/".to_owned(),
        Piece::Input { id, .. } if forms.input => format!("${{input:{id}}}"),
        Piece::Input { id, written } => {
            let name = crate::draft::variable_name(id, "VALUE").trim_end_matches("_VALUE").to_owned();
            match to.variables.variable(&name) {
                Some(form) => {
                    notes.push(format!(
                        "{} asks for nothing: set the variable `{name}` to the answer of `{written}`",
                        to.name
                    ));
                    form
                }
                None => cannot(written, notes),
            }
        }
        Piece::File { path, .. } if forms.plain => format!("{{file:{path}}}"),
        Piece::File { path, .. } if forms.file => format!("${{file:{path}}}"),
        // The file's place is another there.
        Piece::Known { value, .. } => value.clone(),
        Piece::Command { written, .. } if runs_commands(to) && field.key.is_some() => written.clone(),
        Piece::Unfillable { written, .. } if from.variables == to.variables => written.clone(),
        Piece::WorkspaceFolder { written }
        | Piece::WorkspaceFolderBasename { written }
        | Piece::File { written, .. }
        | Piece::Command { written, .. }
        | Piece::Unfillable { written, .. } => cannot(written, notes),
    }
}

impl VariableSyntax {
    /// Whether a text is exactly one variable without a default, in this syntax or as `${NAME}`.
    pub(crate) fn only_variable(raw: &str) -> Option<&str> {
        let name = raw.strip_prefix("${")?.strip_suffix('}')?;
        template::is_name(name).then_some(name)
    }
}

#[cfg(test)]
mod tests;
