//! Which folders are projects, which one is open, and which ones the user may want to open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jackfield_config::{Scope, discover};
use serde::{Deserialize, Serialize};

use crate::fs;
use crate::paths::Paths;

/// Recent projects that are remembered.
pub const RECENT: usize = 12;
/// Candidates that are offered.
const CANDIDATES: usize = 20;

/// What is remembered of projects between two runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectState {
    /// Opened before, newest first.
    pub recent: Vec<PathBuf>,
}

impl ProjectState {
    /// Put `project` at the top.
    pub fn opened(&mut self, project: &Path) {
        self.recent.retain(|other| other != project);
        self.recent.insert(0, project.to_owned());
        self.recent.truncate(RECENT);
    }
}

/// A folder cannot be a project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAProject {
    #[error("`{0}` is not a folder")]
    NotAFolder(String),
    #[error(
        "`{0}` cannot be a project: it is the home directory, the root or the folder for temporary files"
    )]
    TooWide(String),
}

/// The canonical path of a project.
///
/// # Errors
/// If it is no folder, or one that holds everything.
pub fn check(paths: &Paths, folder: &Path) -> Result<PathBuf, NotAProject> {
    let canonical = folder.canonicalize().map_err(|_| NotAProject::NotAFolder(paths.display(folder)))?;
    if !canonical.is_dir() {
        return Err(NotAProject::NotAFolder(paths.display(folder)));
    }
    if is_too_wide(paths, &canonical) {
        return Err(NotAProject::TooWide(paths.display(&canonical)));
    }
    Ok(canonical)
}

/// The project of a working directory: the nearest ancestor that holds a project source or `.git`. The search ends
/// below the home directory.
pub fn nearest(paths: &Paths, env: &Arc<BTreeMap<String, String>>, folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    for candidate in folder.ancestors() {
        if is_too_wide(paths, candidate) {
            return None;
        }
        if candidate.join(".git").exists() || holds_source(paths, env, candidate) {
            return Some(candidate.to_owned());
        }
    }
    None
}

fn holds_source(paths: &Paths, env: &Arc<BTreeMap<String, String>>, folder: &Path) -> bool {
    discover::sources(&paths.places(env.clone(), Some(folder)), &[], &discover::NoFolders)
        .iter()
        .any(|spec| spec.scope == Scope::Project && spec.path.is_file())
}

fn is_too_wide(paths: &Paths, folder: &Path) -> bool {
    let same = |other: &Path| other.canonicalize().is_ok_and(|other| other == folder);
    folder.parent().is_none() || same(&paths.home) || same(&std::env::temp_dir())
}

/// Folders that other applications know: keys of `projects` in Claude Code's file, recent folders of VS Code and
/// Cursor. Only those that exist, newest of each application first; they are offered, never opened by themselves.
pub fn candidates(paths: &Paths, env: &Arc<BTreeMap<String, String>>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    found.extend(claude_projects(paths, env));
    for app in ["Code", "Cursor"] {
        found.extend(editor_folders(&app_config(paths, env).join(app)));
    }
    let mut unique: Vec<PathBuf> = Vec::new();
    for folder in found {
        if let Ok(folder) = check(paths, &folder)
            && !unique.contains(&folder)
        {
            unique.push(folder);
        }
        if unique.len() == CANDIDATES {
            break;
        }
    }
    unique
}

fn claude_projects(paths: &Paths, env: &BTreeMap<String, String>) -> Vec<PathBuf> {
    let base =
        env.get("CLAUDE_CONFIG_DIR").filter(|dir| !dir.is_empty()).map_or(paths.home.clone(), PathBuf::from);
    json(&base.join(".claude.json"))
        .as_ref()
        .and_then(|file| file.get("projects")?.as_object())
        .map(|projects| projects.keys().map(PathBuf::from).collect())
        .unwrap_or_default()
}

