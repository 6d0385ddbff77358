//! One entry of any dialect, read into a definition.

use std::sync::Arc;

use super::fields::Fields;
use super::{Both, CommandShape, Shape, Untyped, Word, spelling};
use crate::definition::{Auth, Definition, HttpProtocol, ServerId, Transport};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::format::{Lines, Node};
use crate::host::Dialect;
use crate::source::SourceSpec;
use crate::validate;
use crate::value::{Piece, Role, ValueExpr, ValueKind};

/// Where an entry stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) at: usize,
    pub(crate) lines: Option<&'a Lines<'a>>,
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
    let mut fields = Fields {
        spec,
        spelling: spelling(spec.dialect, shape),
        name,
        node,
        at: place.at,
        lines: place.lines,
        problems: Vec::new(),
        diagnostics: Vec::new(),
    };
    let mut definition = Definition::new(Arc::clone(spec), name, Transport::Unknown);
    definition.id = ServerId::of(source, name);
    definition.position = place.lines.map(|lines| lines.position(place.at));
    if node.as_object().is_some() {
        definition.transport = transport(&mut fields);
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
    definition.problems = fields.problems;
    definition.entry = Some(Arc::new(node.clone()));
    definition.rehash();
    (definition, fields.diagnostics)
}

fn transport(fields: &mut Fields<'_>) -> Transport {
    let spelling = fields.spelling;
    let command = command(fields);
    let url = spelling.urls.iter().find_map(|(key, protocol)| fields.member(key).map(|_| (*key, *protocol)));
    let has_command = fields.member("command").is_some();

    let word = match (fields.member("type").filter(|_| !spelling.types.is_empty()), url) {
        (Some(_), Some((_, Some(protocol)))) => Some(Word::Http(protocol)),
        (Some(member), _) => {
            let written = member.value.as_str().map_or_else(|| member.value.noun().to_owned(), str::to_owned);
            let known = spelling.types.iter().find(|(word, _)| *word == written);
            if known.is_none() {
                fields.problem(format!("unknown server type \"{written}\""));
            }
            match known {
                Some((_, word)) => Some(*word),
                None => return unknown(fields, has_command, url.is_some()),
            }
        }
        (None, Some((_, protocol))) if !has_command || spelling.both == Both::UrlWins => {
            match (protocol, spelling.untyped) {
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
            if spelling.type_required {
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
    fields.problem(format!("needs type: {host} skips {skipped} ({accepted})"));
}

/// Program and leading arguments.
fn command(fields: &mut Fields<'_>) -> Option<(ValueExpr, Vec<ValueExpr>)> {
    let mut words = match fields.spelling.command {
        CommandShape::Text => vec![fields.string("command")?],
        CommandShape::List => fields.strings("command")?,
    }
    .into_iter();
    let (program, at) = words.next().filter(|(program, _)| !program.trim().is_empty())?;
    let program = fields.value(program, Role::Other, at);
    Some((program, words.map(|(word, at)| fields.value(word, Role::Other, at)).collect()))
}

fn stdio(fields: &mut Fields<'_>, command: Option<(ValueExpr, Vec<ValueExpr>)>) -> Transport {
    let Some((command, mut args)) = command else {
        // A command of the wrong shape was told already.
        if fields.problems.is_empty() {
            fields.problem("stdio server requires \"command\" field");
        }
        return Transport::Unknown;
    };
    if fields.spelling.command == CommandShape::Text {
        let more = fields.strings("args").unwrap_or_default();
        args.extend(more.into_iter().map(|(arg, at)| fields.value(arg, Role::Other, at)));
    }
    let mut env = fields.map(fields.spelling.env, Role::Env);
    let cwd = if fields.spelling.keys.contains(&"cwd") {
        fields.string("cwd").map(|(cwd, at)| fields.value(cwd, Role::Other, at))
    } else {
        None
    };
    if fields.spec.dialect == Dialect::Codex {
        codex_env_vars(fields, &mut env);
        codex_refuses(fields, &["http_headers", "env_http_headers", "bearer_token_env_var"], "stdio");
    }
    Transport::Stdio { command, args, env, cwd }
}

fn http(
    fields: &mut Fields<'_>,
    protocol: HttpProtocol,
    url: Option<(&'static str, Option<HttpProtocol>)>,
) -> Transport {
    let url = url.and_then(|(key, _)| {
        fields.string(key).filter(|(url, _)| !url.trim().is_empty()).map(|(url, at)| (url.to_owned(), at))
    });
    let Some((url, at)) = url else {
        if fields.problems.is_empty() {
            let word = if protocol == HttpProtocol::Sse { "sse" } else { "http" };
            fields.problem(format!("{word} server requires \"url\" field"));
        }
        return Transport::Unknown;
    };
    let url = fields.value(&url, Role::Other, at);
    let mut headers = fields.map(fields.spelling.headers, Role::Header);
    if fields.spec.dialect == Dialect::Codex {
        codex_headers(fields, &mut headers);
        codex_refuses(fields, &["args", "env", "env_vars", "cwd"], "streamable_http");
    }
    Transport::Http { url, headers, protocol }
}

/// Keys that Codex does not bear beside the transport, even with nothing in them.
fn codex_refuses(fields: &mut Fields<'_>, keys: &[&str], transport: &str) {
    for key in keys {
        if fields.member(key).is_some() {
            fields.problem(format!("{key} is not supported for {transport}"));
        }
    }
}

fn codex_env_vars(fields: &mut Fields<'_>, env: &mut Vec<(String, ValueExpr)>) {
    let Some(member) = fields.member("env_vars") else { return };
    for item in member.value.as_array().unwrap_or_default() {
        let remote = item.get("source").and_then(Node::as_str) == Some("remote");
        let name = item.as_str().or_else(|| item.get("name").and_then(Node::as_str));
        // One of a remote executor is not ours to look up.
        if let Some(name) = name.filter(|_| !remote)
            && !env.iter().any(|(other, _)| other == name)
        {
            env.push((name.to_owned(), ValueExpr::variable(name, format!("${{{name}}}"))));
        }
    }
}

fn codex_headers(fields: &mut Fields<'_>, headers: &mut Vec<(String, ValueExpr)>) {
    if let Some(members) = fields.member("env_http_headers").and_then(|member| member.value.as_object()) {
        for member in members {
            if let Some(variable) = member.value.as_str() {
                headers.push((member.key.clone(), ValueExpr::variable(variable, format!("${{{variable}}}"))));
            }
        }
    }
    if let Some((variable, _)) = fields.string("bearer_token_env_var") {
        let written = format!("${{{variable}}}");
        let raw = format!("Bearer {written}");
        let pieces = vec![
            Piece::Text("Bearer ".to_owned()),
            Piece::Var { name: variable.to_owned(), default: None, written },
        ];
        headers.push(("Authorization".to_owned(), ValueExpr { raw, kind: ValueKind::Template(pieces) }));
    }
    if fields.member("bearer_token").is_some() {
        fields.problem("bearer_token is not supported; set bearer_token_env_var");
    }
}

fn auth(fields: &Fields<'_>) -> Option<Auth> {
    match fields.spec.dialect {
        Dialect::Xcsh | Dialect::Bare => {}
        Dialect::ClaudeCode
        | Dialect::ClaudeDesktop
        | Dialect::Codex
        | Dialect::Gemini
        | Dialect::OpenCode
        | Dialect::Cursor
        | Dialect::Windsurf
        | Dialect::VsCode => return None,
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
            definition.headers_helper = fields.string("headersHelper").map(|(helper, _)| helper.to_owned());
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
    if let Some(member) = fields.member("enabled")
        && member.value.kind == crate::format::Kind::Bool(false)
    {
        let title = "Claude Code reads this file, too, and does not know `enabled`";
        let detail =
            "It starts the server all the same. To stop it there, switch it off with `/mcp` in Claude Code.";
        fields.find(Code::IneffectiveSwitch, Severity::Info, member.key_span.start, title, detail);
    }
}
