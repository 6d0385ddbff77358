//! What the test programs share: a home directory of its own, the program run in it, the fake server, the real ones,
//! and a look at the processes that are left.
//!
//! Everything that runs for a [`Home`] inherits its `HOME`, so its processes are found by that in `/proc`.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// No run of the program takes longer.
const LONGEST_RUN: Duration = Duration::from_secs(60);
/// How often a condition is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// A folder with a home, a project and a system of its own; removed at the end.
pub(crate) struct Home {
    _folder: tempfile::TempDir,
    root: PathBuf,
    extra: BTreeMap<String, String>,
}

/// What came of a run of the program.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("no JSON, {error}: {self:#?}"))
    }

    /// The run, if it ended with this code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }
}

impl Home {
    pub(crate) fn new() -> Home {
        let folder = tempfile::Builder::new().prefix("jackfield-test-").tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for part in ["home", "project", "system"] {
            std::fs::create_dir(root.join(part)).unwrap();
        }
        Home { _folder: folder, root, extra: BTreeMap::new() }
    }

    /// With a variable more in the environment of everything that is run.
    pub(crate) fn var(mut self, name: &str, value: &str) -> Home {
        self.extra.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Writes a file; `home/…`, `project/…` or `system/…`. Replaced by a rename, as editors do.
    pub(crate) fn write(&self, relative: &str, text: &str) -> PathBuf {
        let path = self.root.join(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let new = path.with_extension("test-new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(&new, &path).unwrap();
        path
    }

    /// A file with `mcpServers`.
    pub(crate) fn servers(&self, relative: &str, servers: &[(&str, Value)]) -> PathBuf {
        let map: serde_json::Map<String, Value> =
            servers.iter().map(|(name, entry)| ((*name).to_owned(), entry.clone())).collect();
        self.write(relative, &serde_json::to_string_pretty(&json!({ "mcpServers": map })).unwrap())
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        std::fs::read_to_string(self.root.join(relative)).unwrap()
    }

    /// The whole environment: nothing of the machine's but the PATH.
    pub(crate) fn env(&self) -> BTreeMap<String, String> {
        let path = |relative: &str| self.root.join(relative).display().to_string();
        let mut env: BTreeMap<String, String> = [
            ("HOME", path("home")),
            ("XDG_CONFIG_HOME", path("home/.config")),
            ("XDG_CACHE_HOME", path("home/.cache")),
            ("XDG_STATE_HOME", path("home/.local/state")),
            ("JACKFIELD_SYSTEM_ROOT", path("system")),
            // As if started from a shell: no login shell is asked.
            ("SHLVL", "1".to_owned()),
            ("PATH", machine_path()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        env.extend(self.extra.clone());
        env
    }

    /// As [`Home::jackfield`], with the data going elsewhere.
    pub(crate) fn jackfield_into(&self, args: &[&str], stdout: Stdio) -> Ran {
        let child = self.command("home", args).stdout(stdout).spawn().unwrap();
        wait(child, args)
    }

    /// Runs `jackfield` outside of any project.
    pub(crate) fn jackfield(&self, args: &[&str]) -> Ran {
        self.run("home", args, "")
    }

    /// Runs `jackfield` in the project's folder.
    pub(crate) fn in_project(&self, args: &[&str]) -> Ran {
        self.run("project", args, "")
    }

    /// Runs `jackfield` with something on standard input.
    pub(crate) fn with_input(&self, args: &[&str], input: &str) -> Ran {
        self.run("home", args, input)
    }

    fn run(&self, cwd: &str, args: &[&str], input: &str) -> Ran {
        let mut child = self.command(cwd, args).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A program that reads no input may have closed it.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        wait(child, args)
    }

    /// Starts `jackfield` and leaves it running.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        self.command("home", args).spawn().unwrap()
    }

    fn command(&self, cwd: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .args(args)
            .env_clear()
            .envs(self.env())
            .current_dir(self.root.join(cwd))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Text for a snapshot: without what differs from run to run and from machine to machine.
    pub(crate) fn plain(&self, text: &str) -> String {
        let root = self.root.display().to_string();
        let text = text
            .replace(&format!("{root}/home"), "$HOME")
            .replace(&format!("{root}/project"), "$PROJECT")
            .replace(&root, "$ROOT")
            .replace(&fake_path().display().to_string(), "$FAKE");
        without_widths(&without_times(&text))
    }

    /// Processes that run for this home, as "pid command line".
    pub(crate) fn processes(&self) -> Vec<String> {
        let needle = self.root.display().to_string().into_bytes();
        let own = std::process::id();
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            if pid == own {
                continue;
            }
            // It may have ended between the two looks.
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            if holds(&line, &needle) || holds(&environ, &needle) {
                found.push(format!("{pid} {}", String::from_utf8_lossy(&line).replace('\0', " ")));
            }
        }
        found
    }

    /// Fails if a process of this home is still there after `limit`. Returns how long it took.
    #[track_caller]
    pub(crate) fn nothing_is_left_within(&self, limit: Duration) -> Duration {
        let start = Instant::now();
        let gone = until(limit, || self.processes().is_empty());
        let left = self.processes();
        assert!(gone, "still there after {limit:?}: {left:#?}");
        start.elapsed()
    }

    /// Every file below the home, as (path, bytes).
    pub(crate) fn all_files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap().flatten() {
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                } else {
                    files.push((entry.path(), std::fs::read(entry.path()).unwrap_or_default()));
                }
            }
        }
        files
    }
}

impl Drop for Home {
    /// A failed test must not leave its stubborn servers behind.
    fn drop(&mut self) {
        for process in self.processes() {
            let pid = process.split(' ').next().and_then(|pid| pid.parse().ok());
            if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

fn read_all(mut from: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for a started program, at most [`LONGEST_RUN`].
pub(crate) fn wait(mut child: Child, what: &[&str]) -> Ran {
    // Where it goes elsewhere there is nothing to read.
    let out = child.stdout.take().map(read_all);
    let err = child.stderr.take().map(read_all);
    let text = |reader: Option<std::thread::JoinHandle<String>>| {
        reader.map_or_else(String::new, |all| all.join().unwrap())
    };
    let mut status = None;
    let ended = until(LONGEST_RUN, || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    if !ended {
        child.kill().unwrap();
        panic!("{what:?} did not end within {LONGEST_RUN:?}");
    }
    Ran { code: status.and_then(|status| status.code()), stdout: text(out), stderr: text(err) }
}

/// Looks at a condition until it holds; false if it never did.
pub(crate) fn until(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() >= end {
            return false;
        }
        std::thread::sleep(LOOK);
    }
}

/// The same, without holding a thread of the runtime.
pub(crate) async fn until_async(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    while !holds() {
        if Instant::now() >= end {
            return false;
        }
        tokio::time::sleep(LOOK).await;
    }
    true
}

fn holds(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

/// `12 ms` and `1.5 s` as `[TIME]`.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let digits = from.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(from.len());
        let (number, after) = from.split_at(digits);
        match after.strip_prefix(" ms") {
            Some(after) if !after.starts_with(char::is_alphanumeric) => {
                out.push_str("[TIME] ms");
                rest = after;
            }
            _ => {
                out.push_str(number);
                rest = after;
            }
        }
    }
    out + rest
}

/// Columns two spaces apart: how wide they are depends on where things are on this machine.
fn without_widths(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        out.push_str(&line[..indent]);
        let mut spaces = 0;
        for letter in line[indent..].chars() {
            spaces = if letter == ' ' { spaces + 1 } else { 0 };
            if spaces <= 2 {
                out.push(letter);
            }
        }
    }
    out
}

/// The machine's PATH, each folder once.
fn machine_path() -> String {
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        if !folder.as_os_str().is_empty() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    std::env::join_paths(folders).unwrap().into_string().unwrap()
}

/// The program under test; only the crate that declares it knows where it is.
fn program() -> &'static str {
    env!("CARGO_BIN_EXE_jackfield")
}

/// The fake server, which `cargo test` builds as an example beside the tests.
pub(crate) fn fake_path() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let path = own.parent().and_then(Path::parent).unwrap().join("examples/fake-mcp");
    assert!(
        path.is_file(),
        "{} is missing: run `cargo test`, or `cargo build -p jackfield-cli --example fake-mcp`",
        path.display()
    );
    path
}

/// The entry of a fake server with these flags.
pub(crate) fn fake(flags: &[&str]) -> Value {
    json!({ "command": fake_path(), "args": flags })
}

/// `entry` with more keys, or others.
pub(crate) fn with(mut entry: Value, more: Value) -> Value {
    let (Some(map), Value::Object(more)) = (entry.as_object_mut(), more) else { panic!("not an entry") };
    map.extend(more);
    entry
}

/// A fake server behind two shells, as `npx` would start it.
pub(crate) fn wrapped(flags: &[&str]) -> Value {
    let inner = format!("'{}' {}; exit $?", fake_path().display(), flags.join(" "));
    json!({ "command": "sh", "args": ["-c", format!("sh -c \"{inner}\"; exit $?")] })
}

/// A real server, `node/node_modules/.bin/…` or `python/bin/…`; `None`, loudly, where it is not installed.
#[expect(clippy::print_stderr, reason = "a test that was not run is told")]
pub(crate) fn real(relative: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("JACKFIELD_TEST_SERVERS")
        .map_or_else(|| repository().join("target/servers"), PathBuf::from);
    let path = folder.join(relative);
    if path.is_file() {
        return Some(path);
    }
    eprintln!(
        "SKIPPED: {} is not there; `cargo xtask setup` installs the servers of the tests",
        path.display()
    );
    None
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A port of this machine where nothing listens.
pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The beginnings of the requests that a web server got: the line, the headers, and what came with them.
#[derive(Clone, Default)]
pub(crate) struct Requests(std::sync::Arc<std::sync::Mutex<Vec<String>>>);

impl Requests {
    pub(crate) fn count(&self) -> usize {
        self.all().len()
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// A web server that answers every request by this status and nothing else, until the test program ends. Returns its
/// port and what it was asked so far.
pub(crate) fn answers_always(status: u16, headers: &'static str) -> (u16, Requests) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Requests::default();
    let heard = requests.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let heard = heard.clone();
            std::thread::spawn(move || {
                let mut buffer = [0; 65536];
                let length = stream.read(&mut buffer).unwrap_or(0);
                heard.0.lock().unwrap().push(String::from_utf8_lossy(&buffer[..length]).into_owned());
                let head =
                    format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n");
                let _ = stream.write_all(head.as_bytes());
            });
        }
    });
    (port, requests)
}
