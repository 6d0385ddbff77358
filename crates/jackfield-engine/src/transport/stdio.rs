//! A server as a child process, speaking over stdin and stdout.
//!
//! Not rmcp's own transport, for four reasons: stray output is kept and shown, messages may be larger, a server that
//! is silent at `server/discover` costs three seconds and not ten, and nothing that a server started survives it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncWriteExt as _, BufWriter};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::lines::{Line, Lines};
use super::process::{self, Kept, Launch};
use super::{Ending, Guard, MAX_MESSAGE};
use crate::log::{LogKind, MAX_LINE, ServerLog, Tone};
use crate::resolve::ResolvedTransport;
use crate::status::{Failure, FailureKind};

pub use super::process::{ProcessHandle, find_command};

/// Messages on their way, in each direction.
const QUEUE: usize = 64;
/// Lines of stdout that are not JSON-RPC and still get into the log.
const STRAY_LINES: u64 = 10_000;
/// How long the end of the connection waits for the exit code to explain it.
const EXIT_GRACE: Duration = Duration::from_secs(3);
/// Of the lines of stderr in this time, so many from its beginning and from its end are kept.
const FLOOD_WINDOW: Duration = Duration::from_secs(1);
const FLOOD_START: usize = 500;
const FLOOD_END: usize = 100;

/// What can go wrong while sending.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    #[error("the process has ended")]
    Closed,
    #[error("the message could not be encoded")]
    Encode(#[source] serde_json::Error),
}

/// The wire to one child process.
#[derive(Debug)]
pub struct StdioTransport {
    outgoing: mpsc::Sender<Vec<u8>>,
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    process: ProcessHandle,
    probe: Probe,
    probe_timeout: Duration,
    answered_late: Arc<AtomicBool>,
    grace: Option<Instant>,
}

/// The question whether the server speaks the newer protocol.
#[derive(Debug)]
enum Probe {
    None,
    Waiting {
        id: RequestId,
        until: Instant,
    },
    /// An answer that comes now is for nobody.
    GivenUp {
        id: RequestId,
    },
}

/// What the transport needs beside the server's own definition.
#[derive(Debug)]
pub struct StdioParts<'a> {
    pub guard: Option<&'a Guard>,
    pub log: &'a ServerLog,
    pub ending: &'a Ending,
    pub tracker: &'a TaskTracker,
    pub probe_timeout: Duration,
}

impl StdioTransport {
    /// Whether what is needed to start `server` is there: its working directory and its command.
    pub(crate) async fn check(server: &ResolvedTransport, tracker: &TaskTracker) -> Result<(), Failure> {
        let launch = launch(server, None)?;
        blocking(tracker, move || process::locate(&launch).map(|_| ())).await
    }

    /// Starts the process; returns when it runs. `server` must be a stdio server.
    pub async fn start(
        server: &ResolvedTransport,
        parts: &StdioParts<'_>,
    ) -> Result<StdioTransport, Failure> {
        let launch = launch(server, parts.guard)?;
        let log_start = parts.log.last_seq();
        // If nobody waits for it any more when it runs, it ends with its pipes.
        let started = blocking(parts.tracker, move || process::start(&launch)).await?;
        let stop = CancellationToken::new();
        let (outgoing, to_write) = mpsc::channel(QUEUE);
        let (received, incoming) = mpsc::channel(QUEUE);
        // These end with the pipes, which end with the process, which ends with `stop`.
        parts.tracker.spawn(write(started.stdin, to_write, stop.clone()));
        let reader = parts.tracker.spawn(read(
            started.stdout,
            received,
            parts.log.clone(),
            parts.ending.clone(),
            stop.clone(),
        ));
        let stderr = parts.tracker.spawn(drain(started.stderr, parts.log.clone()));
        let readers = [reader, stderr];
        let kept = Kept {
            child: started.child,
            pid: started.pid,
            guarded: started.guarded,
            job: started.job,
            stop,
            log_start,
            readers,
        };
        let process = process::keep(kept, parts.log.clone(), parts.ending.clone(), parts.tracker);
        Ok(StdioTransport {
            outgoing,
            incoming,
            process,
            probe: Probe::None,
            probe_timeout: parts.probe_timeout,
            answered_late: Arc::default(),
            grace: None,
        })
    }

    /// The process, for whom survives the transport.
    pub fn process(&self) -> ProcessHandle {
        self.process.clone()
    }

    /// Becomes true if the server answers `server/discover` after we have given up on it.
    pub fn answered_late(&self) -> Arc<AtomicBool> {
        self.answered_late.clone()
    }

