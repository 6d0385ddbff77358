//! Keys with which hosts bring in values by the names of variables.

use super::fields::Fields;
use crate::format::Node;
use crate::host::Dialect;
use crate::value::{self, Piece, Role, ValueExpr, ValueKind, ValueRules, VariableSyntax};

type Pairs = Vec<(String, ValueExpr)>;

/// A header in the place of one of that name, if there is one.
fn put(headers: &mut Pairs, name: &str, value: ValueExpr) {
    headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
    headers.push((name.to_owned(), value));
}

/// `before`, the variable's value, `after`.
fn around(before: &str, variable: &str, after: &str) -> ValueExpr {
    let written = format!("${{{variable}}}");
    let raw = format!("{before}{written}{after}");
    let variable = Piece::Var { name: variable.to_owned(), default: None, written };
    let text = |text: &str| (!text.is_empty()).then(|| Piece::Text(text.to_owned()));
    let pieces = text(before).into_iter().chain([variable]).chain(text(after)).collect();
    ValueExpr { raw, kind: ValueKind::Template(pieces) }
}

/// A token in the entry, or in a variable that it names, sent as `Authorization: Bearer`. The variable wins.
pub(super) fn bearer(fields: &mut Fields<'_>, headers: &mut Pairs) {
    let token = fields.spelling.token.iter().find_map(|key| fields.string(key));
    if let Some((token, at)) = token.filter(|(token, _)| !token.is_empty()) {
        let token = fields.value(token, Role::Header, at);
        let raw = format!("Bearer {}", token.raw);
        let kind = match token.kind {
            ValueKind::Template(mut pieces) => {
                pieces.insert(0, Piece::Text("Bearer ".to_owned()));
                ValueKind::Template(pieces)
            }
            ValueKind::Literal | ValueKind::Command(_) | ValueKind::NameOrLiteral | ValueKind::Remove => {
                ValueKind::Literal
            }
        };
        put(headers, "Authorization", ValueExpr { raw, kind });
    }
    let variable = fields.spelling.bearer.iter().find_map(|key| fields.string(key));
    if let Some((variable, _)) = variable.filter(|(variable, _)| !variable.is_empty()) {
        put(headers, "Authorization", around("Bearer ", variable, ""));
    }
}

/// What Vibe says of headers, in the entry or in its `auth` of the type `static`.
pub(super) const VIBE_AUTH: &[&str] = &["headers", "api_key_env", "api_key_header", "api_key_format"];
pub(super) const VIBE_HEADER: &str = "Authorization";
pub(super) const VIBE_FORMAT: &str = "Bearer {token}";

/// Vibe's headers, with the one for a key that stands in a variable.
pub(super) fn vibe_headers(fields: &mut Fields<'_>, headers: &mut Pairs) {
    let Some(auth) = fields.member("auth") else {
        vibe_key(fields, headers);
        return;
    };
    if VIBE_AUTH.iter().any(|key| fields.member(key).is_some()) {
        fields.problem("`auth` is not supported beside `headers` and `api_key_env`");
        return;
    }
    match auth.value.get("type").and_then(Node::as_str) {
        Some("static") => {
            let mut inner = Fields::inside(fields, &auth.value);
            inner.within = Some("auth");
            *headers = inner.map(&["headers"], Role::Header);
            vibe_key(&mut inner, headers);
            (fields.problems, fields.diagnostics) = (inner.problems, inner.diagnostics);
        }
        Some("oauth") => {}
        Some(_) | None => fields.problem("the `type` of `auth` must be `static` or `oauth`"),
    }
}

fn vibe_key(fields: &mut Fields<'_>, headers: &mut Pairs) {
    let variable = fields.string("api_key_env").map(|(text, _)| text.to_owned());
    let name =
        fields.string("api_key_header").map_or_else(|| VIBE_HEADER.to_owned(), |(name, _)| name.to_owned());
    let format =
        fields.string("api_key_format").map_or_else(|| VIBE_FORMAT.to_owned(), |(text, _)| text.to_owned());
    let Some(variable) = variable.filter(|name| !name.is_empty()) else { return };
    let Some((before, after)) = token_format(&format) else {
        fields.problem("`api_key_format` must be a text with `{token}` in it once");
        return;
    };
    // A header that is written out wins.
    if !headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(&name)) {
        headers.push((name, around(&before, &variable, &after)));
    }
}

/// What stands around `{token}`; `{{` and `}}` are braces.
fn token_format(format: &str) -> Option<(String, String)> {
    let (before, after) = format.split_once("{token}")?;
    let plain = |text: &str| {
        let text = text.replace("{{", "\0").replace("}}", "\u{1}");
        (!text.contains(['{', '}'])).then(|| text.replace('\0', "{").replace('\u{1}', "}"))
    };
    Some((plain(before)?, plain(after)?))
}

/// Variables that Goose looks up in its secrets, which are those of the environment first.
pub(super) fn goose_keys(fields: &mut Fields<'_>, env: &mut Pairs) {
    for (name, _) in fields.strings("env_keys").unwrap_or_default() {
        if !env.iter().any(|(other, _)| other == name) {
            env.push((name.to_owned(), ValueExpr::variable(name, format!("${{{name}}}"))));
        }
    }
}

/// A header of Goose with variables that the entry itself names or gives; nothing where there are none.
pub(super) fn goose_header(fields: &Fields<'_>, raw: &str, role: Role) -> Option<ValueExpr> {
    if fields.spec.dialect != Dialect::Goose || role != Role::Header {
        return None;
    }
    let parsed = value::parse(raw, VariableSyntax::PlainShell, ValueRules::Literal, role);
    let ValueKind::Template(pieces) = parsed.kind else { return None };
    let named = |name: &str| {
        let names = fields.node.get("env_keys").map(Node::strings).unwrap_or_default();
        names.iter().any(|other| other == name)
    };
    let mut all = true;
    let pieces = pieces
        .into_iter()
        .map(|piece| {
            let Piece::Var { name, written, .. } = &piece else { return piece };
            let own = fields.node.get("envs").and_then(|envs| envs.get(name)).and_then(Node::as_str);
            match own {
                Some(value) => Piece::Known { value: value.to_owned(), written: written.clone() },
                None => {
                    all &= named(name);
                    piece
                }
            }
        })
        .collect();
    all.then_some(ValueExpr { raw: parsed.raw, kind: ValueKind::Template(pieces) })
}

/// Keys that Codex does not bear beside the transport, even with nothing in them.
pub(super) fn codex_refuses(fields: &mut Fields<'_>, keys: &[&str], transport: &str) {
    for key in keys {
        if fields.member(key).is_some() {
            fields.problem(format!("{key} is not supported for {transport}"));
        }
    }
}

pub(super) fn codex_env_vars(fields: &mut Fields<'_>, env: &mut Vec<(String, ValueExpr)>) {
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

pub(super) fn codex_headers(fields: &mut Fields<'_>, headers: &mut Vec<(String, ValueExpr)>) {
    if let Some(members) = fields.member("env_http_headers").and_then(|member| member.value.as_object()) {
        for member in members {
            if let Some(variable) = member.value.as_str() {
                headers.push((member.key.clone(), ValueExpr::variable(variable, format!("${{{variable}}}"))));
            }
        }
    }
    if fields.member("bearer_token").is_some() {
        fields.problem("bearer_token is not supported; set bearer_token_env_var");
    }
}
