//! One entry of any dialect, read into a definition.

use std::path::Path;
use std::sync::Arc;

use super::fields::Fields;
use super::{Both, CommandShape, Shape, Untyped, Word, elsewhere, given, helpers, nested, places, spelling};
use crate::definition::{Auth, Definition, HttpProtocol, ServerId, Transport};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::format::{Lines, Node};
use crate::host::Dialect;
use crate::source::SourceSpec;
use crate::validate;
use crate::value::{Role, ValueExpr, ValueKind};

/// Where an entry stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) at: usize,
    pub(crate) lines: Option<&'a Lines<'a>>,
    /// The user's home directory, where it is known: for cures that write a path.
    pub(crate) home: Option<&'a Path>,
}

/// Reads an entry. `spec` names the keys under which it really stands; the id comes from the source's own.
pub(crate) fn read(
    spec: &Arc<SourceSpec>,
    shape: Shape,
    source: &SourceSpec,
    name: &str,
    node: &Node,
    place: Place<'_>,
) -> (Definition, Vec<Diagnostic>) {
    let spelling = spelling(spec.dialect, shape);
    let within = nested::key(node, spelling);
    let flat = within.map(|_| nested::flat(node, spelling));
    let mut fields = Fields {
        spec,
        spelling,
        name,
        node: flat.as_ref().unwrap_or(node),
        at: place.at,
        lines: place.lines,
        home: place.home,
        within,
        problems: Vec::new(),
        diagnostics: Vec::new(),
    };
    let mut definition =
        Definition::unhashed(Arc::clone(spec), ServerId::of(source, name), name, Transport::Unknown);
    definition.position = place.lines.map(|lines| lines.position(place.at));
    if node.as_object().is_some() {
        if fields.spelling.named && fields.member("name").and_then(|member| member.value.as_str()).is_none() {
            let host = fields.host();
            fields.problem(format!("{host} passes over an entry without `name`"));
        }
        if let Some((key, on)) =
            fields.spelling.switch.filter(|(key, _)| fields.spelling.says_on && fields.member(key).is_none())
        {
            let title = format!("{} passes over an entry without `{key}`", fields.host());
            let detail = format!("Add `{key}: {on}`.");
            fields.find(Code::HostRefusesEntry, Severity::Warning, fields.at, title, detail);
            let change = fields.setting(&[key], serde_json::json!(on));
            fields.cure(format!("Add `{key}`"), vec![change]);
        }
        definition.elsewhere = elsewhere::from(&fields);
        if definition.elsewhere.is_none() {
            definition.transport = transport(&mut fields);
        }
        definition.enabled = fields.enabled();
        definition.timeout = fields.timeout();
        definition.auth = auth(&fields);
        extras(&mut fields, &mut definition);
        validate::keys(&mut fields);
    } else {
        fields.problem(format!("expected an object, found {}", node.noun()));
    }
    validate::definition(&mut fields, &definition.transport);
    validate::invalid(&mut fields);
    definition.places = place.lines.map(|lines| places::of(fields.node, spelling, lines)).unwrap_or_default();
    definition.problems = fields.problems;
    definition.entry = Some(Arc::new(node.clone()));
    definition.rehash();
    (definition, fields.diagnostics)
}

