//! Where a source is expected on this machine.
//!
//! Owns the way from the rows of [`HOSTS`] to paths. It asks nobody whether a file exists.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::host::{Base, HOSTS, Host, Location, Root, Scope};
use crate::places::{Os, Places};
use crate::source::{SourceId, SourceSpec};

/// Every location where a source is expected, by priority: `rank` ascends.
pub fn sources(places: &Places, hosts_order: &[String]) -> Vec<SourceSpec> {
    let mut hosts: Vec<&'static Host> = HOSTS.iter().collect();
    hosts.sort_by_key(|host| host_rank(host.id, hosts_order));
    let mut found: Vec<SourceSpec> = Vec::new();
    for host in hosts {
        for location in host.locations {
            found.extend(spec(host, location, places));
        }
    }
    dedup(&mut found, &Path::to_path_buf);
    found
}

/// The place of a host in the order: the user's hosts first, then the others as in the table.
pub(crate) fn host_rank(id: &str, hosts_order: &[String]) -> usize {
    match hosts_order.iter().position(|listed| listed == id) {
        Some(place) => place,
        None => hosts_order.len() + HOSTS.iter().position(|host| host.id == id).unwrap_or(HOSTS.len()),
    }
}

/// Leaves one source of every file and root that is reached by two routes. A project's file that is a user's file, too,
/// stays as the user's.
pub fn dedup(sources: &mut Vec<SourceSpec>, canonical: &dyn Fn(&Path) -> PathBuf) {
    let paths: Vec<PathBuf> = sources.iter().map(|spec| canonical(&spec.path)).collect();
    let keep: Vec<bool> = (0..sources.len())
        .map(|index| {
            let spec = &sources[index];
            !(0..sources.len()).any(|other| {
                let twin = &sources[other];
                other != index
                    && paths[other] == paths[index]
                    && twin.root == spec.root
                    && match (is_projects(twin), is_projects(spec)) {
                        (false, true) => true,
                        (true, false) => false,
                        (true, true) | (false, false) => other < index,
                    }
            })
        })
        .collect();
    let mut keep = keep.into_iter();
    sources.retain(|_| keep.next().unwrap_or(true));
    renumber(sources);
}

fn is_projects(spec: &SourceSpec) -> bool {
    spec.scope == Scope::Project
}

fn renumber(sources: &mut [SourceSpec]) {
    for (rank, spec) in (0..).zip(sources) {
        spec.rank = rank;
    }
}

fn spec(host: &'static Host, location: &Location, places: &Places) -> Option<SourceSpec> {
    let path = join(base(location.base, places)?, location.path);
    let root = match location.root {
        Root::Keys(keys) => keys.iter().map(|key| (*key).to_owned()).collect(),
        Root::ClaudeProject => {
            let project = places.project.as_ref()?.to_string_lossy().into_owned();
            // Claude Code writes the folder with slashes on Windows.
            let project = if places.os == Os::Windows { project.replace('\\', "/") } else { project };
            vec!["projects".to_owned(), project, "mcpServers".to_owned()]
        }
    };
    let project = match location.scope {
        Scope::Project | Scope::Local => places.project.clone().map(Arc::new),
        Scope::Managed | Scope::User | Scope::Plugin => None,
    };
    let mut spec = SourceSpec {
        id: SourceId(Arc::from("")),
        host,
        scope: location.scope,
        path: Arc::new(path),
        format: location.format,
        dialect: host.dialect,
        root,
        project,
        rank: 0,
        note: location.note,
    };
    spec.id = SourceId::of(&spec);
    Some(spec)
}

fn base(base: Base, places: &Places) -> Option<PathBuf> {
    let xdg = || places.var("XDG_CONFIG_HOME").map_or_else(|| places.home.join(".config"), PathBuf::from);
    match base {
        Base::Home => Some(places.home.clone()),
        Base::Project => places.project.clone(),
        Base::EnvOrHome { var, below_home } => {
            Some(places.var(var).map_or_else(|| join(places.home.clone(), below_home), PathBuf::from))
        }
        Base::EnvFile(var) => places.var(var).map(PathBuf::from),
        Base::XdgConfig => Some(xdg()),
        Base::AppConfig => Some(match places.os {
            Os::Linux => xdg(),
            Os::MacOs => join(places.home.clone(), "Library/Application Support"),
            Os::Windows => places
                .var("APPDATA")
                .map_or_else(|| join(places.home.clone(), "AppData/Roaming"), PathBuf::from),
        }),
        Base::System { linux, macos, windows } => Some(match places.os {
            Os::Linux => below_system_root(places, linux),
            Os::MacOs => below_system_root(places, macos),
            Os::Windows => below_system_root(places, windows),
        }),
    }
}

/// An absolute path of the machine, below another root where one is set.
fn below_system_root(places: &Places, absolute: &str) -> PathBuf {
    if places.system_root == Path::new("/") || places.system_root.as_os_str().is_empty() {
        return PathBuf::from(absolute);
    }
    let below = absolute.trim_start_matches('/').replace(':', "").replace('\\', "/");
    join(places.system_root.clone(), &below)
}

fn join(base: PathBuf, below: &str) -> PathBuf {
    below.split('/').filter(|part| !part.is_empty()).fold(base, |path, part| path.join(part))
}

/// Files that are commonly found though no application reads them there, and why. The caller checks which exist.
pub fn unread_files(places: &Places) -> Vec<(PathBuf, &'static str)> {
    let mut files = Vec::new();
    let mut add =
        |base: &Path, below: &str, why: &'static str| files.push((join(base.to_path_buf(), below), why));
    let home = places.home.as_path();
    add(
        home,
        ".mcp.json",
        "Claude Code reads a .mcp.json in a project only; for all projects use ~/.claude.json",
    );
    add(home, "claude.json", "Claude Code reads ~/.claude.json, with the dot");
    add(home, ".gemini/mcp.json", "Gemini CLI reads `mcpServers` in ~/.gemini/settings.json");
    add(home, ".codex/mcp.json", "Codex reads `[mcp_servers.…]` in ~/.codex/config.toml");
    add(home, ".windsurf/mcp_config.json", "Windsurf reads ~/.codeium/windsurf/mcp_config.json");
    if let Some(project) = &places.project {
        add(project, "claude.json", "Claude Code reads .mcp.json in a project");
        add(project, ".gemini/mcp.json", "Gemini CLI reads `mcpServers` in .gemini/settings.json");
        add(
            project,
            ".windsurf/mcp_config.json",
            "Windsurf has no file in the project; it reads ~/.codeium/windsurf/mcp_config.json",
        );
    }
    files
}

#[cfg(test)]
mod tests;
