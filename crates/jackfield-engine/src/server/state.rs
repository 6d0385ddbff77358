//! The states of a server's task. Each owns what it waits for; replacing it drops, and so cancels, that.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::stages::Progress;
use crate::client::{Listing, Session};
use crate::status::{Failure, Phase, SessionInfo};

/// What an attempt brings: a session whose tools are known.
pub(super) struct Connected {
    pub(super) session: Session,
    pub(super) listing: Listing,
    pub(super) took: Duration,
}

pub(super) type Outcome = Result<Connected, Failure>;

pub(super) enum State {
    Idle,
    Connecting(Connecting),
    Ready(Box<Ready>),
    Retrying { attempt: u32, at: SystemTime, until: Instant, failure: Arc<Failure> },
    NeedsSignIn { message: String },
    Failed(Arc<Failure>),
    Stopped,
}

pub(super) struct Connecting {
    pub(super) attempt: u32,
    pub(super) progress: watch::Receiver<Progress>,
    pub(super) work: BoxFuture<'static, Outcome>,
}

pub(super) struct Ready {
    pub(super) session: Session,
    pub(super) info: Arc<SessionInfo>,
    /// The tools are being read again.
    pub(super) listing: Option<BoxFuture<'static, Result<Listing, Failure>>>,
    /// Reads the tools once more, for changes told before we could listen.
    pub(super) look_again: Option<Instant>,
    pub(super) next_ping: Option<Instant>,
    pub(super) pinging: Option<BoxFuture<'static, Result<Option<Duration>, Failure>>>,
    pub(super) failed_pings: u32,
    /// When it is looked at whether it is still in use.
    pub(super) rest_at: Option<Instant>,
}

/// What happened to a state.
pub(super) enum Event {
    Stage,
    Outcome(Box<Outcome>),
    Lost(Arc<Failure>),
    ToolsChanged,
    Listed(Result<Listing, Failure>),
    PingDue,
    Pinged(Result<Option<Duration>, Failure>),
    RetryNow,
    RestDue,
}

impl State {
    /// Waits for what this state waits for. May be dropped and called again.
    pub(super) async fn next(&mut self) -> Event {
        match self {
            State::Idle | State::NeedsSignIn { .. } | State::Failed(_) | State::Stopped => {
                std::future::pending().await
            }
            State::Connecting(connecting) => {
                let Connecting { progress, work, .. } = connecting;
                tokio::select! {
                    // The stage first: its sender goes with the work.
                    biased;
                    Ok(()) = progress.changed() => Event::Stage,
                    outcome = work => Event::Outcome(Box::new(outcome)),
                }
            }
            State::Ready(ready) => ready.next().await,
            State::Retrying { until, .. } => {
                sleep_until(*until).await;
                Event::RetryNow
            }
        }
    }

    /// As everybody sees it.
    pub(super) fn phase(&self) -> Phase {
        match self {
            State::Idle => Phase::Idle,
            State::Connecting(connecting) => {
                Phase::Connecting { attempt: connecting.attempt, stage: connecting.progress.borrow().stage }
            }
            State::Ready(ready) => Phase::Ready(ready.info.clone()),
            State::Retrying { attempt, at, failure, .. } => {
                Phase::Retrying { attempt: *attempt, at: *at, failure: failure.clone() }
            }
            State::NeedsSignIn { message } => Phase::NeedsSignIn { message: message.clone() },
            State::Failed(failure) => Phase::Failed(failure.clone()),
            State::Stopped => Phase::Stopped,
        }
    }
}

impl Ready {
    async fn next(&mut self) -> Event {
        let Ready { session, listing, look_again, next_ping, pinging, rest_at, .. } = self;
        let idle = listing.is_none();
        let not_pinging = pinging.is_none();
        tokio::select! {
            failure = session.ended() => Event::Lost(failure),
            listed = pending_or(listing) => {
                *listing = None;
                Event::Listed(listed)
            }
            () = session.tools_changed(), if idle => Event::ToolsChanged,
            () = at(*look_again), if idle => {
                *look_again = None;
                Event::ToolsChanged
            }
            () = at(*next_ping), if not_pinging => Event::PingDue,
            () = at(*rest_at) => Event::RestDue,
            pinged = pending_or(pinging) => {
                *pinging = None;
                Event::Pinged(pinged)
            }
        }
    }
}

async fn pending_or<T>(work: &mut Option<BoxFuture<'static, T>>) -> T {
    match work {
        Some(work) => work.await,
        None => std::future::pending().await,
    }
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
