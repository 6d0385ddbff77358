//! What servers are doing and what they cost; processes that others have started.

use jackfield_config::ServerId;
use jackfield_engine::log::{Direction, WireEntry};
use jackfield_engine::processes;
use jackfield_engine::server::ServerHandle;
use jackfield_engine::status::{Phase, ServerStatus, Stage, Timings};

use crate::api::{Api, engine_error};
use crate::error::ApiError;
use crate::rows;
use crate::wire::{self, ErrorCode, ForeignProcess, Insight, Usage, WireMessage, WirePage};

/// Messages of the protocol in one answer.
const WIRE_PAGE: usize = 500;

pub(crate) fn of(server: &ServerHandle, status: &ServerStatus) -> Insight {
    let stage = match status.phase {
        Phase::Connecting { stage, .. } => Some(stage),
        Phase::Idle
        | Phase::Ready(_)
        | Phase::NeedsSignIn { .. }
        | Phase::Retrying { .. }
        | Phase::Failed(_)
        | Phase::Stopped => None,
    };
    Insight {
        last_line: stage.and_then(|_| server.log().tail_stderr(1).pop()),
        stage: stage.map(stage_word),
        timings: timings(status.timings),
        connects: status.connects,
        wire_log: server.log().wire().is_on(),
    }
}

fn stage_word(stage: Stage) -> wire::Stage {
    match stage {
        Stage::Resolving => wire::Stage::Resolving,
        Stage::Queued => wire::Stage::Queued,
        Stage::Starting => wire::Stage::Starting,
        Stage::Handshake => wire::Stage::Handshake,
        Stage::ListingTools => wire::Stage::ListingTools,
    }
}

fn timings(timings: Timings) -> wire::Timings {
    let Timings { resolve_ms, queue_ms, start_ms, handshake_ms, list_ms } = timings;
    wire::Timings { resolve_ms, queue_ms, start_ms, handshake_ms, list_ms }
}

fn usage(usage: processes::Usage) -> Usage {
    Usage {
        processes: u32::try_from(usage.processes).unwrap_or(u32::MAX),
        memory_bytes: usage.memory_bytes,
        cpu_percent: usage.cpu_percent,
    }
}

fn message(entry: WireEntry) -> WireMessage {
    WireMessage {
        seq: entry.seq,
        at: rows::millis(entry.at),
        direction: match entry.direction {
            Direction::ToServer => wire::Direction::ToServer,
            Direction::FromServer => wire::Direction::FromServer,
        },
        text: entry.text,
    }
}

impl Api {
    /// What the processes of a server take; `None` for one that has none.
    ///
    /// # Errors
    /// If there is no such server.
    pub async fn server_usage(&self, id: &ServerId) -> Result<Option<Usage>, ApiError> {
        self.entry(id)?;
        Ok(self.engine().usage(id).await.map(usage))
    }

    /// The messages after this one, oldest first.
    ///
    /// # Errors
    /// If there is no such server.
    pub fn wire_log(&self, id: &ServerId, after: u64) -> Result<WirePage, ApiError> {
        self.entry(id)?;
        let Some(server) = self.engine().server(id) else {
            return Ok(WirePage { on: false, messages: Vec::new() });
        };
        let kept = server.log().wire();
        let messages = kept.after(after, WIRE_PAGE).into_iter().map(message).collect();
        Ok(WirePage { on: kept.is_on(), messages })
    }

    /// Switches the keeping of messages on or off.
    ///
    /// # Errors
    /// If there is no such server, or it does not run.
    pub fn set_wire_log(&self, id: &ServerId, on: bool) -> Result<(), ApiError> {
        let entry = self.entry(id)?;
        let server = self.engine().server(id).ok_or_else(|| {
            let message = format!("\"{}\" does not run, so there are no messages", entry.definition.name);
            ApiError::new(ErrorCode::BadRequest, message)
        })?;
        server.log().wire().set(on);
        Ok(())
    }

    /// MCP servers that others have started.
    ///
    /// # Errors
    /// If the engine has ended.
    pub async fn foreign_processes(&self) -> Result<Vec<ForeignProcess>, ApiError> {
        let catalog = self.engine().catalog();
        let found = self.engine().foreign_processes().await.map_err(engine_error)?;
        let name = |id: &ServerId| catalog.get(id).map(|entry| entry.definition.name.clone());
        Ok(found
            .into_iter()
            .map(|foreign| ForeignProcess {
                pid: foreign.pid,
                started: foreign.started,
                name: foreign.servers.iter().find_map(name).unwrap_or_default(),
                servers: foreign.servers.iter().map(ToString::to_string).collect(),
                command_line: foreign.command_line,
                parent: foreign.parent,
                orphan: foreign.orphan,
                usage: usage(foreign.usage),
            })
            .collect())
    }

    /// Asks one of those to end.
    ///
    /// # Errors
    /// If it has ended, or may not be.
    pub async fn end_process(&self, pid: u32, started: u64) -> Result<(), ApiError> {
        self.engine().end_process(pid, started).await.map_err(engine_error)
    }
}
