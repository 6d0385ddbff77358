//! Servers out of a registry: from their description to a form, and from the filled form to a command or a url.
//!
//! Nothing is asked of a registry here. What a description says is by strangers: it becomes words of a command line that
//! a person sees before anything runs, never a line for a shell, and nothing in it may read this machine's variables.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::definition::HttpProtocol;
use crate::draft::{Draft, DraftTransport};

mod answers;
mod page;
mod runner;
mod server_json;
mod slot;

pub use page::{Listed, ListedStatus, Page, listed, page};
pub use server_json::{Argument, InputFormat, InputSpec, KeyValue, Package, Remote, Repository, ServerJson};

use answers::Answers;
use runner::{Runner, Word};
use slot::{Place, Slot};

/// The registry of the protocol's own project.
pub const OFFICIAL_REGISTRY: &str = "https://registry.modelcontextprotocol.io";

/// One way to use a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// `package.0`, `remote.1`: the same for the same description.
    pub id: String,
    /// "npm package, run with npx"
    pub label: String,
    /// The package in its version, or the url.
    pub detail: String,
    /// Why it cannot be used, as a sentence without a period.
    pub unsupported: Option<String>,
    way: Way,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Way {
    Package(Package),
    Remote(Remote),
}

/// One question of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// `env.TOKEN`, `headers.Authorization.token`, `arguments.0`, `url.tenant`.
    pub id: String,
    pub label: String,
    /// May be empty.
    pub description: String,
    pub required: bool,
    pub secret: bool,
    /// What holds if nothing is answered.
    pub default: Option<String>,
    pub placeholder: Option<String>,
    /// If there are any, the value is one of them.
    pub choices: Vec<String>,
    pub format: InputFormat,
    pub kind: InputKind,
    /// Whether there may be several values, one a line.
    pub repeated: bool,
}

/// Where an answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    Env,
    Header,
    Argument,
    UrlVariable,
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputProblem {
    /// The input's; empty if it is about the whole.
    pub id: String,
    pub message: String,
}

/// A server, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// A suggestion.
    pub name: String,
    pub transport: FilledTransport,
    /// Ids of the inputs that hold a secret.
    pub secrets: Vec<String>,
    /// The same by where it ended up, in the words of a draft's fields: `env.TOKEN`, `headers.X`, `args.3`, `url`.
    pub secret_fields: Vec<String>,
}

/// How the server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilledTransport {
    Stdio { command: String, args: Vec<String>, env: Vec<(String, String)> },
    Http { url: String, headers: Vec<(String, String)>, sse: bool },
}

impl Filled {
    /// As a server to be added.
    pub fn draft(&self) -> Draft {
        let transport = match self.transport.clone() {
            FilledTransport::Stdio { command, args, env } => {
                DraftTransport::Stdio { command, args, env, cwd: None }
            }
            FilledTransport::Http { url, headers, sse } => DraftTransport::Http {
                url,
                headers,
                protocol: if sse { HttpProtocol::Sse } else { HttpProtocol::Streamable },
            },
        };
        Draft { name: self.name.clone(), transport, enabled: true, timeout: None }
    }
}

/// The ways to use a server: first what runs here, then what runs elsewhere, in the order of its author.
pub fn choices(server: &ServerJson) -> Vec<Choice> {
    let packages = server.packages.iter().enumerate().map(|(index, package)| {
        let runner = Runner::of(package);
        let reason = match &runner {
            Ok(_) => not_stdio(package).or_else(|| refused(&package_slots(package))),
            Err(reason) => Some(reason.clone()),
        };
        Choice {
            id: format!("package.{index}"),
            label: runner.as_ref().map_or_else(|_| kind_of(package), |runner| runner.label()),
            detail: runner.map_or_else(|_| package.identifier.clone(), |runner| runner.package(package)),
            unsupported: reason,
            way: Way::Package(package.clone()),
        }
    });
    let remotes = server.remotes.iter().enumerate().map(|(index, remote)| {
        let (kind, known) = match remote.kind.as_str() {
            "streamable-http" | "streamable" | "http" => ("streamable HTTP", true),
            "sse" => ("HTTP with SSE", true),
            other => (other, false),
        };
        let reason = match remote.url {
            _ if !known => Some(format!("The transport `{kind}` is not known")),
            None => Some("It has no url".to_owned()),
            Some(_) => refused(&remote_slots(remote)).or_else(|| not_http(remote)),
        };
        Choice {
            id: format!("remote.{index}"),
            label: format!("Remote, {kind}"),
            detail: remote.url.clone().unwrap_or_default(),
            unsupported: reason,
            way: Way::Remote(remote.clone()),
        }
    });
    packages.chain(remotes).collect()
}

