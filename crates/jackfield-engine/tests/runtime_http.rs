//! Sessions over HTTP, with servers that are as odd as real ones.
#![expect(clippy::unwrap_used, reason = "a helper of tests that fails is a failed test")]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use jackfield_config::HttpProtocol;
use jackfield_engine::client::{ConnectDeps, Era, Session, connect};
use jackfield_engine::log::ServerLog;
use jackfield_engine::resolve::{ResolvedServer, ResolvedTransport, Secret};
use jackfield_engine::status::{Failure, FailureKind};
use jackfield_engine::tools::call::CallOptions;
use jackfield_engine::transport::http::HttpClients;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

/// A request as the fake saw it.
#[derive(Debug, Clone)]
struct Seen {
    method: Method,
    headers: HeaderMap,
    body: Value,
}

impl Seen {
    fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or("")
    }
}

type Answer = dyn Fn(&Seen, usize) -> Option<Response> + Send + Sync;

struct Fake {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    serving: tokio::task::JoinHandle<()>,
}

#[derive(Clone)]
struct Shared {
    seen: Arc<Mutex<Vec<Seen>>>,
    answer: Arc<Answer>,
}

impl Fake {
    /// `answer` gets a request and how many of its RPC method came before it; with `None` it is answered as usual.
    async fn start(answer: impl Fn(&Seen, usize) -> Option<Response> + Send + Sync + 'static) -> Fake {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shared = Shared { seen: seen.clone(), answer: Arc::new(answer) };
        let router = Router::new().fallback(handle).with_state(shared);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Fake { address, seen, serving }
    }

    fn count(&self, rpc: &str) -> usize {
        self.seen.lock().unwrap().iter().filter(|seen| seen.rpc() == rpc).count()
    }

    fn server(&self, protocol: HttpProtocol) -> ResolvedServer {
        server(&format!("http://{}/mcp", self.address), protocol)
    }

    async fn connect(&self, protocol: HttpProtocol) -> Result<Session, Failure> {
        connect(&self.server(protocol), Era::Unknown, &deps(), &|_| ()).await
    }
}

async fn handle(State(shared): State<Shared>, method: Method, headers: HeaderMap, body: Bytes) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let request = Seen { method, headers, body };
    let before = {
        let mut seen = shared.seen.lock().unwrap();
        let before = seen.iter().filter(|seen| seen.rpc() == request.rpc()).count();
        seen.push(request.clone());
        before
    };
    (shared.answer)(&request, before).unwrap_or_else(|| usual(&request))
}

fn json_answer(status: StatusCode, value: &Value) -> Response {
    (status, [("content-type", "application/json")], value.to_string()).into_response()
}

fn result(request: &Seen, value: &Value) -> Response {
    json_answer(StatusCode::OK, &json!({"jsonrpc": "2.0", "id": request.body["id"], "result": value}))
}

/// A server of 2025-06-18 without streams.
fn usual(request: &Seen) -> Response {
    if request.method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    match request.rpc() {
        "server/discover" => json_answer(
            StatusCode::OK,
            &json!({"jsonrpc": "2.0", "id": request.body["id"], "error": {"code": -32601, "message": "no"}}),
        ),
        "initialize" => {
            let mut response = result(
                request,
                &json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "fake", "version": "1"}}),
            );
            response.headers_mut().insert("mcp-session-id", "s1".parse().unwrap());
            response
        }
        "tools/list" => {
            result(request, &json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}))
        }
        "tools/call" => result(request, &json!({"content": [{"type": "text", "text": "hi"}]})),
        _ => StatusCode::ACCEPTED.into_response(),
    }
}

fn server(url: &str, protocol: HttpProtocol) -> ResolvedServer {
    ResolvedServer {
        transport: ResolvedTransport::Http {
            url: url.to_owned(),
            headers: vec![("X-Key".to_owned(), Secret::new("hunter22".to_owned()))],
            protocol,
        },
        timeout: Duration::from_secs(10),
        left_out: Vec::new(),
        secrets: vec![Secret::new("hunter22".to_owned())],
    }
}

fn deps() -> ConnectDeps {
    ConnectDeps {
        http: HttpClients::default(),
        guard: None,
        tracker: TaskTracker::new(),
        log: ServerLog::new(),
        project: None,
    }
}

async fn call(session: &Session) -> String {
    let options = CallOptions { timeout: Some(Duration::from_secs(5)), ..CallOptions::default() };
    session.peer().call_tool("t", None, options).await.unwrap().text()
}

#[tokio::test]
async fn a_stream_that_is_not_there_does_not_matter() {
    for status in [400, 404, 405, 406] {
        let fake = Fake::start(move |request, _| {
            (request.method == Method::GET).then(|| StatusCode::from_u16(status).unwrap().into_response())
        })
        .await;
        let session = fake.connect(HttpProtocol::Streamable).await.unwrap();
        assert_eq!(session.list_tools().await.unwrap().tools.len(), 1, "{status}");
        session.close().await;
    }
}