fn app_config(paths: &Paths, env: &BTreeMap<String, String>) -> PathBuf {
    let var = |name: &str| env.get(name).filter(|dir| !dir.is_empty()).map(PathBuf::from);
    match paths.os {
        jackfield_config::Os::Linux => var("XDG_CONFIG_HOME").unwrap_or_else(|| paths.home.join(".config")),
        jackfield_config::Os::MacOs => paths.home.join("Library/Application Support"),
        jackfield_config::Os::Windows => var("APPDATA").unwrap_or_else(|| paths.home.join("AppData/Roaming")),
    }
}

/// VS Code and its forks keep one folder a workspace, with the workspace's url in it.
fn editor_folders(app: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> = fs::list(&app.join("User/workspaceStorage"))
        .into_iter()
        .filter_map(|entry| {
            let file = entry.join("workspace.json");
            let url = json(&file)?.get("folder")?.as_str().and_then(|url| url::Url::parse(url).ok())?;
            Some((fs::modified(&entry), url.to_file_path().ok()?))
        })
        .collect();
    folders.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
    folders.into_iter().map(|(_, folder)| folder).collect()
}

fn json(path: &Path) -> Option<serde_json::Value> {
    let bytes = fs::read_optional(path).ok()??;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> (tempfile::TempDir, Paths, Arc<BTreeMap<String, String>>) {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap().join("home");
        std::fs::create_dir(&home).unwrap();
        let env: Arc<BTreeMap<String, String>> =
            Arc::new([("HOME".to_owned(), home.display().to_string())].into());
        let paths = Paths::from_env(&env).unwrap();
        (dir, paths, env)
    }

    #[test]
    fn the_nearest_ancestor_with_a_source_or_git_but_never_home_or_above() {
        let (_dir, paths, env) = home();
        let deep = paths.home.join("code/shop/src/deep");
        fs::create_dir(&deep, fs::Mode::Shared).unwrap();
        assert_eq!(nearest(&paths, &env, &deep), None);
        std::fs::create_dir(paths.home.join("code/.git")).unwrap();
        assert_eq!(nearest(&paths, &env, &deep), Some(paths.home.join("code")));
        crate::fs::write_for_test(&paths.home.join("code/shop/.mcp.json"), "{}");
        assert_eq!(nearest(&paths, &env, &deep), Some(paths.home.join("code/shop")));
        std::fs::create_dir(paths.home.join(".git")).unwrap();
        let elsewhere = paths.home.join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        assert_eq!(nearest(&paths, &env, &elsewhere), None, "a home under version control is no project");
    }

    #[test]
    fn home_root_and_temp_are_refused() {
        let (_dir, paths, _env) = home();
        for folder in [paths.home.clone(), PathBuf::from("/"), std::env::temp_dir()] {
            assert!(matches!(check(&paths, &folder), Err(NotAProject::TooWide(_))), "{}", folder.display());
        }
        assert!(matches!(check(&paths, &paths.home.join("none")), Err(NotAProject::NotAFolder(_))));
    }

    #[test]
    fn candidates_come_from_claude_code_and_editors_and_must_exist() {
        let (_dir, paths, env) = home();
        let (a, b) = (paths.home.join("code/a"), paths.home.join("code/b c"));
        fs::create_dir(&a, fs::Mode::Shared).unwrap();
        fs::create_dir(&b, fs::Mode::Shared).unwrap();
        let claude = serde_json::json!({"projects": {a.to_str().unwrap(): {}, "/gone": {}, paths.home.to_str().unwrap(): {}}});
        crate::fs::write_for_test(&paths.home.join(".claude.json"), &claude.to_string());
        let storage = paths.home.join(".config/Cursor/User/workspaceStorage/1");
        fs::create_dir(&storage, fs::Mode::Shared).unwrap();
        let url = format!("file://{}", b.display().to_string().replace(' ', "%20"));
        crate::fs::write_for_test(
            &storage.join("workspace.json"),
            &serde_json::json!({"folder": url}).to_string(),
        );
        assert_eq!(candidates(&paths, &env), [a, b]);
    }
}
