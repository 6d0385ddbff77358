//! Variables in strings: the forms of all hosts are found by one scanner; a syntax says which of them it evaluates.

use super::syntax::{Commands, Forms};
use super::{Piece, Role, VariableSyntax};

/// What a form of some host stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form<'a> {
    /// `${VAR}`, `${VAR:-default}`
    Braces { name: &'a str, default: Option<&'a str> },
    /// `$VAR`
    Bare(&'a str),
    /// `${env:VAR}`
    EnvBraces(&'a str),
    /// `{env:VAR}`
    EnvPlain(&'a str),
    /// `${input:id}`
    Input(&'a str),
    /// `${file:path}`
    FileBraces(&'a str),
    /// `{file:path}`
    FilePlain(&'a str),
    /// `${workspaceFolder}` and its kind
    Editor(&'a str),
    /// `%VAR%`
    Percent(&'a str),
    /// `$env:VAR`
    PowerShell(&'a str),
    /// `${{ secrets.X }}`
    Secret(&'a str),
    /// `{{X}}` and other things in two braces
    DoubleBraces,
    /// `${config:x}`, `${command:x}`: of VS Code, but not to be known outside of it
    EditorOnly(&'a str),
    /// `$(command)`
    Command(&'a str),
}

const EDITOR_WORDS: &[&str] =
    &["workspaceFolder", "workspaceFolderBasename", "workspaceRoot", "userHome", "pathSeparator", "/"];

/// What VS Code fills in from what is open or installed in it.
const EDITOR_ONLY: &[&str] = &[
    "file",
    "fileBasename",
    "fileBasenameNoExtension",
    "fileExtname",
    "fileDirname",
    "fileDirnameBasename",
    "fileWorkspaceFolder",
    "fileWorkspaceFolderBasename",
    "relativeFile",
    "relativeFileDirname",
    "lineNumber",
    "columnNumber",
    "selectedText",
    "execPath",
    "extensionInstallFolder",
    "defaultBuildTask",
    "cwd",
];

/// The same, with something behind a colon.
const EDITOR_KINDS: &[&str] = &["config", "command", "workspaceFolder", "extensionInstallFolder"];

/// Whether the text can be the name of an environment variable.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The text in pieces: what these forms evaluate, and the text between.
pub(super) fn pieces(raw: &str, forms: Forms) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text_from = 0;
    let mut at = 0;
    while let Some(next) = raw.get(at..).and_then(|rest| rest.find(['$', '{', '%'])) {
        let start = at + next;
        let found = candidates(raw, start)
            .find_map(|(form, len)| piece(form, &raw[start..start + len], forms).map(|piece| (piece, len)));
        match found {
            Some((piece, len)) => {
                if text_from < start {
                    pieces.push(Piece::Text(raw[text_from..start].to_owned()));
                }
                pieces.push(piece);
                at = start + len;
                text_from = at;
            }
            None => at = start + 1,
        }
    }
    if text_from < raw.len() {
        pieces.push(Piece::Text(raw[text_from..].to_owned()));
    }
    pieces
}

/// The first form of another syntax, and how this one writes it; empty if it cannot.
pub(super) fn foreign(raw: &str, syntax: VariableSyntax, role: Role) -> Option<(String, String)> {
    let forms = syntax.forms().at(role);
    let mut at = 0;
    while let Some(next) = raw.get(at..).and_then(|rest| rest.find(['$', '{', '%'])) {
        let start = at + next;
        let known = candidates(raw, start)
            .filter(|(form, _)| !is_shadowed_word(*form))
            .find(|(form, len)| piece(*form, &raw[start..start + len], forms).is_some());
        if let Some((_, len)) = known {
            at = start + len;
            continue;
        }
        let strange = candidates(raw, start).find(|(form, _)| !is_accidental(*form));
        if let Some((form, len)) = strange {
            return Some((raw[start..start + len].to_owned(), right_form(form, syntax)));
        }
        at = start + 1;
    }
    None
}

/// `${workspaceFolder}` parses as a variable where braces do, but is meant for an editor.
fn is_shadowed_word(form: Form<'_>) -> bool {
    matches!(form, Form::Braces { name, default: None } if EDITOR_WORDS.contains(&name))
}

/// `$x` in running text is rarely a variable; in capitals it is.
fn is_accidental(form: Form<'_>) -> bool {
    let capitals = |name: &str| name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
    match form {
        Form::Bare(name) | Form::Percent(name) => !capitals(name),
        // A shell that is started by the server may be meant.
        Form::Command(_) => true,
        Form::Braces { name, .. } => EDITOR_WORDS.contains(&name),
        Form::EnvBraces(_)
        | Form::EnvPlain(_)
        | Form::Input(_)
        | Form::FileBraces(_)
        | Form::FilePlain(_)
        | Form::Editor(_)
        | Form::PowerShell(_)
        | Form::Secret(_)
        | Form::DoubleBraces
        | Form::EditorOnly(_) => false,
    }
}

/// What could begin at `start`, most special first, each with its length.
fn candidates(raw: &str, start: usize) -> impl Iterator<Item = (Form<'_>, usize)> {
    let rest = &raw[start..];
    [
        double_braces(rest),
        dollar_braces(rest),
        editor(rest),
        plain_braces(rest),
        command(rest),
        bare(rest),
        percent(rest),
    ]
    .into_iter()
    .flatten()
}

/// No variable is longer; without a bound a text full of opening braces costs its length squared.
const LONGEST: usize = 1024;

fn find_near(text: &str, end: &[u8]) -> Option<usize> {
    let near = &text.as_bytes()[..text.len().min(LONGEST)];
    let last = *end.last()?;
    let mut from = 0;
    loop {
        let at = from + near.get(from..)?.iter().position(|byte| *byte == last)?;
        let start = (at + 1).checked_sub(end.len())?;
        if near.get(start..=at) == Some(end) {
            return Some(start);
        }
        from = at + 1;
    }
}

fn until_brace(rest: &str, open: &str) -> Option<(usize, usize)> {
    let inner = rest.strip_prefix(open)?;
    let end = find_near(inner, b"}")?;
    Some((open.len(), open.len() + end))
}

fn dollar_braces(rest: &str) -> Option<(Form<'_>, usize)> {
    let (from, to) = until_brace(rest, "${")?;
    let inner = &rest[from..to];
    let form = if let Some(name) = inner.strip_prefix("env:") {
        is_name(name).then_some(Form::EnvBraces(name))?
    } else if let Some(id) = inner.strip_prefix("input:") {
        Form::Input(id)
    } else if let Some(path) = inner.strip_prefix("file:") {
        Form::FileBraces(path)
    } else if inner
        .split_once(':')
        .is_some_and(|(kind, what)| EDITOR_KINDS.contains(&kind) && !what.starts_with('-'))
    {
        Form::EditorOnly(inner)
    } else if let Some((name, default)) = inner.split_once(":-") {
        is_name(name).then_some(Form::Braces { name, default: Some(default) })?
    } else {
        is_name(inner).then_some(Form::Braces { name: inner, default: None })?
    };
    Some((form, to + 1))
}

fn editor(rest: &str) -> Option<(Form<'_>, usize)> {
    let (from, to) = until_brace(rest, "${")?;
    let inner = &rest[from..to];
    EDITOR_WORDS.contains(&inner).then_some((Form::Editor(inner), to + 1))
}

fn plain_braces(rest: &str) -> Option<(Form<'_>, usize)> {
    let (from, to) = until_brace(rest, "{")?;
    let inner = &rest[from..to];
    if let Some(name) = inner.strip_prefix("env:") {
        return is_name(name).then_some((Form::EnvPlain(name), to + 1));
    }
    let path = inner.strip_prefix("file:")?;
    Some((Form::FilePlain(path), to + 1))
}

fn double_braces(rest: &str) -> Option<(Form<'_>, usize)> {
    let after = rest.strip_prefix("${{").or_else(|| rest.strip_prefix("{{"))?;
    let open = rest.len() - after.len();
    let end = find_near(after, b"}}")?;
    // `{{}}` and JSON in an argument are no variables.
    let inner = after[..end].trim();
    let simple = !inner.is_empty() && inner.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
    let secret = inner.strip_prefix("secrets.").filter(|name| rest.starts_with('$') && is_name(name));
    let form = secret.map_or(Form::DoubleBraces, Form::Secret);
    simple.then_some((form, open + end + 2))
}

fn bare(rest: &str) -> Option<(Form<'_>, usize)> {
    let after = rest.strip_prefix('$')?;
    let name_len = |text: &str| {
        let len = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
        is_name(&text[..len]).then_some(len)
    };
    if let Some(name) = after.strip_prefix("env:") {
        let len = name_len(name)?;
        return Some((Form::PowerShell(&name[..len]), 5 + len));
    }
    let len = name_len(after)?;
    Some((Form::Bare(&after[..len]), 1 + len))
}

/// `$(…)` up to the parenthesis that closes it.
fn command(rest: &str) -> Option<(Form<'_>, usize)> {
    let inner = rest.strip_prefix("$(")?;
    let mut open = 1;
    for (at, byte) in inner.bytes().enumerate().take(LONGEST) {
        match byte {
            b'(' => open += 1,
            b')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some((Form::Command(&inner[..at]), at + 3));
        }
    }
    None
}

/// Why a form of the editor has no value outside of it.
fn only_the_editor(inner: &str) -> String {
    let what = match inner.split_once(':').map_or(inner, |(kind, _)| kind) {
        "config" => "a setting of the editor, which only the editor looks up",
        "command" => "a command of the editor, which only the editor runs",
        "workspaceFolder" => {
            "one of several folders that are open in the editor, and only the editor knows which"
        }
        "execPath" | "extensionInstallFolder" | "defaultBuildTask" | "cwd" => {
            "something that only the running editor knows"
        }
        _ => "about the file that is open in the editor, and only the editor knows which",
    };
    format!("`${{{inner}}}` is {what}")
}

fn percent(rest: &str) -> Option<(Form<'_>, usize)> {
    let after = rest.strip_prefix('%')?;
    let end = find_near(after, b"%")?;
    is_name(&after[..end]).then_some((Form::Percent(&after[..end]), end + 2))
}

/// The form as a piece, where the syntax evaluates it.
fn piece(form: Form<'_>, written: &str, forms: Forms) -> Option<Piece> {
    let written = written.to_owned();
    let var = |name: &str, default: Option<&str>, written: String| {
        Some(Piece::Var { name: name.to_owned(), default: default.map(str::to_owned), written })
    };
    match form {
        Form::EditorOnly(inner) | Form::Braces { name: inner, default: None }
            if forms.editor && (matches!(form, Form::EditorOnly(_)) || EDITOR_ONLY.contains(&inner)) =>
        {
            Some(Piece::Unfillable { why: only_the_editor(inner), written })
        }
        Form::Command(command) => match forms.commands {
            Commands::Text => None,
            Commands::Run => Some(Piece::Command { command: command.to_owned(), written }),
            Commands::Refused => {
                let why = "a `$(command)` is run for the values of variables and headers only".to_owned();
                Some(Piece::Unfillable { why, written })
            }
        },
        Form::Percent(name) if forms.percent => var(name, None, written),
        Form::Braces { name, default: None } if forms.braces => var(name, None, written),
        Form::Braces { name, default } if forms.defaults => var(name, default, written),
        Form::Bare(name) if forms.bare => var(name, None, written),
        Form::EnvBraces(name) if forms.env_braces => var(name, None, written),
        Form::EnvPlain(name) if forms.plain => var(name, None, written),
        Form::PowerShell(name) if forms.power_shell => var(name, None, written),
        Form::Secret(name) if forms.secrets => var(name, None, written),
        Form::FilePlain(path) if forms.plain => Some(Piece::File { path: path.to_owned(), written }),
        Form::FileBraces(path) if forms.file => Some(Piece::File { path: path.to_owned(), written }),
        Form::Input(id) if forms.input => Some(Piece::Input { id: id.to_owned(), written }),
        Form::Editor("workspaceFolder") if forms.folder => Some(Piece::WorkspaceFolder { written }),
        Form::Editor("userHome") if forms.home => Some(Piece::UserHome { written }),
        Form::Editor("workspaceFolderBasename") if forms.more => {
            Some(Piece::WorkspaceFolderBasename { written })
        }
        Form::Editor("pathSeparator" | "/") if forms.more => Some(Piece::PathSeparator { written }),
        Form::Braces { .. }
        | Form::Bare(_)
        | Form::EnvBraces(_)
        | Form::EnvPlain(_)
        | Form::PowerShell(_)
        | Form::Secret(_)
        | Form::FilePlain(_)
        | Form::FileBraces(_)
        | Form::Input(_)
        | Form::Editor(_)
        | Form::Percent(_)
        | Form::DoubleBraces
        | Form::EditorOnly(_) => None,
    }
}

fn right_form(form: Form<'_>, syntax: VariableSyntax) -> String {
    let forms = syntax.forms();
    match form {
        Form::Braces { name, default: Some(default) } if forms.defaults => format!("${{{name}:-{default}}}"),
        Form::Braces { name, .. }
        | Form::Bare(name)
        | Form::EnvBraces(name)
        | Form::EnvPlain(name)
        | Form::Percent(name)
        | Form::PowerShell(name)
        | Form::Secret(name) => {
            if forms.bare {
                format!("${name}")
            } else {
                syntax.variable(name).unwrap_or_default()
            }
        }
        Form::FileBraces(path) | Form::FilePlain(path) if forms.plain => format!("{{file:{path}}}"),
        Form::FileBraces(path) | Form::FilePlain(path) if forms.file => format!("${{file:{path}}}"),
        Form::FileBraces(_)
        | Form::FilePlain(_)
        | Form::Input(_)
        | Form::Editor(_)
        | Form::DoubleBraces
        | Form::Command(_)
        | Form::EditorOnly(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Role, ValueKind, ValueRules, parse};
    use super::*;

    const SYNTAXES: &[VariableSyntax] = &[
        VariableSyntax::Braces,
        VariableSyntax::PlainBraces,
        VariableSyntax::Shell,
        VariableSyntax::Crush,
        VariableSyntax::PlainShell,
        VariableSyntax::Porter,
        VariableSyntax::VsCode,
        VariableSyntax::Cursor,
        VariableSyntax::Roo,
        VariableSyntax::Windsurf,
        VariableSyntax::OpenCode,
        VariableSyntax::Secrets,
        VariableSyntax::None,
    ];

    /// A string as every syntax sees it: evaluated parts in «», then what is foreign.
    fn check(raw: &str) -> String {
        SYNTAXES
            .iter()
            .map(|syntax| {
                let shown: String = pieces(raw, syntax.forms().at(Role::Env))
                    .iter()
                    .map(|piece| match piece {
                        Piece::Text(text) => text.clone(),
                        Piece::Var { name, default, .. } => match default {
                            Some(default) => format!("«{name}|{default}»"),
                            None => format!("«{name}»"),
                        },
                        Piece::WorkspaceFolder { .. } => "«folder»".into(),
                        Piece::WorkspaceFolderBasename { .. } => "«basename»".into(),
                        Piece::UserHome { .. } => "«home»".into(),
                        Piece::PathSeparator { .. } => "«sep»".into(),
                        Piece::Input { id, .. } => format!("«input {id}»"),
                        Piece::File { path, .. } => format!("«file {path}»"),
                        Piece::Command { command, .. } => format!("«run {command}»"),
                        Piece::Known { value, .. } => format!("«known {value}»"),
                        Piece::Unfillable { why, .. } => format!("«not: {why}»"),
                    })
                    .collect();
                let foreign = match foreign(raw, *syntax, Role::Env) {
                    Some((found, right)) => format!("  foreign {found} → {right}"),
                    None => String::new(),
                };
                format!("{syntax:?}: {shown}{foreign}\n")
            })
            .collect()
    }

    #[test]
    fn every_form_under_every_syntax() {
        let cases = [
            "Bearer ${TOKEN}",
            "${HOST:-localhost}:${PORT:-}",
            "${A:-${B}}",
            "$HOME/x costs $5",
            "${env:TOKEN}",
            "{env:TOKEN}/{file:~/key}",
            "${workspaceFolder}${/}a",
            "${userHome}/${workspaceFolderBasename}",
            "${input:tok}",
            "%APPDATA%\\x 100%",
            "$env:TOKEN",
            "${{ secrets.X }}",
            "{\"a\":{\"b\":1}} ${} ${ ${1} $",
            "${config:x}",
            "${command:x} ${workspaceFolder:a} ${file} ${execPath} ${lineNumber:-1}",
            "Bearer $(pass show 'a (b)') $(open",
        ];
        let all: String = cases.iter().map(|raw| format!("== {raw}\n{}", check(raw))).collect();
        insta::assert_snapshot!(all);
    }

    #[test]
    fn rules_of_xcsh_hold_for_env_and_headers_only() {
        let kind = |raw: &str, rules, role| parse(raw, VariableSyntax::Braces, rules, role).kind;
        let cases = [
            ("!echo ${X}", ValueRules::Xcsh, Role::Env, ValueKind::Command("echo ${X}".into())),
            ("!echo", ValueRules::Xcsh, Role::Other, ValueKind::Literal),
            ("!echo", ValueRules::Literal, Role::Header, ValueKind::Literal),
            ("TOKEN", ValueRules::Xcsh, Role::Header, ValueKind::NameOrLiteral),
            ("TOKEN", ValueRules::Xcsh, Role::Other, ValueKind::Literal),
            ("TOKEN", ValueRules::Literal, Role::Env, ValueKind::Literal),
            ("two words", ValueRules::Xcsh, Role::Env, ValueKind::Literal),
            ("", ValueRules::Xcsh, Role::Env, ValueKind::Literal),
            (" !x", ValueRules::Xcsh, Role::Env, ValueKind::Literal),
        ];
        for (raw, rules, role, expected) in cases {
            assert_eq!(kind(raw, rules, role), expected, "{raw}");
        }
    }
}
