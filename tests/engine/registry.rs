//! Looking for servers in a registry: one that behaves, and several that do not.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use futures::StreamExt as _;
use jackfield_config::draft::DraftTransport;
use jackfield_config::registry::{self, ListedStatus};
use jackfield_engine::registry::{RegistryClient, RegistryError};
use serde_json::{Value, json};

use crate::support::free_port;

/// The registry with its mirror, and what goes wrong below other paths.
async fn mock() -> Registry {
    Registry::start(
        Router::new()
            .route("/mirror/v0.1/servers", get(list))
            .route("/circle/v0.1/servers", get(circle))
            .route("/{trouble}/v0.1/servers", get(troubled))
            .route("/{trouble}/v0.1/servers/{name}/versions/{version}", get(wrong_one)),
    )
    .await
}

fn client(registry: &Registry, path: &str) -> RegistryClient {
    RegistryClient::new(&registry.url(path)).unwrap()
}

/// Whatever is asked for, the next page is the same one.
async fn circle() -> Response {
    axum::Json(json!({ "servers": [{ "server": { "name": 3 } }], "metadata": { "nextCursor": "again" } }))
        .into_response()
}

/// Knows one server only.
async fn wrong_one() -> Response {
    axum::Json(json!({ "server": { "name": "a/other", "version": "1.0.0" } })).into_response()
}

