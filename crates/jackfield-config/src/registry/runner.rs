//! Which program runs a package, and with which words. Words, never a line for a shell.

use std::collections::BTreeSet;

use super::server_json::Package;
use super::slot::{Place, Resolved, Slot};

/// A program that fetches a package and runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    Npx,
    Bunx,
    Uvx,
    Docker,
    Podman,
    Dnx,
}

/// A word of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) secret: bool,
}

impl Word {
    fn plain(text: impl Into<String>) -> Word {
        Word { text: text.into(), secret: false }
    }
}

/// The host of an address without its last part: what a registry is known by.
fn site(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok().filter(|url| url.scheme() == "https" && url.port().is_none())?;
    Some(url.host_str()?.rsplit_once('.')?.0.to_owned())
}

impl Runner {
    pub(super) fn program(self) -> &'static str {
        match self {
            Runner::Npx => "npx",
            Runner::Bunx => "bunx",
            Runner::Uvx => "uvx",
            Runner::Docker => "docker",
            Runner::Podman => "podman",
            Runner::Dnx => "dnx",
        }
    }

    pub(super) fn label(self) -> String {
        let what = match self {
            Runner::Npx | Runner::Bunx => "npm package",
            Runner::Uvx => "Python package",
            Runner::Docker | Runner::Podman => "Docker image",
            Runner::Dnx => "NuGet package",
        };
        format!("{what}, run with {}", self.program())
    }

    /// What runs this package.
    ///
    /// # Errors
    /// Why nothing that we know does, as a sentence.
    pub(super) fn of(package: &Package) -> Result<Runner, String> {
        let hint = package.runtime_hint.as_deref();
        let runner = match (package.registry_type.as_str(), hint) {
            ("npm", Some("bunx")) => Runner::Bunx,
            ("npm", _) => Runner::Npx,
            ("pypi", _) => Runner::Uvx,
            ("oci" | "docker", Some("podman")) => Runner::Podman,
            ("oci" | "docker", _) => Runner::Docker,
            ("nuget", _) => Runner::Dnx,
            ("mcpb", _) => {
                return Err(
                    "It is a bundle (MCPB), which an application installs and keeps itself. No configuration file can name it".to_owned(),
                );
            }
            ("cargo", _) => {
                return Err(format!(
                    "It is a Rust program, and nothing runs one without installing it. Run `cargo install {}`, then add the server by its command",
                    package.identifier
                ));
            }
            (other, _) => return Err(format!("Packages of the kind `{other}` are not known")),
        };
        // Arguments for one runtime mean something else to another, or nothing.
        match hint {
            Some(hint) if hint != runner.program() && !package.runtime_arguments.is_empty() => Err(format!(
                "It wants to be run by `{hint}` with arguments for it, and only `{}` is known to run it",
                runner.program()
            )),
            Some(_) | None => {
                runner.check(package)?;
                Ok(runner)
            }
        }
    }

    /// The names come from strangers: nothing in them may be taken for an option, a path or a url.
    fn check(self, package: &Package) -> Result<(), String> {
        let name = package.identifier.as_str();
        let marks = match self {
            Runner::Npx | Runner::Bunx => "@/._-~",
            Runner::Uvx => "._-[],",
            Runner::Docker | Runner::Podman => "/._-:@",
            Runner::Dnx => "._-",
        };
        let begins = |text: &str, marks: &str| {
            text.starts_with(|c: char| c.is_ascii_alphanumeric() || marks.contains(c))
        };
        let slashes = name.matches('/').count();
        let scoped = name.starts_with('@') && slashes == 1;
        let right = match self {
            Runner::Npx | Runner::Bunx => {
                (scoped || (begins(name, "_~") && slashes == 0))
                    && !name.trim_start_matches('@').contains('@')
            }
            Runner::Uvx | Runner::Docker | Runner::Podman | Runner::Dnx => begins(name, ""),
        };
        if !right || !name.chars().all(|c| c.is_ascii_alphanumeric() || marks.contains(c)) {
            return Err(format!("`{name}` is not a name of a package"));
        }
        if let Some(version) = self.version(package) {
            let fine = begins(version, "")
                && version.chars().all(|c| c.is_ascii_alphanumeric() || "._-+!:".contains(c));
            if !fine {
                return Err(format!("`{version}` is not an exact version"));
            }
        }
        self.registry(package).map(drop)
    }

    fn version(self, package: &Package) -> Option<&str> {
        package.version.as_deref().filter(|version| *version != "latest")
    }

    /// The package in the exact version, as the program takes it.
    pub(super) fn package(self, package: &Package) -> String {
        let name = &package.identifier;
        match (self, self.version(package)) {
            (Runner::Docker | Runner::Podman, version) => image(package, version),
            (_, None) => name.clone(),
            (Runner::Uvx, Some(version)) => format!("{name}=={version}"),
            (Runner::Npx | Runner::Bunx | Runner::Dnx, Some(version)) => format!("{name}@{version}"),
        }
    }

    /// Words that name a registry other than the usual one.
    fn registry(self, package: &Package) -> Result<Vec<Word>, String> {
        let Some(base) = package.registry_base_url.as_deref().map(|base| base.trim_end_matches('/')) else {
            return Ok(Vec::new());
        };
        // Where the program looks by itself, or through the mirror that the user has set for it.
        let usual: &[&str] = match self {
            Runner::Npx | Runner::Bunx => &["registry.npmjs"],
            Runner::Uvx => &["pypi"],
            // The registry is part of the name of an image.
            Runner::Docker | Runner::Podman => return Ok(Vec::new()),
            Runner::Dnx => &["api.nuget", "www.nuget"],
        };
        if site(base).is_some_and(|site| usual.contains(&site.as_str())) {
            return Ok(Vec::new());
        }
        match self {
            Runner::Npx if base.starts_with("https://") && !base.contains(char::is_whitespace) => {
                Ok(vec![Word::plain(format!("--registry={base}"))])
            }
            Runner::Npx | Runner::Bunx | Runner::Uvx | Runner::Docker | Runner::Podman | Runner::Dnx => Err(
                format!("It comes from `{base}`, and `{}` is not known to fetch from there", self.program()),
            ),
        }
    }

    /// The words after the program. `env` has the names of the variables that the server gets.
    pub(super) fn words(
        self,
        package: &Package,
        runtime: Vec<Word>,
        arguments: Vec<Word>,
        env: &[String],
    ) -> Vec<Word> {
        let name = self.package(package);
        let runtime = without(runtime, &[&name, &package.identifier]);
        let has = |words: &[&str]| runtime.iter().any(|word| words.contains(&word.text.as_str()));
        let registry = self.registry(package).unwrap_or_default();
        let mut all: Vec<Word> = Vec::new();
        match self {
            Runner::Npx => {
                // Nobody is there to answer whether it may be installed.
                if !has(&["-y", "--yes"]) {
                    all.push(Word::plain("-y"));
                }
                all.extend(registry);
                all.extend(runtime);
                all.push(Word::plain(name));
            }
            Runner::Bunx | Runner::Uvx => {
                all.extend(runtime);
                all.push(Word::plain(name));
            }
            Runner::Docker | Runner::Podman => {
                all.push(Word::plain("run"));
                if !has(&["-i", "--interactive", "-it", "-ti"]) {
                    all.push(Word::plain("-i"));
                }
                if !has(&["--rm"]) {
                    all.push(Word::plain("--rm"));
                }
                // By name only: the value comes through the environment, where nobody sees it in a list of processes.
                let passed: BTreeSet<&str> = runtime
                    .windows(2)
                    .filter(|pair| ["-e", "--env"].contains(&pair[0].text.as_str()))
                    .filter_map(|pair| pair[1].text.split('=').next())
                    .collect();
                let env: Vec<&String> = env.iter().filter(|name| !passed.contains(name.as_str())).collect();
                // Publishers tend to write down the whole command.
                let from = usize::from(runtime.first().is_some_and(|word| word.text == "run"));
                all.extend(runtime.into_iter().skip(from));
                for name in env {
                    all.extend([Word::plain("-e"), Word::plain(name.clone())]);
                }
                all.push(Word::plain(name));
            }
            Runner::Dnx => {
                let yes = has(&["--yes", "-y"]);
                all.extend(runtime);
                all.push(Word::plain(name));
                if !yes {
                    all.push(Word::plain("--yes"));
                }
                if !arguments.is_empty() {
                    all.push(Word::plain("--"));
                }
            }
        }
        all.extend(arguments);
        all
    }
}