    fn give_up(&mut self) -> Option<ServerJsonRpcMessage> {
        match std::mem::replace(&mut self.probe, Probe::None) {
            Probe::Waiting { id, .. } => {
                self.probe = Probe::GivenUp { id: id.clone() };
                let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no answer to server/discover", None);
                Some(ServerJsonRpcMessage::error(error, Some(id)))
            }
            other @ (Probe::None | Probe::GivenUp { .. }) => {
                self.probe = other;
                None
            }
        }
    }

    /// Whether `message` is the answer that comes too late; otherwise notes an answer that comes in time.
    fn is_late(&mut self, message: &ServerJsonRpcMessage) -> bool {
        let id = match message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => return false,
        };
        match &self.probe {
            Probe::None => false,
            Probe::Waiting { id: probe, .. } => {
                if id.is_none_or(|id| id == probe) {
                    self.probe = Probe::None;
                }
                false
            }
            Probe::GivenUp { id: probe } => {
                let late = id == Some(probe);
                if late {
                    let modern = matches!(message, ServerJsonRpcMessage::Response(response)
                        if matches!(response.result, ServerResult::DiscoverResult(_)));
                    self.answered_late.store(modern, Ordering::Relaxed);
                }
                late
            }
        }
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = StdioError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), StdioError>> + Send + 'static {
        if let TxJsonRpcMessage::<RoleClient>::Request(request) = &message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
        {
            self.probe =
                Probe::Waiting { id: request.id.clone(), until: Instant::now() + self.probe_timeout };
        }
        let outgoing = self.outgoing.clone();
        async move {
            let mut line = serde_json::to_vec(&message).map_err(StdioError::Encode)?;
            line.push(b'\n');
            outgoing.send(line).await.map_err(|_| StdioError::Closed)
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = match self.probe {
                Probe::Waiting { until, .. } => tokio::select! {
                    biased;
                    message = self.incoming.recv() => message,
                    () = sleep_until(until) => return self.give_up(),
                },
                Probe::None | Probe::GivenUp { .. } => self.incoming.recv().await,
            };
            match message {
                Some(message) if self.is_late(&message) => {}
                Some(message) => return Some(message),
                None => break,
            }
        }
        // Its stdout is closed. With the exit code the failure says why.
        let until = *self.grace.get_or_insert_with(|| Instant::now() + EXIT_GRACE);
        let _ = timeout_at(until, self.process.exited()).await;
        None
    }

    async fn close(&mut self) -> Result<(), StdioError> {
        self.process.close().await;
        Ok(())
    }
}

impl Drop for StdioTransport {
    fn drop(&mut self) {
        self.process.stop();
    }
}

fn launch(server: &ResolvedTransport, guard: Option<&Guard>) -> Result<Launch, Failure> {
    match server {
        ResolvedTransport::Stdio { command, args, env, cwd } => Ok(Launch {
            command: command.clone(),
            args: args.clone(),
            env: env.clone(),
            cwd: cwd.clone(),
            guard: guard.cloned(),
        }),
        ResolvedTransport::Http { .. } => Err(Failure::new(FailureKind::Config, "Not a stdio server")),
    }
}

/// Looking at files and starting a process can take long where they are on a network; others must not wait for that.
async fn blocking<T: Send + 'static>(
    tracker: &TaskTracker,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match tracker.spawn_blocking(work).await {
        Ok(result) => result,
        // A panic, or the end of the runtime.
        Err(error) => {
            Err(Failure::new(FailureKind::Exited, format!("The process could not be started: {error}")))
        }
    }
}

/// Closes stdin by ending.
async fn write(stdin: ChildStdin, mut lines: mpsc::Receiver<Vec<u8>>, stop: CancellationToken) {
    let mut stdin = BufWriter::new(stdin);
    let written = async {
        while let Some(line) = lines.recv().await {
            if stdin.write_all(&line).await.is_err() {
                return;
            }
            if lines.is_empty() && stdin.flush().await.is_err() {
                return;
            }
        }
    };
    // A server that does not read must not keep us from closing.
    tokio::select! {
        () = written => {}
        () = stop.cancelled() => {}
    }
}

async fn read(
    stdout: ChildStdout,
    received: mpsc::Sender<ServerJsonRpcMessage>,
    log: ServerLog,
    ending: Ending,
    stop: CancellationToken,
) {
    let mut lines = Lines::new(stdout, MAX_MESSAGE);
    let mut strays: u64 = 0;
    'reading: loop {
        let line = match lines.next().await {
            Line::Whole(line) => line,
            Line::TooLong(_) => {
                let text = format!("Sent a message of more than {} MiB", MAX_MESSAGE / 1024 / 1024);
                log.lifecycle(Tone::Bad, &text);
                ending.tell(Failure::new(FailureKind::Protocol, text));
                break;
            }
            Line::End => break,
        };
        let (messages, stray) = decode(line);
        if stray && !line.trim_ascii().is_empty() {
            strays += 1;
            if strays <= STRAY_LINES {
                let shown = &line[..line.len().min(MAX_LINE + 1)];
                log.push(LogKind::Stdout, Tone::Neutral, &String::from_utf8_lossy(shown));
            } else if strays == STRAY_LINES + 1 {
                log.lifecycle(Tone::Wait, "More lines on stdout that are not JSON-RPC are not kept");
            }
        }
        for message in messages {
            if received.send(message).await.is_err() {
                break 'reading;
            }
        }
    }
    stop.cancel();
}

