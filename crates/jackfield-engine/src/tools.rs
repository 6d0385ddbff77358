//! What a server offers to be called: tools, their names, what is remembered of them, and the results of calls.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::log::ServerLog;

pub mod cache;
pub mod call;
pub mod naming;
pub mod schema;

/// A tool, as far as we look at it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolInfo {
    /// The server's own name for it; this is what is called.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// As sent, keys in their order, but for `properties` that were missing.
    pub input_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    #[serde(default)]
    pub annotations: Annotations,
}

/// What a server says about a tool's effects. Hints, not promises.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotations {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl ToolInfo {
    /// Reads one tool of a `tools/list` result. All that is required is a name.
    pub fn from_json(tool: &Value) -> Option<ToolInfo> {
        let text = |key: &str| tool.get(key).and_then(Value::as_str).map(str::to_owned);
        let hints = tool.get("annotations");
        let hint = |key: &str| hints.and_then(|hints| hints.get(key)).and_then(Value::as_bool);
        let mut input_schema = match tool.get("inputSchema") {
            Some(schema @ Value::Object(_)) => schema.clone(),
            Some(_) | None => serde_json::json!({ "type": "object" }),
        };
        schema::complete(&mut input_schema);
        let mut output_schema = tool.get("outputSchema").filter(|schema| schema.is_object()).cloned();
        if let Some(schema) = &mut output_schema {
            schema::complete(schema);
        }
        Some(ToolInfo {
            name: text("name").filter(|name| !name.is_empty())?,
            title: text("title").or_else(|| hints?.get("title")?.as_str().map(str::to_owned)),
            description: text("description"),
            input_schema,
            output_schema,
            annotations: Annotations {
                read_only: hint("readOnlyHint"),
                destructive: hint("destructiveHint"),
                idempotent: hint("idempotentHint"),
                open_world: hint("openWorldHint"),
            },
        })
    }

    /// Without the secrets that `log` knows, in what people read: titles and descriptions, those in schemas too. All
    /// else is what calls depend on and stays as sent.
    pub(crate) fn mask(&mut self, log: &ServerLog) {
        for text in [&mut self.title, &mut self.description].into_iter().flatten() {
            if let Some(masked) = log.masked_if_known(text) {
                *text = masked;
            }
        }
        for schema in std::iter::once(&mut self.input_schema).chain(self.output_schema.as_mut()) {
            schema::each_text(schema, &|text| log.masked_if_known(text));
        }
    }

    /// Whether a call may be repeated without asking.
    pub fn is_repeatable(&self) -> bool {
        self.annotations.read_only == Some(true) || self.annotations.idempotent == Some(true)
    }
}
