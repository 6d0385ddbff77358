//! What the system knows of processes: what a server and all that it started cost, and MCP servers that other
//! programs have started.
//!
//! All functions block for some milliseconds. Nothing runs between two calls.

mod matching;

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use jackfield_config::{Catalog, ServerId, Transport, mask};
use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, Signal, System, UpdateKind};

use matching::Words;

/// What a process and all its descendants take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    pub processes: usize,
    /// Resident; what several share is counted for each.
    pub memory_bytes: u64,
    /// Of one core, since the last look; `None` at the first.
    pub cpu_percent: Option<f32>,
}

/// An MCP server that is running, and not by us.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    pub pid: u32,
    /// Seconds since 1970; with the pid it names the process.
    pub started: u64,
    /// The definitions that it fits.
    pub servers: Vec<ServerId>,
    /// Masked.
    pub command_line: String,
    /// The program that started it, where that still runs.
    pub parent: Option<String>,
    /// Whoever started it is gone.
    pub orphan: bool,
    pub usage: Usage,
}

/// Why a process was not ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndError {
    #[error("The process has ended already")]
    Gone,
    #[error("It is one of Jackfield's own; stop its server instead")]
    Ours,
    #[error("The system did not allow it to be ended")]
    Refused,
}

/// The processes as of the last look.
#[derive(Debug, Default)]
pub struct Processes(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    system: System,
    looked: bool,
}

impl Seen {
    fn look(&mut self) {
        let what = ProcessRefreshKind::nothing()
            .with_memory()
            .with_cpu()
            .with_cmd(UpdateKind::OnlyIfNotSet)
            .without_tasks();
        self.system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    }

    fn children(&self) -> HashMap<Pid, Vec<Pid>> {
        let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
        for (pid, process) in self.system.processes() {
            if let Some(parent) = process.parent() {
                children.entry(parent).or_default().push(*pid);
            }
        }
        children
    }

    fn usage(&self, tree: &HashSet<Pid>, known: bool) -> Usage {
        let processes = || tree.iter().filter_map(|pid| self.system.process(*pid));
        Usage {
            processes: processes().count(),
            memory_bytes: processes().map(Process::memory).sum(),
            cpu_percent: known.then(|| processes().map(Process::cpu_usage).sum()),
        }
    }
}

/// A process and all its descendants.
fn tree(root: Pid, children: &HashMap<Pid, Vec<Pid>>) -> HashSet<Pid> {
    let mut tree = HashSet::from([root]);
    let mut next = vec![root];
    while let Some(pid) = next.pop() {
        for child in children.get(&pid).into_iter().flatten() {
            if tree.insert(*child) {
                next.push(*child);
            }
        }
    }
    tree
}

