//! Asks a registry for servers that could be added. It only reads, says nothing about this machine, and trusts nothing:
//! every answer has a limit of time and size.

use std::time::Duration;

use ::http::StatusCode;
use ::http::header::ACCEPT;
use jackfield_config::registry::{self, Listed, Page};
use serde_json::Value;
use tokio::time::timeout;
use url::Url;

use crate::status::{Failure, FailureKind};
use crate::transport::failure;
use crate::transport::http::{self, HttpClients, HttpError};

/// For a question, from the first byte to the last.
const LIMIT: Duration = Duration::from_secs(10);
/// Of an answer.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// What registries give at most.
const MOST_SERVERS: u32 = 100;

/// Why a registry gave no answer that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    #[error("`{url}` cannot be a registry: it must be {accepted}")]
    Url { url: String, accepted: String },
    #[error("The registry cannot be reached: {}", failure.message)]
    Unreachable { failure: Failure },
    #[error("The registry at `{base}` gave no whole answer within {} s", limit.as_secs_f32())]
    Slow { base: String, limit: Duration },
    #[error("The registry at `{base}` answered with HTTP {status}{}", after_colon(said))]
    Status { base: String, status: u16, said: String },
    #[error("The registry at `{base}` has no server `{name}`{}", in_version(version.as_deref()))]
    NotFound { base: String, name: String, version: Option<String> },
    #[error("The answer of the registry at `{base}` is larger than {} MiB", MOST_BYTES / 1024 / 1024)]
    TooLarge { base: String },
    #[error("The answer of `{base}` is not JSON")]
    NotJson { base: String },
    #[error("The answer of `{base}` is not what a registry says: {why}")]
    Shape { base: String, why: String },
}

impl RegistryError {
    /// What to do, as a sentence.
    pub fn hint(&self) -> &str {
        match self {
            RegistryError::Url { .. } => "Correct `registry_url` in the settings.",
            RegistryError::Unreachable { failure } => match failure.kind {
                FailureKind::Unreachable => {
                    "Check the network, and `registry_url` in the settings. A server can always be added by hand."
                }
                FailureKind::NotFound
                | FailureKind::Permission
                | FailureKind::Refused
                | FailureKind::Timeout
                | FailureKind::SignIn
                | FailureKind::Forbidden
                | FailureKind::Http(_)
                | FailureKind::Tls
                | FailureKind::Exited
                | FailureKind::Protocol
                | FailureKind::ListTools
                | FailureKind::Config => "Check `registry_url` in the settings.",
            },
            RegistryError::Slow { .. } => "Try again; if it stays so, check the network.",
            RegistryError::Status { status: 500.., .. } => "The registry has trouble. Try again later.",
            RegistryError::Status { status: 429, .. } => "The registry asks for a pause. Try again later.",
            RegistryError::Status { status: 300..=399, .. } => {
                "It has moved: put the final url as `registry_url` into the settings."
            }
            RegistryError::NotFound { .. } => "Search for it: it may have been renamed or taken back.",
            RegistryError::TooLarge { .. } => "Ask for fewer servers at once.",
            RegistryError::Status { .. } | RegistryError::NotJson { .. } | RegistryError::Shape { .. } => {
                "Check `registry_url` in the settings: it must be the base url of an MCP registry."
            }
        }
    }
}

/// One registry.
#[derive(Debug, Clone)]
pub struct RegistryClient {
    base: Url,
    http: reqwest::Client,
    limit: Duration,
}

impl RegistryClient {
    /// The registry at this base url, as the settings have it.
    ///
    /// # Errors
    /// If the url cannot be one of a registry.
    pub fn new(base_url: &str) -> Result<RegistryClient, RegistryError> {
        let base = registry::registry_url(base_url).map_err(|accepted| RegistryError::Url {
            url: base_url.to_owned(),
            accepted: accepted.to_owned(),
        })?;
        let http = HttpClients::default()
            .for_url(&base)
            .map_err(|failure| RegistryError::Unreachable { failure })?;
        Ok(RegistryClient { base, http, limit: LIMIT })
    }

