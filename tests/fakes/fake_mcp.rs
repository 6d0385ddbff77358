//! An MCP server over stdio that misbehaves as told. `fake-mcp --help` lists how.
//!
//! Standard library and serde_json only, so that it shares no code, and no mistake, with what it tests.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of its own"
)]

use std::collections::BTreeSet;
use std::io::{BufRead as _, Write as _};
use std::process::exit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use options::{Options, usage};

mod options;

const MODERN: &str = "2026-07-28";
const PROTOCOL_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";
const IGNORES_TERM: &str = "FAKE_MCP_IGNORES_TERM";
/// What `--crash-after` and the tool `crash` exit with.
const CRASHED: i32 = 3;

struct Fake {
    options: Options,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    requests: u64,
    initialized: bool,
    grown: u64,
    /// Ids of `subscriptions/listen` requests that are open.
    listeners: Vec<Value>,
    /// Ids of requests that the client no longer wants answered, as text.
    cancelled: BTreeSet<String>,
}

fn main() {
    let options = Options::parse();
    if options.has("--ignore-term") && std::env::var_os(IGNORES_TERM).is_none() {
        restart_without_signals();
    }
    if let Some(path) = options.text("--pid-file") {
        append(path, &format!("{}\n", std::process::id()));
    }
    if let Some(code) = options.number("--crash-at-start") {
        eprintln!("starting\nfatal: the database is locked\n  at start (fake.js:1:1)");
        exit(i32::try_from(code).unwrap_or(1));
    }
    let fake = Arc::new(Fake { options, state: Mutex::default() });
    fake.begin();
    for line in std::io::stdin().lock().lines() {
        match line.map(|line| serde_json::from_str::<Value>(&line)) {
            Ok(Ok(message)) => Fake::receive(&fake, &message),
            Ok(Err(error)) => eprintln!("not JSON: {error}"),
            Err(error) => usage(&format!("cannot read: {error}")),
        }
    }
    while fake.options.has("--ignore-eof") {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

/// An ignored signal stays ignored over an exec; this needs no unsafe code, a handler of our own would.
#[cfg(unix)]
fn restart_without_signals() {
    use std::os::unix::process::CommandExt as _;
    let error = std::process::Command::new("sh")
        .args(["-c", "trap '' TERM INT HUP; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap_or_else(|error| usage(&error.to_string())))
        .args(std::env::args_os().skip(1))
        .env(IGNORES_TERM, "1")
        .exec();
    usage(&error.to_string());
}

#[cfg(not(unix))]
fn restart_without_signals() {}

fn append(path: &str, text: &str) {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        usage(&format!("{path}: {error}"));
    }
}

fn write_out(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(bytes).and_then(|()| stdout.flush()).is_err() {
        // The client is gone. Stay if told so: whoever started us has to end us.
        eprintln!("stdout is closed");
    }
}

fn flood(mut to: impl std::io::Write, bytes: u64, line_length: usize) {
    let line = [vec![b'x'; line_length.saturating_sub(1)], vec![b'\n']].concat();
    let mut left = usize::try_from(bytes).unwrap_or(usize::MAX);
    while left > 0 {
        let part = left.min(line.len());
        if to.write_all(&line[line.len() - part..]).is_err() {
            return;
        }
        left -= part;
    }
    let _ = to.flush();
}

impl Fake {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn modern(&self) -> bool {
        self.options.has("--modern")
    }

    fn begin(&self) {
        if let Some(ms) = self.options.number("--crash-after-ms") {
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(ms));
                exit(CRASHED);
            });
        }
        if let Some(ms) = self.options.number("--slow-start") {
            std::thread::sleep(Duration::from_millis(ms));
        }
        if self.options.has("--noisy") {
            write_out(b"Fake MCP server, running on stdio\n\n");
        }
        if self.options.has("--invalid-utf8") {
            write_out(b"caf\xe9 \xff\xfe\n");
            let _ = std::io::stderr().write_all(b"caf\xe9 \xff\xfe\n");
        }
        if let Some(bytes) = self.options.number("--stderr-flood") {
            std::thread::spawn(move || flood(std::io::stderr(), bytes, 100));
        }
        if let Some(bytes) = self.options.number("--stdout-flood") {
            flood(std::io::stdout().lock(), bytes, usize::try_from(bytes).unwrap_or(usize::MAX));
        }
    }

    fn send(&self, message: &Value) {
        // One write, so that threads cannot mix their lines.
        let noise = if self.options.has("--noisy") { "debug: sending {\n" } else { "" };
        write_out(format!("{noise}{message}\n").as_bytes());
    }

    fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn receive(fake: &Arc<Self>, message: &Value) {
        let method = message["method"].as_str().unwrap_or_default();
        let params = message["params"].clone();
        let Some(id) = message.get("id").cloned() else {
            if method == "notifications/cancelled" {
                fake.state().cancelled.insert(params["requestId"].to_string());
                eprintln!("cancelled {}", params["requestId"]);
            }
            return;
        };
        if let Some(path) = fake.options.text("--requests") {
            append(path, &format!("{method}\n"));
        }
        fake.before_answering(method);
        if fake.options.has("--silent")
            || (method == "server/discover" && fake.options.has("--silent-on-discover"))
        {
            return;
        }
        if method == "tools/call" && params["name"] == "slow" {
            let fake = Arc::clone(fake);
            std::thread::spawn(move || fake.slow(&id, &params));
            return;
        }
        if method == "subscriptions/listen" && fake.modern() {
            let accepted = params["notifications"].clone();
            let meta = json!({SUBSCRIPTION_KEY: id});
            fake.state().listeners.push(id);
            let params = json!({"_meta": meta, "notifications": accepted});
            fake.notify("notifications/subscriptions/acknowledged", &params);
            return;
        }
        let answer = fake.answer(method, &params);
        fake.reply(&id, answer);
    }

    fn before_answering(&self, method: &str) {
        let mut state = self.state();
        state.requests += 1;
        if self.options.number("--crash-after").is_some_and(|most| state.requests > most) {
            eprintln!("fatal: out of luck");
            exit(CRASHED);
        }
        if method == "initialize" {
            state.initialized = true;
        } else if self.options.has("--exit-on-discover") && !state.initialized {
            eprintln!("fatal: {method} before initialize");
            exit(1);
        }
    }

    fn reply(&self, id: &Value, answer: Result<Value, Value>) {
        self.send(&match answer {
            Ok(mut result) => {
                if let (true, Some(fields)) = (self.modern(), result.as_object_mut()) {
                    fields.insert("resultType".into(), "complete".into());
                    fields.insert("_meta".into(), json!({"io.modelcontextprotocol/serverInfo": self.info()}));
                }
                json!({"jsonrpc": "2.0", "id": id, "result": result})
            }
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        });
    }

    fn answer(&self, method: &str, params: &Value) -> Result<Value, Value> {
        let asked = &params["_meta"][PROTOCOL_KEY];
        let spoken = self.options.text("--protocol").unwrap_or(MODERN);
        if self.modern() && (method == "initialize" || *asked != *spoken) {
            let requested = if method == "initialize" { &params["protocolVersion"] } else { asked };
            let data = json!({"supported": [spoken], "requested": requested});
            return Err(json!({"code": -32022, "message": "Unsupported protocol version", "data": data}));
        }
        match method {
            "initialize" => {
                let wish = params["protocolVersion"].as_str().unwrap_or_default();
                let version = self.options.text("--protocol").unwrap_or(wish);
                let capabilities = self.capabilities();
                Ok(
                    json!({"protocolVersion": version, "capabilities": capabilities, "serverInfo": self.info()}),
                )
            }
            "server/discover" if self.modern() => Ok(json!({
                "supportedVersions": [spoken],
                "capabilities": self.capabilities(),
                "ttlMs": 0,
                "cacheScope": "private",
            })),
            "ping" if !self.modern() => Ok(json!({})),
            "tools/list" => self.list(params),
            "tools/call" => self.call(params),
            _ => Err(json!({"code": -32601, "message": format!("Method not found: {method}")})),
        }
    }

    fn info(&self) -> Value {
        let name = self.options.text("--name").unwrap_or("fake-mcp");
        json!({"name": name, "version": self.options.text("--version").unwrap_or("1.0.0")})
    }

    fn capabilities(&self) -> Value {
        json!({"tools": {"listChanged": self.options.has("--list-changed")}})
    }

    fn list(&self, params: &Value) -> Result<Value, Value> {
        if self.options.has("--list-error") {
            return Err(json!({"code": -32603, "message": "the list of tools is broken"}));
        }
        let tools = self.tools();
        let page = self.options.number("--page").and_then(|size| usize::try_from(size).ok());
        let start = params["cursor"].as_str().and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        let end = page.map_or(tools.len(), |size| tools.len().min(start + size.max(1)));
        let mut result = Map::new();
        result.insert("tools".into(), tools.get(start..end).unwrap_or_default().into());
        if self.options.has("--loop-cursor") {
            result.insert("nextCursor".into(), "8".into());
        } else if end < tools.len() {
            result.insert("nextCursor".into(), end.to_string().into());
        }
        if self.modern() {
            result.insert("ttlMs".into(), 0.into());
            result.insert("cacheScope".into(), "private".into());
        }
        Ok(result.into())
    }

    fn tools(&self) -> Vec<Value> {
        let mut tools: Vec<Value> = match self.options.number("--tools") {
            Some(count) => (0..count).map(|i| plain_tool(&format!("tool_{i}"), "One of many")).collect(),
            None => own_tools(),
        };
        if self.options.has("--list-changed") {
            tools.push(plain_tool("grow", "Adds a tool"));
            tools.extend(
                (0..self.state().grown).map(|i| plain_tool(&format!("grown_{i}"), "Was not there before")),
            );
        }
        tools
    }

    fn call(&self, params: &Value) -> Result<Value, Value> {
        let (name, arguments) = (params["name"].as_str().unwrap_or_default(), &params["arguments"]);
        match name {
            "echo" => Ok(text(arguments["message"].as_str().unwrap_or_default())),
            "add" => {
                let sum = arguments["a"].as_f64().unwrap_or(0.0) + arguments["b"].as_f64().unwrap_or(0.0);
                let mut result = text(&sum.to_string());
                result["structuredContent"] = json!({"sum": sum});
                Ok(result)
            }
            "fail" => {
                let mut result = text("it failed, as asked");
                result["isError"] = true.into();
                Ok(result)
            }
            "crash" => exit(CRASHED),
            "env" => {
                Ok(text(&std::env::var(arguments["name"].as_str().unwrap_or_default()).unwrap_or_default()))
            }
            "argv" => Ok(text(&json!(std::env::args().skip(1).collect::<Vec<_>>()).to_string())),
            "cwd" => Ok(text(&std::env::current_dir().unwrap_or_default().display().to_string())),
            "grow" if self.options.has("--list-changed") => {
                self.state().grown += 1;
                self.tell_list_changed();
                Ok(text("grown"))
            }
            _ if self.tools().iter().any(|tool| tool["name"] == name) => Ok(text(name)),
            _ => Err(json!({"code": -32602, "message": format!("Unknown tool: {name}")})),
        }
    }

    fn tell_list_changed(&self) {
        let method = "notifications/tools/list_changed";
        let listeners = self.state().listeners.clone();
        if !self.modern() {
            self.notify(method, &json!({}));
        }
        for id in listeners {
            self.notify(method, &json!({"_meta": {SUBSCRIPTION_KEY: id}}));
        }
    }

    /// Sleeps in steps, reports progress to whoever asked for it, and says nothing more once cancelled.
    fn slow(&self, id: &Value, params: &Value) {
        let arguments = &params["arguments"];
        let ms = arguments["ms"].as_u64().unwrap_or(1000);
        let steps = arguments["steps"].as_u64().unwrap_or(5).max(1);
        for step in 1..=steps {
            std::thread::sleep(Duration::from_millis(ms / steps));
            if self.state().cancelled.contains(&id.to_string()) {
                return;
            }
            if let Some(token) = params["_meta"].get("progressToken") {
                let message = format!("step {step} of {steps}");
                let progress =
                    json!({"progressToken": token, "progress": step, "total": steps, "message": message});
                self.notify("notifications/progress", &progress);
            }
        }
        self.reply(id, Ok(text(&format!("slept {ms} ms"))));
    }
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": false})
}

fn plain_tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
}

fn tool(name: &str, description: &str, properties: Value, required: &[&str]) -> Value {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"name": name, "description": description, "inputSchema": schema})
}

fn own_tools() -> Vec<Value> {
    let number = json!({"type": "number"});
    let mut echo = tool("echo", "Returns its message", json!({"message": {"type": "string"}}), &["message"]);
    echo["annotations"] = json!({"title": "Echo", "readOnlyHint": true});
    // No specification knows it; who passes tools on has to keep it.
    echo["vendorField"] = json!({"kept": true});
    let slow =
        json!({"ms": {"type": "integer", "default": 1000}, "steps": {"type": "integer", "default": 5}});
    vec![
        echo,
        tool("add", "Adds two numbers", json!({"a": number, "b": number}), &["a", "b"]),
        plain_tool("fail", "Fails"),
        tool("slow", "Sleeps, with progress", slow, &[]),
        plain_tool("crash", "Ends the server with code 3"),
        tool("env", "Returns an environment variable", json!({"name": {"type": "string"}}), &["name"]),
        plain_tool("argv", "Returns the server's arguments as JSON"),
        plain_tool("cwd", "Returns the server's working directory"),
    ]
}
