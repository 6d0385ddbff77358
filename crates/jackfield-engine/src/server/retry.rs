//! When to try again. Pure: the clock and the chance are handed in.

use std::collections::VecDeque;
use std::time::Duration;

use crate::status::FailureKind;

/// The first delay; each further one doubles it.
pub const FIRST: Duration = Duration::from_millis(500);
/// No delay is longer.
pub const LONGEST: Duration = Duration::from_secs(60);
/// Connected for so long, it counts as healthy again.
pub const HEALTHY_AFTER: Duration = Duration::from_secs(30);
/// More losses than this within [`BREAKER_WINDOW`] open the breaker.
pub const BREAKER_LOSSES: usize = 5;
pub const BREAKER_WINDOW: Duration = Duration::from_secs(30);
/// Delays vary by so many percent, so that servers that fell together do not come back together.
const JITTER_PERCENT: u64 = 20;

/// What is to be done after a failure or a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Try again, as the attempt of this number, after this time.
    Retry { attempt: u32, after: Duration },
    /// Only the user can.
    SignIn,
    /// It stays failed.
    GiveUp,
    /// It stays failed, because it fell too often.
    Breaker,
}

/// The memory on which the decision rests. All times are since some fixed moment.
#[derive(Debug, Clone)]
pub struct RetryPolicy {
    stdio: bool,
    /// It was connected under this definition.
    was_ready: bool,
    /// Attempts and losses since it was last healthy.
    troubles: u32,
    connected_at: Option<Duration>,
    losses: VecDeque<Duration>,
    chance: u64,
}

impl RetryPolicy {
    /// `seed` decides the jitter.
    pub fn new(stdio: bool, seed: u64) -> RetryPolicy {
        RetryPolicy {
            stdio,
            was_ready: false,
            troubles: 0,
            connected_at: None,
            losses: VecDeque::new(),
            chance: seed,
        }
    }

    /// The user asked for it: what was, does not count.
    pub fn reset(&mut self) {
        self.troubles = 0;
        self.connected_at = None;
        self.losses.clear();
    }

    /// The number of the attempt that is about to be made.
    pub fn attempt(&self) -> u32 {
        self.troubles + 1
    }

    pub fn connected(&mut self, now: Duration) {
        self.was_ready = true;
        self.connected_at = Some(now);
    }

    /// A live session ended without being asked to.
    pub fn lost(&mut self, now: Duration, kind: FailureKind, auto_reconnect: bool) -> Next {
        if self.connected_at.take().is_some_and(|since| now.saturating_sub(since) >= HEALTHY_AFTER) {
            self.troubles = 0;
        }
        self.losses.push_back(now);
        while self.losses.front().is_some_and(|loss| now.saturating_sub(*loss) > BREAKER_WINDOW) {
            self.losses.pop_front();
        }
        if kind == FailureKind::SignIn {
            return Next::SignIn;
        }
        if !auto_reconnect {
            return Next::GiveUp;
        }
        if self.losses.len() > BREAKER_LOSSES {
            return Next::Breaker;
        }
        self.again()
    }

    /// An attempt failed.
    pub fn failed(&mut self, kind: FailureKind, auto_reconnect: bool) -> Next {
        let curable = match kind {
            FailureKind::SignIn => return Next::SignIn,
            // Time cures none of these.
            FailureKind::NotFound
            | FailureKind::Permission
            | FailureKind::Forbidden
            | FailureKind::Config => false,
            FailureKind::Refused | FailureKind::Unreachable | FailureKind::Timeout => {
                self.was_ready || !self.stdio
            }
            FailureKind::Http(status) => self.was_ready || (500..=599).contains(&status) || status == 429,
            FailureKind::Tls | FailureKind::Exited | FailureKind::Protocol | FailureKind::ListTools => {
                self.was_ready
            }
        };
        if curable && auto_reconnect { self.again() } else { Next::GiveUp }
    }