fn transport(fields: &mut Fields<'_>) -> Transport {
    let spelling = fields.spelling;
    let command = command(fields);
    let url = spelling.urls.iter().find_map(|(key, protocol)| fields.member(key).map(|_| (*key, *protocol)));
    let has_command = spelling.commands.iter().any(|key| fields.member(key).is_some());

    let word = match (type_word(fields), url) {
        (Some(_), Some((_, Some(protocol)))) => Some(Word::Http(protocol)),
        (Some(written), _) => {
            let known = spelling.types.iter().find(|(word, _)| *word == written);
            match known {
                Some((_, word)) => Some(*word),
                None => {
                    fields.problem(format!("unknown server type \"{written}\""));
                    return unknown(fields, has_command, url.is_some());
                }
            }
        }
        (None, Some((_, protocol))) if !has_command || spelling.both == Both::UrlWins => {
            match (protocol, spelling.untyped) {
                (None, Untyped::Takes(protocol)) if fields.within.is_some() => {
                    needs_type(fields, "a `transport` without \"type\"");
                    Some(Word::Http(protocol))
                }
                (Some(protocol), _) | (None, Untyped::Takes(protocol)) => Some(Word::Http(protocol)),
                (None, Untyped::NeedsType) => {
                    needs_type(fields, "an entry with \"url\" but without \"type\"");
                    Some(Word::Http(HttpProtocol::Streamable))
                }
                (None, Untyped::NoRemote) => {
                    let host = fields.host();
                    fields.problem(format!("{host} takes no \"url\" in this file, only \"command\""));
                    Some(Word::Http(HttpProtocol::Streamable))
                }
            }
        }
        (None, _) => {
            if spelling.type_required || fields.within.is_some() {
                needs_type(fields, "an entry without \"type\"");
            }
            None
        }
    };
    if has_command && url.is_some() && spelling.both == Both::Refused {
        both(fields);
    }
    match word {
        Some(Word::Http(protocol)) => http(fields, protocol, url),
        Some(Word::Socket) => {
            fields.problem("Jackfield does not speak WebSocket (type \"ws\")");
            Transport::Unknown
        }
        Some(Word::Stdio) | None => stdio(fields, command),
    }
}

/// The word for the transport as it is written; what is no text is named.
fn type_word(fields: &Fields<'_>) -> Option<String> {
    let spelling = fields.spelling;
    if spelling.types.is_empty() {
        return None;
    }
    let member = spelling.type_keys.iter().find_map(|key| fields.member(key))?;
    let node = &member.value;
    let written = node.as_str().map_or_else(|| node.noun().to_owned(), str::to_owned);
    // Cline's old word for the newer transport.
    let old = member.key == "transportType" && written == "http";
    Some(if old { "streamableHttp".to_owned() } else { written })
}

fn both(fields: &mut Fields<'_>) {
    fields.problem(
        "both \"command\" and \"url\" are set - server should be either stdio (command) OR http/sse (url), not both",
    );
}

fn unknown(fields: &mut Fields<'_>, has_command: bool, has_url: bool) -> Transport {
    if has_command && has_url {
        both(fields);
    }
    Transport::Unknown
}

fn needs_type(fields: &mut Fields<'_>, skipped: &str) {
    let accepted = validate::accepted(fields.spelling);
    let host = fields.host();
    let key = fields.spelling.type_keys.first().copied().unwrap_or("type");
    let skipped = skipped.replace("\"type\"", &format!("\"{key}\""));
    fields.problem(format!("needs {key}: {host} skips {skipped} ({accepted})"));
}

/// Program and leading arguments.
struct Command {
    program: ValueExpr,
    args: Vec<ValueExpr>,
    /// Variables that stand beside the program (Zed's old object).
    env: Vec<(String, ValueExpr)>,
}

fn command(fields: &mut Fields<'_>) -> Option<Command> {
    let key = fields.spelling.commands.iter().find(|key| fields.member(key).is_some())?;
    let is_list = fields.member(key).is_some_and(|member| member.value.as_array().is_some());
    let mut env = Vec::new();
    let words: Vec<(String, usize)> = match fields.spelling.command {
        CommandShape::Text => vec![fields.string(key).map(|(text, at)| (text.to_owned(), at))?],
        CommandShape::List => owned(fields.strings(key)?),
        CommandShape::LineOrList if is_list => owned(fields.strings(key)?),
        CommandShape::LineOrList => {
            let (line, at) = fields.string(key)?;
            match crate::draft::split_command_line(line) {
                Some(words) => words.into_iter().map(|word| (word, at)).collect(),
                None => vec![(line.to_owned(), at)],
            }
        }
        CommandShape::TextOrObject => match fields.member(key)?.value.as_object() {
            None => vec![fields.string(key).map(|(text, at)| (text.to_owned(), at))?],
            Some(_) => {
                let object = &fields.member(key)?.value;
                let mut inner = Fields::inside(fields, object);
                inner.within = Some("command");
                let path = inner.string("path").map(|(text, at)| (text.to_owned(), at));
                let args = owned(inner.strings("args").unwrap_or_default());
                env = inner.map(&["env"], Role::Env);
                let (problems, diagnostics) = (inner.problems, inner.diagnostics);
                fields.problems = problems;
                fields.diagnostics = diagnostics;
                path.into_iter().chain(args).collect()
            }
        },
    };
    let mut words = words.into_iter();
    let (program, at) = words.next().filter(|(program, _)| !program.trim().is_empty())?;
    let program = fields.value(&program, Role::Other, at);
    let args = words.map(|(word, at)| fields.value(&word, Role::Other, at)).collect();
    Some(Command { program, args, env })
}

