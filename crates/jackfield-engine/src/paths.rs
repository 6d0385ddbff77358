//! Where the hosts' files and our own live on this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jackfield_config::{Os, Places};

/// Folders of this user and of this program.
#[derive(Debug, Clone)]
pub struct Paths {
    pub os: Os,
    /// The home directory in every host's paths.
    pub home: PathBuf,
    /// Put before absolute system paths; `/` but in tests.
    pub system_root: PathBuf,
    /// Settings.
    pub config: PathBuf,
    /// Tools, by server.
    pub cache: PathBuf,
    /// Trust, journal, projects, locks.
    pub state: PathBuf,
}

/// There is no home directory to start from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no home directory: `HOME` is not set")]
pub struct NoHome;

impl Paths {
    /// From an environment. `JACKFIELD_HOME`, `JACKFIELD_SYSTEM_ROOT` and `JACKFIELD_{CONFIG,CACHE,STATE}_DIR` come
    /// first, then the usual places of the system.
    ///
    /// # Errors
    /// If neither `JACKFIELD_HOME` nor the system's own variable names a home directory.
    pub fn from_env(env: &BTreeMap<String, String>) -> Result<Paths, NoHome> {
        Paths::on(Os::current(), env)
    }

    fn on(os: Os, env: &BTreeMap<String, String>) -> Result<Paths, NoHome> {
        let var = |name: &str| env.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let own_home = match os {
            Os::Windows => var("USERPROFILE").or_else(|| var("HOME")),
            Os::Linux | Os::MacOs => var("HOME"),
        };
        let home = var("JACKFIELD_HOME").or_else(|| own_home.clone()).ok_or(NoHome)?;
        let base = own_home.unwrap_or_else(|| home.clone());
        let (config, cache, state) = match os {
            Os::Linux => (
                xdg(&var, "XDG_CONFIG_HOME", &base, ".config"),
                xdg(&var, "XDG_CACHE_HOME", &base, ".cache"),
                xdg(&var, "XDG_STATE_HOME", &base, ".local/state"),
            ),
            Os::MacOs => {
                let library = base.join("Library");
                let support = library.join("Application Support/Jackfield");
                (support.clone(), library.join("Caches/Jackfield"), support.join("State"))
            }
            Os::Windows => {
                let roaming = var("APPDATA").unwrap_or_else(|| base.join("AppData/Roaming"));
                let local = var("LOCALAPPDATA").unwrap_or_else(|| base.join("AppData/Local"));
                (roaming.join("Jackfield"), local.join("Jackfield/Cache"), local.join("Jackfield/State"))
            }
        };
        Ok(Paths {
            os,
            home,
            system_root: var("JACKFIELD_SYSTEM_ROOT").unwrap_or_else(|| PathBuf::from("/")),
            config: var("JACKFIELD_CONFIG_DIR").unwrap_or(config),
            cache: var("JACKFIELD_CACHE_DIR").unwrap_or(cache),
            state: var("JACKFIELD_STATE_DIR").unwrap_or(state),
        })
    }

    /// The user's settings file.
    pub fn settings(&self) -> PathBuf {
        self.config.join("settings.json")
    }

    /// What discovery needs to know.
    pub fn places(&self, env: Arc<BTreeMap<String, String>>, project: Option<&Path>) -> Places {
        Places {
            os: self.os,
            home: self.home.clone(),
            system_root: self.system_root.clone(),
            env,
            project: project.map(Path::to_owned),
        }
    }

    /// The path as a person reads it, with `~`.
    pub fn display(&self, path: &Path) -> String {
        jackfield_config::places::display_path(&self.home, path)
    }
}

fn xdg(var: &dyn Fn(&str) -> Option<PathBuf>, name: &str, home: &Path, fallback: &str) -> PathBuf {
    // A relative value is invalid by the XDG base directory specification and ignored.
    var(name).filter(|path| path.is_absolute()).unwrap_or_else(|| home.join(fallback)).join("jackfield")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(os: Os, vars: &[(&str, &str)]) -> Result<Paths, NoHome> {
        Paths::on(os, &vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
    }

    #[test]
    fn xdg_folders_and_their_defaults() {
        let paths =
            on(Os::Linux, &[("HOME", "/h"), ("XDG_CACHE_HOME", "/c"), ("XDG_STATE_HOME", "relative")])
                .unwrap();
        assert_eq!(paths.config, Path::new("/h/.config/jackfield"));
        assert_eq!(paths.cache, Path::new("/c/jackfield"));
        assert_eq!(paths.state, Path::new("/h/.local/state/jackfield"), "a relative value does not count");
    }

    #[test]
    fn our_own_variables_come_first_and_move_only_what_they_name() {
        let paths = on(
            Os::Linux,
            &[
                ("HOME", "/h"),
                ("JACKFIELD_HOME", "/other"),
                ("JACKFIELD_STATE_DIR", "/s"),
                ("JACKFIELD_SYSTEM_ROOT", "/root"),
            ],
        )
        .unwrap();
        assert_eq!(paths.home, Path::new("/other"));
        assert_eq!(paths.config, Path::new("/h/.config/jackfield"));
        assert_eq!(paths.state, Path::new("/s"));
        assert_eq!(paths.system_root, Path::new("/root"));
    }

    #[test]
    fn no_home_is_an_error() {
        assert_eq!(on(Os::Linux, &[("HOME", "")]).unwrap_err(), NoHome);
    }
}
