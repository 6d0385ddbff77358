//! Where in a file the servers stand.

use std::sync::Arc;

use super::Shape;
use crate::diagnostic::{Code, Fix, FixWork, Severity};
use crate::discover::CLAUDE_PROJECTS_ONLY;
use crate::edit::{Change, Target};
use crate::format::{Kind, Member, Node};
use crate::host::{Dialect, Listed, Root, Scope};
use crate::source::SourceSpec;

/// An entry that was found.
#[derive(Debug)]
pub(crate) struct Found<'n> {
    pub(crate) name: String,
    pub(crate) node: &'n Node,
    /// Where its key, or in a list the entry itself, stands.
    pub(crate) at: usize,
    pub(crate) shape: Shape,
    /// With the keys under which the entry really stands.
    pub(crate) spec: Arc<SourceSpec>,
}

impl<'n> Found<'n> {
    fn of(member: &'n Member, shape: Shape, spec: &Arc<SourceSpec>) -> Found<'n> {
        let (name, node, at) = (member.key.clone(), &member.value, member.key_span.start);
        Found { name, node, at, shape, spec: Arc::clone(spec) }
    }
}

/// A finding about the way to the servers.
#[derive(Debug)]
pub(crate) struct RootFinding {
    pub(crate) code: Code,
    pub(crate) severity: Severity,
    pub(crate) at: usize,
    pub(crate) title: String,
    pub(crate) detail: String,
    pub(crate) fix: Option<Fix>,
}

/// Keys under which one or the other host looks for its servers.
const ROOTS: &[&[&str]] = &[
    &["mcpServers"],
    &["servers"],
    &["mcp_servers"],
    &["mcp", "servers"],
    &["mcp"],
    &["context_servers"],
    &["mcp.servers"],
    &["amp.mcpServers"],
];

/// Finds the servers of a source.
pub(crate) fn find<'n>(root: &'n Node, spec: &Arc<SourceSpec>) -> (Vec<Found<'n>>, Vec<RootFinding>) {
    let mut findings = Vec::new();
    if !spec.holds_servers() {
        return (Vec::new(), findings);
    }
    let found = match spec.dialect {
        Dialect::OpenCode => opencode(root, spec, &mut findings),
        Dialect::ClaudeCode if spec.root.first().is_some_and(|key| key == "projects") => {
            claude_project(root, spec, &mut findings)
        }
        Dialect::Xcsh | Dialect::Bare
            if root.get("mcpServers").is_none() && root.get("servers").is_some() =>
        {
            fallback(root, spec, &mut findings)
        }
        // The manifest of a plugin can name the file that has them.
        Dialect::ClaudeCode
            if spec.scope == Scope::Plugin
                && root
                    .get("mcpServers")
                    .is_some_and(|node| matches!(node.kind, Kind::String(_) | Kind::Array(_))) =>
        {
            Vec::new()
        }
        // A plugin's own file may hold the entries at its root.
        Dialect::ClaudeCode
            if spec.scope == Scope::Plugin
                && root.get("mcpServers").is_none()
                && spec.path.ends_with(".mcp.json") =>
        {
            plain(root, &at_root(spec, Vec::new()), &mut findings)
        }
        Dialect::Goose => {
            plain(root, spec, &mut findings).into_iter().filter(|found| is_mcp(found.node)).collect()
        }
        _ if spec.list => listed(root, spec, &mut findings),
        _ => plain(root, spec, &mut findings),
    };
    if found.is_empty() {
        wrong_root(root, spec, &mut findings);
    }
    (found, findings)
}

fn plain<'n>(root: &'n Node, spec: &Arc<SourceSpec>, findings: &mut Vec<RootFinding>) -> Vec<Found<'n>> {
    members(root, &spec.root, findings).iter().map(|member| Found::of(member, Shape::First, spec)).collect()
}

/// Goose keeps other extensions beside its MCP servers.
fn is_mcp(node: &Node) -> bool {
    let kind = node.get("type").and_then(Node::as_str);
    !kind.is_some_and(|kind| ["builtin", "platform", "frontend", "inline_python"].contains(&kind))
}

/// The entries of a list, by the names they carry. Of one name twice, the first counts (Continue).
fn listed<'n>(root: &'n Node, spec: &Arc<SourceSpec>, findings: &mut Vec<RootFinding>) -> Vec<Found<'n>> {
    let mut node = Some(root);
    for key in &spec.root {
        node = node.and_then(|node| node.get(key));
    }
    let Some(node) = node.filter(|node| node.kind != Kind::Null) else { return Vec::new() };
    let Some(items) = node.as_array() else {
        // A map is read by the names of its keys; some versions take it.
        return plain(root, spec, findings);
    };
    let mut found: Vec<Found<'n>> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let name =
            item.get("name").and_then(Node::as_str).map_or_else(|| format!("#{}", index + 1), str::to_owned);
        if found.iter().any(|other| other.name == name) {
            findings.push(RootFinding {
                code: Code::DuplicateKey,
                severity: Severity::Warning,
                at: item.span.start,
                title: format!("`{name}` is in the list twice"),
                detail: "The first counts. Remove one of the two, or give it another name.".to_owned(),
                fix: None,
            });
            continue;
        }
        found.push(Found {
            name,
            node: item,
            at: item.span.start,
            shape: Shape::First,
            spec: Arc::clone(spec),
        });
    }
    found
}