/// Without the package's own name, which some publishers repeat among the arguments before it. After an option it stays:
/// there it is the option's value.
fn without(words: Vec<Word>, names: &[&String]) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::new();
    for word in words {
        let after_option = kept.last().is_some_and(|last| {
            last.text.starts_with('-') && !["-y", "--yes", "-i", "--rm"].contains(&last.text.as_str())
        });
        if after_option || !names.contains(&&word.text) {
            kept.push(word);
        }
    }
    kept
}

/// An image with its registry and its tag, each added only where the name has none.
fn image(package: &Package, version: Option<&str>) -> String {
    let mut name = package.identifier.clone();
    let base = package.registry_base_url.as_deref().unwrap_or_default();
    let host = base.split("://").nth(1).unwrap_or_default().split('/').next().unwrap_or_default();
    let first = name.split('/').next().unwrap_or_default();
    let has_host = name.contains('/') && (first.contains(['.', ':']) || first == "localhost");
    if !has_host && !matches!(host, "" | "docker.io" | "hub.docker.com" | "index.docker.io") {
        name = format!("{host}/{name}");
    }
    let last = name.rsplit('/').next().unwrap_or_default();
    match version {
        Some(version) if !last.contains([':', '@']) => {
            // A digest is a version too, and the most exact one.
            let mark = if version.starts_with("sha256:") { '@' } else { ':' };
            format!("{name}{mark}{version}")
        }
        Some(_) | None => name,
    }
}

/// The words of an argument. A flag and its value are two words: that is how the publishers' own tools write them.
pub(super) fn argument(slot: &Slot<'_>, resolved: Resolved) -> Vec<Word> {
    let Resolved { values, secret } = resolved;
    let word = |text: String| Word { text, secret };
    let mut words = Vec::new();
    for value in values {
        match slot.place {
            Place::Named(flag) if slot.is_switch() => match value.as_str() {
                "false" if slot.is_on_by_default() => words.push(Word::plain(format!("{flag}=false"))),
                "false" => {}
                _ => words.push(Word::plain(flag)),
            },
            Place::Named(flag) if value.is_empty() => words.push(Word::plain(flag)),
            Place::Named(flag) if flag.ends_with('=') => words.push(word(format!("{flag}{value}"))),
            Place::Named(flag) => words.extend([Word::plain(flag), word(value)]),
            Place::Positional | Place::Env(_) | Place::Header(_) | Place::Url => words.push(word(value)),
        }
    }
    words
}

/// `-e TOKEN=secret` as variable and value: it is passed by name, like the other variables of a container.
pub(super) fn secret_variable(slot: &Slot<'_>, word: &Word) -> Option<(String, String)> {
    let of_env = matches!(slot.place, Place::Named("-e" | "--env"));
    let (name, value) = word.text.split_once('=').filter(|_| of_env && word.secret)?;
    (!name.is_empty()).then(|| (name.to_owned(), value.to_owned()))
}
