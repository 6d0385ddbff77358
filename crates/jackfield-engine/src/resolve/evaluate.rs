//! The pure part of resolving: text with variables to text, and what to tell about it.

use std::collections::BTreeMap;
use std::path::Path;

use jackfield_config::value::ValueKind;
use jackfield_config::{Definition, HttpProtocol, Piece, Transport, ValueExpr, mask};

use super::{DEFAULT_TIMEOUT, Secret};

/// Longest file that `{file:path}` brings in, in bytes.
const FILE_LIMIT: u64 = 64 * 1024;

/// What variables are looked up in.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub env: &'a BTreeMap<String, String>,
    pub home: &'a Path,
    pub project: Option<&'a Path>,
}

/// How far evaluation may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// For showing: opens no file.
    Show,
    Connect,
}

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Literal,
    Variable,
    Default,
    Command,
    /// It has no value and is not sent.
    Unset,
}

/// A string, evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// With unresolved forms left as written; `None` where there is no text at all.
    pub text: Option<String>,
    pub origin: Origin,
    /// What could not be resolved.
    pub unset: Vec<Unset>,
    /// The forms that were evaluated, as written.
    pub forms: Vec<String>,
}

/// Why a form in a string has no value. Reads as the reason: "TOKEN is not set".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unset {
    Variable(String),
    /// In words.
    Other(String),
}

impl std::fmt::Display for Unset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unset::Variable(name) => write!(f, "{name} is not set"),
            Unset::Other(why) => f.write_str(why),
        }
    }
}

fn no_project() -> Unset {
    Unset::Other("no project is open".to_owned())
}

fn reasons(unset: &[Unset]) -> String {
    unset.iter().map(Unset::to_string).collect::<Vec<_>>().join(", ")
}

impl Evaluated {
    /// Why an env or header value is left out, or a url refused.
    pub fn why_unusable(&self) -> Option<String> {
        (!self.unset.is_empty()).then(|| reasons(&self.unset))
    }

    /// For command, args and cwd: the literal is passed where a variable is not set.
    pub fn text_or_raw(self, expr: &ValueExpr) -> String {
        self.text.unwrap_or_else(|| expr.raw.clone())
    }
}

/// One line of "what is sent". Values are masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentValue {
    pub label: String,
    /// The field it comes from: `command`, `env.KEY`, `headers.KEY`, …
    pub field: String,
    pub group: Group,
    /// `None` when it is not sent, or not known before connecting.
    pub value: Option<String>,
    pub origin: Origin,
    /// The origin in words, for people; may be empty.
    pub from: String,
}

/// Which part of a request or process a value belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Main,
    Env,
    Header,
}

impl Context<'_> {
    /// The text of `expr`. Commands are not run here: they give no text.
    pub fn evaluate(&self, expr: &ValueExpr, extent: Extent) -> Evaluated {
        let literal =
            |text: Option<String>, origin| Evaluated { text, origin, unset: Vec::new(), forms: Vec::new() };
        match &expr.kind {
            ValueKind::Literal => literal(Some(expr.raw.clone()), Origin::Literal),
            ValueKind::Command(_) => literal(None, Origin::Command),
            ValueKind::Remove => literal(None, Origin::Unset),
            ValueKind::NameOrLiteral => match self.env.get(&expr.raw).filter(|value| !value.is_empty()) {
                Some(value) => Evaluated {
                    forms: vec![expr.raw.clone()],
                    ..literal(Some(value.clone()), Origin::Variable)
                },
                None => literal(Some(expr.raw.clone()), Origin::Literal),
            },
            ValueKind::Template(pieces) => self.template(pieces, extent),
        }
    }

    fn template(&self, pieces: &[Piece], extent: Extent) -> Evaluated {
        let mut out = Evaluated { text: None, origin: Origin::Default, unset: Vec::new(), forms: Vec::new() };
        let mut text = String::new();
        for piece in pieces {
            let (written, value) = match piece {
                Piece::Text(part) => {
                    text.push_str(part);
                    continue;
                }
                Piece::Var { name, default, written } => {
                    let set = self.env.get(name);
                    if set.is_some() {
                        out.origin = Origin::Variable;
                    }
                    let value = set.or(default.as_ref()).cloned();
                    (written, value.ok_or_else(|| Unset::Variable(name.clone())))
                }
                Piece::WorkspaceFolder { written } => {
                    (written, self.project.map(|path| path.display().to_string()).ok_or_else(no_project))
                }
                Piece::WorkspaceFolderBasename { written } => {
                    let name = self.project.and_then(Path::file_name);
                    (written, name.map(|name| name.to_string_lossy().into_owned()).ok_or_else(no_project))
                }
                Piece::UserHome { written } => (written, Ok(self.home.display().to_string())),
                Piece::PathSeparator { written } => (written, Ok(std::path::MAIN_SEPARATOR.to_string())),
                Piece::Input { id, written } => {
                    (written, Err(Unset::Other(format!("the input `{id}` has no answer yet"))))
                }
                Piece::File { path, written } => match extent {
                    Extent::Show => (written, Ok(written.clone())),
                    Extent::Connect => (written, self.file_content(path)),
                },
                // Its output takes its place before this; see `Resolver::map`.
                Piece::Command { written, .. } => (written, Ok(written.clone())),
                Piece::Known { value, written } => (written, Ok(value.clone())),
                Piece::Unfillable { why, written } => (written, Err(Unset::Other(why.clone()))),
            };
            if matches!(piece, Piece::Command { .. }) {
                out.origin = Origin::Command;
            } else if !matches!(piece, Piece::Var { .. }) {
                out.origin = Origin::Variable;
            }
            out.forms.push(written.clone());
            match value {
                Ok(value) => text.push_str(&value),
                Err(unset) => {
                    text.push_str(written);
                    out.unset.push(unset);
                }
            }
        }
        if !out.unset.is_empty() {
            out.origin = Origin::Unset;
        }
        out.text = Some(text);
        out
    }

    fn file_content(&self, path: &str) -> Result<String, Unset> {
        crate::fs::read_bounded(&self.file(path), FILE_LIMIT)
            .map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
            .map_err(|error| Unset::Other(error.to_string()))
    }

    /// A path in `{file:…}`: `~` and relative paths are the host's way of writing it.
    fn file(&self, path: &str) -> std::path::PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.project.unwrap_or(self.home).join(path),
        }
    }
}

