//! Where things are, and how programs are started.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An error is a sentence for the developer.
pub(crate) type Res<T> = Result<T, String>;

pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    /// Whether anything may be installed.
    pub(crate) install: bool,
    /// `PATH` for what we start: with our own Node.js in front, if we brought one.
    path: OsString,
}

impl Workspace {
    pub(crate) fn new(install: bool) -> Res<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.ancestors().nth(2).ok_or("xtask is not in crates/xtask")?.to_path_buf();
        // Relative to where cargo was called, as for cargo itself.
        let target = env::var_os("CARGO_TARGET_DIR").map(std::path::absolute).transpose().map_err(text)?;
        let target = target.unwrap_or_else(|| root.join("target"));
        Ok(Self { root, target, install, path: env::var_os("PATH").unwrap_or_default() })
    }

    pub(crate) fn put_on_path(&mut self, folder: &Path) -> Res<()> {
        let folders = std::iter::once(folder.to_path_buf()).chain(env::split_paths(&self.path));
        self.path = env::join_paths(folders).map_err(text)?;
        Ok(())
    }

    /// The first of these programs that is on the `PATH`.
    pub(crate) fn find(&self, programs: &[&str]) -> Option<PathBuf> {
        let folders: Vec<PathBuf> = env::split_paths(&self.path).collect();
        let named = |program: &&str| {
            let file = format!("{program}{}", env::consts::EXE_SUFFIX);
            folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file())
        };
        programs.iter().find_map(named)
    }

    /// A program, to be run in the workspace's root.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env("PATH", &self.path);
        command
    }

    pub(crate) fn cargo(&self, args: &[&str]) -> Command {
        let mut command = self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(args);
        // Cargo's own, for this crate; a build script that looks at it would run again for nothing.
        command.env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_MANIFEST_PATH");
        command
    }

    pub(crate) fn npm(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = self.command(if cfg!(windows) { "npm.cmd" } else { "npm" });
        command.arg("--prefix").arg(folder).args(args);
        command
    }

    /// A program that we built.
    pub(crate) fn built(&self, program: &str) -> PathBuf {
        self.target.join("debug").join(format!("{program}{}", env::consts::EXE_SUFFIX))
    }

    /// Runs it with its output passed through.
    pub(crate) fn run(&self, command: &mut Command) -> Res<()> {
        let line = shown(command);
        eprintln!("+ {line}");
        let status = command.status().map_err(|error| format!("cannot start `{line}`: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("`{line}`: {status}")) }
    }

    /// What it prints, if it succeeds.
    pub(crate) fn output(&self, program: &str, args: &[&str]) -> Option<String> {
        let output =
            self.command(program).args(args).stderr(Stdio::null()).stdin(Stdio::null()).output().ok()?;
        if output.status.success() { String::from_utf8(output.stdout).ok() } else { None }
    }
}

/// A command as one would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words = words.map(|word| {
        let word = word.to_string_lossy();
        if word.is_empty() || word.contains(char::is_whitespace) {
            format!("'{word}'")
        } else {
            word.into_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// For the error of a file operation.
pub(crate) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}
