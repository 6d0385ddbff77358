//! Everything that the server started: its process group, and on Linux whatever descends from the guard.

use rustix::process::{Pid, Signal, kill_process_group};

/// Signals the server's group once and then what has left the group. A process that is gone, or that belongs to
/// another user, is no error: there is nothing that could be done about it.
#[cfg(target_os = "linux")]
pub(super) fn signal(server: Pid, signal: Signal) {
    let Some(all) = processes() else {
        let _ = kill_process_group(server, signal);
        return;
    };
    let family = descendants(rustix::process::getpid(), &all);
    // Looked up first: the number of an empty group can be somebody else's by now.
    if family.iter().any(|process| process.group == server.as_raw_pid()) {
        let _ = kill_process_group(server, signal);
    }
    for process in family.iter().filter(|process| process.group != server.as_raw_pid()) {
        if let Some(pid) = Pid::from_raw(process.pid) {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn signal(server: Pid, signal: Signal) {
    let _ = kill_process_group(server, signal);
}

/// Whether nothing is left, once the guard has no child. As a subreaper it would have one otherwise.
#[cfg(target_os = "linux")]
pub(super) fn ended(_server: Pid) -> bool {
    true
}

#[cfg(not(target_os = "linux"))]
pub(super) fn ended(server: Pid) -> bool {
    rustix::process::test_kill_process_group(server).is_err()
}

#[cfg(target_os = "linux")]
pub(super) fn proc_is_there() -> bool {
    std::path::Path::new("/proc/self/exe").exists()
}

#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
}

/// All processes that can be seen; none where there is no `/proc`.
#[cfg(target_os = "linux")]
fn processes() -> Option<Vec<Process>> {
    let entries = std::fs::read_dir("/proc").ok()?;
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Some(pids.filter_map(process).collect())
}

#[cfg(target_os = "linux")]
fn process(pid: i32) -> Option<Process> {
    #[expect(
        clippy::disallowed_methods,
        reason = "no error is reported: a process that is gone is not there"
    )]
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    // `pid (name) state parent group …`; the name may hold spaces, brackets and any byte.
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace().skip(1).map(str::parse);
    Some(Process { pid, parent: fields.next()?.ok()?, group: fields.next()?.ok()? })
}

#[cfg(target_os = "linux")]
fn descendants(of: Pid, all: &[Process]) -> Vec<Process> {
    let mut parents = vec![of.as_raw_pid()];
    let mut found: Vec<Process> = Vec::new();
    while let Some(parent) = parents.pop() {
        // The second condition ends the search should numbers have been reused while we read.
        let children = all.iter().filter(|p| p.parent == parent && found.iter().all(|f| f.pid != p.pid));
        let children: Vec<Process> = children.copied().collect();
        parents.extend(children.iter().map(|process| process.pid));
        found.extend(children);
    }
    found
}
