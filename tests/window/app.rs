//! One window with a HOME of its own.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};
use tokio::process::{Child, Command};

/// Under load everything takes long; nothing here waits that long otherwise.
const PATIENCE: Duration = Duration::from_secs(40);

pub(crate) struct App {
    pub(crate) client: Client,
    driver: Child,
    home: PathBuf,
}

/// Why the window cannot be tested here, if it cannot.
pub(crate) fn missing() -> Option<String> {
    if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
        return Some("there is no display".to_owned());
    }
    let binary = binary();
    if !binary.is_file() {
        return Some(format!("{} is not built", binary.display()));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let driver = std::env::split_paths(&path).any(|dir| dir.join("WebKitWebDriver").is_file());
    (!driver).then(|| "WebKitWebDriver is not installed".to_owned())
}

fn binary() -> PathBuf {
    // Beside the CLI, which cargo has built for this test.
    Path::new(env!("CARGO_BIN_EXE_jackfield")).with_file_name("jackfield-desktop")
}

/// A free port. It may be taken before it is used; the driver then fails to start and the test says so.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port")
        .port()
}

impl App {
    /// Opens the window over `home`, with nothing of this process's environment but what a window needs.
    pub(crate) async fn open(home: &Path, args: &[&str]) -> App {
        let port = free_port();
        let mut driver = Command::new("WebKitWebDriver");
        driver.arg(format!("--port={port}")).env_clear();
        for name in ["PATH", "DISPLAY", "XAUTHORITY", "LANG"] {
            if let Some(value) = std::env::var_os(name) {
                driver.env(name, value);
            }
        }
        let log = std::fs::File::create(home.with_file_name("window.log")).expect("a log");
        let driver = driver
            .env("HOME", home)
            .env("SHLVL", "1")
            .env("XDG_RUNTIME_DIR", home)
            .env("JACKFIELD_SYSTEM_ROOT", home.join("root"))
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            // No session bus: one window must not find another one and give way to it.
            .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .expect("WebKitWebDriver");
        let start = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            assert!(start.elapsed() < PATIENCE, "the driver does not listen");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut wanted = Map::<String, Value>::new();
        wanted.insert("webkitgtk:browserOptions".to_owned(), json!({ "binary": binary(), "args": args }));
        let connecting = ClientBuilder::new(HttpConnector::new());
        let mut connecting = connecting;
        connecting.capabilities(wanted);
        let address = format!("http://127.0.0.1:{port}");
        // Where the program ends at once the driver would wait for ever.
        let client = tokio::time::timeout(PATIENCE, connecting.connect(&address))
            .await
            .expect("the window did not open")
            .expect("a session");
        App { client, driver, home: home.to_owned() }
    }

    /// Waits until the page's text of `css` satisfies `wanted`; the page may still be loading.
    pub(crate) async fn until(&self, css: &str, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            // Not WebDriver's own text: it leaves out what an ellipsis shortens.
            let text = "return document.querySelector(arguments[0])?.innerText ?? ''";
            let found = match self.client.execute(text, vec![json!(css)]).await {
                Ok(text) => text.as_str().unwrap_or_default().to_owned(),
                Err(error) => format!("({error})"),
            };
            if wanted(&found) {
                return found;
            }
            assert!(start.elapsed() < PATIENCE, "waited for {what}; `{css}` reads: {found}\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// Clicks what `css` finds, as soon as it is there.
    pub(crate) async fn click(&self, css: &str) {
        let start = Instant::now();
        loop {
            if let Ok(element) = self.client.find(Locator::Css(css)).await
                && element.click().await.is_ok()
            {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "cannot click `{css}`\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// Clicks what an XPath finds, as soon as it is there and enabled.
    pub(crate) async fn press(&self, path: &str) {
        let start = Instant::now();
        loop {
            if let Ok(element) = self.client.find(Locator::XPath(path)).await
                && element.is_enabled().await.unwrap_or(false)
                // Buttons that are off for the moment keep the focus, and say so to screen readers only.
                && element.attr("aria-disabled").await.is_ok_and(|off| off.as_deref() != Some("true"))
                && element.click().await.is_ok()
            {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "cannot click `{path}`\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// Types over what is in the field that an XPath finds, as soon as it is there.
    pub(crate) async fn fill(&self, path: &str, text: &str) {
        let start = Instant::now();
        loop {
            if let Ok(field) = self.client.find(Locator::XPath(path)).await
                && field.clear().await.is_ok()
                && field.send_keys(text).await.is_ok()
            {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "cannot type into `{path}`\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// A picture of the window, of what the page says now: two frames are waited for.
    pub(crate) async fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("JACKFIELD_SHOTS") else { return };
        let frames =
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))";
        self.client.execute_async(frames, Vec::new()).await.expect("two frames");
        let png = self.client.screenshot().await.expect("a picture");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), png).expect("written");
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.home.with_file_name("window.log")).unwrap_or_default()
    }

    /// Closes the window as its user would, and waits until its process has ended.
    pub(crate) async fn close(mut self) {
        // A window that was killed has no session to close.
        if let Err(error) = self.client.clone().close().await {
            eprintln!("the session was not closed: {error}");
        }
        let start = Instant::now();
        while !windows_of(&self.home).is_empty() {
            assert!(start.elapsed() < PATIENCE, "the window does not end\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let _ = self.driver.kill().await;
    }
}

/// Windows that were started with this home.
pub(crate) fn windows_of(home: &Path) -> Vec<i32> {
    let needle = format!("HOME={}", home.display());
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let program = std::fs::read_link(entry.path().join("exe")).unwrap_or_default();
            program.file_name().is_some_and(|name| name == "jackfield-desktop")
                && String::from_utf8_lossy(&environ).split('\0').any(|one| one == needle)
        })
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}
