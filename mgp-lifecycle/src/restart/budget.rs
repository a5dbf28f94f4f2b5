//! The number of restarts that a server may have, and the wait before each.

use super::{Jitter, RandomJitter};
use mgp_types::lifecycle::RestartConfig;
use std::time::{Duration, Instant};

/// The number of restarts that a server may have, and the wait before each.
///
/// A server gets its restarts back only after it has stayed up for the whole window, counted from its last start. Time
/// spent down or waiting does not count: otherwise a server that dies at once could outlast the window through the
/// waits between its restarts.
///
/// Attempts to start a server that is away do not count against the limit, and have no end; only the wait before them grows.
///
/// ```
/// use mgp_lifecycle::restart::{Restart, RestartBudget};
/// use mgp_types::lifecycle::RestartConfig;
/// use std::time::{Duration, Instant};
///
/// let config = RestartConfig { max_restarts: 1, backoff_base_ms: 1000, ..RestartConfig::default() };
/// let mut budget = RestartBudget::with_jitter(config, || 1.0);
/// let now = Instant::now();
/// assert_eq!(budget.next(now), Restart::After(Duration::from_secs(1)));
/// assert_eq!(budget.next(now), Restart::GiveUp { restarts: 1, window: Duration::from_secs(300) });
/// ```
#[derive(Debug, Clone)]
pub struct RestartBudget<J = RandomJitter> {
    config: RestartConfig,
    jitter: J,
    /// The number of restarts that count against the limit, since the budget was last cleared.
    restarts: u32,
    /// The number of attempts to start the server since the budget was last cleared. The wait grows with it.
    attempts: u32,
    up_since: Option<Instant>,
}

/// The longest wait before an attempt to start a server that is away, in milliseconds.
const MAX_WAIT_AWAY_MS: u64 = 60_000;

/// The decision on a stopped server that is to be started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restart {
    /// Start the server after this time.
    After(Duration),
    /// Leave the server in the state `error`: its restarts are used up.
    GiveUp {
        /// The number of times the server was started again.
        restarts: u32,
        /// The time that the server would have had to stay up.
        window: Duration,
    },
}

impl RestartBudget {
    /// Creates a full budget.
    #[must_use]
    pub fn new(config: RestartConfig) -> Self {
        Self::with_jitter(config, RandomJitter)
    }
}

impl<J> RestartBudget<J> {
    /// Creates a full budget with its own source of jitter.
    #[must_use]
    pub fn with_jitter(config: RestartConfig, jitter: J) -> Self {
        Self { config, jitter, restarts: 0, attempts: 0, up_since: None }
    }

    /// Records that the server is up: connected, not merely started.
    pub fn up(&mut self, now: Instant) {
        self.up_since = Some(now);
    }

    /// Returns the number of restarts that count against the budget.
    #[must_use]
    pub const fn restarts(&self) -> u32 {
        self.restarts
    }

    /// Returns whether a server that stops at this time is not started again.
    #[must_use]
    pub fn is_used_up(&self, now: Instant) -> bool {
        self.counted(now) >= self.config.max_restarts
    }

    /// Returns the number of restarts that count against the budget if the server stops at this time.
    fn counted(&self, now: Instant) -> u32 {
        if self.was_up_long_enough(now) { 0 } else { self.restarts }
    }

    fn was_up_long_enough(&self, now: Instant) -> bool {
        let up = self.up_since.map(|since| now.saturating_duration_since(since));
        up.is_some_and(|up| up >= self.window())
    }

    /// Returns the time for which a server must stay up to get its restarts back.
    #[must_use]
    pub const fn window(&self) -> Duration {
        Duration::from_secs(self.config.restart_window_secs)
    }
}

impl<J: Jitter> RestartBudget<J> {
    /// Decides whether the server, which stopped just now, is restarted. A restart that is granted counts against the budget.
    pub fn next(&mut self, now: Instant) -> Restart {
        self.stopped(now);
        if self.restarts >= self.config.max_restarts {
            return Restart::GiveUp { restarts: self.restarts, window: self.window() };
        }
        self.restarts += 1;
        Restart::After(self.wait(self.config.backoff_max_ms))
    }

    /// Returns the wait before the next attempt to start a server that is away ([`Exit::Away`](super::Exit::Away)): it grows like the wait
    /// before a restart, up to a minute. The attempt does not count against the budget.
    pub fn next_while_away(&mut self, now: Instant) -> Duration {
        self.stopped(now);
        self.wait(self.config.backoff_max_ms.min(MAX_WAIT_AWAY_MS))
    }

    /// Records that the server stopped, and clears the budget if the server was up for the whole window.
    fn stopped(&mut self, now: Instant) {
        if self.was_up_long_enough(now) {
            (self.restarts, self.attempts) = (0, 0);
        }
        self.up_since = None;
    }

