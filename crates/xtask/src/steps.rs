//! `cargo xtask test`: everything that CI runs, as named steps.

use std::time::{Duration, Instant};

use crate::command::{Res, Workspace};
use crate::display::Display;
use crate::packages::{self, BUILD, CHROMIUM, TEST};
use crate::run::build_ui;
use crate::{bindings, install, node};

struct Step {
    name: &'static str,
    what: &'static str,
    /// Part of `cargo xtask check`.
    quick: bool,
    run: fn(&Workspace) -> Res<()>,
}

/// In this order: the window's crate needs a built user interface to compile, tests need the programs.
const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        what: "cargo fmt --all --check",
        quick: true,
        run: |ws| ws.run(&mut ws.cargo(&["fmt", "--all", "--check"])),
    },
    Step { name: "ui-build", what: "the user interface", quick: true, run: build_ui },
    Step {
        name: "clippy",
        what: "cargo clippy, warnings are errors",
        quick: true,
        run: |ws| ws.run(&mut ws.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])),
    },
    Step {
        name: "build",
        what: "cargo build of all programs and tests",
        quick: false,
        // With the tests, so that what `cargo test` needs has the same features and is not compiled once more.
        run: |ws| {
            ws.run(&mut ws.cargo(&["build", "--workspace", "--lib", "--bins", "--tests", "--examples"]))
        },
    },
    Step { name: "test", what: "cargo test, also in the real window", quick: false, run: cargo_test },
    Step { name: "bindings", what: "TypeScript types are up to date", quick: false, run: bindings::check },
    Step { name: "ui-check", what: "svelte-check", quick: true, run: |ws| npm_run(ws, "check") },
    Step { name: "ui-test", what: "Vitest", quick: false, run: |ws| npm_run(ws, "test") },
    Step {
        name: "ui-browser",
        what: "the user interface in Chromium",
        quick: false,
        run: |ws| npm_run(ws, "test:browser"),
    },
    Step {
        name: "ui-engine",
        what: "the user interface in Chromium over the real engine",
        quick: false,
        run: |ws| npm_run(ws, "test:engine"),
    },
];

pub(crate) struct Choice {
    steps: Vec<&'static Step>,
    pub(crate) install: bool,
    list: bool,
}

impl Choice {
    pub(crate) fn parse(verb: &str, words: &[&str]) -> Res<Self> {
        let (mut only, mut install, mut list) = (Vec::new(), true, false);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--no-install" => install = false,
                "--list" => list = true,
                "--only" => only.push(*words.next().ok_or("--only needs the name of a step")?),
                other => return Err(format!("unknown: {other}")),
            }
        }
        if let Some(name) = only.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
            return Err(format!("no step `{name}`; `cargo xtask test --list` shows them"));
        }
        let chosen =
            |step: &&Step| (only.is_empty() || only.contains(&step.name)) && (verb == "test" || step.quick);
        Ok(Self { steps: STEPS.iter().filter(chosen).collect(), install, list })
    }
}

/// Installs all that the steps need.
pub(crate) fn set_up(ws: &mut Workspace) -> Res<()> {
    packages::require(ws, &BUILD.iter().chain(TEST).collect::<Vec<_>>())?;
    node::require(ws)?;
    install::ui(ws)?;
    install::servers(ws)
}

pub(crate) fn run(ws: &mut Workspace, choice: &Choice) -> Res<()> {
    if choice.list {
        for step in &choice.steps {
            println!("{:<11} {}", step.name, step.what);
        }
        return Ok(());
    }
    let mut times = Vec::new();
    let start = Instant::now();
    eprintln!("==> set-up");
    set_up(ws).map_err(|message| format!("the set-up failed: {message}"))?;
    times.push(("set-up", start.elapsed()));
    for (i, step) in choice.steps.iter().enumerate() {
        eprintln!("==> {} ({}/{})", step.name, i + 1, choice.steps.len());
        let start = Instant::now();
        let done = (step.run)(ws);
        times.push((step.name, start.elapsed()));
        if let Err(message) = done {
            summary(&times, Some(step.name));
            return Err(format!(
                "step `{name}` failed: {message}\nagain: cargo xtask test --only {name}",
                name = step.name
            ));
        }
    }
    summary(&times, None);
    Ok(())
}

fn summary(times: &[(&str, Duration)], failed: Option<&str>) {
    eprintln!();
    for (name, time) in times {
        let verdict = if failed == Some(name) { "FAILED" } else { "ok" };
        eprintln!("{name:<11} {:>7.1} s  {verdict}", time.as_secs_f64());
    }
    let all: Duration = times.iter().map(|(_, time)| *time).sum();
    eprintln!("{:<11} {:>7.1} s", "together", all.as_secs_f64());
}

fn cargo_test(ws: &Workspace) -> Res<()> {
    bindings::clear(ws)?;
    let mut test = ws.cargo(&["test", "--workspace"]);
    test.env("TS_RS_EXPORT_DIR", bindings::folder(ws));
    test.env("JACKFIELD_TEST_SERVERS", ws.target.join("servers"));
    test.envs(ws.find(CHROMIUM).map(|path| ("JACKFIELD_TEST_CHROMIUM", path)));
    if !cfg!(target_os = "linux") {
        return ws.run(&mut test);
    }
    let display = Display::start(ws)?;
    test.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY");
    // With a session bus the second window would find the first one and end.
    test.env_remove("DBUS_SESSION_BUS_ADDRESS");
    ws.run(&mut test)
}

fn npm_run(ws: &Workspace, script: &str) -> Res<()> {
    let mut npm = ws.npm(&ws.root.join("ui"), &["run", script]);
    ws.run(npm.envs(ws.find(CHROMIUM).map(|path| ("JACKFIELD_TEST_CHROMIUM", path))))
}