fn owned(words: Vec<(&str, usize)>) -> Vec<(String, usize)> {
    words.into_iter().map(|(word, at)| (word.to_owned(), at)).collect()
}

fn stdio(fields: &mut Fields<'_>, command: Option<Command>) -> Transport {
    let Some(Command { program: command, mut args, mut env }) = command else {
        // A command of the wrong shape was told already.
        if fields.problems.is_empty() {
            fields.problem("stdio server requires \"command\" field");
        }
        return Transport::Unknown;
    };
    if fields.spelling.command != CommandShape::List {
        let more = fields.strings("args").unwrap_or_default();
        args.extend(more.into_iter().map(|(arg, at)| fields.value(arg, Role::Other, at)));
    }
    env.extend(fields.map(&[fields.spelling.env], Role::Env));
    if fields.spec.dialect == Dialect::Goose {
        helpers::goose_keys(fields, &mut env);
    }
    for (name, value) in given::environment(fields.spec) {
        if !env.iter().any(|(own, _)| *own == name) {
            env.push((name, value));
        }
    }
    let cwd = fields.spelling.cwd.and_then(|key| fields.string(key));
    let cwd = cwd.map(|(cwd, at)| fields.value(cwd, Role::Other, at));
    if fields.spec.dialect == Dialect::Codex {
        helpers::codex_env_vars(fields, &mut env);
        helpers::codex_refuses(
            fields,
            &["http_headers", "env_http_headers", "bearer_token_env_var"],
            "stdio",
        );
    }
    Transport::Stdio { command, args, env, cwd }
}