/// All that a definition sends, masked, for showing. `known` gives the output of a command that has already run.
pub fn describe(
    definition: &Definition,
    context: &Context<'_>,
    known: &dyn Fn(&str) -> Option<Secret>,
) -> Vec<SentValue> {
    let mut all = Vec::new();
    let mut main = |field: &str, label: &str, value: String, origin, from: String| {
        let (label, field) = (label.to_owned(), field.to_owned());
        all.push(SentValue { label, field, group: Group::Main, value: Some(value), origin, from });
    };
    let (map, group) = match &definition.transport {
        Transport::Stdio { command, args, env, cwd } => {
            main("type", "Transport", "stdio".to_owned(), Origin::Literal, String::new());
            let command = context.evaluate(command, Extent::Show);
            let evaluated: Vec<Evaluated> =
                args.iter().map(|arg| context.evaluate(arg, Extent::Show)).collect();
            let texts: Vec<String> =
                evaluated.iter().map(|arg| arg.text.clone().unwrap_or_default()).collect();
            let line: Vec<String> =
                std::iter::once(mask::command_line(command.text.as_deref().unwrap_or_default()))
                    .chain(mask::args(&texts))
                    .map(|word| quote(&word))
                    .collect();
            let parts = || std::iter::once(&command).chain(&evaluated);
            let forms = parts().flat_map(|part| part.forms.clone()).collect::<Vec<_>>();
            let unset = parts().flat_map(|part| part.unset.clone()).collect::<Vec<_>>();
            let origin = if !unset.is_empty() {
                Origin::Unset
            } else if forms.is_empty() {
                Origin::Literal
            } else {
                Origin::Variable
            };
            let from = if unset.is_empty() { from_forms(None, &forms) } else { reasons(&unset) };
            main("command", "Command", line.join(" "), origin, from);
            if let Some(cwd) = cwd {
                let value = context.evaluate(cwd, Extent::Show);
                let from = from_words(None, &value);
                main("cwd", "Folder", value.text.unwrap_or_default(), value.origin, from);
            } else {
                let folder = context.project.unwrap_or(context.home).display().to_string();
                main("cwd", "Folder", folder, Origin::Default, "default".to_owned());
            }
            (env, Group::Env)
        }
        Transport::Http { url, headers, protocol } => {
            let word = match protocol {
                HttpProtocol::Streamable => "Streamable HTTP",
                HttpProtocol::Sse => "HTTP+SSE",
                HttpProtocol::Auto => "Streamable HTTP, else HTTP+SSE",
            };
            main("type", "Transport", word.to_owned(), Origin::Literal, String::new());
            let url = context.evaluate(url, Extent::Show);
            let from = from_words(None, &url);
            main("url", "URL", mask::url(&url.text.unwrap_or_default()), url.origin, from);
            (headers, Group::Header)
        }
        Transport::Unknown => return all,
    };
    let (timeout, from) = match definition.timeout {
        Some(timeout) => (timeout, String::new()),
        None => (DEFAULT_TIMEOUT, "default".to_owned()),
    };
    let origin = if from.is_empty() { Origin::Literal } else { Origin::Default };
    main("timeout", "Timeout", format!("{} s", timeout.as_secs_f64()), origin, from);
    all.extend(map.iter().map(|(name, expr)| sent(name, expr, group, context, known)));
    all
}

