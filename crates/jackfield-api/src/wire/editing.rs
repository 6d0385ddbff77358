//! What editing needs: forms, previews, history, files as text, imports, the registry.
//!
//! A form never holds a secret that stands in a file: such a value is a [`FormText`] with `keep` set, and comes back
//! as it was sent.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Finding, Origin, Scope, Severity};

/// A text in a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct FormText {
    pub text: String,
    /// Set: the text is a mask, and the value of this name in the entry as it stands stays what it is. A text typed
    /// anew has none.
    pub keep: Option<String>,
}

/// A variable or a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct FormPair {
    pub name: String,
    pub value: FormText,
}

/// How to reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum FormTransport {
    Stdio,
    Http,
    Sse,
    /// HTTP, then SSE: what some tools do with a url of no type.
    Auto,
}

/// A server as a form shows it. Fields of the other transport keep what was typed and are not written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ServerForm {
    pub name: String,
    pub transport: FormTransport,
    pub command: FormText,
    pub args: Vec<FormText>,
    pub env: Vec<FormPair>,
    pub cwd: Option<String>,
    pub url: FormText,
    pub headers: Vec<FormPair>,
    /// As typed, in the unit of the file's dialect; empty for none.
    pub timeout: String,
    pub enabled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum TimeoutUnit {
    Milliseconds,
    Seconds,
}

/// What a file's dialect can express.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct Abilities {
    pub transports: Vec<FormTransport>,
    pub env: bool,
    pub cwd: bool,
    pub headers: bool,
    /// `null`: there is no timeout in this dialect.
    pub timeout: Option<TimeoutUnit>,
    /// Whether an entry has a switch of its own.
    pub switch: bool,
    /// The forms of variables it evaluates, such as `${NAME}`.
    pub variables: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Language {
    Json,
    Toml,
    Yaml,
    /// Nothing of these.
    Text,
}

/// A file that servers can be written to, there or not.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct TargetRow {
    /// The id of the source.
    pub id: String,
    pub host: String,
    pub host_name: String,
    pub mark: String,
    pub scope: Scope,
    pub path: String,
    pub display_path: String,
    pub exists: bool,
    /// Why nothing can be written here now.
    pub locked: Option<String>,
    pub note: Option<String>,
    /// Where a server goes that is copied to this tool without more words.
    pub default: bool,
    pub language: Language,
    pub abilities: Abilities,
}

/// A server, to be edited.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct FormView {
    pub id: String,
    pub target: TargetRow,
    pub form: ServerForm,
    /// Keys of the entry that the form does not show; they stay as they are.
    pub other_keys: Vec<String>,
}

/// An edit, to be previewed or done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "op", rename_all = "snake_case")]
#[ts(export)]
pub enum EditRequest {
    Add {
        source: String,
        form: Box<ServerForm>,
        /// The tool in whose words the form's variables are, if they are not the file's own.
        #[serde(default)]
        #[ts(optional = nullable)]
        from: Option<String>,
    },
    /// All of them, or none; one entry of the history.
    AddSeveral {
        source: String,
        servers: Vec<NewServer>,
    },
    /// `base` is the form as it was given out: only what differs from it is written.
    Edit {
        id: String,
        base: Box<ServerForm>,
        form: Box<ServerForm>,
    },
    Rename {
        id: String,
        name: String,
    },
    Duplicate {
        id: String,
        name: String,
    },
    Remove {
        id: String,
    },
    /// `keep`: copy; else move.
    Copy {
        id: String,
        source: String,
        name: Option<String>,
        keep: bool,
    },
    /// The whole text of a file. `base` is the hash of the text that was edited.
    Text {
        source: String,
        base: String,
        text: String,
    },
    /// One of the fixes of a finding.
    Fix {
        finding: String,
        fix: u32,
    },
    /// Takes back a write of the history.
    Undo {
        #[ts(type = "number")]
        entry: u64,
    },
    /// Puts back what a file said before it lost its servers or broke.
    Restore {
        path: String,
    },
}

/// One of several servers to be added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct NewServer {
    pub form: ServerForm,
    /// The tool in whose words the form's variables are, if they are not the file's own.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub from: Option<String>,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct FieldProblem {
    /// `name`, `type`, `command`, `args.0`, `env.KEY`, `cwd`, `url`, `headers.KEY`, `timeout`; empty for the whole.
    pub field: String,
    pub severity: Severity,
    pub message: String,
}

/// What a field with variables or a command in it comes to now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct FieldValue {
    pub field: String,
    /// Masked where it must be; `null` when it is not sent.
    pub value: Option<String>,
    pub origin: Origin,
    /// The origin in words: "`TEAM_ID` is not set, the default is used".
    pub from: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum DiffKind {
    Same,
    Added,
    Removed,
    /// Lines that are left out.
    Gap,
}

/// One line of a difference, without its line end, secrets masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct DiffLine {
    pub kind: DiffKind,
    pub text: String,
    /// Line numbers before and after.
    pub old: Option<u32>,
    pub new: Option<u32>,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct FilePreview {
    pub path: String,
    pub display_path: String,
    /// The file is not there yet.
    pub creates: bool,
    pub added: u32,
    pub removed: u32,
    pub lines: Vec<DiffLine>,
}

