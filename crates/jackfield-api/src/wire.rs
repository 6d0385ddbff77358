//! What CLI and window get. Inner types never reach them; every type here has a TypeScript twin in
//! `ui/src/bindings`, written by `cargo test -p jackfield-api` and compared in CI.
//!
//! Times are milliseconds since the epoch, durations milliseconds. Every string is safe to show: secrets are masked
//! before they get here.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

mod editing;
mod insight;

pub use editing::*;
pub use insight::*;

/// The three-valued view of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Status {
    Connected,
    Connecting,
    Disconnected,
}

/// Why a server is disconnected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Reason {
    Failed,
    NeedsSignIn,
    NeedsApproval,
    Retrying,
    Idle,
    Disabled,
    Denied,
    HostDisabled,
    Shadowed,
    Invalid,
    ProjectOff,
    Filtered,
    Stopped,
}

/// Whose a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Scope {
    User,
    Local,
    Project,
    Managed,
    Plugin,
}

/// The one thing a row in trouble offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum RowAction {
    /// Open the review of a project's server.
    Review,
    /// Try again.
    Reconnect,
    /// Connect although it is set apart (Exa), stopped or idle.
    Connect,
    /// Open the file at the line, in the user's editor.
    OpenFile,
    /// Show the details (log, reason).
    Details,
}

/// One definition as the list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ServerRow {
    pub id: String,
    pub name: String,
    /// Host id, such as `claude-code`.
    pub host: String,
    pub scope: Scope,
    /// Position of its source in the order of priority, then of the file: the stable order of rows.
    pub rank: u32,
    /// `stdio`, `http` or `sse`.
    pub transport: Option<String>,
    /// Command line or url, masked.
    pub summary: String,
    pub status: Status,
    pub reason: Option<Reason>,
    /// One line of plain words, for rows in trouble.
    pub message: Option<String>,
    pub action: Option<RowAction>,
    /// Since when it has this status and reason.
    #[ts(type = "number")]
    pub since: u64,
    /// When the next attempt starts, while `retrying`.
    #[ts(type = "number | null")]
    pub retry_at: Option<u64>,
    /// Number of tools, live or from the cache.
    pub tools: Option<u32>,
    pub tools_cached: bool,
    /// Time of the last small exchange with the server, in milliseconds.
    pub latency_ms: Option<u32>,
    pub toggle: Toggle,
    /// For `shadowed`: "xcsh, user".
    pub shadowed_by: Option<String>,
    /// For `shadowed`: the fields in which it differs from the definition in use.
    pub differs: Vec<String>,
    /// Number of findings about this server, by weight.
    pub errors: u32,
    pub warnings: u32,
}

/// The switch of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct Toggle {
    /// Its position.
    pub on: bool,
    /// Whether it can be moved.
    pub available: bool,
    /// Why it cannot, or what moving it does not do: "Cursor still starts it itself".
    pub note: Option<String>,
}

/// One host, with all its sources, as the side column shows it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct HostRow {
    pub id: String,
    pub name: String,
    pub mark: String,
    /// Number of definitions.
    pub servers: u32,
    pub errors: u32,
    pub warnings: u32,
    pub sources: Vec<SourceRow>,
}

/// One file location.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct SourceRow {
    /// As on disk.
    pub path: String,
    /// With `~`.
    pub display_path: String,
    pub scope: Scope,
    pub exists: bool,
    /// `null` when the file does not parse.
    pub servers: Option<u32>,
    pub error: Option<String>,
    pub note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Severity {
    Info,
    Warning,
    Error,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct Finding {
    /// While it stays the same finding: to apply one of its fixes.
    pub id: String,
    pub code: String,
    pub severity: Severity,
    pub title: String,
    pub detail: String,
    pub path: Option<String>,
    pub display_path: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub server: Option<String>,
    pub fixes: Vec<FixRow>,
}

/// A folder opened, or that could be.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ProjectRow {
    pub path: String,
    pub display_path: String,
}