    /// With another limit for a question than ten seconds.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> RegistryClient {
        RegistryClient { limit, ..self }
    }

    /// Servers whose name holds the query, each in its latest version; all, if the query is empty. `cursor` is what the
    /// page before gave.
    ///
    /// # Errors
    /// If there is no answer, or none that can be read. One entry that cannot be read is told in the page.
    pub async fn search(&self, query: &str, cursor: Option<&str>, limit: u32) -> Result<Page, RegistryError> {
        let mut url = self.url(&[]);
        {
            let mut pairs = url.query_pairs_mut();
            let query = query.trim();
            if !query.is_empty() {
                pairs.append_pair("search", query);
            }
            pairs.append_pair("version", "latest");
            pairs.append_pair("limit", &limit.clamp(1, MOST_SERVERS).to_string());
            if let Some(cursor) = cursor {
                pairs.append_pair("cursor", cursor);
            }
        }
        let answer = self.get(url).await?;
        let mut page =
            registry::page(&answer).ok_or_else(|| self.shape("it holds no list of servers".to_owned()))?;
        // Whoever follows the cursors must come to an end.
        page.next_cursor = page.next_cursor.filter(|next| Some(next.as_str()) != cursor);
        Ok(page)
    }

    /// One server, in one version or its latest.
    ///
    /// # Errors
    /// If there is none, or no answer that can be read.
    pub async fn server(&self, name: &str, version: Option<&str>) -> Result<Listed, RegistryError> {
        let url = self.url(&[name, "versions", version.unwrap_or("latest")]);
        let answer = self.get(url).await.map_err(|error| match error {
            RegistryError::Status { base, status: 404, .. } => {
                RegistryError::NotFound { base, name: name.to_owned(), version: version.map(str::to_owned) }
            }
            error => error,
        })?;
        let listed = registry::listed(&answer).map_err(|why| self.shape(why))?;
        let (found, exact) = (&listed.server, version.filter(|version| *version != "latest"));
        // What is added must be what was asked for.
        if found.name != name || exact.is_some_and(|version| found.version != version) {
            let (other, its) = (&found.name, &found.version);
            return Err(self.shape(format!("it is about `{other}` {its}")));
        }
        Ok(listed)
    }

    /// Below the list of servers. Each part is one segment, whatever is in it.
    fn url(&self, below: &[&str]) -> Url {
        let mut url = self.base.clone();
        // Only a url that cannot be a base has no segments, and ours is http or https.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(["v0.1", "servers"]).extend(below);
        }
        url
    }

    fn base(&self) -> String {
        self.base.as_str().trim_end_matches('/').to_owned()
    }

    fn shape(&self, why: String) -> RegistryError {
        RegistryError::Shape { base: self.base(), why }
    }

    async fn get(&self, url: Url) -> Result<Value, RegistryError> {
        let body = timeout(self.limit, self.fetch(url))
            .await
            .map_err(|_| RegistryError::Slow { base: self.base(), limit: self.limit })??;
        serde_json::from_slice(&body).map_err(|_| RegistryError::NotJson { base: self.base() })
    }

    async fn fetch(&self, url: Url) -> Result<Vec<u8>, RegistryError> {
        let unreachable = |error: HttpError| match error {
            HttpError::TooLarge { .. } => RegistryError::TooLarge { base: self.base() },
            error => RegistryError::Unreachable { failure: failure::of_error(&error, self.base.as_str()) },
        };
        let request = self.http.get(url).header(ACCEPT, "application/json");
        let response = request.send().await.map_err(|error| unreachable(error.into()))?;
        if response.status() == StatusCode::OK {
            return http::body(response, MOST_BYTES).await.map_err(unreachable);
        }
        let status = response.status().as_u16();
        let said = http::said(&http::beginning(response).await);
        Err(RegistryError::Status { base: self.base(), status, said })
    }
}

fn after_colon(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

fn in_version(version: Option<&str>) -> String {
    version.map(|version| format!(" in version {version}")).unwrap_or_default()
}
