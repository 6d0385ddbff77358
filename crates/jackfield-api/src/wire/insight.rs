//! What a server is doing and what it costs.

use serde::Serialize;
use ts_rs::TS;

/// How far a connection attempt has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Stage {
    Resolving,
    Queued,
    Starting,
    Handshake,
    ListingTools,
}

/// What the stages of the last attempt took, in milliseconds; `null` for those it did not leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct Timings {
    pub resolve_ms: Option<u32>,
    pub queue_ms: Option<u32>,
    pub start_ms: Option<u32>,
    pub handshake_ms: Option<u32>,
    pub list_ms: Option<u32>,
}

/// What is known of a server beside its state.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct Insight {
    /// While connecting.
    pub stage: Option<Stage>,
    /// While connecting: the last line of its stderr.
    pub last_line: Option<String>,
    pub timings: Timings,
    /// How often it was connected since Jackfield looks after it; more than one means restarts.
    pub connects: u32,
    /// The messages of the protocol are being kept.
    pub wire_log: bool,
}

/// What the processes of a server take now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct Usage {
    pub processes: u32,
    #[ts(type = "number")]
    pub memory_bytes: u64,
    /// Of one core, since the last look; `null` at the first.
    pub cpu_percent: Option<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Direction {
    ToServer,
    FromServer,
}

/// One message of the protocol, masked.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct WireMessage {
    #[ts(type = "number")]
    pub seq: u64,
    #[ts(type = "number")]
    pub at: u64,
    pub direction: Direction,
    pub text: String,
}

/// The last messages between Jackfield and a server.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct WirePage {
    /// Whether they are being kept.
    pub on: bool,
    pub messages: Vec<WireMessage>,
}

/// An MCP server that is running, and not by Jackfield.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ForeignProcess {
    pub pid: u32,
    /// With the pid it names the process.
    #[ts(type = "number")]
    pub started: u64,
    /// Ids of the definitions that it fits.
    pub servers: Vec<String>,
    /// The name of those.
    pub name: String,
    pub command_line: String,
    /// The program that started it.
    pub parent: Option<String>,
    /// Whoever started it is gone.
    pub orphan: bool,
    pub usage: Usage,
}