    /// Returns the wait before the next attempt. The upper bound doubles with each attempt up to `longest_ms`; the wait lies between
    /// half of the bound and all of it.
    fn wait(&mut self, longest_ms: u64) -> Duration {
        let factor = 1u64.checked_shl(self.attempts).unwrap_or(u64::MAX);
        self.attempts = self.attempts.saturating_add(1);
        let ms = self.config.backoff_base_ms.saturating_mul(factor).min(longest_ms);
        let share = 0.5 + self.jitter.next().clamp(0.0, 1.0) / 2.0;
        Duration::from_millis(ms).mul_f64(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> RestartConfig {
        RestartConfig {
            max_restarts: 3,
            restart_window_secs: 60,
            backoff_base_ms: 1000,
            backoff_max_ms: 30_000,
            ..RestartConfig::default()
        }
    }

    fn waits(max_restarts: u32, jitter: f64) -> Vec<Duration> {
        let config = RestartConfig { max_restarts, ..config() };
        let mut budget = RestartBudget::with_jitter(config, move || jitter);
        let now = Instant::now();
        std::iter::from_fn(|| match budget.next(now) {
            Restart::After(wait) => Some(wait),
            Restart::GiveUp { .. } => None,
        })
        .collect()
    }

    #[test]
    fn the_wait_doubles_from_the_base_to_the_maximum() {
        let expected = [1, 2, 4, 8, 16, 30, 30].map(Duration::from_secs);
        assert_eq!(waits(7, 1.0), expected);
    }

    #[test]
    fn jitter_removes_up_to_half_and_never_adds() {
        assert_eq!(waits(3, 0.0), [500, 1000, 2000].map(Duration::from_millis));
        assert_eq!(waits(3, 0.5), [750, 1500, 3000].map(Duration::from_millis));
        assert_eq!(waits(1, f64::INFINITY), [Duration::from_secs(1)]);
        assert_eq!(waits(1, -7.0), [Duration::from_millis(500)]);
    }

    #[test]
    fn hundreds_of_restarts_do_not_overflow_the_wait() {
        assert_eq!(waits(300, 1.0).last(), Some(&Duration::from_secs(30)));
    }

    #[test]
    fn staying_up_for_the_whole_window_restores_the_budget() {
        let mut budget = RestartBudget::with_jitter(config(), || 1.0);
        let mut now = Instant::now();
        for _ in 0..20 {
            assert!(!budget.is_used_up(now));
            assert_eq!(budget.next(now), Restart::After(Duration::from_secs(1)));
            budget.up(now);
            now += Duration::from_secs(60);
        }
    }

    #[test]
    fn dying_just_before_the_window_ends_uses_up_the_budget() {
        let mut budget = RestartBudget::with_jitter(config(), || 1.0);
        let mut now = Instant::now();
        for _ in 0..3 {
            assert!(matches!(budget.next(now), Restart::After(_)));
            budget.up(now);
            now += Duration::from_millis(59_999);
        }
        assert!(budget.is_used_up(now));
        assert_eq!(budget.next(now), Restart::GiveUp { restarts: 3, window: Duration::from_secs(60) });
    }

    #[test]
    fn time_spent_down_never_clears_the_budget() {
        let mut budget = RestartBudget::with_jitter(config(), || 1.0);
        let mut now = Instant::now();
        budget.up(now);
        for _ in 0..3 {
            now += Duration::from_secs(1);
            assert!(matches!(budget.next(now), Restart::After(_)));
            // It never comes up, for much longer than the window.
            now += Duration::from_secs(1000);
        }
        assert!(matches!(budget.next(now), Restart::GiveUp { restarts: 3, .. }));
    }

    #[test]
    fn an_absent_server_is_retried_for_ever_and_keeps_its_restarts() {
        let config = RestartConfig { backoff_max_ms: 600_000, ..config() };
        let mut budget = RestartBudget::with_jitter(config, || 1.0);
        let now = Instant::now();
        let waits: Vec<_> = (0..200).map(|_| budget.next_while_away(now).as_secs()).collect();
        assert_eq!(waits[..8], [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(waits[8..], [60; 192]);
        assert_eq!((budget.restarts(), budget.is_used_up(now)), (0, false));
        let mut budget = RestartBudget::with_jitter(config, || 0.0);
        assert_eq!((0..9).map(|_| budget.next_while_away(now).as_secs()).max(), Some(30), "less by chance");
        // The operator's maximum wait applies if it is shorter.
        let mut budget = RestartBudget::with_jitter(self::config(), || 1.0);
        assert_eq!((0..9).map(|_| budget.next_while_away(now).as_secs()).max(), Some(30));
    }

    #[test]
    fn a_brief_recovery_does_not_shorten_the_wait() {
        let mut budget = RestartBudget::with_jitter(config(), || 1.0);
        let mut now = Instant::now();
        for wait in [1, 2, 4, 8] {
            assert_eq!(budget.next_while_away(now), Duration::from_secs(wait));
            budget.up(now);
        }
        now += Duration::from_secs(60);
        assert_eq!(budget.next_while_away(now), Duration::from_secs(1), "it was up for the whole window");
    }

    #[test]
    fn a_budget_of_zero_allows_no_restart() {
        let mut budget = RestartBudget::new(RestartConfig { max_restarts: 0, ..config() });
        assert!(matches!(budget.next(Instant::now()), Restart::GiveUp { restarts: 0, .. }));
    }
}
