//! Limits the stderr lines that a server may add to its log.

use parking_lot::Mutex;
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// The maximum number of lines of one server per second. Further lines are dropped and counted.
pub(super) const MAX_LINES: u32 = 100;

const SECOND: Duration = Duration::from_secs(1);

/// The number of servers above which silent ones are forgotten.
const MANY: usize = 1024;

/// The number of lines of each server in its current second.
#[derive(Debug, Default)]
pub(super) struct StderrRates(Mutex<HashMap<String, Rate>>);

#[derive(Debug)]
struct Rate {
    since: Instant,
    lines: u32,
    left_out: u64,
}

impl StderrRates {
    /// Counts a line. Returns the number of lines dropped before it, or `None` if it is dropped, too.
    pub(super) fn take(&self, server: &str, now: Instant) -> Option<u64> {
        let mut rates = self.0.lock();
        if rates.len() > MANY {
            rates.retain(|_, rate| now.duration_since(rate.since) < SECOND);
        }
        let Some(rate) = rates.get_mut(server) else {
            rates.insert(server.to_owned(), Rate { since: now, lines: 1, left_out: 0 });
            return Some(0);
        };
        if now.duration_since(rate.since) >= SECOND {
            (rate.since, rate.lines) = (now, 0);
        }
        if rate.lines == MAX_LINES {
            rate.left_out += 1;
            return None;
        }
        rate.lines += 1;
        Some(std::mem::take(&mut rate.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_floods_loses_only_its_own_lines() {
        let (rates, start) = (StderrRates::default(), Instant::now());
        let taken = (0..1000).filter(|_| rates.take("floods", start) == Some(0)).count();
        assert_eq!(taken, MAX_LINES as usize);
        assert_eq!(rates.take("quiet", start), Some(0));
        let later = start + SECOND;
        assert_eq!((rates.take("floods", later), rates.take("floods", later)), (Some(900), Some(0)));
    }
}
