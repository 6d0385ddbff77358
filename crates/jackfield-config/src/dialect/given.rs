//! Forms that Claude Code and Gemini CLI fill in for a plugin or an extension: the folder it is in, its data, answers.
//!
//! They look like variables of the environment, but nobody sets those: where the file is a plugin's, its place says the
//! value; anywhere else the form can only be told, never sent.

use std::path::{Path, PathBuf};

use crate::host::{Dialect, Scope};
use crate::source::SourceSpec;
use crate::value::{Piece, ValueExpr, ValueKind};

const ROOT: &str = "CLAUDE_PLUGIN_ROOT";
const DATA: &str = "CLAUDE_PLUGIN_DATA";

/// The string with such forms in it filled in, or marked as what we cannot fill in.
pub(super) fn fill(expr: ValueExpr, spec: &SourceSpec) -> ValueExpr {
    let pieces = match expr.kind {
        ValueKind::Template(pieces) => pieces,
        ValueKind::Literal if expr.raw.contains("${") => vec![Piece::Text(expr.raw.clone())],
        ValueKind::Literal | ValueKind::Command(_) | ValueKind::NameOrLiteral | ValueKind::Remove => {
            return expr;
        }
    };
    let filled: Vec<Piece> = pieces
        .into_iter()
        .flat_map(|piece| match piece {
            Piece::Text(text) => split(&text, spec),
            Piece::Var { ref name, default: None, ref written } => {
                vec![given(name, written, spec).unwrap_or(piece)]
            }
            Piece::Var { .. }
            | Piece::WorkspaceFolder { .. }
            | Piece::WorkspaceFolderBasename { .. }
            | Piece::UserHome { .. }
            | Piece::PathSeparator { .. }
            | Piece::Input { .. }
            | Piece::File { .. }
            | Piece::Command { .. }
            | Piece::Known { .. }
            | Piece::Unfillable { .. } => vec![piece],
        })
        .collect();
    let only_text = filled.iter().all(|piece| matches!(piece, Piece::Text(_)));
    let kind = if only_text { ValueKind::Literal } else { ValueKind::Template(filled) };
    ValueExpr { kind, ..expr }
}

/// A shell command with these forms in it filled in; why not, if one of them cannot be.
pub(super) fn fill_command(command: &str, spec: &SourceSpec) -> Result<String, String> {
    let mut text = String::new();
    for piece in split(command, spec) {
        match piece {
            Piece::Text(part) => text.push_str(&part),
            Piece::Known { value, .. } => text.push_str(&value),
            Piece::Unfillable { why, .. } => return Err(why),
            // The shell has these itself.
            Piece::Var { written, .. }
            | Piece::WorkspaceFolder { written }
            | Piece::WorkspaceFolderBasename { written }
            | Piece::UserHome { written }
            | Piece::PathSeparator { written }
            | Piece::Input { written, .. }
            | Piece::File { written, .. }
            | Piece::Command { written, .. } => text.push_str(&written),
        }
    }
    Ok(text)
}

/// The variables that Claude Code sets for the servers of a plugin.
pub(super) fn environment(spec: &SourceSpec) -> Vec<(String, ValueExpr)> {
    let variable = |name: &str| {
        let written = format!("${{{name}}}");
        let piece = given(name, &written, spec)?;
        matches!(piece, Piece::Known { .. })
            .then(|| (name.to_owned(), ValueExpr { raw: written, kind: ValueKind::Template(vec![piece]) }))
    };
    [ROOT, DATA].into_iter().filter_map(variable).collect()
}

/// A text taken apart at such forms.
fn split(text: &str, spec: &SourceSpec) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(start) = text[at..].find("${").map(|found| at + found) {
        let Some(len) = text[start..].find('}') else { break };
        let end = start + len + 1;
        if let Some(piece) = given(&text[start + 2..end - 1], &text[start..end], spec) {
            if from < start {
                pieces.push(Piece::Text(text[from..start].to_owned()));
            }
            pieces.push(piece);
            from = end;
            at = end;
        } else {
            at = start + 2;
        }
    }
    if from < text.len() || pieces.is_empty() {
        pieces.push(Piece::Text(text[from..].to_owned()));
    }
    pieces
}

/// What a form with this name stands for; nothing if it is none of these.
fn given(name: &str, written: &str, spec: &SourceSpec) -> Option<Piece> {
    let plugin = spec.dialect == Dialect::ClaudeCode && spec.scope == Scope::Plugin;
    let written = written.to_owned();
    let known = |path: Option<PathBuf>, written: String| match path {
        Some(path) => Piece::Known { value: path.display().to_string(), written },
        None => {
            let why = format!(
                "`{written}` is a folder that Claude Code keeps for a plugin, and the place of this file does not say which"
            );
            Piece::Unfillable { why, written }
        }
    };
    let answer = name.starts_with("user_config.");
    Some(match name {
        ROOT if plugin => known(spec.path.parent().map(Path::to_owned), written),
        DATA if plugin => known(data_folder(&spec.path), written),
        "CLAUDE_PROJECT_DIR" if plugin => Piece::WorkspaceFolder { written },
        _ if answer => {
            let why = format!("`{written}` is an answer that Claude Code keeps for the plugin");
            Piece::Unfillable { why, written }
        }
        ROOT | DATA => {
            let why = format!(
                "`{written}` is a folder of a plugin of Claude Code, and this file belongs to no plugin"
            );
            Piece::Unfillable { why, written }
        }
        "extensionPath" => {
            let why = format!("`{written}` is the folder of an extension, and this file belongs to none");
            Piece::Unfillable { why, written }
        }
        _ => return None,
    })
}

/// `plugins/cache/MARKET/PLUGIN/…` has its data in `plugins/data/PLUGIN-MARKET`.
fn data_folder(file: &Path) -> Option<PathBuf> {
    let is = |path: &Path, name: &str| path.file_name().is_some_and(|own| own == name);
    let cache = file
        .ancestors()
        .filter(|folder| is(folder, "cache") && folder.parent().is_some_and(|above| is(above, "plugins")))
        .last()?;
    let mut below = file.strip_prefix(cache).ok()?.components();
    let market = below.next()?.as_os_str().to_string_lossy().into_owned();
    let plugin = below.next()?.as_os_str().to_string_lossy().into_owned();
    below.next()?;
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '-' };
    let id: String = format!("{plugin}@{market}").chars().map(plain).collect();
    Some(cache.parent()?.join("data").join(id))
}