/// The members of the object that the keys lead to; nothing if a key is missing.
fn members<'n>(root: &'n Node, keys: &[String], findings: &mut Vec<RootFinding>) -> &'n [Member] {
    let mut node = root;
    for (index, key) in keys.iter().enumerate() {
        let Some(next) = node.member(key) else { return &[] };
        node = &next.value;
        if node.as_object().is_none() {
            findings.push(RootFinding {
                code: Code::WrongRoot,
                severity: Severity::Error,
                at: node.span.start,
                title: format!("`{}` must be an object, not {}", keys[..=index].join("."), node.noun()),
                detail: "Each server is a member of it: the key is the name, the value the entry. Nothing is read from here. Write `{ \"name\": { … } }`.".to_owned(),
                fix: None,
            });
            return &[];
        }
    }
    node.as_object().unwrap_or_default()
}

fn at_root(spec: &Arc<SourceSpec>, root: Vec<String>) -> Arc<SourceSpec> {
    Arc::new(SourceSpec { root, ..SourceSpec::clone(spec) })
}

/// xcsh's and the bare files are also read by the key that VS Code uses.
fn fallback<'n>(root: &'n Node, spec: &Arc<SourceSpec>, findings: &mut Vec<RootFinding>) -> Vec<Found<'n>> {
    let fix = renaming(root, &["servers"], spec);
    let spec = at_root(spec, vec!["servers".to_owned()]);
    if let Some(member) = root.member("servers") {
        findings.push(RootFinding {
            code: Code::WrongRootKey,
            severity: Severity::Warning,
            at: member.key_span.start,
            title: "the servers stand under `servers`, not `mcpServers`".to_owned(),
            detail: "They are read by that key; most applications that read this file find nothing in it. Rename it to `mcpServers`."
                .to_owned(),
 fix,
        });
    }
    plain(root, &spec, findings)
}

/// opencode keeps entries of its first shape in `mcp`, of the second in `mcp.servers`, and takes both in one file.
fn opencode<'n>(root: &'n Node, spec: &Arc<SourceSpec>, findings: &mut Vec<RootFinding>) -> Vec<Found<'n>> {
    let first = members(root, &spec.root, findings);
    let mut keys = spec.root.clone();
    keys.push("servers".to_owned());
    let second_spec = at_root(spec, keys);
    // A server of the first shape may be called `servers`.
    let is_list = |member: &Member| {
        member.key == "servers" && member.value.get("type").and_then(Node::as_str).is_none()
    };
    let mut found: Vec<Found<'n>> = Vec::new();
    for member in first {
        if is_list(member) {
            let second = members(root, &second_spec.root, findings);
            found.extend(second.iter().map(|member| Found::of(member, Shape::Second, &second_spec)));
        } else if !(member.key == "timeout" && matches!(member.value.kind, Kind::Number(_))) {
            found.push(Found::of(member, Shape::First, spec));
        }
    }
    let second: Vec<&str> =
        found.iter().filter(|entry| entry.shape == Shape::Second).map(|entry| entry.name.as_str()).collect();
    let (kept, hidden): (Vec<_>, Vec<_>) = found
        .iter()
        .enumerate()
        .partition(|(_, entry)| entry.shape == Shape::Second || !second.contains(&entry.name.as_str()));
    for (_, entry) in &hidden {
        findings.push(RootFinding {
            code: Code::DuplicateKey,
            severity: Severity::Warning,
            at: entry.at,
            title: format!("`{}` stands in `mcp` and in `mcp.servers`", entry.name),
            detail: "The entry in `mcp.servers` counts. Remove one of the two.".to_owned(),
            fix: None,
        });
    }
    let kept: Vec<usize> = kept.into_iter().map(|(index, _)| index).collect();
    let mut index = 0;
    found.retain(|_| {
        index += 1;
        kept.binary_search(&(index - 1)).is_ok()
    });
    found
}