/// What is asked before a choice can be used: nothing, for many.
pub fn form(choice: &Choice) -> Vec<Input> {
    slots(&choice.way).iter().flat_map(Slot::questions).collect()
}

/// Fills in the form: a value for each id, where a missing one means the input's default and an empty one no value.
///
/// # Errors
/// If the choice cannot be used, or answers are missing or not acceptable.
pub fn fill(
    server: &ServerJson,
    choice: &Choice,
    values: &BTreeMap<String, String>,
) -> Result<Filled, Vec<InputProblem>> {
    if let Some(reason) = &choice.unsupported {
        return Err(vec![InputProblem { id: String::new(), message: reason.clone() }]);
    }
    let mut answers = Answers::new(values);
    let (transport, secret_fields) = match &choice.way {
        Way::Package(package) => fill_package(package, &mut answers)?,
        Way::Remote(remote) => fill_remote(remote, &mut answers),
    };
    let secrets = answers.end()?;
    Ok(Filled { name: suggested_name(&server.name), transport, secrets, secret_fields })
}

/// A base url of a registry, or what is wrong with it.
///
/// # Errors
/// A sentence that says what is accepted.
pub fn registry_url(text: &str) -> Result<url::Url, &'static str> {
    const ACCEPTED: &str = "an https url (http for this machine only), without user, query and fragment";
    let url = url::Url::parse(text.trim()).map_err(|_| ACCEPTED)?;
    let here = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    let scheme = url.scheme() == "https" || (url.scheme() == "http" && here);
    let bare = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if scheme && bare { Ok(url) } else { Err(ACCEPTED) }
}

fn fill_package(
    package: &Package,
    answers: &mut Answers<'_>,
) -> Result<(FilledTransport, Vec<String>), Vec<InputProblem>> {
    let whole = |message| vec![InputProblem { id: String::new(), message }];
    let runner = Runner::of(package).map_err(whole)?;
    let (mut runtime, mut arguments, mut env): (Vec<Word>, Vec<Word>, Vec<_>) = Default::default();
    let mut secret_fields = Vec::new();
    for slot in env_slots(package) {
        let resolved = slot.resolve(answers);
        let Place::Env(name) = slot.place else { continue };
        if resolved.secret {
            secret_fields.push(slot.id.clone());
        }
        env.extend(resolved.values.into_iter().map(|value| (name.to_owned(), value)));
    }
    for slot in argument_slots("runtime", &package.runtime_arguments) {
        let resolved = slot.resolve(answers);
        let mut words = runner::argument(&slot, resolved);
        if matches!(runner, Runner::Docker | Runner::Podman) {
            for word in &mut words {
                if let Some((name, value)) = runner::secret_variable(&slot, word) {
                    *word = Word { text: name.clone(), secret: false };
                    secret_fields.push(format!("env.{name}"));
                    env.retain(|(other, _)| *other != name);
                    env.push((name, value));
                }
            }
        }
        runtime.extend(words);
    }
    for slot in argument_slots("arguments", &package.package_arguments) {
        let resolved = slot.resolve(answers);
        arguments.extend(runner::argument(&slot, resolved));
    }
    let names: Vec<String> = env.iter().map(|(name, _)| name.clone()).collect();
    let words = runner.words(package, runtime, arguments, &names);
    let secret_words = words.iter().enumerate().filter(|(_, word)| word.secret);
    secret_fields.extend(secret_words.map(|(index, _)| format!("args.{index}")));
    let args = words.into_iter().map(|word| word.text).collect();
    Ok((FilledTransport::Stdio { command: runner.program().to_owned(), args, env }, secret_fields))
}

fn fill_remote(remote: &Remote, answers: &mut Answers<'_>) -> (FilledTransport, Vec<String>) {
    let (mut url, mut headers, mut secret_fields) = (String::new(), Vec::new(), Vec::new());
    for slot in remote_slots(remote) {
        let resolved = slot.resolve(answers);
        if resolved.secret {
            secret_fields.push(slot.id.clone());
        }
        match slot.place {
            Place::Header(name) => {
                headers.extend(resolved.values.into_iter().map(|value| (name.to_owned(), value)));
            }
            Place::Url => {
                url = resolved.values.concat();
                if !is_http(&url) {
                    let id = slot.questions().into_iter().next().map(|question| question.id);
                    answers.url_problem(&id.unwrap_or_default());
                }
            }
            Place::Env(_) | Place::Positional | Place::Named(_) => {}
        }
    }
    (FilledTransport::Http { url, headers, sse: remote.kind == "sse" }, secret_fields)
}

