//! The one list of commands. The CLI, the window and the development bridge all speak it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::wire::{ConnectAtStart, EditRequest, Theme};

/// A request and its arguments. In TypeScript: `{ cmd: "set_enabled", id, on }`.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[serde(tag = "cmd", rename_all = "snake_case")]
#[ts(export)]
pub enum Command {
    /// → `Snapshot`.
    Snapshot,
    /// → `ServerDetail`.
    ServerDetail { id: String },
    /// → `ToolRow[]`.
    ServerTools { id: String },
    /// → `LogPage`: the lines after `after`, at most `limit`.
    ServerLog {
        id: String,
        #[ts(type = "number | null")]
        after: Option<u64>,
        limit: Option<u32>,
    },
    /// What its processes take now. → `Usage | null`.
    ServerUsage { id: String },
    /// → `WirePage`: the messages after `after`.
    WireLog {
        id: String,
        #[ts(type = "number | null")]
        after: Option<u64>,
    },
    /// Keep the messages of the protocol, or do not. → `null`.
    SetWireLog { id: String, on: bool },
    /// → `ForeignProcess[]`: MCP servers that others have started.
    ForeignProcesses,
    /// Ask one of those to end. → `null`.
    EndProcess {
        pid: u32,
        #[ts(type = "number")]
        started: u64,
    },
    /// → `CallOutcome`. `call` is the caller's own id, with which it can be cancelled.
    CallTool {
        id: String,
        tool: String,
        #[ts(type = "unknown")]
        arguments: serde_json::Value,
        call: Option<String>,
    },
    /// → `null`.
    CancelCall { call: String },
    /// → `ToggleOutcome`.
    SetEnabled { id: String, on: bool },
    /// Approve exactly what was shown: `hash` is that of the review. → `null`.
    Approve { id: String, hash: String },
    /// → `TargetRow[]`: every file a server can be written to, by priority.
    Targets,
    /// → `FormView`.
    ServerForm { id: String },
    /// → `EditPreview`. Writes nothing.
    PreviewEdit { edit: EditRequest },
    /// → `EditOutcome`.
    ApplyEdit { edit: EditRequest },
    /// → `HistoryEntry[]`, newest first.
    History { limit: Option<u32> },
    /// → `FilePreview[]`: what a write changed.
    HistoryDiff {
        #[ts(type = "number")]
        entry: u64,
    },
    /// → `FileView`.
    FileText { source: String },
    /// → `FileView`: the text as it would be read, with its findings; nothing is written.
    CheckText { source: String, text: String },
    /// → `ImportView`: what is in a pasted text.
    Import { text: String },
    /// → `RegistryPage`.
    RegistrySearch { query: String, cursor: Option<String> },
    /// → `RegistryServer`.
    RegistryServer { name: String },
    /// For the file `source`, whose form of variables is used. → `RegistryFilled`.
    RegistryFill {
        name: String,
        version: String,
        choice: String,
        values: BTreeMap<String, String>,
        source: String,
    },
    /// The person has seen that a file lost its servers and leaves it so. → `null`.
    DismissAlert { path: String },
    /// → `null`. Connect this one, whatever `connect_at_start` says.
    Connect { id: String },
    /// → `null`. Stop it without writing anything.
    Stop { id: String },
    /// → `null`.
    Reconnect { id: String },
    /// Read every file again, disconnect all, connect. → `null`.
    Reload,
    /// The answer to the welcome view; with `chosen`, the ids to connect. → `null`.
    SetConnectAtStart { choice: ConnectAtStart, chosen: Vec<String> },
    /// → `null`.
    SetTheme { theme: Theme },
    /// The ids of tools in the order in which they win, the first first; the others follow as they are. → `null`.
    SetHostsOrder { hosts: Vec<String> },
    /// Open a folder as the current project, or none. → `Projects`.
    OpenProject { path: Option<String> },
    /// Ask for a folder with the system's chooser. → `string | null`.
    PickFolder,
    /// Open a configuration file in the user's editor. Only files that are sources. → `null`.
    OpenFile { path: String, line: Option<u32> },
    /// Show a configuration file in the file manager. Only files that are sources. → `null`.
    RevealFile { path: String },
    /// Open a http or https link in the browser. → `null`.
    OpenLink { url: String },
}
