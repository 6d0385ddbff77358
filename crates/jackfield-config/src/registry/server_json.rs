//! `server.json`: how a server is described in a registry, in the forms of 2025-12-11 and before.
//!
//! Written by thousands of publishers, so what is not needed may be missing, null, or a number where text belongs. Only a
//! server without a name, or a package without an identifier, is refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// One version of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerJson {
    /// As in `io.github.user/weather`.
    pub name: String,
    #[serde(default, deserialize_with = "text")]
    pub title: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub description: String,
    #[serde(default, deserialize_with = "or_default")]
    pub version: String,
    #[serde(default, alias = "website_url", deserialize_with = "text")]
    pub website_url: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub repository: Repository,
    #[serde(default, deserialize_with = "or_default")]
    pub packages: Vec<Package>,
    #[serde(default, deserialize_with = "or_default")]
    pub remotes: Vec<Remote>,
}

/// Where its source is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    #[serde(default, deserialize_with = "text")]
    pub url: Option<String>,
}

/// Something that is fetched and run on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Package {
    /// `npm`, `pypi`, `oci`, `nuget`, `mcpb`, and what will come.
    #[serde(alias = "registry_type")]
    pub registry_type: String,
    pub identifier: String,
    #[serde(default, deserialize_with = "text")]
    pub version: Option<String>,
    #[serde(default, alias = "registry_base_url", deserialize_with = "text")]
    pub registry_base_url: Option<String>,
    #[serde(default, alias = "runtime_hint", deserialize_with = "text")]
    pub runtime_hint: Option<String>,
    #[serde(default, alias = "runtime_arguments", deserialize_with = "or_default")]
    pub runtime_arguments: Vec<Argument>,
    #[serde(default, alias = "package_arguments", deserialize_with = "or_default")]
    pub package_arguments: Vec<Argument>,
    #[serde(default, alias = "environment_variables", deserialize_with = "or_default")]
    pub environment_variables: Vec<KeyValue>,
    /// None in the oldest form, where everything spoke stdio.
    #[serde(default)]
    pub transport: Option<Remote>,
}

/// An address, or how a package is spoken to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remote {
    /// `stdio`, `streamable-http` or `sse`.
    #[serde(rename = "type", alias = "transport_type")]
    pub kind: String,
    #[serde(default, deserialize_with = "text")]
    pub url: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub headers: Vec<KeyValue>,
    /// For the `{names}` in the url.
    #[serde(default, deserialize_with = "or_default")]
    pub variables: BTreeMap<String, InputSpec>,
}

/// An environment variable or a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyValue {
    pub name: String,
    #[serde(flatten)]
    pub input: InputSpec,
}

/// A part of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Argument {
    #[serde(rename = "type", default, deserialize_with = "text")]
    pub kind: Option<String>,
    /// Of a named one, with its dashes.
    #[serde(default, deserialize_with = "text")]
    pub name: Option<String>,
    #[serde(default, alias = "value_hint", deserialize_with = "text")]
    pub value_hint: Option<String>,
    #[serde(default, alias = "is_repeated", deserialize_with = "or_default")]
    pub is_repeated: bool,
    #[serde(flatten)]
    pub input: InputSpec,
}

impl Argument {
    /// The flag, if it is a named argument.
    pub fn flag(&self) -> Option<&str> {
        let name = self.name.as_deref().filter(|name| !name.is_empty())?;
        (self.kind.as_deref() != Some("positional")).then_some(name)
    }
}

/// What a value must be, or what it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputSpec {
    #[serde(default, deserialize_with = "text")]
    pub description: Option<String>,
    /// `None` if nothing is said, which means no, but for a part of a url.
    #[serde(default, alias = "is_required")]
    pub is_required: Option<bool>,
    #[serde(default, alias = "is_secret", deserialize_with = "or_default")]
    pub is_secret: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub format: InputFormat,
    /// Fixed, but for the `{names}` in it that are in `variables`.
    #[serde(default, deserialize_with = "text")]
    pub value: Option<String>,
    #[serde(default, deserialize_with = "text")]
    pub default: Option<String>,
    #[serde(default, deserialize_with = "text")]
    pub placeholder: Option<String>,
    #[serde(default, deserialize_with = "texts")]
    pub choices: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub variables: BTreeMap<String, InputSpec>,
}

/// What kind of text a value is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", rename_all = "lowercase")]
pub enum InputFormat {
    #[default]
    #[serde(rename = "string")]
    Text,
    Number,
    Boolean,
    FilePath,
}

impl From<String> for InputFormat {
    fn from(word: String) -> InputFormat {
        match word.as_str() {
            "number" => InputFormat::Number,
            "boolean" => InputFormat::Boolean,
            "filepath" => InputFormat::FilePath,
            _ => InputFormat::Text,
        }
    }
}

/// Null is as good as nothing.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Text, or a number or a truth value that was meant as text. Empty text is none.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::deserialize(from)?.as_ref().and_then(plain))
}

fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let values: Vec<Value> = or_default(from)?;
    Ok(values.iter().filter_map(plain).collect())
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text.is_empty()).then(|| text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
