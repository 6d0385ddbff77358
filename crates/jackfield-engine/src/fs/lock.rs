//! One writer at a time, among our own processes: gateway, window and command line.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use super::{FsError, Mode, create_dir};

/// An edit takes milliseconds. Whoever waits longer than this waits for a process that hangs.
const PATIENCE: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Holds the lock until it is dropped, or its process ends in whatever way.
#[derive(Debug)]
pub struct LockGuard {
    // Closing the file is what gives the lock back.
    _file: File,
}

/// Locks `path` against our other processes and threads. The lock is a file of its own below `state`, so the locked
/// file can be replaced. Blocks, by polling, for at most 10 seconds.
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
        let (begin, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(LockGuard { _file: file }),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if begin.elapsed() > PATIENCE => {
                    let words = "another Jackfield process has been writing it for 10 seconds";
                    return Err(io::Error::new(ErrorKind::TimedOut, words));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(pause),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    };
    acquire().map_err(failed)
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