/// The current project and those offered.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct Projects {
    pub current: Option<ProjectRow>,
    /// Opened before in Jackfield, newest first.
    pub recent: Vec<ProjectRow>,
    /// Known to Claude Code, VS Code or Cursor.
    pub candidates: Vec<ProjectRow>,
}

/// What to connect when Jackfield starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ConnectAtStart {
    All,
    Chosen,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Theme {
    System,
    Light,
    Dark,
}

/// Things the window shows that are neither rows nor findings.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct Overall {
    /// `null` until the welcome view has been answered.
    pub connect_at_start: Option<ConnectAtStart>,
    pub theme: Theme,
    /// Off: nothing is read, and the window says so.
    pub enable_mcp: bool,
    pub files_watched: u32,
    pub last_change: Option<LastChange>,
    /// Files that lost their servers, or broke, while we looked; until they have some again.
    pub alerts: Vec<Alert>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct LastChange {
    pub display_path: String,
    #[ts(type = "number")]
    pub at: u64,
}

/// All of the window's state at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct Snapshot {
    #[ts(type = "number")]
    pub revision: u64,
    pub servers: Vec<ServerRow>,
    pub hosts: Vec<HostRow>,
    pub findings: Vec<Finding>,
    pub projects: Projects,
    pub overall: Overall,
}

/// A step from one revision to the next. After a gap the window asks for a new snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct Delta {
    #[ts(type = "number")]
    pub revision: u64,
    pub changes: Vec<Change>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(export)]
pub enum Change {
    /// New or changed.
    Server {
        row: Box<ServerRow>,
    },
    ServerGone {
        id: String,
    },
    Hosts {
        hosts: Vec<HostRow>,
    },
    Findings {
        findings: Vec<Finding>,
    },
    Projects {
        projects: Projects,
    },
    Overall {
        overall: Overall,
    },
    /// The tools of a server are others than before, perhaps as many: an open list asks again.
    Tools {
        id: String,
    },
    /// New lines in a server's log or history: an open detail asks for what it lacks.
    Log {
        id: String,
        #[ts(type = "number")]
        last: u64,
    },
}

/// All about one server, for the detail column.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ServerDetail {
    pub row: ServerRow,
    /// The server's own name and version, protocol revision, since when; while connected.
    pub session: Option<SessionInfo>,
    pub sent: Vec<SentValue>,
    pub defined: Vec<DefinedAt>,
    pub findings: Vec<Finding>,
    /// Newest first, at most 50.
    pub recent: Vec<LogLine>,
    /// For `needs_approval`: exactly what would run.
    pub review: Option<Review>,
    /// The last lines of stderr, when it failed.
    pub stderr_tail: Vec<String>,
    /// The cure, as a sentence.
    pub hint: Option<String>,
    /// What it is doing and how it went; `null` for those that do not run.
    pub insight: Option<Insight>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct SessionInfo {
    pub name: String,
    pub version: String,
    pub title: Option<String>,
    pub protocol: String,
    pub instructions: Option<String>,
    #[ts(type = "number")]
    pub connected_at: u64,
    pub connect_ms: u32,
    pub pid: Option<u32>,
}

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Origin {
    Literal,
    Variable,
    Default,
    Command,
    SecretStore,
    Oauth,
    Unset,
}

/// One line of "what is sent".
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct SentValue {
    /// `Command`, `URL`, `X-Team`, `GITHUB_TOKEN`, …
    pub label: String,
    pub group: SentGroup,
    /// Masked where it must be; `null` when it is not sent.
    pub value: Option<String>,
    pub origin: Origin,
    /// The origin in words: "from ${TEAM_ID}, unset".
    pub from: String,
    /// Where it is written; `null` for what is written nowhere.
    pub place: Option<FieldAt>,
}

/// A place in a file. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct FieldAt {
    pub path: String,
    pub display_path: String,
    pub line: u32,
    pub column: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum SentGroup {
    Main,
    Env,
    Header,
}

