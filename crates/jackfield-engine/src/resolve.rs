//! From a definition to what is really run or sent: variables, commands and files evaluated, at connect time only.

pub mod command;
mod env_file;
pub mod evaluate;
mod run;
pub mod shell_env;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt, join_all};
use jackfield_config::value::{self, Role, ValueKind, ValueRules, VariableSyntax};
use jackfield_config::{Definition, HttpProtocol, Piece, Transport, ValueExpr, mask};

use crate::server::Resolve;
use crate::status::{Failure, FailureKind, LeftOut};
use crate::transport::Guard;
use command::Commands;
use evaluate::{Context, Evaluated, Extent};
use shell_env::BaseEnv;

/// For spawn and handshake together, where the definition does not say.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Longest file of variables, in bytes.
const ENV_FILE_LIMIT: u64 = 1024 * 1024;

/// Text that must not be shown. No `Display`, no `Serialize`; `Debug` prints dots.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: String) -> Secret {
        Secret(value)
    }

    /// The value, for the one who sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("••••••••")
    }
}

/// A definition, ready to connect.
#[derive(Debug, Clone)]
pub struct ResolvedServer {
    pub transport: ResolvedTransport,
    /// For spawn and handshake together.
    pub timeout: Duration,
    pub left_out: Vec<LeftOut>,
    /// Values that log lines must not show.
    pub secrets: Vec<Secret>,
}

/// How to reach it, with every value in place.
#[derive(Debug, Clone)]
pub enum ResolvedTransport {
    Stdio {
        /// As written; looked up on the `PATH` of `env` by the transport.
        command: String,
        args: Vec<String>,
        /// The whole environment of the child; nothing is inherited beside it.
        env: Arc<BTreeMap<String, Secret>>,
        cwd: PathBuf,
    },
    Http {
        url: String,
        headers: Vec<(String, Secret)>,
        protocol: HttpProtocol,
    },
}

/// Evaluates definitions. Owns the outputs of their commands and the environment they see.
#[derive(Debug)]
pub struct Resolver {
    pub env: BaseEnv,
    home: PathBuf,
    commands: Arc<Commands>,
    project: RwLock<Option<PathBuf>>,
    everywhere: AtomicBool,
}

impl Resolver {
    pub fn new(env: BaseEnv, home: PathBuf, guard: Option<Guard>) -> Resolver {
        Resolver {
            env,
            home,
            commands: Arc::new(Commands::new(guard)),
            project: RwLock::new(None),
            everywhere: AtomicBool::new(false),
        }
    }

    /// From now on `${workspaceFolder}` and default working directories mean this project.
    pub fn set_project(&self, project: Option<PathBuf>) {
        *self.project.write().unwrap_or_else(PoisonError::into_inner) = project;
    }

    /// The setting `resolve_everywhere`: xcsh's rules for values hold in every host's files.
    pub fn set_everywhere(&self, on: bool) {
        self.everywhere.store(on, Ordering::Relaxed);
    }

    /// Drop the outputs of a server's commands, so that they run again.
    pub fn forget(&self, definition: &Definition) {
        self.commands.forget(&definition.id);
    }

    /// What would be sent, as far as it is known without running a command or opening a file.
    pub fn describe(&self, definition: &Definition) -> Vec<evaluate::SentValue> {
        let env = self.env.known();
        let project = self.project_of(definition);
        let context = self.context(&env, project.as_deref());
        let known = |command: &str| self.commands.known(&definition.id, command);
        evaluate::describe(&self.in_force(definition), &context, &known)
    }

    /// As [`Resolver::describe`], field by field.
    pub fn describe_fields(&self, definition: &Definition) -> Vec<evaluate::SentValue> {
        let env = self.env.known();
        let project = self.project_of(definition);
        let context = self.context(&env, project.as_deref());
        let known = |command: &str| self.commands.known(&definition.id, command);
        evaluate::describe_fields(&self.in_force(definition), &context, &known)
    }

