//! All access of the engine to files. Every error names its path; every write is atomic.
//!
//! Everything here blocks. Asynchronous callers go through `spawn_blocking`, but for reads of small local files.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the one module that the ban on `std::fs` leads everybody to"
)]

mod lock;

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};

pub use lock::{LockGuard, lock};

/// A configuration file is never larger than this.
pub const MAX_FILE: u64 = 32 * 1024 * 1024;

/// An operation on a file failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {verb} `{}`: {}", .path.display(), words(.source))]
pub struct FsError {
    pub path: PathBuf,
    /// What was tried, such as `read`.
    pub verb: &'static str,
    pub source: io::Error,
}

impl FsError {
    fn new(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FsError {
        move |source| FsError { path: path.to_owned(), verb, source }
    }

    /// The system's words alone, without path and number.
    pub fn words(&self) -> String {
        words(&self.source)
    }

    /// The whole message with the home directory as `~`.
    pub fn message(&self, home: &Path) -> String {
        let path = jackfield_config::places::display_path(home, &self.path);
        format!("cannot {} `{path}`: {}", self.verb, self.words())
    }
}

/// `permission denied`, where the standard library says `Permission denied (os error 13)`.
fn words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// Who may read a file that does not exist yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Only the user: 0600, in folders with 0700.
    Private,
    /// Whoever the umask lets: files of projects.
    Shared,
}

/// Whether a write has to survive a loss of power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    Synced,
    /// Still atomic for other programs; for what can be made again.
    Quick,
}

/// Reads a file of at most [`MAX_FILE`] bytes.
pub fn read(path: &Path) -> Result<Vec<u8>, FsError> {
    read_bounded(path, MAX_FILE)
}

/// Reads a file, which is refused if it has more than `limit` bytes.
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, FsError> {
    let failed = FsError::new("read", path);
    let read = || {
        let file = open_for_reading(path)?;
        // A pipe or a device would never end.
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
        }
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(limit)).unwrap_or(0));
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > limit {
            return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {limit} bytes")));
        }
        Ok(bytes)
    };
    read().map_err(failed)
}

/// Does not wait for the other end where there is a pipe in place of a file.
fn open_for_reading(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(i32::try_from(flags).unwrap_or_default());
    }
    options.open(path)
}

