//! How long it takes to find and read everything, beside reading the same files and only parsing them in the same run;
//! and how the time grows with the number of servers.
//!
//!     cargo bench -p jackfield-cli --bench discovery
//!
//! The files are real ones, from the folder in `JACKFIELD_CORPUS`; without it only the growth is measured. Not a test.

#![expect(clippy::disallowed_methods, reason = "a benchmark prepares files of its own")]
#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jackfield_config::settings::Settings;
use jackfield_config::{Definition, ReadState};
use jackfield_engine::loader::{Loader, Rules};
use jackfield_engine::paths::Paths;

const FILES: usize = 340;
const ROUNDS: usize = 30;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    // `cargo test --benches` only wants to know that it runs.
    let rounds = if std::env::args().any(|arg| arg == "--bench") { ROUNDS } else { 1 };
    real_files(rounds)?;
    growth(rounds)
}

fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("JACKFIELD_CORPUS").map_or(default, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// Places where any number of files of a kind is read.
fn place(home: &Path, number: usize, extension: &str) -> Option<PathBuf> {
    Some(home.join(match (extension, number % 3) {
        ("json" | "jsonc", 0) => format!(".config/Code/User/profiles/p{number}/mcp.json"),
        ("json" | "jsonc", 1) => format!(".aws/amazonq/cli-agents/a{number}.json"),
        ("json" | "jsonc", _) => format!(".continue/mcpServers/c{number}.json"),
        ("yaml", _) => format!(".continue/mcpServers/y{number}.yaml"),
        ("toml", 0) => ".codex/config.toml".to_owned(),
        ("toml", 1) => ".vibe/config.toml".to_owned(),
        ("toml", _) => ".grok/config.toml".to_owned(),
        _ => return None,
    }))
}

fn real_files(rounds: usize) -> Result<()> {
    let Some(corpus) = corpus() else {
        println!("SKIPPED: no folder of real files (set JACKFIELD_CORPUS)");
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let home = folder.path().canonicalize()?;
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(corpus)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.sort();
    let mut files: Vec<PathBuf> = Vec::new();
    for (number, source) in found.iter().cycle().enumerate().take(FILES * 2) {
        let extension = source.extension().and_then(|end| end.to_str()).unwrap_or_default();
        let Some(to) = place(&home, number, extension).filter(|to| !files.contains(to)) else { continue };
        if files.len() == FILES {
            break;
        }
        std::fs::create_dir_all(to.parent().unwrap_or(&home))?;
        std::fs::copy(source, &to)?;
        files.push(to);
    }
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    let mut seen = 0;
    for _ in 0..rounds {
        let start = Instant::now();
        for file in &files {
            black_box(parse(file));
        }
        bare.push(start.elapsed());
        let (took, sources, _) = load(&home)?;
        ours.push(took);
        seen = sources;
    }
    let (ours, bare) = (median(&mut ours), median(&mut bare));
    println!("{} files, {seen} read", files.len());
    println!("read and parse only    median {:8.2} ms", millis(bare));
    println!(
        "discovery              median {:8.2} ms   ratio {:.2}",
        millis(ours),
        ours.as_secs_f64() / bare.as_secs_f64()
    );
    Ok(())
}

/// Reads a file and parses it with the parser of its format alone.
fn parse(path: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let text = text.trim_start_matches('\u{feff}');
    match path.extension().and_then(|end| end.to_str()) {
        Some("toml") => toml_edit::Document::parse(text).is_ok(),
        Some("yaml") => saphyr_parser::Parser::new_from_str(text).all(|event| event.is_ok()),
        _ => {
            serde_json::from_str::<serde_json::Value>(text).is_ok()
                || jsonc_parser::parse_to_ast(
                    text,
                    &jsonc_parser::CollectOptions::default(),
                    &jsonc_parser::ParseOptions::default(),
                )
                .is_ok()
        }
    }
}

fn growth(rounds: usize) -> Result<()> {
    let mut times = Vec::new();
    for count in [1_000, 10_000] {
        let folder = tempfile::tempdir()?;
        let home = folder.path().canonicalize()?;
        let servers: serde_json::Map<String, serde_json::Value> = (0..count)
            .map(|number| {
                let entry = serde_json::json!({"command": "npx", "args": ["-y", format!("package-{number}")], "env": {"MODE": "${MODE:-fast}"}});
                (format!("server-{number}"), entry)
            })
            .collect();
        std::fs::create_dir_all(home.join(".cursor"))?;
        std::fs::write(
            home.join(".cursor/mcp.json"),
            serde_json::json!({"mcpServers": servers}).to_string(),
        )?;
        let mut all = Vec::new();
        for _ in 0..rounds.div_ceil(3) {
            let (took, _, servers) = load(&home)?;
            if servers != count {
                return Err(format!("{servers} of {count} servers").into());
            }
            all.push(took);
        }
        let median = median(&mut all);
        println!("{count:6} servers         median {:8.2} ms", millis(median));
        times.push(median);
    }
    println!("ratio {:.1}", times[1].as_secs_f64() / times[0].as_secs_f64());
    Ok(())
}

/// The first load of a new loader: how long, how many sources were there, how many servers.
fn load(home: &Path) -> Result<(Duration, usize, usize)> {
    let env: BTreeMap<String, String> =
        [("HOME".to_owned(), home.display().to_string()), ("PATH".to_owned(), "/usr/bin:/bin".to_owned())]
            .into();
    let paths = Paths::from_env(&env)?;
    let rules = Rules {
        project: None,
        exa_allowed: &[],
        approved: &|_: &Definition, _: &Settings| true,
        server_env: &env,
    };
    let start = Instant::now();
    let mut loader = Loader::new(paths, Arc::new(env.clone()));
    let loaded = loader.load(&rules);
    let took = start.elapsed();
    let read = loaded.catalog.sources.iter().filter(|reading| reading.state != ReadState::Missing).count();
    Ok((took, read, loaded.catalog.entries.len()))
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
