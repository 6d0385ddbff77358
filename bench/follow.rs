//! How long it takes from a saved file to the delta that the window gets, beside the bare system event in the same run.
//!
//!     cargo bench -p jackfield-cli --bench follow
//!
//! Prints medians in milliseconds and their ratio. Not a test: a loaded machine is no fault of the program.

#![expect(clippy::disallowed_methods, reason = "a benchmark prepares files of its own")]
#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jackfield_api::Api;
use jackfield_api::desktop::NoDesktop;
use jackfield_api::wire::Change;
use jackfield_engine::paths::Paths;
use jackfield_engine::{ConnectWhen, Engine, Options};
use notify::Watcher as _;

const ROUNDS: usize = 60;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo test --benches` only wants to know that it runs.
    let rounds = if std::env::args().any(|arg| arg == "--bench") { ROUNDS } else { 2 };
    let folder = tempfile::tempdir()?;
    let home = folder.path().canonicalize()?;
    prepare(&home)?;
    let env = Arc::new(
        [("HOME".to_owned(), home.display().to_string()), ("SHLVL".to_owned(), "1".to_owned())].into(),
    );
    let engine = Engine::start(Options {
        paths: Paths::from_env(&env)?,
        env,
        project: None,
        connect: ConnectWhen::OnRequest,
        watch: true,
        trust_project: false,
        offer_projects: false,
        by: "benchmark",
        guard: None,
    })
    .await?;
    let api = Api::new(engine, Arc::new(NoDesktop));
    let mut deltas = api.feed().subscribe();

    let cursor = home.join(".cursor/mcp.json");
    let (event, events) = std::sync::mpsc::channel();
    let mut bare = notify::recommended_watcher(move |_| {
        let _ = event.send(Instant::now());
    })?;
    bare.watch(&home.join(".cursor"), notify::RecursiveMode::NonRecursive)?;

    let (mut to_delta, mut to_event) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let name = format!("round-{round}");
        let new = home.join(".cursor/new.json");
        std::fs::write(&new, format!("{{\"mcpServers\": {{\"{name}\": {{\"command\": \"true\"}}}}}}"))?;
        // What writing the new file caused is not what is measured.
        while events.recv_timeout(Duration::from_millis(50)).is_ok() {}
        let start = Instant::now();
        std::fs::rename(&new, &cursor)?;
        to_event.push(events.recv_timeout(Duration::from_secs(10))?.duration_since(start));
        let seen = async {
            loop {
                let delta = deltas.recv().await?;
                let told = |change: &Change| matches!(change, Change::Server { row } if row.name == name);
                if delta.changes.iter().any(told) {
                    return Ok::<_, tokio::sync::broadcast::error::RecvError>(start.elapsed());
                }
            }
        };
        to_delta.push(tokio::time::timeout(Duration::from_secs(10), seen).await??);
    }
    api.engine().shutdown().await;
    let (delta, bare) = (median(&mut to_delta), median(&mut to_event));
    println!("rename to bare event   median {:8.2} ms", millis(bare));
    println!(
        "rename to delta        median {:8.2} ms   worst {:8.2} ms",
        millis(delta),
        millis(to_delta[to_delta.len() - 1])
    );
    println!("ratio                  {:.0} ({rounds} rounds)", delta.as_secs_f64() / bare.as_secs_f64());
    Ok(())
}

/// A home as it is: ten tools' files, forty servers, and Claude Code's large file.
fn prepare(home: &Path) -> std::io::Result<()> {
    let servers = |prefix: &str| {
        (0..10)
            .map(|n| format!("\"{prefix}{n}\": {{\"command\": \"true\", \"args\": [\"{n}\"]}}"))
            .collect::<Vec<_>>()
            .join(",\n")
    };
    let history = "x".repeat(400_000);
    let files = [
        (".cursor/mcp.json", format!("{{\"mcpServers\": {{{}}}}}", servers("c"))),
        (".gemini/settings.json", format!("{{\"mcpServers\": {{{}}}}}", servers("g"))),
        (".xcsh/mcp.json", format!("{{\"mcpServers\": {{{}}}}}", servers("x"))),
        (".claude.json", format!("{{\"history\": \"{history}\", \"mcpServers\": {{{}}}}}", servers("k"))),
    ];
    for (below, text) in files {
        let path = home.join(below);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
