//! The window's interface in a browser, over the real engine: for developing it and for testing it in Chromium.
//!
//! Never part of the product. It listens on loopback, and every request needs the token that it prints.
//!
//!     cargo run -p jackfield-cli --example dev-bridge -- [--port N] [--dist ui/dist]

#![expect(clippy::disallowed_methods, reason = "it serves the built interface from disk")]
#![expect(clippy::print_stdout, reason = "the address goes to whoever started it")]

use std::convert::Infallible;
use std::future::IntoFuture as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures::stream::{self, Stream};
use jackfield_api::desktop::{Desktop, DesktopError};
use jackfield_api::{Api, Command};
use jackfield_engine::{ConnectWhen, Engine, Options, find_guard};
use tokio::sync::broadcast::error::RecvError;

#[derive(Clone)]
struct Bridge {
    api: Api,
    token: Arc<str>,
    dist: Arc<PathBuf>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (mut port, mut dist) = (0_u16, PathBuf::from("ui/dist"));
    while let Some(arg) = args.next() {
        let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
        match arg.as_str() {
            "--port" => port = value.parse()?,
            "--dist" => dist = value.into(),
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    let mut options = Options::from_env()?;
    options.connect = ConnectWhen::AsSettings;
    options.offer_projects = true;
    // Examples are built one folder below the programs.
    options.guard = find_guard(false).or_else(guard_above);
    options.by = "window";
    let engine = Engine::start(options).await?;
    let token: Arc<str> = format!("{:032x}", random()?).into();
    let bridge =
        Bridge { api: Api::new(engine, Arc::new(Recorder)), token: token.clone(), dist: Arc::new(dist) };
    let app = Router::new()
        .route("/rpc", post(rpc))
        .route("/events", get(events))
        .fallback(file)
        .with_state(bridge.clone());
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("http://{}/?token={token}", listener.local_addr()?);
    // Whoever started us closes our stdin, or goes away; browsers that still listen for events are not waited for.
    let (mut stdin, mut nowhere) = (tokio::io::stdin(), tokio::io::sink());
    tokio::select! {
        served = axum::serve(listener, app).into_future() => served?,
        _ = tokio::io::copy(&mut stdin, &mut nowhere) => {}
    }
    bridge.api.engine().shutdown().await;
    Ok(())
}

fn guard_above() -> Option<jackfield_engine::transport::Guard> {
    let program = std::env::current_exe().ok()?.parent()?.parent()?.join("jackfield-guard");
    program.is_file().then(|| jackfield_engine::transport::Guard { program, prefix: Vec::new() })
}

fn random() -> std::io::Result<u128> {
    use std::io::Read as _;
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(u128::from_ne_bytes(bytes))
}

async fn rpc(State(bridge): State<Bridge>, headers: HeaderMap, body: String) -> Response {
    let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if sent.and_then(|value| value.strip_prefix("Bearer ")) != Some(&*bridge.token) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let command: Command = match serde_json::from_str(&body) {
        Ok(command) => command,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    match bridge.api.handle(command).await {
        Ok(answer) => axum::Json(answer).into_response(),
        Err(error) => (StatusCode::UNPROCESSABLE_ENTITY, axum::Json(error.body())).into_response(),
    }
}

#[derive(serde::Deserialize)]
struct Token {
    token: String,
}

async fn events(State(bridge): State<Bridge>, Query(query): Query<Token>) -> Response {
    if query.token != *bridge.token {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let deltas = bridge.api.feed().subscribe();
    let stream = stream::unfold(deltas, |mut deltas| async move {
        loop {
            match deltas.recv().await {
                Ok(delta) => {
                    let event = Event::default().json_data(&*delta).unwrap_or_default();
                    return Some((Ok::<_, Infallible>(event), deltas));
                }
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    });
    // A first comment, so that the browser knows at once that it is connected.
    let hello: Box<dyn Stream<Item = _> + Send + Unpin> =
        Box::new(stream::iter([Ok::<_, Infallible>(Event::default().comment("ready"))]));
    Sse::new(futures::StreamExt::chain(hello, Box::pin(stream)))
        .keep_alive(KeepAlive::default())
        .into_response()
}

async fn file(State(bridge): State<Bridge>, uri: Uri) -> Response {
    let below = uri.path().trim_start_matches('/');
    let below = if below.is_empty() { "index.html" } else { below };
    if Path::new(below).components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let kind = match Path::new(below).extension().and_then(|end| end.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some(_) | None => "application/octet-stream",
    };
    match std::fs::read(bridge.dist.join(below)) {
        Ok(bytes) => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

/// There is no desktop behind a browser. What would be opened is said on stdout, for tests to read.
struct Recorder;

impl Desktop for Recorder {
    fn open_file(&self, path: &Path, line: Option<u32>) -> Result<(), DesktopError> {
        println!("open {}:{}", path.display(), line.unwrap_or(0));
        Ok(())
    }

    fn reveal(&self, path: &Path) -> Result<(), DesktopError> {
        println!("reveal {}", path.display());
        Ok(())
    }

    fn open_link(&self, url: &str) -> Result<(), DesktopError> {
        println!("link {url}");
        Ok(())
    }

    fn pick_folder(&self) -> std::pin::Pin<Box<dyn Future<Output = Option<PathBuf>> + Send + '_>> {
        Box::pin(std::future::ready(None))
    }
}