    fn context<'a>(&'a self, env: &'a BTreeMap<String, String>, project: Option<&'a Path>) -> Context<'a> {
        Context { env, home: &self.home, project }
    }

    fn project_of(&self, definition: &Definition) -> Option<PathBuf> {
        definition
            .source
            .project
            .as_deref()
            .cloned()
            .or_else(|| self.project.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// The definition with the rules that are in force for its values.
    fn in_force<'a>(&self, definition: &'a Definition) -> Cow<'a, Definition> {
        if !self.everywhere.load(Ordering::Relaxed) || definition.source.host.values == ValueRules::Xcsh {
            return Cow::Borrowed(definition);
        }
        let mut own = definition.clone();
        let again = |expr: &mut ValueExpr, role| {
            // What the host itself evaluates stays the host's.
            if expr.kind == ValueKind::Literal {
                *expr = value::parse(&expr.raw, VariableSyntax::Braces, ValueRules::Xcsh, role);
            }
        };
        match &mut own.transport {
            Transport::Stdio { command, args, env, cwd } => {
                std::iter::once(command).chain(args).chain(cwd).for_each(|expr| again(expr, Role::Other));
                env.iter_mut().for_each(|(_, expr)| again(expr, Role::Env));
            }
            Transport::Http { url, headers, .. } => {
                again(url, Role::Other);
                headers.iter_mut().for_each(|(_, expr)| again(expr, Role::Header));
            }
            Transport::Unknown => {}
        }
        Cow::Owned(own)
    }

    async fn resolve_now(&self, definition: &Definition) -> Result<ResolvedServer, Failure> {
        let definition = &*self.in_force(definition);
        let env = self.env.get().await;
        let project = self.project_of(definition);
        let context = self.context(&env, project.as_deref());
        let folder = project.clone().unwrap_or_else(|| self.home.clone());
        let mut left_out = Vec::new();
        let mut secrets = Vec::new();
        if let Some(credential) = definition.auth.as_ref().and_then(|auth| auth.credential_id.as_ref()) {
            // Tried without, as the server may let us in all the same.
            let why = format!("no credential `{credential}` is stored");
            left_out.push(LeftOut { name: "auth".to_owned(), why, foreseen: false });
        }
        let transport = match &definition.transport {
            Transport::Stdio { command, args, env: own, cwd } => {
                let mut child: BTreeMap<String, Secret> =
                    env.iter().map(|(name, value)| (name.clone(), Secret::new(value.clone()))).collect();
                if let Some(file) = &definition.env_file {
                    match read_env_file(file, &context, &folder) {
                        Ok(pairs) => {
                            for (name, value) in pairs {
                                let value = Secret::new(value);
                                // Who keeps variables in a file of their own mostly does so for their secrets.
                                secrets.push(value.clone());
                                child.insert(name, value);
                            }
                        }
                        Err(why) => {
                            left_out.push(LeftOut { name: "envFile".to_owned(), why, foreseen: false })
                        }
                    }
                }
                for (name, value) in self.map(definition, own, &context, &env, &folder).await {
                    match value {
                        Sent::Value(value, secret) => {
                            if secret {
                                secrets.push(value.clone());
                            }
                            child.insert(name, value);
                        }
                        Sent::LeftOut { why, foreseen } => left_out.push(LeftOut { name, why, foreseen }),
                        Sent::Removed => {
                            child.remove(&name);
                        }
                    }
                }
                let text = |expr: &ValueExpr| context.evaluate(expr, Extent::Connect).text_or_raw(expr);
                let cwd = match cwd {
                    Some(cwd) => folder.join(text(cwd)),
                    None => folder.clone(),
                };
                let args: Vec<String> = args.iter().map(text).collect();
                secrets.extend(secret_args(&args));
                ResolvedTransport::Stdio { command: text(command), args, env: Arc::new(child), cwd }
            }
            Transport::Http { url, headers, protocol } => {
                let url = context.evaluate(url, Extent::Connect);
                if let Some(why) = url.why_unusable() {
                    return Err(config_failure(why, "Set the variable, or write the value into the file."));
                }
                let url = url.text.unwrap_or_default();
                if let Err(error) = url::Url::parse(&url) {
                    return Err(config_failure(format!("The url cannot be used: {error}"), ""));
                }
                let mut sent = Vec::with_capacity(headers.len());
                for (name, value) in self.map(definition, headers, &context, &env, &folder).await {
                    match value {
                        Sent::Value(value, secret) => {
                            if secret {
                                secrets.push(value.clone());
                                // The token alone appears in messages more often than the whole header.
                                secrets.extend(
                                    value.expose().split_once(' ').map(|(_, t)| Secret::new(t.to_owned())),
                                );
                            }
                            sent.push((name, value));
                        }
                        Sent::LeftOut { why, foreseen } => left_out.push(LeftOut { name, why, foreseen }),
                        Sent::Removed => {}
                    }
                }
                if let Some(helper) = &definition.headers_helper {
                    match self.helper(definition, helper, &env, &folder).await {
                        Ok(more) => {
                            for (name, value) in more {
                                secrets.push(value.clone());
                                sent.retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
                                sent.push((name, value));
                            }
                        }
                        Err(why) => {
                            left_out.push(LeftOut { name: "headersHelper".to_owned(), why, foreseen: false })
                        }
                    }
                }
                ResolvedTransport::Http { url, headers: sent, protocol: *protocol }
            }
            Transport::Unknown => return Err(config_failure(definition.problems.join("; "), "")),
        };
        Ok(ResolvedServer {
            transport,
            timeout: definition.timeout.unwrap_or(DEFAULT_TIMEOUT),
            left_out,
            secrets,
        })
    }

    /// The headers that a `headersHelper` prints, as a JSON object of strings.
    async fn helper(
        &self,
        definition: &Definition,
        helper: &str,
        env: &Arc<BTreeMap<String, String>>,
        folder: &Path,
    ) -> Result<Vec<(String, Secret)>, String> {
        let printed = self.commands.run(&definition.id, helper, env, folder).await;
        let printed =
            printed.map_err(|error| format!("the command `{}` {error}", mask::text(helper, &[])))?;
        let headers: BTreeMap<String, String> = serde_json::from_str(printed.expose()).map_err(|_| {
            format!("the command `{}` did not print a JSON object of strings", mask::text(helper, &[]))
        })?;
        Ok(headers.into_iter().map(|(name, value)| (name, Secret::new(value))).collect())
    }

    /// The env or header map, evaluated; commands run at the same time.
    async fn map(
        &self,
        definition: &Definition,
        map: &[(String, ValueExpr)],
        context: &Context<'_>,
        env: &Arc<BTreeMap<String, String>>,
        folder: &Path,
    ) -> Vec<(String, Sent)> {
        join_all(map.iter().map(|(name, expr)| async move {
            if let ValueKind::Command(command) = &expr.kind {
                let sent = match self.commands.run(&definition.id, command, env, folder).await {
                    Ok(value) => Sent::Value(value, true),
                    Err(error) => {
                        let why = format!("the command `{}` {error}", mask::text(command, &[]));
                        Sent::LeftOut { why, foreseen: false }
                    }
                };
                return (name.clone(), sent);
            }
            if expr.runs() {
                let sent = match self.with_outputs(definition, expr, env, folder).await {
                    Ok(expr) => Sent::of(name, &expr, context.evaluate(&expr, Extent::Connect)).masked(),
                    Err(why) => Sent::LeftOut { why, foreseen: false },
                };
                return (name.clone(), sent);
            }
            (name.clone(), Sent::of(name, expr, context.evaluate(expr, Extent::Connect)))
        }))
        .await
    }
}