/// What each field comes to, masked, by the fields' names: `command`, `args.0`, `env.KEY`, `cwd`, `url`, `headers.KEY`.
pub fn describe_fields(
    definition: &Definition,
    context: &Context<'_>,
    known: &dyn Fn(&str) -> Option<Secret>,
) -> Vec<SentValue> {
    let plain = |field: &str, expr: &ValueExpr, mask: &dyn Fn(&str) -> String| {
        let value = context.evaluate(expr, Extent::Show);
        let from = words_for_field(None, expr, &value);
        let text = value.text.as_deref().map(mask);
        let (label, group) = (field.to_owned(), Group::Main);
        SentValue { label, field: field.to_owned(), group, value: text, origin: value.origin, from }
    };
    let pairs = |group: Group, map: &[(String, ValueExpr)]| {
        let pair = |(name, expr): &(String, ValueExpr)| {
            let mut value = sent(name, expr, group, context, known);
            if matches!(expr.kind, ValueKind::Template(_)) {
                value.from = words_for_field(Some(name), expr, &context.evaluate(expr, Extent::Show));
            }
            value
        };
        map.iter().map(pair).collect::<Vec<_>>()
    };
    match &definition.transport {
        Transport::Stdio { command, args, env, cwd } => {
            let mut all = vec![plain("command", command, &mask::command_line)];
            let arg = |(index, arg): (usize, &ValueExpr)| {
                plain(&format!("args.{index}"), arg, &|text| mask::value(None, text))
            };
            all.extend(args.iter().enumerate().map(arg));
            all.extend(cwd.iter().map(|cwd| plain("cwd", cwd, &|text| mask::value(None, text))));
            all.extend(pairs(Group::Env, env));
            all
        }
        Transport::Http { url, headers, .. } => {
            let mut all = vec![plain("url", url, &mask::url)];
            all.extend(pairs(Group::Header, headers));
            all
        }
        Transport::Unknown => Vec::new(),
    }
}

/// Where a value comes from, for the one who types it.
fn words_for_field(key: Option<&str>, expr: &ValueExpr, value: &Evaluated) -> String {
    if value.unset.is_empty() && value.origin == Origin::Default {
        let names: Vec<String> = expr.variables().map(|name| format!("`{name}`")).collect();
        let (verb, what) = if names.len() == 1 { ("is", "the default is") } else { ("are", "defaults are") };
        return format!("{} {verb} not set, {what} used", names.join(", "));
    }
    from_words(key, value)
}

fn sent(
    name: &str,
    expr: &ValueExpr,
    group: Group,
    context: &Context<'_>,
    known: &dyn Fn(&str) -> Option<Secret>,
) -> SentValue {
    let field = match group {
        Group::Main => name.to_owned(),
        Group::Env => format!("env.{name}"),
        Group::Header => format!("headers.{name}"),
    };
    let line = |value, origin, from| SentValue { label: name.to_owned(), field, group, value, origin, from };
    match &expr.kind {
        ValueKind::Command(command) => {
            let from = format!("from the command {}", mask::text(command, &[]));
            match known(command) {
                Some(_) => line(Some("••••••••".to_owned()), Origin::Command, from),
                None => line(None, Origin::Command, format!("{from}, run when connecting")),
            }
        }
        ValueKind::Remove => line(None, Origin::Unset, "removed from the environment".to_owned()),
        ValueKind::Literal | ValueKind::NameOrLiteral | ValueKind::Template(_) => {
            let value = context.evaluate(expr, Extent::Show);
            let from = from_words(Some(name), &value);
            if !value.unset.is_empty() {
                let only_variables = value.unset.iter().all(|unset| matches!(unset, Unset::Variable(_)));
                let why = if only_variables { "unset".to_owned() } else { reasons(&value.unset) };
                return line(None, Origin::Unset, format!("{}, {why}", from_forms(Some(name), &value.forms)));
            }
            let shown = mask::value(Some(name), value.text.as_deref().unwrap_or_default());
            line(Some(shown), value.origin, from)
        }
    }
}

fn from_words(key: Option<&str>, value: &Evaluated) -> String {
    if value.unset.is_empty() { from_forms(key, &value.forms) } else { reasons(&value.unset) }
}

/// The forms as written, but for a secret that stands in them as a default.
fn from_forms(key: Option<&str>, forms: &[String]) -> String {
    let forms: Vec<String> = forms.iter().map(|form| mask::form(key, form)).collect();
    if forms.is_empty() { String::new() } else { format!("from {}", forms.join(", ")) }
}

/// A word of a command line as a shell would need it, so that where one ends can be seen.
pub fn quote(word: &str) -> String {
    let plain =
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./:=@%+,~•^*{}$[]?&".contains(c));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
