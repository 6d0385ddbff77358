//! The text of one source, read: definitions and findings.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::entry::{self, Place};
use crate::dialect::roots;
use crate::format::{self, Lines, Node, Notice, NoticeKind};
use crate::host::{Dialect, Format, Scope};
use crate::places::display_path;
use crate::source::{Encoding, HostAllowed, HostDisabled, ReadState, SourceReading, SourceSpec, SourceText};

/// What the caller found at the path of a source.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    Missing,
    /// With the system's words.
    Unreadable(&'a str),
    Text(&'a SourceText),
}

/// Reads a source. Never fails: what is wrong is among the diagnostics. `home` is for paths in messages.
pub fn read_source(spec: &Arc<SourceSpec>, content: Content<'_>, home: &Path) -> SourceReading {
    let mut reading = SourceReading {
        spec: Arc::clone(spec),
        state: ReadState::Missing,
        definitions: Vec::new(),
        host_disabled: Vec::new(),
        host_allowed: None,
        denylist: Vec::new(),
        diagnostics: Vec::new(),
    };
    match content {
        Content::Missing => {}
        Content::Unreadable(words) => {
            let title = format!("cannot read {}: {words}", display_path(home, &spec.path));
            reading.diagnostics.push(finding(
                spec,
                Code::FileUnreadable,
                Severity::Error,
                title,
                String::new(),
            ));
            reading.state = ReadState::Unreadable(words.to_owned());
        }
        Content::Text(text) => read_text(&mut reading, text, home),
    }
    reading
}

fn finding(spec: &SourceSpec, code: Code, severity: Severity, title: String, detail: String) -> Diagnostic {
    let path = Some(Arc::clone(&spec.path));
    Diagnostic { code, severity, title, detail, path, position: None, server: None }
}

fn read_text(reading: &mut SourceReading, source: &SourceText, home: &Path) {
    let spec = Arc::clone(&reading.spec);
    let text = source.text.as_str();
    let lines = Lines::new(text);
    encoding(reading, source.encoding);
    let parsed = match format::parse(text, spec.format) {
        Ok(parsed) => parsed,
        Err(error) => {
            let mut diagnostic =
                finding(&spec, Code::FileSyntax, Severity::Error, error.message.clone(), error.hint.clone());
            diagnostic.position = Some(error.position(&lines));
            reading.diagnostics.push(diagnostic);
            reading.state = ReadState::Broken;
            return;
        }
    };
    reading.state = ReadState::Read;
    for notice in &parsed.notices {
        tell(reading, notice, &lines);
    }
    let Some(root) = parsed.root else { return };
    if root.as_object().is_none() {
        let title = format!("the root of the file must be an object, not {}", root.noun());
        let detail = format!("No server is read from it. {} expects `{{ … }}`.", spec.host.name);
        let mut diagnostic = finding(&spec, Code::WrongRoot, Severity::Error, title, detail);
        diagnostic.position = Some(lines.position(root.span.start));
        reading.diagnostics.push(diagnostic);
        return;
    }
    let (found, findings) = roots::find(&root, &spec);
    for root_finding in findings {
        let mut diagnostic =
            finding(&spec, root_finding.code, root_finding.severity, root_finding.title, root_finding.detail);
        diagnostic.position = Some(lines.position(root_finding.at));
        reading.diagnostics.push(diagnostic);
    }
    for found in found {
        let place = Place { at: found.member.key_span.start, lines: Some(&lines) };
        let (definition, diagnostics) =
            entry::read(&found.spec, found.shape, &spec, &found.member.key, &found.member.value, place);
        reading.definitions.push(Arc::new(definition));
        reading.diagnostics.extend(diagnostics);
    }
    lists(reading, &root, home);
}

/// A mark or an encoding that the owner of the file does not take.
fn encoding(reading: &mut SourceReading, encoding: Encoding) {
    let spec = Arc::clone(&reading.spec);
    let what = match (encoding, spec.format) {
        (Encoding::Utf8, _)
        | (Encoding::Utf8Bom, Format::Json { bom: true, .. } | Format::Toml)
        | (Encoding::Utf16Le | Encoding::Utf16Be, Format::Json { bom: true, .. }) => return,
        (Encoding::Utf8Bom, Format::Json { bom: false, .. }) => "begins with a byte order mark",
        (Encoding::Utf16Le | Encoding::Utf16Be, _) => "is UTF-16",
    };
    let title = format!("the file {what}, which {} does not take", spec.host.name);
    let detail =
        format!("{} reads nothing from it. Save it as UTF-8 without a byte order mark.", spec.host.name);
    reading.diagnostics.push(finding(&spec, Code::HostRefusesFile, Severity::Error, title, detail));
}

fn tell(reading: &mut SourceReading, notice: &Notice, lines: &Lines<'_>) {
    let spec = Arc::clone(&reading.spec);
    let host = spec.host.name;
    let refused = |what: &str| {
        let title = format!("{host} would refuse this file: {what}");
        (
            Code::HostRefusesFile,
            Severity::Error,
            title,
            "The servers in it are listed here all the same.".to_owned(),
        )
    };
    let (code, severity, title, detail) = match &notice.kind {
        NoticeKind::Comment => refused("it has a comment, and JSON has none"),
        NoticeKind::TrailingComma => refused("it has a comma behind the last item"),
        NoticeKind::ControlCharacter => {
            refused("a string has a line break or another control character in it")
        }
        NoticeKind::Duplicate { path, again } => {
            // Elsewhere in a file of settings it is the owner's business.
            let related = path.iter().zip(&spec.root).all(|(key, root)| key == root);
            if !related {
                return;
            }
            let key = path.last().map_or("", String::as_str);
            let again = lines.position(*again);
            let title = format!("duplicate key \"{key}\"");
            let detail = format!(
                "The last one counts, in line {}; what stands in line {} is without effect.",
                again.line,
                lines.position(notice.at).line
            );
            (Code::DuplicateKey, Severity::Warning, title, detail)
        }
    };
    let mut diagnostic = finding(&spec, code, severity, title, detail);
    diagnostic.position = Some(lines.position(notice.at));
    reading.diagnostics.push(diagnostic);
}

/// The hosts' own lists by name, and Jackfield's denylist.
fn lists(reading: &mut SourceReading, root: &Node, home: &Path) {
    let spec = Arc::clone(&reading.spec);
    let path = display_path(home, &spec.path);
    match spec.dialect {
        Dialect::Xcsh if spec.scope == Scope::User && spec.path.ends_with("mcp.json") => {
            reading.denylist = root.get("disabledServers").map(Node::strings).unwrap_or_default();
        }
        Dialect::Gemini => {
            let Some(mcp) = root.get("mcp") else { return };
            let excluded = mcp.get("excluded").map(Node::strings).unwrap_or_default();
            reading.host_disabled = excluded
                .into_iter()
                .map(|name| HostDisabled { name, by: format!("`mcp.excluded` in {path}") })
                .collect();
            reading.host_allowed = mcp
                .get("allowed")
                .filter(|list| list.as_array().is_some())
                .map(|list| HostAllowed { names: list.strings(), by: format!("`mcp.allowed` in {path}") });
        }
        Dialect::ClaudeCode if spec.scope == Scope::Local => {
            let Some(project) = spec.root.get(1) else { return };
            for member in roots::project_members(root, project) {
                let names = member.value.get("disabledMcpServers").map(Node::strings).unwrap_or_default();
                reading.host_disabled.extend(names.into_iter().map(|name| HostDisabled {
                    name,
                    by: format!("`disabledMcpServers` of the project in {path}"),
                }));
            }
        }
        Dialect::Xcsh
        | Dialect::ClaudeCode
        | Dialect::ClaudeDesktop
        | Dialect::Codex
        | Dialect::OpenCode
        | Dialect::Cursor
        | Dialect::Windsurf
        | Dialect::VsCode
        | Dialect::Bare => {}
    }
}

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
