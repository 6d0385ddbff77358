//! The guard with real processes. Each test marks what it starts with a variable of its own in the environment and
//! finds it, and whatever that started, through `/proc`.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test of processes, that fails by panic"
)]

use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

const MARK: &str = "JACKFIELD_GUARD_TEST";
const SCRIPT: &str = "JACKFIELD_GUARD_TEST_SCRIPT";
const DEADLINE: Duration = Duration::from_secs(20);
/// What a stop may take on a busy machine.
const STOPPED: Duration = Duration::from_secs(5);

/// A script that ends for nothing but SIGKILL.
const STUBBORN: &str = "trap '' TERM INT HUP; while :; do sleep 1000; done";

/// A guard that the test started, with all that belongs to it; ended when dropped.
struct Guarded {
    guard: Child,
    mark: String,
}

impl Drop for Guarded {
    fn drop(&mut self) {
        for pid in marked(&self.mark) {
            let _ = kill_process(pid, Signal::KILL);
        }
        drop(self.guard.wait());
    }
}

fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn guard_command(mark: &str, words: &[&OsStr]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jackfield-guard"));
    command.arg("--").args(words).env(MARK, mark).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn guarded(words: &[&str]) -> Guarded {
    let mark = mark();
    let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
    let guard = guard_command(&mark, &words).spawn().unwrap();
    Guarded { guard, mark }
}

fn guarded_sh(script: &str) -> Guarded {
    guarded(&["sh", "-c", script])
}

/// Living processes whose environment holds the mark. A zombie has none.
fn marked(mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let has_mark = |pid: &i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    pids.filter(has_mark).filter_map(Pid::from_raw).collect()
}

/// Marked processes with this name (as in `/proc/<pid>/comm`).
fn named(mark: &str, name: &str) -> Vec<Pid> {
    let comm =
        |pid: &Pid| std::fs::read_to_string(format!("/proc/{}/comm", pid.as_raw_pid())).unwrap_or_default();
    marked(mark).into_iter().filter(|pid| comm(pid).trim_end() == name).collect()
}

fn wait_for(what: &str, within: Duration, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < within, "not within {within:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the server runs this many `sleep`s, so that its traps are set and its children there.
fn wait_for_sleeps(guarded: &Guarded, count: usize) {
    wait_for("the script to run", DEADLINE, || named(&guarded.mark, "sleep").len() == count);
}

fn wait(guarded: &mut Guarded) -> ExitStatus {
    let mut status = None;
    wait_for("the guard to exit", DEADLINE, || {
        status = guarded.guard.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

/// Closes stdin as Jackfield does, and checks that nothing is left when the guard has exited.
fn stop(guarded: &mut Guarded) -> (ExitStatus, Duration) {
    let start = Instant::now();
    drop(guarded.guard.stdin.take());
    let status = wait(guarded);
    let left = marked(&guarded.mark);
    assert!(left.is_empty(), "left behind: {left:?}");
    (status, start.elapsed())
}

#[test]
fn a_server_that_heeds_eof_ends_by_itself() {
    let mut cat = guarded(&["cat"]);
    cat.guard.stdin.as_mut().unwrap().write_all(b"hello\n").unwrap();
    let mut line = [0; 6];
    cat.guard.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
    assert_eq!(&line, b"hello\n");

    let (status, took) = stop(&mut cat);
    assert_eq!(status.code(), Some(0));
    assert!(took < jackfield_guard::AFTER_EOF, "took {took:?}");
}

#[test]
fn a_server_that_ignores_eof_gets_sigterm() {
    let mut server = guarded_sh("trap 'exit 7' TERM; sleep 1000 & wait");
    wait_for_sleeps(&server, 1);
    let (status, took) = stop(&mut server);
    assert_eq!(status.code(), Some(7));
    assert!(took >= jackfield_guard::AFTER_EOF, "took {took:?}");
}

#[test]
fn a_wrapped_server_that_ignores_everything_is_killed() {
    let mut server = guarded(&["sh", "-c", "sh -c 'sh -c \"$0\"; true' \"$0\"; true", STUBBORN]);
    wait_for_sleeps(&server, 1);
    let (status, took) = stop(&mut server);
    // The outermost shell heeds SIGTERM; that what it started does not is no reason to leave.
    assert_eq!(status.code(), Some(128 + 15));
    assert!(took < STOPPED, "took {took:?}");
}

#[test]
fn a_daemon_that_left_session_and_group_is_killed() {
    let mut server =
        guarded(&["sh", "-c", "(setsid sh -c \"$0\" </dev/null >/dev/null 2>&1 &); exec cat", STUBBORN]);
    wait_for_sleeps(&server, 1);
    let (status, took) = stop(&mut server);
    // `cat` heeded EOF, so its code counts although the daemon had to be killed.
    assert_eq!(status.code(), Some(0));
    assert!(took < STOPPED, "took {took:?}");
}

#[test]
fn the_guard_stays_for_what_outlives_the_server() {
    let mut server = guarded_sh("setsid sleep 1000 >/dev/null 2>&1 & exit 3");
    // stdout's EOF is how Jackfield learns that the server has ended.
    let mut output = String::new();
    server.guard.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    wait_for_sleeps(&server, 1);
    assert!(server.guard.try_wait().unwrap().is_none());
    let (status, _) = stop(&mut server);
    assert_eq!(status.code(), Some(3));
}

#[test]
fn kill_9_of_the_parent_leaves_nothing() {
    let mark = mark();
    // This test program once more: it starts a guard as Jackfield does, see `helper_parent`.
    let parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "helper_parent", "--ignored", "--nocapture"])
        .env(MARK, &mark)
        .env(SCRIPT, format!("(setsid sh -c \"{STUBBORN}\" &); {STUBBORN}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut parent = Guarded { guard: parent, mark };
    wait_for_sleeps(&parent, 2);
    parent.guard.kill().unwrap();
    wait(&mut parent);
    wait_for("everything to be gone", STOPPED, || marked(&parent.mark).is_empty());
}

#[test]
#[ignore = "not a test: the parent that `kill_9_of_the_parent_leaves_nothing` kills"]
fn helper_parent() {
    let (Ok(mark), Some(script)) = (std::env::var(MARK), std::env::var_os(SCRIPT)) else { return };
    let mut guard = guard_command(&mark, &["sh".as_ref(), "-c".as_ref(), &script]).spawn().unwrap();
    // Ends only by being killed, or when the test that started it is gone.
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    guard.kill().unwrap();
    guard.wait().unwrap();
}

#[test]
fn kill_9_of_the_guard_takes_the_server_along() {
    let mut server = guarded_sh(&format!("exec sh -c '{}'", "trap \"\" TERM; kill -STOP $$"));
    wait_for("the server to run", DEADLINE, || marked(&server.mark).len() == 2);
    server.guard.kill().unwrap();
    wait_for("the server to be gone", STOPPED, || marked(&server.mark).is_empty());
    wait(&mut server);
}

#[test]
fn signals_to_the_guard_end_the_server_at_once() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut server = guarded_sh("trap 'exit 0' TERM; sleep 1000 & wait");
        wait_for_sleeps(&server, 1);
        let start = Instant::now();
        kill_process(Pid::from_child(&server.guard), signal).unwrap();
        assert_eq!(wait(&mut server).code(), Some(0));
        assert!(marked(&server.mark).is_empty());
        assert!(start.elapsed() < jackfield_guard::AFTER_EOF, "waited for an EOF that never came");
    }
}

#[test]
fn codes_are_passed_on() {
    for (script, code) in
        [("exit 0", 0), ("exit 42", 42), ("kill -KILL $$", 128 + 9), ("kill -SEGV $$", 128 + 11)]
    {
        let mut server = guarded_sh(script);
        assert_eq!(wait(&mut server).code(), Some(code), "{script}");
    }
}

#[test]
fn what_cannot_be_started_is_said() {
    let not_executable = env!("CARGO_MANIFEST_DIR");
    for (command, code, reason) in [
        ("jackfield-no-such-program", 127, "No such file or directory (os error 2)"),
        (not_executable, 126, "Permission denied (os error 13)"),
        ("", 127, "No such file or directory (os error 2)"),
    ] {
        let mut server = guarded(&[command]);
        let mut said = String::new();
        server.guard.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, format!("jackfield-guard: cannot start `{command}`: {reason}\n"));
        assert_eq!(wait(&mut server).code(), Some(code));
    }
}

#[test]
fn usage_is_said() {
    for args in [&[][..], &["--"], &["cat"]] {
        let guard = Command::new(env!("CARGO_BIN_EXE_jackfield-guard")).args(args).output().unwrap();
        assert_eq!(guard.status.code(), Some(2), "{args:?}");
        assert_eq!(
            guard.stderr,
            b"jackfield-guard: usage: jackfield-guard -- <command> [args\xe2\x80\xa6]\n"
        );
    }
}

#[test]
fn arguments_arrive_unchanged() {
    let odd: [&[u8]; 9] = [
        b"",
        b"a b",
        b"'q' \"q\"",
        b"new\nline",
        b"--",
        b"$HOME `x` \\",
        b"--then-exec",
        "ü€".as_bytes(),
        b"\xff\xfe",
    ];
    let mark = mark();
    // As `sh -c` script; the words after it are its $0 and arguments.
    let script = "for word; do printf '%s\\0' \"$word\"; done";
    let mut words: Vec<&OsStr> = ["sh", "-c", script, "name"].into_iter().map(OsStr::new).collect();
    words.extend(odd.iter().map(|word| OsStr::from_bytes(word)));
    let mut server = Guarded { guard: guard_command(&mark, &words).spawn().unwrap(), mark };
    let mut output = Vec::new();
    server.guard.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    let expected: Vec<u8> = odd.iter().flat_map(|word| [*word, b"\0"].concat()).collect();
    assert_eq!(output, expected);
}

#[test]
fn folder_and_environment_are_inherited() {
    let folder = std::fs::canonicalize(std::env::temp_dir()).unwrap();
    let mark = mark();
    let words = ["sh", "-c", "pwd -P; printf %s \"$JACKFIELD_GUARD_TEST\""].map(OsStr::new);
    let output = guard_command(&mark, &words).current_dir(&folder).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{}\n{mark}", folder.display()));
}

#[test]
fn a_megabyte_flows_both_ways() {
    let mut cat = guarded(&["cat"]);
    let sent: Vec<u8> = (0..1 << 20).map(|i: u32| i.to_le_bytes()[i as usize % 3]).collect();
    let (mut stdin, to_send) = (cat.guard.stdin.take().unwrap(), sent.clone());
    let writer = std::thread::spawn(move || stdin.write_all(&to_send).unwrap());
    let mut received = Vec::new();
    cat.guard.stdout.take().unwrap().read_to_end(&mut received).unwrap();
    writer.join().unwrap();
    assert!(received == sent);
    assert_eq!(wait(&mut cat).code(), Some(0));
}

#[test]
fn waiting_costs_nothing() {
    let server = guarded_sh("sleep 1000 & wait");
    wait_for_sleeps(&server, 1);
    let pid = server.guard.id();
    let asleep = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line =
            status.lines().find(|line| line.starts_with("voluntary_ctxt_switches:")).unwrap().to_owned();
        (status.contains("State:\tS"), line)
    };
    wait_for("the guard to sleep", DEADLINE, || asleep().0);
    // The guard may still be on its way to its last sleep: it must come to rest within the deadline.
    wait_for("half a second without waking up", DEADLINE, || {
        let before = asleep();
        std::thread::sleep(Duration::from_millis(500));
        before == asleep()
    });
}

#[test]
fn a_status_by_signal_is_not_the_guards_own() {
    let mut server = guarded_sh("kill -TERM $$");
    let status = wait(&mut server);
    assert_eq!((status.code(), status.signal()), (Some(128 + 15), None));
}