    fn again(&mut self) -> Next {
        let after = FIRST.saturating_mul(1_u32.checked_shl(self.troubles).unwrap_or(u32::MAX)).min(LONGEST);
        self.troubles = self.troubles.saturating_add(1).min(30);
        Next::Retry { attempt: self.attempt(), after: self.jittered(after) }
    }

    fn jittered(&mut self, delay: Duration) -> Duration {
        // SplitMix64.
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.chance;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let percent = 100 - JITTER_PERCENT + mixed % (2 * JITTER_PERCENT + 1);
        let percent = u32::try_from(percent).unwrap_or(100);
        (delay * percent / 100).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FailureKind as Kind;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn what_is_retried() {
        for (kind, stdio_fresh, http_fresh, known) in [
            (Kind::NotFound, false, false, false),
            (Kind::Permission, false, false, false),
            (Kind::Config, false, false, false),
            (Kind::Forbidden, false, false, false),
            (Kind::Refused, false, true, true),
            (Kind::Unreachable, false, true, true),
            (Kind::Timeout, false, true, true),
            (Kind::Http(503), true, true, true),
            (Kind::Http(404), false, false, true),
            (Kind::Tls, false, false, true),
            (Kind::Exited, false, false, true),
            (Kind::Protocol, false, false, true),
            (Kind::ListTools, false, false, true),
        ] {
            for (stdio, was_ready, wanted) in [
                (true, false, stdio_fresh),
                (false, false, http_fresh),
                (true, true, known),
                (false, true, known),
            ] {
                let mut policy = RetryPolicy::new(stdio, 1);
                if was_ready {
                    policy.connected(s(0));
                }
                let retried = matches!(policy.clone().failed(kind, true), Next::Retry { .. });
                assert_eq!(retried, wanted, "{kind:?}, stdio {stdio}, was ready {was_ready}");
                assert_eq!(policy.failed(kind, false), Next::GiveUp);
            }
        }
        assert_eq!(RetryPolicy::new(false, 1).failed(Kind::SignIn, false), Next::SignIn);
    }

    #[test]
    fn the_delay_doubles_to_a_minute() {
        let mut policy = RetryPolicy::new(false, 7);
        let mut wanted = FIRST;
        for attempt in 2..12 {
            let Next::Retry { attempt: told, after } = policy.failed(Kind::Refused, true) else { panic!() };
            assert_eq!(told, attempt);
            assert!(
                after >= wanted * 8 / 10 && after <= (wanted * 12 / 10).min(LONGEST),
                "{attempt}: {after:?}"
            );
            wanted = (wanted * 2).min(LONGEST);
        }
    }

    #[test]
    fn healthy_time_resets_the_delay() {
        let mut policy = RetryPolicy::new(true, 7);
        policy.connected(s(0));
        policy.lost(s(1), Kind::Exited, true);
        policy.connected(s(2));
        assert!(matches!(policy.lost(s(3), Kind::Exited, true), Next::Retry { attempt: 3, .. }));
        policy.connected(s(4));
        assert!(matches!(policy.lost(s(34), Kind::Exited, true), Next::Retry { attempt: 2, .. }));
    }

    #[test]
    fn six_losses_in_half_a_minute_open_the_breaker() {
        let mut policy = RetryPolicy::new(true, 7);
        for n in 0..5 {
            policy.connected(s(n * 5));
            assert!(matches!(policy.lost(s(n * 5 + 1), Kind::Exited, true), Next::Retry { .. }), "{n}");
        }
        policy.connected(s(25));
        assert_eq!(policy.clone().lost(s(26), Kind::Exited, true), Next::Breaker);
        let mut rested = policy.clone();
        assert!(matches!(rested.lost(s(60), Kind::Exited, true), Next::Retry { .. }));
        policy.reset();
        assert!(matches!(policy.lost(s(26), Kind::Exited, true), Next::Retry { attempt: 2, .. }));
        assert_eq!(policy.lost(s(27), Kind::Exited, false), Next::GiveUp);
    }
}