#[tokio::test]
async fn both_kinds_of_answer_are_accepted_and_headers_are_sent() {
    let fake = Fake::start(|request, _| {
        let accept = request.headers.get("accept").map(|value| value.to_str().unwrap());
        let both = accept == Some("application/json, text/event-stream");
        (request.method == Method::POST && !both).then(|| StatusCode::NOT_ACCEPTABLE.into_response())
    })
    .await;
    let session = fake.connect(HttpProtocol::Streamable).await.unwrap();
    assert_eq!(call(&session).await, "hi");
    assert!(fake.seen.lock().unwrap().iter().all(|seen| seen.headers["x-key"] == "hunter22"));
    session.close().await;
}

#[tokio::test]
async fn a_lost_session_is_renewed_once() {
    let idless = json!({"jsonrpc": "2.0", "error": {"code": -32000, "message": "Bad Request: No valid session ID provided"}, "id": null});
    for (status, body) in [(StatusCode::NOT_FOUND, Value::Null), (StatusCode::BAD_REQUEST, idless)] {
        let fake = Fake::start(move |request, before| {
            (request.rpc() == "tools/call" && before == 1).then(|| json_answer(status, &body))
        })
        .await;
        let session = fake.connect(HttpProtocol::Streamable).await.unwrap();
        assert_eq!(call(&session).await, "hi");
        assert_eq!(call(&session).await, "hi");
        assert_eq!(fake.count("initialize"), 2, "{status}");
        let seen = fake.seen.lock().unwrap().clone();
        let second = seen.iter().filter(|seen| seen.rpc() == "initialize").nth(1).unwrap();
        assert!(!second.headers.contains_key("mcp-session-id"));
        session.close().await;
    }
}

#[tokio::test]
async fn an_error_without_id_reaches_its_caller() {
    let fake = Fake::start(|request, _| {
        let body = json!({"jsonrpc": "2.0", "error": {"code": -32603, "message": "broken"}, "id": null});
        (request.rpc() == "tools/list").then(|| json_answer(StatusCode::INTERNAL_SERVER_ERROR, &body))
    })
    .await;
    let session = fake.connect(HttpProtocol::Streamable).await.unwrap();
    let failure =
        tokio::time::timeout(Duration::from_secs(3), session.list_tools()).await.unwrap().unwrap_err();
    assert_eq!(failure.message, "broken");
    session.close().await;
}

#[tokio::test]
async fn refusals_are_told_apart_by_status() {
    for (status, challenge, kind, word) in [
        (401, Some("Bearer resource_metadata=\"http://x\""), FailureKind::SignIn, "401"),
        (401, None, FailureKind::SignIn, "401"),
        (403, None, FailureKind::Forbidden, "403"),
        (403, Some("Bearer error=\"invalid_token\""), FailureKind::Forbidden, "403"),
        (403, Some("Bearer error=\"insufficient_scope\", scope=\"a\""), FailureKind::SignIn, "403"),
        (404, None, FailureKind::Http(404), "404"),
        (503, None, FailureKind::Http(503), "503"),
    ] {
        let fake = Fake::start(move |_, _| {
            let mut response = StatusCode::from_u16(status).unwrap().into_response();
            if let Some(challenge) = challenge {
                response.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
            }
            Some(response)
        })
        .await;
        for protocol in [HttpProtocol::Streamable, HttpProtocol::Auto] {
            let failure = fake.connect(protocol).await.unwrap_err();
            assert_eq!(failure.kind, kind, "{status} {challenge:?} {protocol:?}: {failure:?}");
            assert!(failure.message.contains(word), "{}", failure.message);
        }
    }
}

#[tokio::test]
async fn what_does_not_answer_is_told_apart() {
    let fake = Fake::start(|_, _| None).await;
    fake.serving.abort();
    let _ = fake.serving.await;
    let url = format!("http://{}/mcp?key=hunter22", fake.address);
    for protocol in [HttpProtocol::Streamable, HttpProtocol::Auto, HttpProtocol::Sse] {
        let failure = connect(&server(&url, protocol), Era::Unknown, &deps(), &|_| ()).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Refused, "{protocol:?}");
        assert!(!failure.message.contains("hunter22"));
    }
    let plain = Fake::start(|_, _| None).await;
    let url = format!("https://{}/mcp", plain.address);
    let failure =
        connect(&server(&url, HttpProtocol::Streamable), Era::Unknown, &deps(), &|_| ()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Tls, "{failure:?}");
    let mut slow = server(&format!("http://{}/mcp", plain.address), HttpProtocol::Streamable);
    slow.timeout = Duration::from_millis(1);
    let failure = connect(&slow, Era::Unknown, &deps(), &|_| ()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Timeout);
    let failure =
        connect(&server("ftp://x", HttpProtocol::Auto), Era::Unknown, &deps(), &|_| ()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Config);
}

