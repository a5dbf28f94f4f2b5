//! The time to wait before a broken stream is reopened.

use super::HttpClientConfig;
use mgp_types::rpc::ErrorObject;
use std::time::Duration;

/// The result of reading a stream: the position to resume from, and the error if the stream ended early.
#[derive(Debug, Default)]
pub(super) struct Resume {
    /// True if a message was received that could be read.
    pub(super) has_messages: bool,
    /// The time that the stream was open.
    pub(super) lasted: Duration,
    pub(super) last_id: Option<String>,
    pub(super) retry: Option<Duration>,
    pub(super) error: Option<ErrorObject>,
}

/// The results of the attempts at one stream, which determine the time to wait before the next.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// The number of attempts in a row without a result.
    in_vain: u32,
    /// The number of attempts in a row that show that the server lets its clients poll. They yield a position to resume from and
    /// no message, or a message and soon their end.
    polls: u32,
    /// The number of attempts in a row that failed.
    failures: u32,
    /// The wait that the server requested.
    retry: Option<Duration>,
}

impl Pace {
    /// Records how a stream was read to its end.
    pub(super) fn read(&mut self, end: &Resume, config: &HttpClientConfig) {
        // A server may have nothing to send for a long time. A response that is not a real stream ends at once.
        let stood = end.lasted >= config.max_reconnect_delay;
        if stood || (end.has_messages && end.lasted >= config.reconnect_delay) {
            self.ended(true, end.retry);
        } else if end.has_messages || end.last_id.is_some() {
            self.polled(end.retry);
        } else {
            self.ended(false, end.retry);
        }
    }

    /// Records that a stream was open and ended, and whether it delivered anything. `retry` is the wait that the server
    /// requested.
    pub(super) fn ended(&mut self, brought: bool, retry: Option<Duration>) {
        self.in_vain = if brought { 0 } else { self.in_vain.saturating_add(1) };
        (self.polls, self.failures) = (0, 0);
        self.retry = retry.or(self.retry);
    }

    /// Records that a stream was open and ended, for a server that lets its clients poll.
    fn polled(&mut self, retry: Option<Duration>) {
        let polls = self.polls.saturating_add(1);
        self.ended(true, retry);
        self.polls = polls;
    }

    /// Records that no stream could be opened.
    pub(super) fn failed(&mut self) {
        self.in_vain = self.in_vain.saturating_add(1);
        self.failures = self.failures.saturating_add(1);
    }

    /// Returns `true` if there were as many failures in a row as the configuration allows.
    pub(super) fn is_given_up(&self, config: &HttpClientConfig) -> bool {
        self.failures >= config.reconnects
    }

    /// Returns the time to wait before the next attempt. The server may request a longer or shorter wait, within bounds. A wait
    /// shorter than the configured one applies only to the first polls.
    pub(super) fn delay(&self, config: &HttpClientConfig) -> Duration {
        let HttpClientConfig { min_reconnect_delay: least, max_reconnect_delay: most, .. } = *config;
        let base = self.retry.unwrap_or(config.reconnect_delay).max(least);
        let doubled = |times: u32| base.saturating_mul(2u32.saturating_pow(times.min(16)));
        if self.in_vain == 0 {
            return doubled(self.polls.saturating_sub(1)).min(base.max(config.reconnect_delay)).min(most);
        }
        doubled(self.in_vain).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delay(retry: Option<Duration>, in_vain: u32) -> Duration {
        Pace { in_vain, retry, ..Pace::default() }.delay(&HttpClientConfig::default())
    }

    #[test]
    fn the_wait_doubles_to_its_bound_unless_the_server_sets_it() {
        let seconds = |retry, in_vain| delay(retry, in_vain).as_secs();
        assert_eq!([seconds(None, 0), seconds(None, 1), seconds(None, 3), seconds(None, 99)], [1, 2, 8, 30]);
        assert_eq!(seconds(Some(Duration::from_secs(5)), 0), 5);
        assert_eq!(seconds(Some(Duration::MAX), 0), 30);
    }

    #[test]
    fn a_server_cannot_request_no_wait() {
        let least = HttpClientConfig::default().min_reconnect_delay;
        assert!(!least.is_zero());
        assert_eq!(delay(Some(Duration::ZERO), 0), least);
        assert_eq!(delay(Some(Duration::ZERO), 2), least * 4);
    }

    #[test]
    fn a_server_polled_in_vain_is_polled_less_often() {
        let config = HttpClientConfig::default();
        let mut pace = Pace::default();
        let mut polled = |retry| {
            pace.polled(Some(Duration::from_millis(retry)));
            pace.delay(&config).as_millis()
        };
        assert_eq!([1, 1, 1, 1, 1, 1].map(&mut polled), [100, 200, 400, 800, 1000, 1000]);
        assert_eq!(polled(5000), 5000, "a longer wait holds");
        pace.ended(true, Some(Duration::from_millis(1)));
        assert_eq!(pace.delay(&config).as_millis(), 100, "a message came");
    }

    #[test]
    fn a_server_with_short_streams_is_polled_less_often() {
        let config = HttpClientConfig::default();
        let end = |has_messages, last_id: Option<&str>, lasted| {
            let (retry, last_id) = (Some(Duration::from_millis(1)), last_id.map(str::to_owned));
            Resume { has_messages, lasted, last_id, retry, error: None }
        };
        let soon = Duration::from_millis(10);
        for short in [end(true, Some("1"), soon), end(true, None, soon), end(false, Some("1"), soon)] {
            let mut pace = Pace::default();
            let mut wait = |end: &Resume| {
                pace.read(end, &config);
                pace.delay(&config).as_millis()
            };
            assert_eq!([&short; 6].map(&mut wait), [100, 200, 400, 800, 1000, 1000], "{short:?}");
            let long = end(true, None, config.reconnect_delay);
            assert_eq!([&long, &short].map(&mut wait), [100, 100], "{short:?}");
        }
        let mut pace = Pace::default();
        pace.read(&end(false, None, soon), &config);
        assert_eq!(pace.delay(&config).as_millis(), 200, "nothing came");
    }

    #[test]
    fn a_failing_stream_is_given_up_and_an_empty_one_delayed() {
        let config = HttpClientConfig { reconnects: 2, ..HttpClientConfig::default() };
        let mut pace = Pace::default();
        for seconds in [6, 12, 24, 30] {
            pace.ended(false, Some(Duration::from_secs(3)));
            assert_eq!(pace.delay(&config).as_secs(), seconds);
        }
        pace.failed();
        assert!(!pace.is_given_up(&config));
        pace.failed();
        assert!(pace.is_given_up(&config));
        pace.ended(true, None);
        assert!(!pace.is_given_up(&config));
        assert_eq!(pace.delay(&config).as_secs(), 3);
    }
}
