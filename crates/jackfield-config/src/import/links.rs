//! Install links: of Cursor, VS Code, LM Studio, and their pages.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::Value;
use url::Url;

use super::{Import, ImportError, imported};
use crate::host::HostId;

/// The server in a link; nothing if it is no link that installs one.
pub(super) fn recognise(text: &str) -> Option<Result<Import, ImportError>> {
    if text.contains(char::is_whitespace) {
        return None;
    }
    // `vscode:mcp/install?{…}` has its server as the whole query.
    for prefix in ["vscode:mcp/install?", "vscode-insiders:mcp/install?", "vscode://mcp/install?"] {
        if let Some(query) = text.strip_prefix(prefix) {
            return Some(server("A link for VS Code", None, &decoded(query), "vscode"));
        }
    }
    let url = Url::parse(text).ok()?;
    let query =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let (what, host): (&str, HostId) = match (url.scheme(), url.host_str().unwrap_or_default(), url.path()) {
        ("cursor", _, path) if path.ends_with("/mcp/install") => ("A link for Cursor", "cursor"),
        ("https", "cursor.com" | "www.cursor.com", path) if path.contains("install-mcp") => {
            ("A link for Cursor", "cursor")
        }
        ("https", "insiders.vscode.dev" | "vscode.dev", path) if path.ends_with("/mcp/install") => {
            ("A link for VS Code", "vscode")
        }
        ("lmstudio", _, _) => ("A link for LM Studio", "lm-studio"),
        _ => return None,
    };
    let Some(config) = query("config") else {
        let why = "it has no `config`".to_owned();
        return Some(Err(ImportError::Broken { what: what.to_owned(), why }));
    };
    Some(server(what, query("name"), &config, host))
}

fn server(what: &str, name: Option<String>, config: &str, host: HostId) -> Result<Import, ImportError> {
    let broken = |why: &str| ImportError::Broken { what: what.to_owned(), why: why.to_owned() };
    let text = if config.trim_start().starts_with(['{', '"']) {
        config.to_owned()
    } else {
        base64(config).ok_or_else(|| broken("its `config` is neither JSON nor base64"))?
    };
    let mut value: Value = serde_json::from_str(&text).map_err(|_| broken("its `config` is no JSON"))?;
    // Cursor once put the whole command line in one text.
    if let Some(command) = value.get("command").and_then(Value::as_str).map(str::to_owned)
        && value.get("args").is_none()
        && let Some(words) = crate::draft::split_command_line(&command)
        && let (Some((program, args)), Value::Object(map)) = (words.split_first(), &mut value)
        && !args.is_empty()
    {
        map.insert("command".to_owned(), Value::String(program.clone()));
        map.insert("args".to_owned(), args.to_vec().into());
    }
    let own = value.get("name").and_then(Value::as_str).map(str::to_owned);
    let name = name.or(own).unwrap_or_default();
    let found = imported(&name, &value, host).ok_or_else(|| broken("there is no server in it"))?;
    Ok(Import { what: what.to_owned(), drafts: vec![found] })
}

fn base64(text: &str) -> Option<String> {
    // A plus sign in a query is read as a blank.
    let text = text.replace(' ', "+");
    let bytes = [
        STANDARD.decode(&text),
        STANDARD_NO_PAD.decode(&text),
        URL_SAFE.decode(&text),
        URL_SAFE_NO_PAD.decode(&text),
    ]
    .into_iter()
    .find_map(Result::ok)?;
    String::from_utf8(bytes).ok()
}

fn decoded(query: &str) -> String {
    url::form_urlencoded::parse(format!("x={}", query.replace('+', "%2B")).as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .filter(|value| !query.contains('&') || value.starts_with('{'))
        .unwrap_or_else(|| query.to_owned())
}