async fn troubled(Path(trouble): Path<String>) -> Response {
    match trouble.as_str() {
        "broken" => {
            let said = json!({ "title": "Error", "detail": "The database is away" });
            (StatusCode::INTERNAL_SERVER_ERROR, axum::Json(said)).into_response()
        }
        "busy" => StatusCode::TOO_MANY_REQUESTS.into_response(),
        "moved" => Redirect::to("https://registry.example.com/").into_response(),
        "slow" => {
            let begins = futures::stream::iter([Ok::<_, std::io::Error>("{ \"servers\": [")]);
            Body::from_stream(begins.chain(futures::stream::pending())).into_response()
        }
        "huge" => {
            let chunk = "[".repeat(64 * 1024);
            Body::from_stream(futures::stream::repeat_with(move || Ok::<_, std::io::Error>(chunk.clone())))
                .into_response()
        }
        "cut" => {
            let pieces = [Ok("{ \"servers\": ["), Err(std::io::Error::other("gone"))];
            Body::from_stream(futures::stream::iter(pieces)).into_response()
        }
        "page" => ([(header::CONTENT_TYPE, "text/html")], "<!doctype html><p>Hello").into_response(),
        "odd" => axum::Json(json!({ "items": [] })).into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

#[tokio::test]
async fn pages_follow_each_other_to_the_end() {
    let mock = mock().await;
    let client = client(&mock, "");
    let (mut names, mut cursor) = (Vec::new(), None);
    loop {
        let page = client.search("", cursor.as_deref(), 3).await.unwrap();
        assert_eq!(page.unreadable, Vec::<String>::new());
        names.extend(page.servers.into_iter().map(|listed| listed.server.name));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(
        names,
        [
            "com.example/files-mcp",
            "io.github.someone/mcp-server-weather",
            "io.github.someone/database",
            "com.example/bundles",
            "com.example/mcp",
            "io.github.someone/old",
            "com.example/trap",
        ]
    );
    assert_eq!(
        mock.asked(),
        [
            "/v0.1/servers?version=latest&limit=3",
            "/v0.1/servers?version=latest&limit=3&cursor=at%3D3",
            "/v0.1/servers?version=latest&limit=3&cursor=at%3D6",
        ]
    );
}

#[tokio::test]
async fn what_is_typed_reaches_the_registry_as_it_is() {
    let mock = mock().await;
    let found = client(&mock, "/mirror/").search(" weather&limit=1#x ", None, 0).await.unwrap();
    assert!(found.servers.is_empty());
    let found = client(&mock, "/mirror").search("weather", None, 5000).await.unwrap();
    assert_eq!(found.servers[0].server.name, "io.github.someone/mcp-server-weather");
    assert_eq!(
        mock.asked(),
        [
            "/mirror/v0.1/servers?search=weather%26limit%3D1%23x&version=latest&limit=1",
            "/mirror/v0.1/servers?search=weather&version=latest&limit=100",
        ]
    );
}

#[tokio::test]
async fn what_the_registry_thinks_of_a_server_is_passed_on() {
    let mock = mock().await;
    let client = client(&mock, "");
    let listed = client.server("io.github.someone/database", None).await.unwrap();
    assert_eq!(listed.status, ListedStatus::Deprecated);
    assert_eq!(listed.status_message.as_deref(), Some("Use com.example/tables"));
    assert_eq!(listed.published_at.as_deref(), Some("2025-10-01T00:00:00Z"));
    assert_eq!(listed.is_latest, Some(true));
    let listed = client.server("io.github.someone/old", Some("0.1.0")).await.unwrap();
    assert_eq!((listed.status, listed.is_latest), (ListedStatus::Deleted, None));
    let listed = client.server("com.example/trap", Some("latest")).await.unwrap();
    assert_eq!(listed.status, ListedStatus::Unknown);
    assert_eq!(
        mock.asked(),
        [
            "/v0.1/servers/io.github.someone%2Fdatabase/versions/latest",
            "/v0.1/servers/io.github.someone%2Fold/versions/0.1.0",
            "/v0.1/servers/com.example%2Ftrap/versions/latest",
        ]
    );
}

#[tokio::test]
async fn a_server_is_what_was_asked_for_or_an_error() {
    let mock = mock().await;
    let error = client(&mock, "").server("com.example/mcp", Some("9.9.9")).await.unwrap_err();
    assert!(matches!(&error, RegistryError::NotFound { .. }), "{error:?}");
    let base = format!("http://{}", mock.address);
    assert_eq!(
        error.to_string(),
        format!("The registry at `{base}` has no server `com.example/mcp` in version 9.9.9")
    );
    let error = client(&mock, "/liar").server("com.example/mcp", None).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("The answer of `{base}/liar` is not what a registry says: it is about `a/other` 1.0.0")
    );
    let other = client(&mock, "/liar").server("a/other", Some("2.0.0")).await;
    assert!(matches!(other, Err(RegistryError::Shape { .. })), "{other:?}");
    assert!(client(&mock, "/liar").server("a/other", Some("1.0.0")).await.is_ok());
}

#[tokio::test]
async fn from_a_search_to_a_server_to_add() {
    let mock = mock().await;
    let client = client(&mock, "");
    let found = client.search("files", None, 10).await.unwrap();
    let listed = client.server(&found.servers[0].server.name, None).await.unwrap();
    let choices = registry::choices(&listed.server);
    let values = BTreeMap::from([("arguments.1".to_owned(), "/tmp/a b\n/srv".to_owned())]);
    let filled = registry::fill(&listed.server, &choices[0], &values).unwrap();
    let draft = filled.draft();
    assert_eq!(draft.name, "files");
    let words = ["-y", "@example/files-mcp@1.4.2", "serve", "/tmp/a b", "/srv", "--read-only", "--stdio"];
    let expected = DraftTransport::Stdio {
        command: "npx".to_owned(),
        args: words.map(str::to_owned).to_vec(),
        env: vec![("LOG_LEVEL".to_owned(), "info".to_owned())],
        cwd: None,
    };
    assert_eq!(draft.transport, expected);
}

#[tokio::test]
async fn an_entry_that_cannot_be_read_costs_only_itself_and_pages_come_to_an_end() {
    let mock = mock().await;
    let page = client(&mock, "/circle").search("", None, 10).await.unwrap();
    assert_eq!((page.servers.len(), page.unreadable.len()), (0, 1));
    assert_eq!(page.next_cursor.as_deref(), Some("again"));
    let page = client(&mock, "/circle").search("", Some("again"), 10).await.unwrap();
    assert_eq!(page.next_cursor, None);
}

/// What a person reads, for each kind of trouble.
#[tokio::test]
async fn trouble_is_told_to_a_person() {
    let mock = mock().await;
    let base = format!("http://{}", mock.address);
    let closed = format!("http://127.0.0.1:{}", free_port());
    let mut text = String::new();
    for path in ["broken", "busy", "moved", "none", "slow", "huge", "cut", "page", "odd"] {
        // Short only where nothing else can happen.
        let limit = Duration::from_millis(if path == "slow" { 300 } else { 10_000 });
        let error =
            client(&mock, &format!("/{path}")).with_limit(limit).search("x", None, 10).await.unwrap_err();
        text += &format!("{path}: {error}\n    {}\n", error.hint());
    }
    for url in [closed.as_str(), "http://registry.example.com", "registry"] {
        let error = match RegistryClient::new(url) {
            Ok(client) => client.search("x", None, 10).await.unwrap_err(),
            Err(error) => error,
        };
        text += &format!("{url}: {error}\n    {}\n", error.hint());
    }
    insta::assert_snapshot!(text.replace(&base, "[base]").replace(&closed, "[closed]"));
}