/// The entries of one project. On Windows, the same folder may be there under two spellings.
fn claude_project<'n>(
    root: &'n Node,
    spec: &Arc<SourceSpec>,
    findings: &mut Vec<RootFinding>,
) -> Vec<Found<'n>> {
    let [_, project, _] = spec.root.as_slice() else { return Vec::new() };
    let same: Vec<&Member> = project_members(root, project);
    if let [first, second, ..] = same.as_slice() {
        findings.push(RootFinding {
            code: Code::DuplicateKey,
            severity: Severity::Warning,
            at: second.key_span.start,
            title: format!("the project is there as `{}` and as `{}`", first.key, second.key),
            detail: "Both are one folder on Windows, and are read as one. Claude Code itself and its extension for VS Code each see one of them only. Move the servers under one spelling, and remove the other.".to_owned(),
 fix: None,
        });
    }
    let mut found: Vec<Found<'n>> = Vec::new();
    for member in same {
        let mut keys = spec.root.clone();
        if let Some(key) = keys.get_mut(1) {
            key.clone_from(&member.key);
        }
        for entry in plain(root, &at_root(spec, keys), findings) {
            if !found.iter().any(|earlier| earlier.name == entry.name) {
                found.push(entry);
            }
        }
    }
    found
}

/// The members of `projects` that are this folder.
pub(crate) fn project_members<'n>(root: &'n Node, project: &str) -> Vec<&'n Member> {
    let projects = root.get("projects").and_then(Node::as_object).unwrap_or_default();
    let wanted = folder(project);
    projects.iter().filter(|member| folder(&member.key) == wanted).collect()
}

/// A folder in a form that can be compared: on Windows, case and direction of slashes do not count.
fn folder(path: &str) -> String {
    let drive = path.get(1..2) == Some(":") && path.starts_with(|c: char| c.is_ascii_alphabetic());
    if drive { path.replace('\\', "/").trim_end_matches('/').to_lowercase() } else { path.to_owned() }
}

/// Tells of servers under a key that the owner does not read.
fn wrong_root(root: &Node, spec: &SourceSpec, findings: &mut Vec<RootFinding>) {
    let own_roots = || {
        spec.host.locations.iter().filter_map(|location| match location.root {
            Root::Keys(keys) | Root::List(keys) => Some(keys),
            Root::ClaudeProject => None,
        })
    };
    // Another source reads these; and settings of something larger need not have servers at all.
    if spec.scope == Scope::Local || spec.listed == Listed::IfItHasServers || !findings.is_empty() {
        return;
    }
    for keys in ROOTS {
        let own = keys.iter().eq(spec.root.iter()) || own_roots().any(|own| own == *keys);
        let fallback = matches!(spec.dialect, Dialect::Xcsh | Dialect::Bare) && *keys == ["servers"];
        if own || fallback {
            continue;
        }
        let mut node = Some(root);
        let mut at = 0;
        for key in *keys {
            let member = node.and_then(|node| node.member(key));
            at = member.map_or(at, |member| member.key_span.start);
            node = member.map(|member| &member.value);
        }
        let Some(node) = node else { continue };
        let servers =
            node.as_object().unwrap_or_default().iter().filter(|member| looks_like_server(&member.value));
        let count = servers.count();
        let list = node.as_array().is_some() && root.as_object().is_some_and(|all| all.len() <= 2);
        if count == 0 && !list {
            continue;
        }
        let (written, right) = (keys.join("."), spec.root.join("."));
        let fix = renaming(root, keys, spec).filter(|_| count > 0);
        let title = format!("{} reads `{right}`, but this file has `{written}`", spec.host.name);
        let detail = if count == 0 {
            format!(
                "`{written}` is {}, where an object `{right}` is expected. No server is read. Write such an object.",
                node.noun()
            )
        } else {
            format!(
                "{} sees no servers here. Rename `{written}` to `{right}`, or move its entries ({count}).",
                spec.host.name
            )
        };
        // The file of this name in the home directory is more often meant for another tool.
        let meant = spec.host.id == "visual-studio" && spec.scope == Scope::User && written == "mcpServers";
        let detail = if meant { format!("{detail} {CLAUDE_PROJECTS_ONLY}.") } else { detail };
        findings.push(RootFinding {
            code: Code::WrongRootKey,
            severity: Severity::Error,
            at,
            title,
            detail,
            fix,
        });
        return;
    }
}

/// The root's one key by its right name, where that is free.
fn renaming(root: &Node, keys: &[&str], spec: &SourceSpec) -> Option<Fix> {
    let ([written], [right]) = (keys, spec.root.as_slice()) else { return None };
    if root.get(right).is_some() || spec.list {
        return None;
    }
    let target = Target { root: Vec::new(), keys: vec![(*written).to_owned()], list: false };
    let change = Change::Rename { target, to: right.clone() };
    Some(Fix { title: format!("Rename it to `{right}`"), work: FixWork::Changes(vec![change]) })
}

fn looks_like_server(node: &Node) -> bool {
    ["command", "url", "serverUrl", "httpUrl", "cmd", "uri"].iter().any(|key| node.get(key).is_some())
}
