//! A registry on this machine that knows the servers of `registry.json`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

/// Ended with the test.
pub(crate) struct Registry {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// What its answers are made of.
#[derive(Clone)]
pub(crate) struct Shared {
    entries: Arc<Vec<Value>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Registry {
    /// With more routes than a registry has.
    pub(crate) async fn start(more: Router<Shared>) -> Registry {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let entries: Vec<Value> = serde_json::from_str(include_str!("registry.json")).unwrap();
        let router = more
            .route("/v0.1/servers", get(list))
            .route("/v0.1/servers/{name}/versions/{version}", get(one))
            .with_state(Shared { entries: Arc::new(entries), asked: asked.clone() });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Registry { address, asked, serving }
    }

    /// Its base url, with a path behind it.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests since the last look.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

/// A page of those whose name holds the words.
pub(crate) async fn list(
    State(shared): State<Shared>,
    uri: Uri,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    shared.asked.lock().unwrap().push(uri.to_string());
    let wanted = query.get("search").map(String::as_str).unwrap_or_default();
    let holds = |entry: &&Value| entry["server"]["name"].as_str().unwrap().contains(wanted);
    let from = query.get("cursor").map_or(0, |cursor| cursor.trim_start_matches("at=").parse().unwrap());
    let limit: usize = query["limit"].parse().unwrap();
    let found: Vec<&Value> = shared.entries.iter().filter(holds).collect();
    let servers: Vec<&Value> = found.iter().copied().skip(from).take(limit).collect();
    let next = (from + limit < found.len()).then(|| format!("at={}", from + limit));
    axum::Json(json!({ "servers": servers, "metadata": { "count": servers.len(), "nextCursor": next } }))
        .into_response()
}

async fn one(
    State(shared): State<Shared>,
    uri: Uri,
    Path((name, version)): Path<(String, String)>,
) -> Response {
    shared.asked.lock().unwrap().push(uri.to_string());
    let found = shared.entries.iter().find(|entry| {
        let server = &entry["server"];
        server["name"] == *name && (version == "latest" || server["version"] == *version)
    });
    match found {
        Some(entry) => axum::Json(entry).into_response(),
        None => (StatusCode::NOT_FOUND, axum::Json(json!({ "detail": "Server not found" }))).into_response(),
    }
}
