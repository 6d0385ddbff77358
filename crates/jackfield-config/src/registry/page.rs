//! What a registry answers: servers, each with what the registry itself says about it.

use serde::Serialize;
use serde_json::Value;

use super::ServerJson;

const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

/// A part of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    pub servers: Vec<Listed>,
    /// Asks for the next part; `None` on the last.
    pub next_cursor: Option<String>,
    /// Entries that could not be read, each as a sentence.
    pub unreadable: Vec<String>,
}

/// A version of a server in a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub server: ServerJson,
    pub status: ListedStatus,
    /// Why it is deprecated, say.
    pub status_message: Option<String>,
    /// In RFC 3339, as the registry writes it.
    pub published_at: Option<String>,
    pub updated_at: Option<String>,
    /// `None` if the registry does not say.
    pub is_latest: Option<bool>,
}

/// What the registry thinks of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ListedStatus {
    Active,
    Deprecated,
    Deleted,
    /// A word that came later than this program.
    Unknown,
}

/// Reads a list; `None` if it is none. An entry that cannot be read costs only itself.
pub fn page(answer: &Value) -> Option<Page> {
    // A registry without servers may say null.
    let servers = match answer.get("servers")? {
        Value::Array(servers) => servers.as_slice(),
        Value::Null => &[],
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => return None,
    };
    let mut page = Page::default();
    for entry in servers {
        match listed(entry) {
            Ok(listed) => page.servers.push(listed),
            Err(why) => page.unreadable.push(why),
        }
    }
    let metadata = answer.get("metadata");
    let cursor = metadata.and_then(|metadata| metadata.get("nextCursor").or(metadata.get("next_cursor")));
    page.next_cursor = cursor.and_then(Value::as_str).filter(|cursor| !cursor.is_empty()).map(str::to_owned);
    Some(page)
}

/// Reads one entry, or the answer to the question for one.
///
/// # Errors
/// What is wrong with it, as a sentence.
pub fn listed(entry: &Value) -> Result<Listed, String> {
    // Older registries had no envelope.
    let server = entry.get("server").unwrap_or(entry);
    let said = |name: &str| {
        let official = |of: &Value| of.get("_meta")?.get(OFFICIAL)?.get(name).cloned();
        official(entry).or_else(|| official(server))
    };
    let text = |name: &str| said(name).and_then(|value| value.as_str().map(str::to_owned));
    let status = text("status").or_else(|| Some(server.get("status")?.as_str()?.to_owned()));
    let status = match status.as_deref() {
        None | Some("active") => ListedStatus::Active,
        Some("deprecated") => ListedStatus::Deprecated,
        Some("deleted") => ListedStatus::Deleted,
        Some(_) => ListedStatus::Unknown,
    };
    let server = ServerJson::deserialize_from(server)?;
    Ok(Listed {
        server,
        status,
        status_message: text("statusMessage"),
        published_at: text("publishedAt"),
        updated_at: text("updatedAt"),
        is_latest: said("isLatest").and_then(|value| value.as_bool()),
    })
}

impl ServerJson {
    fn deserialize_from(value: &Value) -> Result<ServerJson, String> {
        let name = value.get("name").and_then(Value::as_str).unwrap_or("without a name");
        serde::Deserialize::deserialize(value)
            .map_err(|error| format!("The entry `{name}` is broken: {error}"))
    }
}