fn slots(way: &Way) -> Vec<Slot<'_>> {
    match way {
        Way::Package(package) => package_slots(package),
        Way::Remote(remote) => remote_slots(remote),
    }
}

/// In the order in which they are asked.
fn package_slots(package: &Package) -> Vec<Slot<'_>> {
    let mut slots = env_slots(package);
    slots.extend(argument_slots("arguments", &package.package_arguments));
    slots.extend(argument_slots("runtime", &package.runtime_arguments));
    slots
}

fn env_slots(package: &Package) -> Vec<Slot<'_>> {
    first_of_each(&package.environment_variables, str::to_owned).map(Slot::env).collect()
}

fn argument_slots<'a>(list: &str, arguments: &'a [Argument]) -> Vec<Slot<'a>> {
    arguments.iter().enumerate().map(|(index, argument)| Slot::argument(list, index, argument)).collect()
}

fn remote_slots(remote: &Remote) -> Vec<Slot<'_>> {
    let headers = first_of_each(&remote.headers, str::to_ascii_lowercase).map(Slot::header);
    std::iter::once(Slot::url(remote)).chain(headers).collect()
}

/// Without what is named a second time. `key` is the name as it is compared.
fn first_of_each(pairs: &[KeyValue], key: fn(&str) -> String) -> impl Iterator<Item = &KeyValue> {
    let mut seen = BTreeSet::new();
    pairs.iter().filter(move |pair| seen.insert(key(&pair.name)))
}

/// Why what the publisher wrote is not taken.
fn refused(slots: &[Slot<'_>]) -> Option<String> {
    slots.iter().find_map(|slot| {
        let bad_name = match slot.place {
            Place::Env(name) => {
                let bad = |c: char| c == '=' || c.is_whitespace() || c.is_control();
                (name.is_empty() || name.contains(bad)).then_some(name)
            }
            Place::Header(name) => {
                let good = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
                (name.is_empty() || !name.chars().all(good)).then_some(name)
            }
            Place::Positional | Place::Named(_) | Place::Url => None,
        };
        if let Some(name) = bad_name {
            return Some(format!("`{}` cannot be the name of a variable or header", name.escape_default()));
        }
        let text = slot.evaluated()?;
        Some(format!(
            "Its author wrote `{text}` for `{}`, which some applications would replace by something of this machine. Add the server by hand if that is meant",
            slot.id
        ))
    })
}

/// A package that listens on a port has to be started by somebody: no configuration says both command and url.
fn not_stdio(package: &Package) -> Option<String> {
    let transport = package.transport.as_ref().filter(|transport| transport.kind != "stdio")?;
    let url = transport.url.as_deref().unwrap_or("the url that it tells");
    Some(format!(
        "It is a server that listens at `{url}`, and applications start only servers that they speak to by stdio. Start it yourself, then add it by its url"
    ))
}

fn not_http(remote: &Remote) -> Option<String> {
    let url = remote.url.as_deref().unwrap_or_default();
    let fixed = Slot::url(remote).questions().is_empty();
    (fixed && !is_http(url)).then(|| format!("Its url `{}` is not one of the web", url.escape_default()))
}

fn is_http(url: &str) -> bool {
    let plain = !url.contains(|c: char| c.is_whitespace() || c.is_control());
    plain && url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

fn kind_of(package: &Package) -> String {
    match package.registry_type.as_str() {
        "mcpb" => "Bundle (MCPB)".to_owned(),
        "cargo" => "Rust crate".to_owned(),
        "npm" => "npm package".to_owned(),
        "pypi" => "Python package".to_owned(),
        "oci" | "docker" => "Docker image".to_owned(),
        "nuget" => "NuGet package".to_owned(),
        other => format!("Package of the kind `{other}`"),
    }
}

/// `io.github.user/weather-mcp` → `weather`; `com.example/mcp` → `example`.
fn suggested_name(full: &str) -> String {
    let (namespace, own) = full.rsplit_once('/').unwrap_or(("", full));
    let mut name = own;
    for affix in ["mcp-server-", "server-", "mcp-"] {
        name = name.strip_prefix(affix).filter(|rest| !rest.is_empty()).unwrap_or(name);
    }
    for affix in ["-mcp-server", "-server", "-mcp"] {
        name = name.strip_suffix(affix).filter(|rest| !rest.is_empty()).unwrap_or(name);
    }
    if matches!(name, "mcp" | "server" | "") {
        name = namespace.rsplit('.').next().filter(|label| !label.is_empty()).unwrap_or(name);
    }
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "server".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests;