/// Reads a file; nothing if it, or a folder on the way to it, is not there.
pub fn read_optional(path: &Path) -> Result<Option<Vec<u8>>, FsError> {
    match read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_missing(&error.source) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a link that leads nowhere says.
pub fn dangling_link(path: &Path) -> Option<PathBuf> {
    let target = std::fs::read_link(path).ok()?;
    path.metadata().is_err_and(|error| is_missing(&error)).then_some(target)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// What is in a folder; nothing if it cannot be read.
pub fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
}

/// When a file or folder was last changed.
pub fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// Makes a folder and those above it. Those that are there keep their mode.
pub fn create_dir(path: &Path, mode: Mode) -> Result<(), FsError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    if mode == Mode::Private {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder.create(path).map_err(FsError::new("create the folder", path))
}

/// Removes a file; that it is not there is fine.
pub fn remove(path: &Path) -> Result<(), FsError> {
    match std::fs::remove_file(path) {
        Err(error) if !is_missing(&error) => Err(FsError::new("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Gives a file another name in the same folder, over whatever has that name.
pub fn rename(from: &Path, to: &Path) -> Result<(), FsError> {
    std::fs::rename(from, to).map_err(FsError::new("rename", from))
}

/// Appends to one of our own files; the bytes of one call stay together.
pub fn append(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    let append = || {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut file = options.open(path)?;
        // A line that was cut off, as by a full disk, must not take the next one with it.
        let mut last = [b'\n'];
        if file.metadata()?.len() > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last == [b'\n'] { file.write_all(bytes) } else { file.write_all(&[b"\n", bytes].concat()) }
    };
    append().map_err(FsError::new("write", path))
}

/// The file that a write to `path` replaces: `path` itself, or where the symlink there leads.
pub fn resolve_link(path: &Path) -> Result<PathBuf, FsError> {
    let resolve = || match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => std::fs::canonicalize(path).map_err(|error| {
            let leads = std::fs::read_link(path).unwrap_or_default();
            match error.kind() {
                ErrorKind::NotFound => {
                    let words = format!("it is a link to `{}`, which does not exist", leads.display());
                    io::Error::new(ErrorKind::NotFound, words)
                }
                _ => error,
            }
        }),
        Ok(_) => Ok(path.to_owned()),
        Err(error) if is_missing(&error) => Ok(path.to_owned()),
        Err(error) => Err(error),
    };
    resolve().map_err(FsError::new("write", path))
}

/// Replaces the content of a file at one stroke: every reader sees the old or the new, never a part.
///
/// Mode and owner of a file that is there stay; a symlink stays one and what it leads to is replaced. `mode` is for
/// files and folders that have to be made.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: Mode) -> Result<(), FsError> {
    write_checked(path, bytes, mode, Durability::Synced, || true).map(|_| ())
}

/// As [`write_atomic`], and asks `still` right before the old file is replaced. If that says no, nothing is changed
/// and the answer is no.
pub fn write_checked(
    path: &Path,
    bytes: &[u8],
    mode: Mode,
    durability: Durability,
    still: impl FnOnce() -> bool,
) -> Result<bool, FsError> {
    let target = resolve_link(path)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create_dir(folder, mode)?;
    let write = || {
        let old = match std::fs::metadata(&target) {
            Ok(metadata) => Some(writable(metadata)?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        // Removed again on every way out of here but the last.
        let mut file = temporary(folder, &target, mode)?;
        file.write_all(bytes)?;
        if let Some(old) = &old {
            keep_owner_and_mode(file.as_file(), old)?;
        }
        if durability == Durability::Synced {
            file.as_file().sync_all()?;
        }
        if !still() {
            return Ok(false);
        }
        file.persist(&target).map_err(|error| error.error)?;
        if durability == Durability::Synced {
            sync_folder(folder)?;
        }
        Ok(true)
    };
    write().map_err(FsError::new("write", path))
}

/// The permissions of a file; nothing where there are none, or no such file.
pub fn mode(path: &Path) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::metadata(path).ok().map(|metadata| metadata.permissions().mode() & 0o7777)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Takes from everybody but the user the right to read a file.
pub fn make_private(path: &Path) -> Result<(), FsError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
            .map_err(FsError::new("change the mode of", path))
    }
    // On Windows a file in the user's profile is the user's.
    #[cfg(not(unix))]
    {
        let _ = path;
        Ok(())
    }
}

/// A name that is the same for all routes to one file; of one that is not there, its path.
pub fn identity(path: &Path) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // One look, where resolving every link on the way takes one a folder.
        match std::fs::metadata(path) {
            Ok(found) => PathBuf::from(format!("{}:{}", found.dev(), found.ino())),
            Err(_) => path.to_owned(),
        }
    }
    #[cfg(not(unix))]
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether users other than the owner may read a file. Never on systems without modes.
pub fn is_readable_by_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o044 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// A rename would replace what the user has protected; that is not for us to do.
fn writable(metadata: Metadata) -> io::Result<Metadata> {
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.permissions().readonly() {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
    }
    Ok(metadata)
}

const TEMPORARY: &str = ".tmp";

/// Hidden, beside its target in a listing, and ours.
fn temporary_prefix(target: &Path) -> String {
    let name = target.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    format!(".{name}.jackfield-")
}

/// Removes what a process of ours that was killed in the middle of a write has left beside `path`. Whoever holds the
/// lock of `path` may do so: nobody else is writing it.
pub fn sweep(path: &Path, _: &LockGuard) {
    let Ok(target) = resolve_link(path) else { return };
    let prefix = temporary_prefix(&target);
    for file in target.parent().map(list).unwrap_or_default() {
        let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        if name.starts_with(&prefix) && name.ends_with(TEMPORARY) {
            // Next time, if not now.
            let _ = remove(&file);
        }
    }
}

fn temporary(folder: &Path, target: &Path, mode: Mode) -> io::Result<tempfile::NamedTempFile> {
    let prefix = temporary_prefix(target);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(TEMPORARY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(match mode {
            Mode::Private => 0o600,
            // The umask takes away what it takes from every new file.
            Mode::Shared => 0o666,
        }));
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder.tempfile_in(folder)
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid())).map_err(|error| {
            io::Error::new(error.kind(), "its owner cannot be kept: it is another user's file")
        })?;
    }
    // After the owner: changing that clears some bits.
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn keep_owner_and_mode(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes the rename itself survive a loss of power.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some network file systems cannot.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        other => other,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// SHA-256 in hex.
pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
pub(crate) fn write_for_test(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

#[cfg(test)]
pub(crate) fn rename_for_test(from: &Path, to: &Path) {
    std::fs::rename(from, to).unwrap();
}

#[cfg(test)]
mod tests;