#[tokio::test]
async fn a_repeated_cursor_ends_the_list() {
    let fake = Fake::start(|request, _| {
        let tools: Vec<Value> = (0..8).map(|n| json!({"name": format!("t{n}"), "inputSchema": {}})).collect();
        (request.rpc() == "tools/list").then(|| result(request, &json!({"tools": tools, "nextCursor": "8"})))
    })
    .await;
    let session = fake.connect(HttpProtocol::Streamable).await.unwrap();
    let listing = session.list_tools().await.unwrap();
    assert_eq!(listing.tools.len(), 8);
    assert!(listing.warning.is_some());
    assert_eq!(fake.count("tools/list"), 2);
    session.close().await;
}

#[tokio::test]
async fn a_server_that_goes_away_is_noticed() {
    // With a runtime of its own, so that its open connections go with it.
    let elsewhere =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let fake = elsewhere.spawn(Fake::start(|_, _| None)).await.unwrap();
    let session = fake.connect(HttpProtocol::Streamable).await.unwrap();
    elsewhere.shutdown_background();
    // There is no stream that could break, so a call finds out. The first ones may still meet an open connection.
    let peer = session.peer();
    let calls = async {
        loop {
            let _ = peer.call_tool("t", None, CallOptions::default()).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let failure = tokio::select! {
        failure = session.ended() => failure,
        () = calls => unreachable!(),
        () = tokio::time::sleep(Duration::from_secs(5)) => panic!("not noticed"),
    };
    assert_eq!(failure.kind, FailureKind::Refused);
    session.close().await;
}

/// A server of 2024-11-05: events on GET, messages by POST.
async fn sse_fake() -> Fake {
    let events: Arc<Mutex<Option<mpsc::Sender<String>>>> = Arc::default();
    Fake::start(move |request, _| {
        if request.method == Method::GET {
            let (sender, mut receiver) = mpsc::channel::<String>(64);
            sender.try_send("event: endpoint\ndata: /messages?session=1\n\n".to_owned()).unwrap();
            *events.lock().unwrap() = Some(sender);
            let stream = futures::stream::poll_fn(move |context| {
                receiver.poll_recv(context).map(|event| event.map(Ok::<_, std::convert::Infallible>))
            });
            let body = Body::from_stream(stream);
            return Some(([("content-type", "text/event-stream")], body).into_response());
        }
        if request.headers.get("mcp-protocol-version").is_some() || request.rpc() == "server/discover" {
            return Some(StatusCode::METHOD_NOT_ALLOWED.into_response());
        }
        let Some(sender) = events.lock().unwrap().clone() else {
            return Some(StatusCode::METHOD_NOT_ALLOWED.into_response());
        };
        let answer = match request.rpc() {
            "initialize" => json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}},
                "serverInfo": {"name": "old", "version": "1"}}),
            "tools/list" => json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}),
            "tools/call" => json!({"content": [{"type": "text", "text": "hi"}]}),
            _ => return Some(StatusCode::ACCEPTED.into_response()),
        };
        let message = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": answer});
        sender.try_send(format!("event: message\ndata: {message}\n\n")).unwrap();
        Some(StatusCode::ACCEPTED.into_response())
    })
    .await
}

#[tokio::test]
async fn the_older_transport_is_spoken_when_asked_and_when_needed() {
    for protocol in [HttpProtocol::Sse, HttpProtocol::Auto] {
        let fake = sse_fake().await;
        let session = fake.connect(protocol).await.unwrap();
        assert_eq!(session.facts().protocol, "2024-11-05", "{protocol:?}");
        assert_eq!(session.list_tools().await.unwrap().tools.len(), 1);
        assert_eq!(call(&session).await, "hi");
        session.close().await;
    }
    // And the newer one where `sse` is configured for a server that does not speak it.
    let fake = Fake::start(|_, _| None).await;
    let session = fake.connect(HttpProtocol::Sse).await.unwrap();
    assert_eq!(session.facts().protocol, "2025-06-18");
    session.close().await;
}

#[tokio::test]
async fn a_redirect_to_itself_is_told_as_what_it_is() {
    let circle = |_: &Seen, _| Some((StatusCode::TEMPORARY_REDIRECT, [("location", "/mcp")]).into_response());
    let fake = Fake::start(circle).await;
    for protocol in [HttpProtocol::Streamable, HttpProtocol::Auto, HttpProtocol::Sse] {
        let failure = fake.connect(protocol).await.unwrap_err();
        assert_eq!(failure.message, "It redirects in a circle (HTTP 307)");
        assert_eq!(failure.kind, FailureKind::Http(307));
    }
    fake.serving.abort();
}

#[tokio::test]
async fn a_url_that_is_none_does_not_tell_its_secret() {
    let server = server("ftp://h/hunter22", HttpProtocol::Auto);
    let failure = connect(&server, Era::Unknown, &deps(), &|_| ()).await.unwrap_err();
    assert!(!failure.message.contains("hunter22"), "{failure:?}");
}
