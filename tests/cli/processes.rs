//! However the program ends, it leaves no process behind.

use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::{Home, fake, until, wait, with, wrapped};

/// After the program has gone, what it started may take this long to end.
const GONE: Duration = Duration::from_secs(10);
/// Ends neither by itself nor when asked.
const STUBBORN: [&str; 2] = ["--ignore-eof", "--ignore-term"];

/// Servers that cling, behind shells as `npx` would be: one hangs in its handshake, one is up, one floods.
fn clinging() -> Home {
    let home = Home::new();
    let pids = home.path("pids").display().to_string();
    let requests = home.path("requests").display().to_string();
    let flags = |more: &[&'static str]| -> Vec<String> {
        let own = ["--pid-file", &pids, "--requests", &requests];
        own.iter().chain(&STUBBORN).chain(more).map(|flag| (*flag).to_owned()).collect()
    };
    let entry = |more: &[&'static str]| {
        let flags = flags(more);
        wrapped(&flags.iter().map(String::as_str).collect::<Vec<_>>())
    };
    home.servers(
        "home/.xcsh/mcp.json",
        &[
            ("up", entry(&[])),
            ("hangs", entry(&["--silent"])),
            ("floods", entry(&["--stderr-flood", "1000000000"])),
            ("plain", fake(&flags(&[]).iter().map(String::as_str).collect::<Vec<_>>())),
        ],
    );
    home
}

fn lines(home: &Home, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(home.path(file)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[track_caller]
fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Starts the program, waits until `busy`, sends it a signal, and looks for what is left.
#[track_caller]
fn check(args: &[&str], sent: Signal, busy: impl Fn(&Home) -> bool) {
    if is_ignored(sent) {
        return;
    }
    let home = clinging();
    let child = home.start(args);
    assert!(
        until(Duration::from_secs(20), || busy(&home)),
        "{args:?} did not get busy: {:#?}",
        home.processes()
    );
    let seen = home.processes();
    assert!(seen.iter().any(|process| process.contains("fake-mcp")), "its servers would be seen: {seen:#?}");
    signal(&child, sent);
    let start = Instant::now();
    wait(child, args);
    assert!(start.elapsed() < GONE, "{args:?} lived on for {:?}", start.elapsed());
    home.nothing_is_left_within(GONE);
}

fn all_started(home: &Home) -> bool {
    lines(home, "pids").len() >= 4
}

fn calling(home: &Home) -> bool {
    lines(home, "requests").iter().any(|method| method == "tools/call")
}

#[test]
fn killed_while_it_lists_it_leaves_nothing() {
    check(&["list", "--wait", "60"], Signal::KILL, all_started);
}

#[test]
fn killed_while_it_calls_it_leaves_nothing() {
    check(&["call", "up", "slow", r#"{"ms":60000}"#], Signal::KILL, calling);
}

#[test]
fn interrupted_it_leaves_nothing() {
    check(&["list", "--wait", "60"], Signal::INT, all_started);
    check(&["call", "up", "slow", r#"{"ms":60000}"#], Signal::INT, calling);
}

/// Whoever started the tests may have had this signal ignored (`nohup`, a script's `&`): what we start then rightly
/// goes on, and there is nothing to see.
#[expect(clippy::print_stderr, reason = "a skipped check has to say so")]
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    let ignored =
        u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1);
    if ignored {
        eprintln!("SKIPPED: {signal:?} is ignored here");
    }
    ignored
}

#[test]
fn terminated_or_hung_up_it_leaves_nothing() {
    check(&["list", "--wait", "60"], Signal::TERM, all_started);
    check(&["list", "--wait", "60"], Signal::HUP, all_started);
}

#[test]
fn done_it_leaves_nothing() {
    let calls: [&[&str]; 7] = [
        &["list", "--wait", "1.5"],
        &["tools", "up"],
        &["test", "up"],
        &["show", "up"],
        &["doctor", "--wait", "1.5"],
        &["call", "up", "echo", r#"{"message":"x"}"#],
        &["call", "up", "slow", r#"{"ms":60000,"steps":1}"#, "--timeout", "0.3"],
    ];
    let run = |args: &[&str]| {
        let home = clinging();
        let start = Instant::now();
        home.jackfield(args);
        // Whoever asks for one answer wants it soon, however the server behaves afterwards.
        assert!(start.elapsed() < Duration::from_secs(15), "{args:?} took {:?}", start.elapsed());
        home.nothing_is_left_within(Duration::from_millis(500));
    };
    // Most of it is waiting.
    std::thread::scope(|scope| {
        for args in calls {
            scope.spawn(move || run(args));
        }
    });
}

#[test]
fn a_reader_that_goes_away_ends_it() {
    let home = clinging();
    let mut child = home.start(&["list", "--wait", "1"]);
    drop(child.stdout.take());
    let ended = until(Duration::from_secs(20), || child.try_wait().unwrap().is_some());
    assert!(ended);
    home.nothing_is_left_within(GONE);
}

/// A `!command` of an env value is a process of ours like any other.
#[test]
fn killed_while_a_command_runs_it_leaves_nothing() {
    let home = Home::new();
    let entry = with(fake(&[]), json!({"env": {"KEY": "!touch \"$HOME/began\"; sleep 98769"}}));
    home.servers("home/.xcsh/mcp.json", &[("slow", entry)]);
    for sent in [Signal::KILL, Signal::INT, Signal::TERM].into_iter().filter(|sent| !is_ignored(*sent)) {
        let _ = std::fs::remove_file(home.home().join("began"));
        let child = home.start(&["list", "--wait", "60"]);
        assert!(
            until(Duration::from_secs(20), || home.home().join("began").exists()),
            "the command did not begin"
        );
        signal(&child, sent);
        wait(child, &["list"]);
        home.nothing_is_left_within(GONE);
    }
}

/// A server that another program started is found by its definition, told as left over or with its parent, and ended
/// on request; what only looks like it is left alone.
#[test]
fn servers_of_other_programs_are_listed_and_can_be_ended() {
    let home = Home::new();
    let marker = home.path("marker").display().to_string();
    let pids = home.path("pids").display().to_string();
    let flags = ["--name", marker.as_str(), "--pid-file", pids.as_str()];
    home.servers("home/.cursor/mcp.json", &[("elsewhere", fake(&flags))]);
    let none = home.jackfield(&["--json", "processes"]).exits(0).json();
    assert_eq!(none["processes"], json!([]));

    let start = |more: &[&str]| {
        let mut command = std::process::Command::new(crate::support::fake_path());
        command.args(flags).args(more).env_clear().envs(home.env());
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let (mut meant, mut other) = (start(&[]), start(&["--version", "9"]));
    assert!(until(GONE, || lines(&home, "pids").len() == 2));
    let listed = home.jackfield(&["--json", "processes"]).exits(0).json();
    let found = listed["processes"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{listed:#}");
    assert_eq!(
        (&found[0]["pid"], &found[0]["name"]),
        (&json!(meant.id()), &json!("elsewhere")),
        "{listed:#}"
    );
    assert_eq!(found[0]["orphan"], json!(false), "its parent is this test: {listed:#}");
    assert!(found[0]["usage"]["memory_bytes"].as_u64().unwrap() > 100_000);

    home.jackfield(&["processes", "--end", &other.id().to_string()]).exits(1);
    home.jackfield(&["processes", "--end", &meant.id().to_string()]).exits(0);
    assert!(until(GONE, || meant.try_wait().unwrap().is_some()), "it was asked to end");
    assert!(other.try_wait().unwrap().is_none(), "nobody asked this one");
    other.kill().unwrap();
    other.wait().unwrap();
}
