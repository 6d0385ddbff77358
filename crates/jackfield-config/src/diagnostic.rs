//! Trouble as a value. Every finding has a code from one list, a place, and words for a person.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::edit::{Change, Rewrite};
use crate::host::{HostId, Scope};

/// How bad a finding is. An error means that something the user wrote does not work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+) => {
        /// Every kind of finding there is. The text form is stable and part of the JSON contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[doc = $doc])+ $name,)+ }

        impl Code {
            /// All codes, in the order of this list.
            pub const ALL: &[Code] = &[$(Code::$name,)+];

            /// The stable text form, such as `file-syntax`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }

            /// What this code stands for, in a sentence.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => concat!($($doc),+).trim_ascii(),)+ }
            }
        }
    };
}

codes! {
    /// The file cannot be read: no permission, a folder in its place, an unknown encoding.
    FileUnreadable = "file-unreadable",
    /// The file does not parse.
    FileSyntax = "file-syntax",
    /// The file parses here but its owning application would refuse it: comments, trailing commas, a byte order mark.
    HostRefusesFile = "host-refuses-file",
    /// The root of the file, or of its server list, is not an object.
    WrongRoot = "wrong-root",
    /// The servers stand under a key that the owning application does not read.
    WrongRootKey = "wrong-root-key",
    /// A key is written twice; the last one counts.
    DuplicateKey = "duplicate-key",
    /// The entry lacks what its transport needs, or mixes two transports.
    InvalidEntry = "invalid-entry",
    /// The owning application would skip or reject this entry.
    HostRefusesEntry = "host-refuses-entry",
    /// A field has a type that the owning application ignores.
    WrongType = "wrong-type",
    /// A key that the owning application does not know, close to one it does.
    UnknownKey = "unknown-key",
    /// A switch the owning application does not have; the server stays on.
    IneffectiveSwitch = "ineffective-switch",
    /// A variable in a form that the owning application does not understand; the text is used as it stands.
    ForeignVariable = "foreign-variable",
    /// A variable that is not set and has no default.
    UnsetVariable = "unset-variable",
    /// A value that was left out when connecting.
    ValueLeftOut = "value-left-out",
    /// A whole command line stands in `command`.
    CommandLine = "command-line",
    /// The command was not found where it was looked for.
    CommandNotFound = "command-not-found",
    /// A path with a control character, because a backslash was not doubled.
    ControlCharacter = "control-character",
    /// A `~` that no shell will expand.
    LiteralTilde = "literal-tilde",
    /// The url does not parse, or its scheme is not http or https.
    BadUrl = "bad-url",
    /// A url without an explicit type, which applications take differently.
    UrlWithoutType = "url-without-type",
    /// The value would be evaluated in xcsh's own files, but is a literal here.
    LiteralHere = "literal-here",
    /// The file exists, but no application reads it at this place.
    UnreadFile = "unread-file",
    /// A script adds the server only under a condition, so it is not known whether it is there.
    DecidedByScript = "decided-by-script",
    /// A secret stands in the file as plain text.
    PlaintextSecret = "plaintext-secret",
    /// A file with secrets can be read by other users of the machine.
    ReadableByOthers = "readable-by-others",
    /// A file with secrets is tracked by git.
    SecretInGit = "secret-in-git",
    /// The same endpoint is configured under two names.
    LookAlike = "look-alike",
    /// The name of the server holds characters that other applications refuse.
    OddName = "odd-name",
    /// The server should run, but cannot be connected.
    ConnectFailed = "connect-failed",
    /// The server should run, and has not answered yet.
    StillConnecting = "still-connecting",
    /// One of Jackfield's own files was broken and set aside.
    OwnFileBroken = "own-file-broken",
    /// A setting of Jackfield has a value that is not accepted.
    BadSetting = "bad-setting",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A place in a text. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl Diagnostic {
    /// An id that stays while the finding is the same, wherever in the file its place moves.
    pub fn key(&self) -> String {
        let path = self.path.as_deref().map(|path| path.to_string_lossy()).unwrap_or_default();
        let parts = [self.code.as_str(), &path, self.server.as_deref().unwrap_or_default(), &self.title];
        let mut key = crate::definition::digest(parts.into_iter());
        key.truncate(16);
        key
    }
}

/// A way to put a finding right, by one click.
#[derive(Clone, PartialEq, Eq)]
pub struct Fix {
    /// As a button says it: "Remove the comments".
    pub title: String,
    pub work: FixWork,
}

// What it writes may hold a secret of the file.
impl fmt::Debug for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fix").field("title", &self.title).finish_non_exhaustive()
    }
}

/// What a fix does to the file of its finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixWork {
    Changes(Vec<Change>),
    Rewrite(Rewrite),
    /// Only the user may read it from then on.
    Private,
    /// Its servers move to where this host reads them.
    MoveAll {
        host: HostId,
        scope: Scope,
        /// How the path of that file ends.
        file: &'static str,
    },
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// What is wrong, in one line without a period; names in backticks.
    pub title: String,
    /// Why, what follows from it, and what to do. May be empty.
    pub detail: String,
    pub path: Option<Arc<PathBuf>>,
    pub position: Option<Position>,
    /// The server it is about, by name.
    pub server: Option<String>,
    /// Ways to put it right, the best first.
    #[serde(skip)]
    pub fixes: Vec<Fix>,
}
