//! Strings of a definition, parsed but not evaluated.
//!
//! The catalog holds [`ValueExpr`]s, so it holds no secret that a variable, a command or a store would bring in;
//! evaluation happens in the engine, at connect time only.

use serde::{Deserialize, Serialize};

mod syntax;
mod template;
pub mod translate;

pub use syntax::VariableSyntax;

/// One string as written, and what it means in the dialect of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueExpr {
    /// The text exactly as it stands in the file (after the format's own unescaping).
    pub raw: String,
    pub kind: ValueKind,
}

/// What a string means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueKind {
    /// Text without anything to evaluate.
    Literal,
    /// Text with variables in it, or one variable alone.
    Template(Vec<Piece>),
    /// `!command` in an env or header value of a file with xcsh's rules. The command goes to the shell as it is;
    /// `${VAR}` in it is the shell's to expand, so text out of a variable is never executed.
    Command(String),
    /// A whole value that may be the name of an environment variable (xcsh's rule): the variable's value if it is
    /// set and not empty, else the text itself.
    NameOrLiteral,
    /// VS Code's `null`: the variable is removed from the child's environment.
    Remove,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    Text(String),
    /// An environment variable. `written` is the form in the file, kept for when it is unset.
    Var {
        name: String,
        default: Option<String>,
        written: String,
    },
    /// The project's root folder.
    WorkspaceFolder {
        written: String,
    },
    /// The last component of the project's root folder.
    WorkspaceFolderBasename {
        written: String,
    },
    UserHome {
        written: String,
    },
    PathSeparator {
        written: String,
    },
    /// Asked of the user once, kept in the secret store.
    Input {
        id: String,
        written: String,
    },
    /// The trimmed content of a file.
    File {
        path: String,
        written: String,
    },
    /// The trimmed output of a command that the host runs for a variable or a header (Crush's `$(command)`). Where it
    /// comes from, and so its trust, is that of [`ValueKind::Command`].
    Command {
        command: String,
        written: String,
    },
    /// What the place of the file says: the folder of the plugin that it belongs to.
    Known {
        value: String,
        written: String,
    },
    /// What only the file's owner can fill in, and why we cannot, as a sentence without a period.
    Unfillable {
        why: String,
        written: String,
    },
}

impl ValueExpr {
    /// A string that means itself.
    pub fn literal(raw: impl Into<String>) -> ValueExpr {
        ValueExpr { raw: raw.into(), kind: ValueKind::Literal }
    }

    /// One environment variable, left out when unset (Codex's `env_vars`, `bearer_token_env_var`, …).
    pub fn variable(name: impl Into<String>, written: impl Into<String>) -> ValueExpr {
        let (name, written) = (name.into(), written.into());
        ValueExpr {
            raw: written.clone(),
            kind: ValueKind::Template(vec![Piece::Var { name, default: None, written }]),
        }
    }

    /// Names of the environment variables that evaluation would look up, in order of appearance.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let pieces: &[Piece] = match &self.kind {
            ValueKind::Template(pieces) => pieces,
            ValueKind::Literal | ValueKind::Command(_) | ValueKind::NameOrLiteral | ValueKind::Remove => &[],
        };
        pieces.iter().filter_map(|piece| match piece {
            Piece::Var { name, .. } => Some(name.as_str()),
            Piece::Text(_)
            | Piece::WorkspaceFolder { .. }
            | Piece::WorkspaceFolderBasename { .. }
            | Piece::UserHome { .. }
            | Piece::PathSeparator { .. }
            | Piece::Input { .. }
            | Piece::File { .. }
            | Piece::Command { .. }
            | Piece::Known { .. }
            | Piece::Unfillable { .. } => None,
        })
    }

    /// Whether evaluating it runs a command.
    pub fn runs(&self) -> bool {
        match &self.kind {
            ValueKind::Command(_) => true,
            ValueKind::Template(pieces) => pieces.iter().any(|piece| matches!(piece, Piece::Command { .. })),
            ValueKind::Literal | ValueKind::NameOrLiteral | ValueKind::Remove => false,
        }
    }

    /// Why it cannot be filled in, where only the file's owner could.
    pub fn unfillable(&self) -> Option<&str> {
        let ValueKind::Template(pieces) = &self.kind else { return None };
        pieces.iter().find_map(|piece| match piece {
            Piece::Unfillable { why, .. } => Some(why.as_str()),
            Piece::Text(_)
            | Piece::Var { .. }
            | Piece::WorkspaceFolder { .. }
            | Piece::WorkspaceFolderBasename { .. }
            | Piece::UserHome { .. }
            | Piece::PathSeparator { .. }
            | Piece::Input { .. }
            | Piece::File { .. }
            | Piece::Command { .. }
            | Piece::Known { .. } => None,
        })
    }
}

/// Which of the two connect-time rules of xcsh hold for env and header values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueRules {
    /// `!command`, and a bare name as a variable.
    Xcsh,
    /// The text means itself.
    Literal,
}

/// What a string is, for the rules that hold for some strings only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A value of the environment of a stdio server.
    Env,
    /// A value of a header.
    Header,
    /// Anything else: command, argument, folder, url.
    Other,
}

/// Parses a string as the dialect of its file means it.
pub fn parse(raw: &str, syntax: VariableSyntax, rules: ValueRules, role: Role) -> ValueExpr {
    let map_value = match role {
        Role::Env | Role::Header => rules == ValueRules::Xcsh,
        Role::Other => false,
    };
    if map_value && let Some(command) = raw.strip_prefix('!') {
        return ValueExpr { raw: raw.to_owned(), kind: ValueKind::Command(command.to_owned()) };
    }
    let pieces = template::pieces(raw, syntax.forms().at(role));
    let kind = if pieces.iter().any(|piece| !matches!(piece, Piece::Text(_))) {
        ValueKind::Template(pieces)
    } else if map_value && template::is_name(raw) {
        ValueKind::NameOrLiteral
    } else {
        ValueKind::Literal
    };
    ValueExpr { raw: raw.to_owned(), kind }
}

/// The text with every variable in the form of this syntax; nothing if one of them has none.
pub fn corrected(raw: &str, syntax: VariableSyntax) -> Option<String> {
    let mut text = raw.to_owned();
    // Each step puts one right; a bound, should one stay as it is.
    for _ in 0..16 {
        let Some((found, right)) = foreign(&text, syntax, Role::Other) else {
            return (text != raw).then_some(text);
        };
        if right.is_empty() || right == found {
            return None;
        }
        text = text.replacen(&found, &right, 1);
    }
    None
}

/// The first variable in a form that this syntax does not know at this place, and the right form; empty if there is none.
pub fn foreign(raw: &str, syntax: VariableSyntax, role: Role) -> Option<(String, String)> {
    template::foreign(raw, syntax, role)
}
