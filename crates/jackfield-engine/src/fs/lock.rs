//! One writer at a time, among our own processes: gateway, window and command line.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::{FsError, Mode, create_dir};

/// An edit takes milliseconds. Whoever waits longer than this waits for a process that hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// Holds the lock until it is dropped, or its process ends in whatever way.
#[derive(Debug)]
pub struct LockGuard {
    // Closing the file is what gives the lock back.
    _file: File,
}

/// Locks `path` against our other processes and threads. The lock is a file of its own below `state`, so the locked
/// file can be replaced. Blocks for at most 10 seconds.
pub fn lock(state: &Path, path: &Path) -> Result<LockGuard, FsError> {
    let folder = state.join("locks");
    create_dir(&folder, Mode::Private)?;
    let lock = folder.join(format!("{}.lock", name(&canonical(path))));
    let failed = FsError::new("lock", path);
    let acquire = || {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let file = options.open(&lock)?;
        match file.try_lock() {
            Ok(()) => Ok(LockGuard { _file: file }),
            Err(TryLockError::Error(error)) => Err(error),
            Err(TryLockError::WouldBlock) => in_turn(file),
        }
    };
    acquire().map_err(failed)
}

/// Waits in the system's own queue, which is fair: whoever polls can miss every gap between two others. If patience ends
/// first, the waiting thread gives the lock back as soon as it gets it.
fn in_turn(file: File) -> io::Result<LockGuard> {
    let (sender, receiver) = mpsc::sync_channel(0);
    thread::Builder::new().name("lock".to_owned()).spawn(move || {
        let locked = file.lock().map(|()| LockGuard { _file: file });
        let _nobody_waits_any_more = sender.send(locked);
    })?;
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        let words = "another Jackfield process has been writing it for 10 seconds";
        Err(io::Error::new(ErrorKind::TimedOut, words))
    })
}

/// The same for every way to the same file, also if it does not exist yet.
fn canonical(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if !parent.as_os_str().is_empty() => canonical(parent).join(name),
        _ => path.to_owned(),
    }
}

fn name(path: &Path) -> String {
    super::hex(&Sha256::digest(path.as_os_str().as_encoded_bytes()))
}