/// What an edit would do.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct EditPreview {
    /// Errors among these keep it from being saved.
    pub problems: Vec<FieldProblem>,
    pub values: Vec<FieldValue>,
    pub files: Vec<FilePreview>,
    /// What the target cannot express, and what else is worth knowing.
    pub notes: Vec<String>,
    /// What the tool will notice and when; may be empty.
    pub notice: String,
    pub can_save: bool,
}

/// What an edit did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct EditOutcome {
    pub message: String,
    pub notes: Vec<String>,
    /// The server that was added, edited, renamed or copied, where it is now; of several the first.
    pub id: Option<String>,
    /// The entry in the history, to undo it.
    #[ts(type = "number | null")]
    pub entry: Option<u64>,
}

/// Both sides of an edit that does not fit the file any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct Conflict {
    pub path: String,
    pub display_path: String,
    /// Where it is about fields: each with what it was, what the form says, what the file says. Else empty.
    pub fields: Vec<ConflictField>,
    /// From the file as it is to the text that was to be saved; masked. Empty where it is about fields.
    pub lines: Vec<DiffLine>,
    /// The hash of the file as it is, to save over it on purpose.
    pub now: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct ConflictField {
    pub field: String,
    /// Masked where it must be; `null` where the field was, or is, not there.
    pub base: Option<String>,
    pub ours: Option<String>,
    pub theirs: Option<String>,
}

/// One write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct HistoryEntry {
    #[ts(type = "number")]
    pub id: u64,
    #[ts(type = "number")]
    pub at: u64,
    /// "Added `github`".
    pub title: String,
    /// Who: "window", "command line", "library".
    pub by: String,
    /// Every file it wrote.
    pub files: Vec<String>,
    /// Why it cannot be undone now; `null` if it can.
    pub locked: Option<String>,
    /// It is itself the undoing of another.
    pub undoes: bool,
}

/// A file as text.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct FileView {
    pub source: String,
    pub path: String,
    pub display_path: String,
    pub exists: bool,
    pub text: String,
    /// Sent back with an edit, so that nobody's edit is lost.
    pub hash: String,
    pub language: Language,
    /// A JSON schema of the file in its owner's dialect.
    #[ts(type = "unknown")]
    pub schema: serde_json::Value,
    /// Where secrets stand, as pairs of offsets in UTF-16 units: to be covered until the person wants to see them.
    pub secrets: Vec<(u32, u32)>,
    pub findings: Vec<Finding>,
    /// Each server and the line of its key.
    pub servers: Vec<FileServer>,
    pub locked: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct FileServer {
    pub name: String,
    pub line: u32,
}

/// What was recognised in a pasted text.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ImportView {
    /// "A `claude mcp add` command", "Servers as Cursor writes them".
    pub what: String,
    pub servers: Vec<ImportedServer>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ImportedServer {
    pub form: ServerForm,
    /// The tool in whose words its variables are: to be sent along when it is added.
    pub from: Option<String>,
    /// The exact command, one argument a line, or the url.
    pub lines: Vec<String>,
    pub notes: Vec<String>,
}

/// A page of the registry.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RegistryPage {
    /// The base url of the registry that was asked.
    pub registry: String,
    pub servers: Vec<RegistryRow>,
    /// For the next page.
    pub next: Option<String>,
    /// Entries that could not be read, each as a sentence.
    pub unreadable: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RegistryRow {
    /// `io.github.owner/name`.
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    pub version: String,
    /// Deprecated or deleted, with the reason.
    pub warning: Option<String>,
    pub website: Option<String>,
}

/// A server of the registry, with all ways to run it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RegistryServer {
    pub row: RegistryRow,
    pub choices: Vec<RegistryChoice>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RegistryChoice {
    pub id: String,
    /// "npm package, run with npx".
    pub label: String,
    /// The package in its version, or the url.
    pub detail: String,
    /// Why it cannot be used.
    pub unsupported: Option<String>,
    pub inputs: Vec<RegistryInput>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RegistryInput {
    pub id: String,
    pub label: String,
    pub description: Option<String>,
    pub required: bool,
    pub secret: bool,
    pub default: Option<String>,
    pub placeholder: Option<String>,
    /// Empty: free text.
    pub choices: Vec<String>,
    /// Several values, one a line.
    pub repeated: bool,
}

/// A server of the registry with the answers filled in.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RegistryFilled {
    pub form: ServerForm,
    /// By the ids of the inputs.
    pub problems: Vec<FieldProblem>,
    /// The exact command, one argument a line, or the url.
    pub lines: Vec<String>,
    /// Variables that stand for secrets that were not given; they are to be set where the tool is started.
    pub variables: Vec<String>,
}

/// A file that lost its servers, or broke, while we looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct Alert {
    pub path: String,
    pub display_path: String,
    /// "lost 4 servers", "does not parse any more".
    pub what: String,
    pub servers: Vec<String>,
    #[ts(type = "number")]
    pub at: u64,
    /// What it said before can be put back.
    pub restorable: bool,
    /// The person left the file so: it is not announced any more, and can be put back all the same.
    pub answered: bool,
}

/// A way to put a finding right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct FixRow {
    /// As a button says it: "Remove the comments".
    pub title: String,
}
