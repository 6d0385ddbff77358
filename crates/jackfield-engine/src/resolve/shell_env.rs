//! The environment that servers get: the process's own laid over the login shell's.
//!
//! A program started from a dock or a service has a poor PATH; the login shell knows where `npx`, `uvx` and the
//! version managers are. A process that was started from a shell already has that environment, so nothing is asked.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;

use super::run::{self, Run};
use crate::transport::Guard;

/// How long the login shell may take to start and print its environment.
const SHELL_LIMIT: Duration = Duration::from_secs(5);
/// What brackets the environment in the shell's output; start-up files print what they like around it.
const MARK: &str = "__jackfield_environment__";
/// Variables of the shell that asked, which mean nothing to a server.
const NOT_INHERITED: &[&str] = &["_", "SHLVL", "PWD", "OLDPWD"];

/// The environment for servers and commands, worked out on first use and then shared.
#[derive(Debug)]
pub struct BaseEnv {
    process: Arc<BTreeMap<String, String>>,
    ask_shell: bool,
    guard: Option<Guard>,
    merged: OnceCell<Arc<BTreeMap<String, String>>>,
}

impl BaseEnv {
    /// `process` is the environment this program was started with. The login shell is asked only if `allowed` and the
    /// process was not started from a shell itself.
    pub fn new(process: Arc<BTreeMap<String, String>>, allowed: bool, guard: Option<Guard>) -> BaseEnv {
        let from_shell = process.get("SHLVL").is_some_and(|level| !level.is_empty());
        let ask_shell = allowed && cfg!(unix) && !from_shell;
        BaseEnv { process, ask_shell, guard, merged: OnceCell::new() }
    }

    /// The merged environment; waits for the login shell, at most [`SHELL_LIMIT`], the first time.
    pub async fn get(&self) -> Arc<BTreeMap<String, String>> {
        self.merged
            .get_or_init(|| async {
                let shell = if self.ask_shell {
                    login_shell(&self.process, self.guard.as_ref()).await
                } else {
                    BTreeMap::new()
                };
                Arc::new(merge(&self.process, shell))
            })
            .await
            .clone()
    }

    /// What is known right now, without waiting: for showing values.
    pub fn known(&self) -> Arc<BTreeMap<String, String>> {
        self.merged.get().cloned().unwrap_or_else(|| Arc::new(merge(&self.process, BTreeMap::new())))
    }
}

/// The process's variables win; PATH is the process's entries and then those that only the shell has.
fn merge(process: &BTreeMap<String, String>, shell: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let path = join_paths(process.get("PATH"), shell.get("PATH"));
    let mut all = shell;
    for name in NOT_INHERITED {
        all.remove(*name);
    }
    all.extend(process.iter().map(|(name, value)| (name.clone(), value.clone())));
    if let Some(path) = path {
        all.insert("PATH".to_owned(), path);
    }
    all.retain(|name, _| !name.starts_with("JACKFIELD_"));
    all
}

fn join_paths(first: Option<&String>, second: Option<&String>) -> Option<String> {
    let mut seen = Vec::new();
    for path in [first, second].into_iter().flatten() {
        for entry in std::env::split_paths(path) {
            if !entry.as_os_str().is_empty() && !seen.contains(&entry) {
                seen.push(entry);
            }
        }
    }
    if seen.is_empty() {
        return first.or(second).cloned();
    }
    std::env::join_paths(seen).ok().and_then(|path: OsString| path.into_string().ok())
}

async fn login_shell(process: &BTreeMap<String, String>, guard: Option<&Guard>) -> BTreeMap<String, String> {
    let shell = process.get("SHELL").filter(|shell| !shell.is_empty()).map_or("/bin/sh", String::as_str);
    let script = format!("printf %s {MARK}; env -0; printf %s {MARK}");
    let args = ["-i", "-l", "-c", &script];
    let run = Run { program: shell, args: &args, env: process, cwd: None, guard, limit: SHELL_LIMIT };
    match run::run(run).await {
        Ok(ran) => parse(&String::from_utf8_lossy(&ran.stdout)),
        Err(error) => {
            tracing::warn!(shell, %error, "the login shell did not tell its environment");
            BTreeMap::new()
        }
    }
}

fn parse(output: &str) -> BTreeMap<String, String> {
    let Some((_, rest)) = output.split_once(MARK) else { return BTreeMap::new() };
    let Some((body, _)) = rest.rsplit_once(MARK) else { return BTreeMap::new() };
    body.split('\0')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(vars: &[(&str, &str)]) -> BTreeMap<String, String> {
        vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn process_wins_but_path_is_joined() {
        let merged = merge(
            &map(&[("PATH", "/usr/bin:/bin"), ("LANG", "de"), ("JACKFIELD_HOME", "/x")]),
            map(&[("PATH", "/opt/node/bin:/usr/bin"), ("LANG", "en"), ("NVM_DIR", "/nvm"), ("SHLVL", "1")]),
        );
        assert_eq!(
            merged,
            map(&[("PATH", "/usr/bin:/bin:/opt/node/bin"), ("LANG", "de"), ("NVM_DIR", "/nvm")])
        );
    }

    #[test]
    fn what_start_up_files_print_is_no_variable() {
        let out = format!("Welcome A=B\n{MARK}X=1\0Y=a=b\nc\0{MARK}bye Z=1");
        assert_eq!(parse(&out), map(&[("X", "1"), ("Y", "a=b\nc")]));
        assert!(parse("no mark").is_empty());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_login_shell_is_asked_only_by_who_was_not_started_from_one() {
        let dir = tempfile::tempdir().unwrap();
        crate::fs::write_for_test(
            &dir.path().join(".profile"),
            "PATH=/opt/only-in-login:$PATH\nexport PATH\n",
        );
        let home = dir.path().to_str().unwrap();
        let process = Arc::new(map(&[("PATH", "/usr/bin:/bin"), ("SHELL", "/bin/sh"), ("HOME", home)]));
        let env = BaseEnv::new(process.clone(), true, None).get().await;
        let path: Vec<&str> = env["PATH"].split(':').collect();
        assert_eq!(path[..2], ["/usr/bin", "/bin"]);
        assert!(path.contains(&"/opt/only-in-login"), "{path:?}");
        let mut from_shell = (*process).clone();
        from_shell.insert("SHLVL".into(), "1".into());
        let env = BaseEnv::new(Arc::new(from_shell), true, None).get().await;
        assert_eq!(env["PATH"], "/usr/bin:/bin");
    }
}