/// One place that defines a server of this name.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct DefinedAt {
    pub id: String,
    pub host: String,
    pub host_name: String,
    pub mark: String,
    pub scope: Scope,
    pub path: String,
    pub display_path: String,
    pub line: Option<u32>,
    pub in_use: bool,
    /// Another definition of the name wins over it.
    pub shadowed: bool,
    /// "In use", "Shadowed, differs in url, headers", "Disabled", …
    pub tag: String,
}

/// What a person approves, in full and unmasked but for secrets.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct Review {
    /// Sent back with the approval, so that exactly what was shown is approved.
    pub hash: String,
    /// The exact command line, one argument a line, or the url.
    pub lines: Vec<String>,
    /// All else that decides what happens: variables, headers, folder, files and commands.
    pub values: Vec<ReviewValue>,
    /// What differs from the approval before, if there was one.
    pub changed: Vec<String>,
    pub project: String,
}

/// One value of a definition under review.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ReviewValue {
    pub kind: ReviewKind,
    /// Of the variable or header; empty for the others.
    pub name: String,
    /// As written, secrets masked.
    pub value: String,
    /// It is a command that would be run for its output.
    pub runs: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ReviewKind {
    Env,
    Header,
    /// The working directory.
    Folder,
    /// A file with more variables.
    EnvFile,
    /// A command that prints more headers.
    HeadersHelper,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum LogKind {
    /// A step in the life of the server.
    Lifecycle,
    Stderr,
    /// A line on stdout that is no message.
    Stdout,
}

/// One line of a server's log.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct LogLine {
    #[ts(type = "number")]
    pub seq: u64,
    #[ts(type = "number")]
    pub at: u64,
    pub kind: LogKind,
    /// How the line is to be taken: its dot's colour.
    pub tone: Tone,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Tone {
    Neutral,
    Good,
    Wait,
    Bad,
}

/// A part of a log. `first` tells whether older lines were dropped.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct LogPage {
    pub lines: Vec<LogLine>,
    #[ts(type = "number")]
    pub dropped: u64,
}

/// One tool of a server.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ToolRow {
    /// As the server calls it.
    pub name: String,
    /// As Jackfield offers it to others.
    pub exposed: String,
    pub title: Option<String>,
    pub description: Option<String>,
    #[ts(type = "unknown")]
    pub input_schema: serde_json::Value,
    #[ts(type = "unknown")]
    pub output_schema: Option<serde_json::Value>,
    pub read_only: bool,
    pub destructive: bool,
    pub cached: bool,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct CallOutcome {
    pub is_error: bool,
    /// The text view of the result.
    pub text: String,
    /// The whole result as the server sent it.
    #[ts(type = "unknown")]
    pub result: serde_json::Value,
    pub took_ms: u32,
}

/// What a switch did.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ToggleOutcome {
    /// Which file changed and what the host will notice, and when.
    pub message: String,
    pub display_path: String,
    pub on: bool,
}

/// What a person can be told about a failed command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct ApiErrorBody {
    pub code: ErrorCode,
    pub message: String,
    pub hint: Option<String>,
    /// What is wrong with which field of a form.
    pub problems: Vec<FieldProblem>,
    /// For `conflict`.
    pub conflict: Option<Conflict>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ErrorCode {
    /// No such server, tool, file or project.
    NotFound,
    /// The request makes no sense as it stands.
    BadRequest,
    /// The file has changed, or cannot be edited.
    Edit,
    /// The file says something else now, and the edit does not fit it.
    Conflict,
    /// A field of a form is not accepted.
    Invalid,
    /// The server is not connected, or could not be.
    NotConnected,
    NeedsApproval,
    NeedsSignIn,
    /// The call failed on the way or at the server.
    CallFailed,
    Cancelled,
    Timeout,
    /// The approval was for something else than what stands there now.
    Stale,
    /// The registry gave no answer that can be used.
    Registry,
    Internal,
}
