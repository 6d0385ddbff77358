//! A string in one host's syntax, written in another's.

use super::{Piece, ValueExpr, ValueKind, VariableSyntax, template};
use crate::host::{Dialect, Host};

/// A string as the target writes it, and what a person should know about that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translated {
    pub text: String,
    pub notes: Vec<String>,
}

/// Writes `value` as `to` reads it. `whole` tells that the target can name a variable for the whole value (Codex).
pub fn translate(value: &ValueExpr, from: &Host, to: &Host, whole: bool) -> Translated {
    let mut notes = Vec::new();
    let text = match &value.kind {
        ValueKind::Literal => literal(&value.raw, to, &mut notes),
        ValueKind::Remove => String::new(),
        ValueKind::Command(_) => {
            if from.values != to.values {
                notes.push(format!(
                    "{} takes `{}` as text: only {} runs what begins with `!`",
                    to.name,
                    crate::mask::value(None, &value.raw),
                    from.name
                ));
            }
            value.raw.clone()
        }
        ValueKind::NameOrLiteral => {
            let name = &value.raw;
            let like_a_variable = name.contains('_') && !name.contains(|c: char| c.is_ascii_lowercase());
            match to.variables.variable(name).filter(|_| from.values != to.values && like_a_variable) {
                Some(form) => {
                    notes.push(format!(
                        "`{name}` is the name of a variable for {}; written as `{form}`",
                        from.name
                    ));
                    form
                }
                None => name.clone(),
            }
        }
        ValueKind::Template(pieces) => pieces.iter().map(|piece| one(piece, to, whole, &mut notes)).collect(),
    };
    Translated { text, notes }
}

/// A text that means itself must mean itself there, too.
fn literal(raw: &str, to: &Host, notes: &mut Vec<String>) -> String {
    let read = template::pieces(raw, to.variables);
    if read.iter().any(|piece| !matches!(piece, Piece::Text(_))) {
        notes.push(format!("{} takes `{}` as a variable", to.name, crate::mask::value(None, raw)));
    }
    raw.to_owned()
}

fn one(piece: &Piece, to: &Host, whole: bool, notes: &mut Vec<String>) -> String {
    let forms = to.variables.forms();
    let cannot = |written: &str, notes: &mut Vec<String>| {
        let shown = crate::mask::form(None, written);
        notes.push(format!("{} has nothing like `{shown}`; the text is written as it stands", to.name));
        written.to_owned()
    };
    match piece {
        Piece::Text(text) => text.clone(),
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
                (_, None) if whole && to.dialect == Dialect::Codex => {
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
        Piece::WorkspaceFolder { written }
        | Piece::WorkspaceFolderBasename { written }
        | Piece::File { written, .. } => cannot(written, notes),
    }
}

impl VariableSyntax {
    /// Whether a text is exactly one variable without a default, in this syntax or as `${NAME}`.
    pub(crate) fn only_variable(raw: &str) -> Option<&str> {
        let name = raw.strip_prefix("${")?.strip_suffix('}')?;
        template::is_name(name).then_some(name)
    }
}
