//! Sources for tests, as the table of hosts has them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Content, read_source};
use crate::definition::{Definition, Transport};
use crate::discover;
use crate::host::Listed;
use crate::places::{Os, Places};
use crate::source::{SourceReading, SourceSpec, SourceText};
use crate::value::{ValueExpr, ValueKind};

pub(crate) fn places() -> Places {
    Places {
        os: Os::Linux,
        home: PathBuf::from("/home/u"),
        system_root: PathBuf::from("/"),
        env: Arc::new(BTreeMap::new()),
        project: Some(PathBuf::from("/work/p")),
    }
}

/// A disk with one file on it, so that a pattern finds it.
struct One<'a>(&'a Path);

impl discover::Folders for One<'_> {
    fn names(&self, folder: &Path) -> Vec<String> {
        let below = self.0.strip_prefix(folder).ok().and_then(|rest| rest.components().next());
        below.map(|part| part.as_os_str().to_string_lossy().into_owned()).into_iter().collect()
    }

    fn exists(&self, path: &Path) -> bool {
        self.0 == path
    }
}

/// The source of this path (as a person writes it), the first of its roots.
pub(crate) fn source(path: &str) -> Arc<SourceSpec> {
    let places = places();
    let wanted = match path.strip_prefix("~/") {
        Some(rest) => places.home.join(rest),
        None if path.starts_with('/') => PathBuf::from(path),
        None => PathBuf::from("/work/p").join(path),
    };
    let all = discover::sources(&places, &[], &One(&wanted));
    // Of ~/.claude.json, the user's own servers; of an editor's settings, the editor's.
    let guest = |spec: &SourceSpec| spec.listed == Listed::IfItHasServers && spec.host.id != "vscode";
    let found = all.into_iter().filter(|spec| *spec.path == wanted);
    let found = found.min_by_key(|spec| (guest(spec), spec.root.len()));
    Arc::new(found.unwrap_or_else(|| panic!("no source {path}")))
}

pub(crate) fn read_bytes(spec: &Arc<SourceSpec>, bytes: &[u8]) -> SourceReading {
    let home = Path::new("/home/u");
    match SourceText::decode(bytes) {
        Ok(text) => read_source(spec, Content::Text(&text), home),
        Err(words) => read_source(spec, Content::Unreadable(&words), home),
    }
}

pub(crate) fn read(path: &str, text: &str) -> SourceReading {
    read_bytes(&source(path), text.as_bytes())
}

fn shown(value: &ValueExpr) -> String {
    match &value.kind {
        ValueKind::Literal => value.raw.clone(),
        ValueKind::Template(_) => format!("template({})", value.raw),
        ValueKind::Command(command) => format!("command({command})"),
        ValueKind::NameOrLiteral => format!("name({})", value.raw),
        ValueKind::Remove => "remove".to_owned(),
    }
}

pub(crate) fn line(definition: &Definition) -> String {
    let map = |map: &[(String, ValueExpr)]| {
        map.iter().map(|(name, value)| format!(" {name}={}", shown(value))).collect::<String>()
    };
    let mut text = match &definition.transport {
        Transport::Stdio { command, args, env, cwd } => {
            let args: String = args.iter().map(|arg| format!(" [{}]", shown(arg))).collect();
            let cwd = cwd.as_ref().map(|cwd| format!(" cwd={}", shown(cwd))).unwrap_or_default();
            format!("stdio {}{args}{}{cwd}", shown(command), map(env))
        }
        Transport::Http { url, headers, protocol } => format!("{protocol:?} {}{}", shown(url), map(headers)),
        Transport::Unknown => "unknown".to_owned(),
    };
    let _ = write!(text, "{}", definition.enabled.map(|on| format!(" enabled={on}")).unwrap_or_default());
    let _ =
        write!(text, "{}", definition.timeout.map(|time| format!(" timeout={time:?}")).unwrap_or_default());
    if let Some(auth) = &definition.auth {
        let _ = write!(text, " auth={:?}", auth.credential_id);
    }
    let at = definition.position.map(|at| format!(" @{}:{}", at.line, at.column)).unwrap_or_default();
    format!("`{}`{at}: {text}", definition.name)
}

/// A reading in lines: state, definitions, lists, findings.
pub(crate) fn show(reading: &SourceReading) -> String {
    let mut text = format!("{:?}\n", reading.state);
    for definition in &reading.definitions {
        let _ = writeln!(text, "  {}", line(definition));
    }
    for off in &reading.host_disabled {
        let _ = writeln!(text, "  off by host: {} by {}", off.name, off.by);
    }
    if let Some(allowed) = &reading.host_allowed {
        let _ = writeln!(text, "  allowed: {:?} by {}", allowed.names, allowed.by);
    }
    if !reading.denylist.is_empty() {
        let _ = writeln!(text, "  denied: {:?}", reading.denylist);
    }
    for finding in &reading.diagnostics {
        let at = finding.position.map(|at| format!("{}:{} ", at.line, at.column)).unwrap_or_default();
        let _ = writeln!(text, "  {:?} {at}{}: {}", finding.severity, finding.code, finding.title);
        if !finding.detail.is_empty() {
            let _ = writeln!(text, "      {}", finding.detail);
        }
    }
    text
}