fn words_of(process: &Process) -> Vec<String> {
    process.cmd().iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

impl Processes {
    /// What this process and all that it started take; `None` if it is not there.
    pub fn usage(&self, pid: u32) -> Option<Usage> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.look();
        let known = std::mem::replace(&mut seen.looked, true);
        let root = Pid::from_u32(pid);
        seen.system.process(root)?;
        Some(seen.usage(&tree(root, &seen.children()), known))
    }

    /// Processes that fit a definition of the catalog and were not started by us; of a wrapper and what it started,
    /// the wrapper.
    pub fn foreign(&self, catalog: &Catalog) -> Vec<Foreign> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.look();
        let known = std::mem::replace(&mut seen.looked, true);
        let children = seen.children();
        let ours = tree(Pid::from_u32(std::process::id()), &children);
        let definitions: Vec<(ServerId, Words)> = catalog
            .entries
            .iter()
            .filter_map(|entry| match &entry.definition.transport {
                Transport::Stdio { command, args, .. } => {
                    let args: Vec<&str> = args.iter().map(|arg| arg.raw.as_str()).collect();
                    Some((entry.definition.id.clone(), Words::new(&command.raw, &args)?))
                }
                Transport::Http { .. } | Transport::Unknown => None,
            })
            .collect();
        let mut fitting: HashMap<Pid, Vec<ServerId>> = HashMap::new();
        for (pid, process) in seen.system.processes() {
            if ours.contains(pid) || process.thread_kind().is_some() {
                continue;
            }
            let argv = words_of(process);
            let servers: Vec<ServerId> =
                definitions.iter().filter(|(_, words)| words.fit(&argv)).map(|(id, _)| id.clone()).collect();
            if !servers.is_empty() {
                fitting.insert(*pid, servers);
            }
        }
        let below: HashSet<Pid> = fitting
            .keys()
            .flat_map(|pid| {
                tree(*pid, &children).into_iter().filter(|below| below != pid).collect::<Vec<_>>()
            })
            .collect();
        let mut found: Vec<Foreign> = fitting
            .into_iter()
            .filter(|(pid, _)| !below.contains(pid))
            .filter_map(|(pid, servers)| {
                let process = seen.system.process(pid)?;
                let parent = process.parent().and_then(|parent| seen.system.process(parent));
                let words = words_of(process);
                let (command, args) = words.split_first()?;
                let shown = std::iter::once(mask::command_line(command)).chain(mask::args(args));
                let init = parent.is_none_or(|parent| {
                    parent.pid() == Pid::from_u32(1) || parent.name().to_string_lossy() == "systemd"
                });
                Some(Foreign {
                    pid: pid.as_u32(),
                    started: process.start_time(),
                    servers,
                    command_line: shown.collect::<Vec<_>>().join(" "),
                    parent: parent
                        .filter(|_| !init)
                        .map(|parent| parent.name().to_string_lossy().into_owned()),
                    orphan: init,
                    usage: seen.usage(&tree(pid, &children), known),
                })
            })
            .collect();
        found.sort_by_key(|foreign| (!foreign.orphan, foreign.started, foreign.pid));
        found
    }

    /// Asks a process to end that [`Processes::foreign`] told, and all that it started.
    ///
    /// # Errors
    /// If it is not that process any more, or may not be ended.
    pub fn end(&self, pid: u32, started: u64) -> Result<(), EndError> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.look();
        let root = Pid::from_u32(pid);
        let children = seen.children();
        if tree(Pid::from_u32(std::process::id()), &children).contains(&root) {
            return Err(EndError::Ours);
        }
        let process = seen.system.process(root).filter(|process| process.start_time() == started);
        let process = process.ok_or(EndError::Gone)?;
        let told = ask_to_end(process);
        for below in tree(root, &children).into_iter().filter(|below| *below != root) {
            if let Some(process) = seen.system.process(below) {
                ask_to_end(process);
            }
        }
        if told { Ok(()) } else { Err(EndError::Refused) }
    }
}

/// SIGTERM, or what the system has instead.
fn ask_to_end(process: &Process) -> bool {
    process.kill_with(Signal::Term).unwrap_or_else(|| process.kill())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_all_descendants_and_ends_in_a_loop() {
        let pid = Pid::from_u32;
        let children =
            HashMap::from([(pid(1), vec![pid(2), pid(3)]), (pid(3), vec![pid(4)]), (pid(4), vec![pid(1)])]);
        assert_eq!(tree(pid(3), &children).len(), 4, "a pid that was given anew can make a ring");
        assert_eq!(tree(pid(2), &children), HashSet::from([pid(2)]));
    }

    #[test]
    fn we_ourselves_take_something() {
        let processes = Processes::default();
        let usage = processes.usage(std::process::id()).unwrap();
        assert!(usage.memory_bytes > 1024 * 1024 && usage.processes >= 1 && usage.cpu_percent.is_none());
        assert!(processes.usage(std::process::id()).unwrap().cpu_percent.is_some());
        assert_eq!(processes.usage(u32::MAX), None);
        assert_eq!(processes.end(std::process::id(), 0), Err(EndError::Ours));
    }
}