impl Resolver {
    /// The value with each `$(command)` in it replaced by what the command printed.
    async fn with_outputs(
        &self,
        definition: &Definition,
        expr: &ValueExpr,
        env: &Arc<BTreeMap<String, String>>,
        folder: &Path,
    ) -> Result<ValueExpr, String> {
        let mut expr = expr.clone();
        if let ValueKind::Template(pieces) = &mut expr.kind {
            for piece in pieces {
                if let Piece::Command { command, written } = piece {
                    let printed = self.commands.run(&definition.id, command, env, folder).await;
                    let printed = printed
                        .map_err(|error| format!("the command `{}` {error}", mask::text(command, &[])))?;
                    let written = written.clone();
                    *piece = Piece::Known { value: printed.expose().to_owned(), written };
                }
            }
        }
        Ok(expr)
    }
}

impl Resolve for Resolver {
    fn resolve(
        &self,
        definition: &Arc<Definition>,
        fresh: bool,
    ) -> BoxFuture<'_, Result<ResolvedServer, Failure>> {
        let definition = definition.clone();
        async move {
            if fresh {
                self.forget(&definition);
            }
            self.resolve_now(&definition).await
        }
        .boxed()
    }
}

/// What becomes of one entry of an env or header map.
enum Sent {
    /// The value, and whether it must be masked.
    Value(Secret, bool),
    LeftOut {
        why: String,
        foreseen: bool,
    },
    Removed,
}

impl Sent {
    /// What came out of a command is a secret.
    fn masked(self) -> Sent {
        match self {
            Sent::Value(value, _) => Sent::Value(value, true),
            Sent::LeftOut { .. } | Sent::Removed => self,
        }
    }

    fn of(name: &str, expr: &ValueExpr, value: Evaluated) -> Sent {
        if matches!(expr.kind, ValueKind::Remove) {
            return Sent::Removed;
        }
        if let Some(why) = value.why_unusable() {
            return Sent::LeftOut { why, foreseen: true };
        }
        let text = value.text.unwrap_or_default();
        let secret = !text.is_empty() && (mask::is_secret_key(name) || mask::looks_secret(&text));
        Sent::Value(Secret::new(text), secret)
    }
}

fn read_env_file(
    file: &ValueExpr,
    context: &Context<'_>,
    folder: &Path,
) -> Result<Vec<(String, String)>, String> {
    let path = context.evaluate(file, Extent::Connect);
    if let Some(why) = path.why_unusable() {
        return Err(why);
    }
    let path = folder.join(path.text.unwrap_or_default());
    let bytes = crate::fs::read_bounded(&path, ENV_FILE_LIMIT).map_err(|error| error.to_string())?;
    Ok(env_file::parse(&String::from_utf8_lossy(&bytes)))
}

/// Arguments that masking hides, so that a server's log lines hide them too.
fn secret_args(args: &[String]) -> Vec<Secret> {
    let masked = mask::args(args);
    args.iter()
        .zip(masked)
        .filter(|(arg, masked)| *arg != masked)
        .map(|(arg, _)| {
            let value = arg.split_once(['=', ':']).map_or(arg.as_str(), |(_, value)| value.trim());
            Secret::new(value.strip_prefix("Bearer ").unwrap_or(value).to_owned())
        })
        .filter(|secret| secret.expose().len() >= 8)
        .collect()
}

fn config_failure(message: impl Into<String>, hint: &str) -> Failure {
    Failure {
        kind: FailureKind::Config,
        message: message.into(),
        hint: hint.to_owned(),
        stderr_tail: Vec::new(),
    }
}
