//! Where a source is expected on this machine.
//!
//! Owns the way from the rows of [`HOSTS`] to paths. It asks nobody whether a file exists.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::host::{Base, HOSTS, Host, Listed, Location, Root, Scope};
use crate::places::{Os, Places};
use crate::source::{SourceId, SourceSpec};

/// What discovery asks of the disk: some hosts keep files in folders whose names nobody knows beforehand.
pub trait Folders {
    /// The names in a folder; nothing if it cannot be read.
    fn names(&self, folder: &Path) -> Vec<String>;

    /// Whether there is a file or folder.
    fn exists(&self, path: &Path) -> bool;
}

/// A disk with nothing on it.
#[derive(Debug, Clone, Copy)]
pub struct NoFolders;

impl Folders for NoFolders {
    fn names(&self, _: &Path) -> Vec<String> {
        Vec::new()
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

/// All hosts by priority: those that are named first, then the others in the order of the table.
pub fn hosts_in_order(hosts_order: &[String]) -> Vec<&'static Host> {
    let mut hosts: Vec<&'static Host> = HOSTS.iter().collect();
    hosts.sort_by_key(|host| host_rank(host.id, hosts_order));
    hosts
}

/// Every location where a source is expected, by priority: `rank` ascends.
pub fn sources(places: &Places, hosts_order: &[String], folders: &dyn Folders) -> Vec<SourceSpec> {
    let hosts = hosts_in_order(hosts_order);
    let mut found: Vec<SourceSpec> = Vec::new();
    for host in hosts {
        let read = |location: &&Location| location.unless.iter().all(|name| places.var(name).is_none());
        for location in host.locations.iter().filter(read) {
            let paths = bases(location.base, places, folders).into_iter();
            let paths = paths.flat_map(|base| expand(base, location.path, folders));
            let paths = paths.filter(|path| location.scope != Scope::Plugin || !is_left_over(path, folders));
            found.extend(paths.filter_map(|path| spec(host, location, places, path)));
        }
    }
    dedup(&mut found, &Path::to_path_buf);
    found
}

/// The patterns that decide which files there are, each as a folder and, for its last part, the names that count in
/// it: a new name that [`fits`] is news. With them the files that such folders will hold.
pub fn watched_patterns(places: &Places, folders: &dyn Folders) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for location in HOSTS.iter().flat_map(|host| host.locations).filter(|at| at.path.contains('*')) {
        for base in bases(location.base, places, folders) {
            let mut level = vec![base];
            for part in location.path.split('/') {
                if part.contains('*') {
                    found.extend(level.iter().map(|folder| folder.join(part)));
                }
                level = level.into_iter().flat_map(|folder| matching(folder, part, folders)).collect();
            }
            // The folder comes first, and the file in it a moment later.
            level.retain(|file| file.parent().is_some_and(|folder| folders.exists(folder)));
            found.extend(level);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The paths that a pattern stands for. Without a `*` it is one, whether it exists or not.
fn expand(base: PathBuf, path: &str, folders: &dyn Folders) -> Vec<PathBuf> {
    let parts = path.split('/').filter(|part| !part.is_empty());
    let mut found = parts.fold(vec![base], |level, part| {
        level.into_iter().flat_map(|folder| matching(folder, part, folders)).collect()
    });
    // Of what a pattern could stand for, only what is there is a source; of an extension, also the file that it makes
    // with its first server.
    if path.contains('*') {
        found.retain(|path| {
            let extension = path.ancestors().find(|folder| {
                folder
                    .parent()
                    .is_some_and(|above| above.file_name().is_some_and(|name| name == "globalStorage"))
            });
            folders.exists(extension.unwrap_or(path))
        });
    }
    found
}

fn matching(folder: PathBuf, part: &str, folders: &dyn Folders) -> Vec<PathBuf> {
    if !part.contains('*') {
        return vec![folder.join(part)];
    }
    let mut names = folders.names(&folder);
    names.retain(|name| fits(name, part));
    names.sort();
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// Whether a name is one that the pattern stands for. Each `*` is any part of the name; without one it is the name itself.
pub fn fits(name: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let (between, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in between.split('*') {
        match name.find(part) {
            Some(at) => name = &name[at + part.len()..],
            None => return false,
        }
    }
    name.ends_with(last)
}

/// Claude Code keeps the earlier versions of a plugin for some days, each marked as no longer in use.
fn is_left_over(path: &Path, folders: &dyn Folders) -> bool {
    path.ancestors().skip(1).take(2).any(|folder| folders.exists(&folder.join(".orphaned_at")))
}

/// The project's root and the folders above it, the nearest first, as far as a host goes up.
fn upward(places: &Places, folders: &dyn Folders, far: bool) -> Vec<PathBuf> {
    let Some(project) = &places.project else { return Vec::new() };
    let mut found = Vec::new();
    for folder in project.ancestors() {
        // Home and what is above it is nobody's project.
        if folder == places.home || places.home.starts_with(folder) {
            break;
        }
        found.push(folder.to_owned());
        if !far && folders.exists(&folder.join(".git")) {
            return found;
        }
    }
    // Without a repository, only the project itself counts for those who look for one.
    if !far {
        found.truncate(1);
    }
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
    // By bytes: comparing paths part by part is slow, and the keys are made the same way.
    let mut kept: HashMap<(OsString, Vec<String>), usize> = HashMap::with_capacity(sources.len());
    let mut keep = vec![true; sources.len()];
    for (index, spec) in sources.iter().enumerate() {
        match kept.entry((canonical(&spec.path).into_os_string(), spec.root.clone())) {
            Entry::Vacant(vacant) => {
                vacant.insert(index);
            }
            Entry::Occupied(mut occupied) => {
                let earlier = *occupied.get();
                if is_projects(&sources[earlier]) && !is_projects(spec) {
                    keep[earlier] = false;
                    occupied.insert(index);
                } else {
                    keep[index] = false;
                }
            }
        }
    }
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

fn spec(host: &'static Host, location: &Location, places: &Places, path: PathBuf) -> Option<SourceSpec> {
    let root = match location.root {
        Root::Keys(keys) | Root::List(keys) => keys.iter().map(|key| (*key).to_owned()).collect(),
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
        dialect: location.dialect.unwrap_or(host.dialect),
        root,
        list: matches!(location.root, Root::List(_)),
        project,
        rank: 0,
        note: location.note,
        listed: match location.listed {
            Listed::Always if host.probe => Listed::IfThere,
            listed => listed,
        },
        text: match location.base {
            Base::EnvText(name) => places.var(name).map(Arc::from),
            _ => None,
        },
    };
    spec.id = SourceId::of(&spec);
    Some(spec)
}

fn bases(base: Base, places: &Places, folders: &dyn Folders) -> Vec<PathBuf> {
    match base {
        Base::ProjectUp => upward(places, folders, false),
        Base::ProjectUpFar => upward(places, folders, true),
        Base::Home
        | Base::Project
        | Base::WindowsHome
        | Base::WindowsProject
        | Base::XdgConfigOrRoaming { .. }
        | Base::LocalAppData(_)
        | Base::EnvOrHome { .. }
        | Base::EnvFile(_)
        | Base::EnvText(_)
        | Base::XdgConfig
        | Base::AppConfig
        | Base::System { .. } => one(base, places).into_iter().collect(),
    }
}

fn one(base: Base, places: &Places) -> Option<PathBuf> {
    let home = &places.home;
    // A relative path in a variable means nothing to a program that runs elsewhere; the home directory stays.
    let var = |name: &str| places.var(name).map(|value| home.join(value));
    let xdg = || {
        let set = places.var("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.has_root());
        set.unwrap_or_else(|| home.join(".config"))
    };
    let roaming = || var("APPDATA").unwrap_or_else(|| join(home.clone(), "AppData/Roaming"));
    let windows = places.os == Os::Windows;
    match base {
        Base::Home => Some(home.clone()),
        Base::Project => places.project.clone(),
        Base::WindowsHome => windows.then(|| home.clone()),
        Base::WindowsProject => places.project.clone().filter(|_| windows),
        Base::ProjectUp | Base::ProjectUpFar => None,
        Base::XdgConfigOrRoaming { elsewhere, windows: roams } => {
            Some(if windows { join(roaming(), roams) } else { join(xdg(), elsewhere) })
        }
        Base::LocalAppData(below_home) => Some(if windows {
            var("LOCALAPPDATA").unwrap_or_else(|| join(home.clone(), "AppData/Local"))
        } else {
            join(home.clone(), below_home)
        }),
        Base::EnvOrHome { var: name, below_home } => {
            Some(var(name).unwrap_or_else(|| join(home.clone(), below_home)))
        }
        Base::EnvFile(name) => var(name),
        // As a person would write it; there is no such file.
        Base::EnvText(name) => places.var(name).map(|_| PathBuf::from(format!("${name}"))),
        Base::XdgConfig => Some(xdg()),
        Base::AppConfig => Some(match places.os {
            Os::Linux => xdg(),
            Os::MacOs => join(home.clone(), "Library/Application Support"),
            Os::Windows => roaming(),
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

/// Where Claude Code reads a `.mcp.json`.
pub(crate) const CLAUDE_PROJECTS_ONLY: &str =
    "Claude Code reads a .mcp.json in a project only; for all projects use ~/.claude.json";

/// Files that are commonly found though no application reads them there, and why. The caller checks which exist.
pub fn unread_files(places: &Places) -> Vec<(PathBuf, &'static str)> {
    let mut files = Vec::new();
    let mut add =
        |base: &Path, below: &str, why: &'static str| files.push((join(base.to_path_buf(), below), why));
    let home = places.home.as_path();
    match places.os {
        Os::Linux => add(
            home,
            ".config/claude/claude_desktop_config.json",
            "Claude Desktop reads ~/.config/Claude/claude_desktop_config.json, with a capital letter",
        ),
        Os::MacOs => add(
            home,
            "Library/Application Support/Zed/settings.json",
            "Zed reads ~/.config/zed/settings.json on macOS, too",
        ),
        Os::Windows => {
            add(home, ".config/zed/settings.json", "Zed reads %APPDATA%\\Zed\\settings.json");
            add(
                home,
                "AppData/Block/goose/config.yaml",
                "Goose reads %APPDATA%\\Block\\goose\\config\\config.yaml",
            );
        }
    }
    // On Windows, Visual Studio reads the servers in it that are its own; what it does not read is told there.
    if places.os != Os::Windows {
        add(home, ".mcp.json", CLAUDE_PROJECTS_ONLY);
    }
    add(home, "claude.json", "Claude Code reads ~/.claude.json, with the dot");
    add(home, ".gemini/mcp.json", "Gemini CLI reads `mcpServers` in ~/.gemini/settings.json");
    add(home, ".codex/mcp.json", "Codex reads `[mcp_servers.…]` in ~/.codex/config.toml");
    add(home, ".windsurf/mcp_config.json", "Windsurf reads ~/.codeium/windsurf/mcp_config.json");
    add(home, ".copilot/mcp.json", "GitHub Copilot CLI reads ~/.copilot/mcp-config.json");
    add(home, ".kiro/mcp.json", "Kiro reads ~/.kiro/settings/mcp.json");
    add(home, ".roo/mcp.json", "Roo Code reads .roo/mcp.json in a project; its own settings hold the rest");
    add(home, ".zed/settings.json", "Zed reads ~/.config/zed/settings.json; .zed is for projects");
    add(home, ".config/crush/mcp.json", "Crush reads `mcp` in ~/.config/crush/crush.json");
    let state = "Crush keeps its state here; it reads ~/.config/crush/crush.json";
    match one(Base::LocalAppData(".local/share"), places) {
        Some(data) => add(&data, "crush/crush.json", state),
        None => add(home, ".local/share/crush/crush.json", state),
    }
    add(home, ".cline/cline_mcp_settings.json", "Cline reads ~/.cline/data/settings/cline_mcp_settings.json");
    if let Some(project) = &places.project {
        add(project, "claude.json", "Claude Code reads .mcp.json in a project");
        add(project, ".gemini/mcp.json", "Gemini CLI reads `mcpServers` in .gemini/settings.json");
        add(project, ".kiro/mcp.json", "Kiro reads .kiro/settings/mcp.json");
        add(project, ".codex/mcp.json", "Codex reads `[mcp_servers.…]` in .codex/config.toml");
        add(
            project,
            ".copilot/mcp.json",
            "GitHub Copilot CLI reads .mcp.json and .github/mcp.json in a project",
        );
        add(
            project,
            ".windsurf/mcp_config.json",
            "Windsurf has no file in the project; it reads ~/.codeium/windsurf/mcp_config.json",
        );
    }
    files
}

#[cfg(test)]
mod systems_tests;
#[cfg(test)]
mod tests;