fn http(
    fields: &mut Fields<'_>,
    protocol: HttpProtocol,
    url: Option<(&'static str, Option<HttpProtocol>)>,
) -> Transport {
    let written = url.and_then(|(key, _)| fields.string(key));
    let url = written.filter(|(url, _)| !url.trim().is_empty()).map(|(url, at)| (url.to_owned(), at));
    let Some((url, at)) = url else {
        // Of an empty url that is the first thing to know, whatever else is missing.
        if fields.problems.is_empty() || written.is_some() {
            let word = if protocol == HttpProtocol::Sse { "sse" } else { "http" };
            fields.problem(format!("{word} server requires \"url\" field"));
        }
        return Transport::Unknown;
    };
    let url = fields.value(&url, Role::Other, at);
    let mut headers = fields.map(fields.spelling.headers, Role::Header);
    if fields.spec.dialect == Dialect::Vibe {
        helpers::vibe_headers(fields, &mut headers);
    } else {
        helpers::bearer(fields, &mut headers);
    }
    if fields.spec.dialect == Dialect::Codex {
        helpers::codex_headers(fields, &mut headers);
        helpers::codex_refuses(fields, &["args", "env", "env_vars", "cwd"], "streamable_http");
    }
    Transport::Http { url, headers, protocol }
}

fn auth(fields: &Fields<'_>) -> Option<Auth> {
    if !matches!(fields.spec.dialect, Dialect::Xcsh | Dialect::Bare) {
        return None;
    }
    let block = &fields.member("auth")?.value;
    (block.get("type").and_then(Node::as_str) == Some("oauth"))
        .then(|| Auth { credential_id: block.get("credentialId").and_then(Node::as_str).map(str::to_owned) })
}

/// The hosts' own ways to bring in more values.
fn extras(fields: &mut Fields<'_>, definition: &mut Definition) {
    match &definition.transport {
        Transport::Stdio { .. } if fields.spelling.keys.contains(&"envFile") => {
            let file = fields.string("envFile");
            definition.env_file = file.map(|(file, at)| fields.value(file, Role::Other, at));
        }
        Transport::Http { .. } if fields.spelling.keys.contains(&"headersHelper") => {
            if let Some((helper, _)) = fields.string("headersHelper") {
                match given::fill_command(helper, fields.spec) {
                    Ok(helper) => definition.headers_helper = Some(helper),
                    Err(why) => fields.problem(format!("`headersHelper` cannot be filled in: {why}")),
                }
            }
        }
        Transport::Stdio { .. } | Transport::Http { .. } | Transport::Unknown => {}
    }
    // Claude Code reads `.mcp.json`, too, and takes some entries otherwise.
    if fields.spec.dialect == Dialect::Bare && fields.spec.path.ends_with(".mcp.json") {
        claude_code_differs(fields, definition);
    }
    if fields.spec.dialect == Dialect::Bare || fields.spec.dialect == Dialect::Xcsh {
        let untyped = fields.member("type").is_none();
        if untyped && matches!(definition.transport, Transport::Http { .. }) {
            let title = "a url without `type` is taken as `http`";
            let detail = "Add `\"type\": \"http\"` or `\"type\": \"sse\"`: applications take such an entry differently, and Claude Code skips it.";
            fields.find(Code::UrlWithoutType, Severity::Warning, fields.at, title, detail);
            fields.cure("Add the type", fields.typing());
        }
    }
}

fn claude_code_differs(fields: &mut Fields<'_>, definition: &Definition) {
    if let Some((word, at)) = fields
        .member("type")
        .and_then(|member| member.value.as_str().map(|word| (word.to_owned(), member.value.span.start)))
        && matches!(definition.transport, Transport::Stdio { .. } | Transport::Http { .. })
        && !spelling(Dialect::ClaudeCode, Shape::First).types.iter().any(|(known, _)| *known == word)
    {
        let title = format!("Claude Code reads this file, too, and does not know the type `{word}`");
        let detail = "It skips the entry. Write `http` or `stdio`.";
        fields.find(Code::HostRefusesEntry, Severity::Warning, at, title, detail);
    }
    if let Some(member) = fields.member("cwd")
        && matches!(definition.transport, Transport::Stdio { .. })
    {
        let title = "Claude Code reads this file, too, and has no `cwd`";
        let detail = "It starts the server in the folder of the project. Give the server its folder by an argument, if it has one for that, or start it by a command that changes to the folder.";
        fields.find(Code::UnknownKey, Severity::Info, member.key_span.start, title, detail);
    }
    let (map, values): (&[&str], _) = match &definition.transport {
        Transport::Stdio { env, .. } => (&["env"], env.as_slice()),
        Transport::Http { headers, .. } => (&["headers"], headers.as_slice()),
        Transport::Unknown => (&[], [].as_slice()),
    };
    for (name, _) in values.iter().filter(|(_, value)| matches!(value.kind, ValueKind::Command(_))) {
        let place = map.iter().find_map(|key| fields.member(key)?.value.member(name));
        let at = place.map_or(fields.at, |member| member.value.span.start);
        let title = format!("Claude Code reads this file, too, and does not run the command in `{name}`");
        let detail = "It hands over the text as it stands, with the `!`. Put the value into a variable, and write `${NAME}` here.";
        fields.find(Code::LiteralHere, Severity::Warning, at, title, detail);
    }
    if let Some(member) = fields.member("enabled")
        && member.value.kind == crate::format::Kind::Bool(false)
    {
        let title = "Claude Code reads this file, too, and does not know `enabled`";
        let detail =
            "It starts the server all the same. To stop it there, switch it off with `/mcp` in Claude Code.";
        fields.find(Code::IneffectiveSwitch, Severity::Info, member.key_span.start, title, detail);
    }
}
