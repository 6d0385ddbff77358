//! Keys with which hosts bring in values by the names of variables.

use super::fields::Fields;
use crate::format::Node;
use crate::value::{Piece, ValueExpr, ValueKind};

/// A token in a variable, sent as `Authorization: Bearer`.
pub(super) fn bearer(fields: &mut Fields<'_>, headers: &mut Vec<(String, ValueExpr)>) {
    let found = fields.spelling.bearer.iter().find_map(|key| fields.string(key));
    if let Some((variable, _)) = found {
        let written = format!("${{{variable}}}");
        let raw = format!("Bearer {written}");
        let pieces = vec![
            Piece::Text("Bearer ".to_owned()),
            Piece::Var { name: variable.to_owned(), default: None, written },
        ];
        headers.push(("Authorization".to_owned(), ValueExpr { raw, kind: ValueKind::Template(pieces) }));
    }
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