/// The messages on a line (one; several in a batch), and whether there is something else on it.
fn decode(line: &[u8]) -> (Vec<ServerJsonRpcMessage>, bool) {
    let line = line.trim_ascii();
    if !matches!(line.first(), Some(b'{' | b'[')) {
        return (Vec::new(), true);
    }
    if let Ok(message) = serde_json::from_slice::<ServerJsonRpcMessage>(line) {
        return (vec![message], false);
    }
    match serde_json::from_slice::<serde_json::Value>(line) {
        Ok(serde_json::Value::Array(batch)) => {
            let count = batch.len();
            let messages: Vec<_> = batch.into_iter().filter_map(understand).collect();
            let stray = messages.len() < count;
            (messages, stray)
        }
        Ok(value) => match understand(value) {
            Some(message) => (vec![message], false),
            None => (Vec::new(), true),
        },
        Err(_) => (Vec::new(), true),
    }
}

/// A message; for an answer of the wrong shape an error in its place, so that nobody waits for it.
fn understand(value: serde_json::Value) -> Option<ServerJsonRpcMessage> {
    let is_answer = value.get("method").is_none() && value.get("jsonrpc").is_some();
    let id = value.get("id").cloned();
    match serde_json::from_value(value) {
        Ok(message) => Some(message),
        Err(error) => {
            let id = serde_json::from_value::<RequestId>(id?).ok()?;
            let error =
                ErrorData::internal_error(format!("the server's answer cannot be read: {error}"), None);
            is_answer.then(|| ServerJsonRpcMessage::error(error, Some(id)))
        }
    }
}

/// Into the log. Of a flood, the beginning and the end of every second: a log that is full of the last instant tells
/// less, and reading fast is what keeps the server from being blocked.
async fn drain(stderr: ChildStderr, log: ServerLog) {
    let mut lines = Lines::new(stderr, MAX_LINE + 1);
    let mut window = Window::default();
    loop {
        let line = match window.until {
            None => lines.next().await,
            Some(until) => tokio::select! {
                biased;
                () = sleep_until(until) => {
                    window.flush(&log);
                    continue;
                }
                line = lines.next() => line,
            },
        };
        match line {
            Line::Whole(line) | Line::TooLong(line) => window.line(line, &log),
            Line::End => break,
        }
    }
    window.flush(&log);
}

/// One second of stderr.
#[derive(Debug, Default)]
struct Window {
    until: Option<Instant>,
    lines: usize,
    /// The last lines of a flood so far.
    held: VecDeque<Vec<u8>>,
    skipped: usize,
}

impl Window {
    fn line(&mut self, line: &[u8], log: &ServerLog) {
        self.until.get_or_insert_with(|| Instant::now() + FLOOD_WINDOW);
        self.lines += 1;
        if self.lines <= FLOOD_START {
            log.push(LogKind::Stderr, Tone::Neutral, &String::from_utf8_lossy(line));
            return;
        }
        // The buffers of lines that are skipped are used again.
        let mut held = if self.held.len() < FLOOD_END {
            Vec::new()
        } else {
            self.skipped += 1;
            self.held.pop_front().unwrap_or_default()
        };
        held.clear();
        held.extend_from_slice(line);
        self.held.push_back(held);
    }

    fn flush(&mut self, log: &ServerLog) {
        if self.skipped > 0 {
            log.lifecycle(Tone::Wait, &format!("{} lines of stderr were left out", self.skipped));
        }
        for line in self.held.drain(..) {
            log.push(LogKind::Stderr, Tone::Neutral, &String::from_utf8_lossy(&line));
        }
        *self = Window::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_message_a_batch_or_a_stray() {
        let kinds = |line: &str| {
            let (messages, stray) = decode(line.as_bytes());
            (messages.len(), stray)
        };
        assert_eq!(kinds("Server listening"), (0, true));
        assert_eq!(kinds("{\"level\":\"info\"}"), (0, true));
        assert_eq!(kinds("{broken"), (0, true));
        assert_eq!(kinds(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), (1, false));
        assert_eq!(kinds(r#" {"jsonrpc":"2.0","method":"notifications/x"}"#), (1, false));
        assert_eq!(
            kinds(r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]"#),
            (2, false)
        );
        // Neither result nor error: its caller gets an error.
        assert_eq!(kinds(r#"{"jsonrpc":"2.0","id":7}"#), (1, false));
    }
}
