//! The servers of a run, by number: permanent ones, sleepers, and guests.

use crate::random::Random;
use std::ops::Range;

/// The number of servers that run on demand.
const SLEEPERS: usize = 4;
/// The number of servers that reloads add and remove.
const GUESTS: usize = 4;
/// One in this many servers publishes events.
const PUBLISHERS: usize = 10;

/// The servers of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Servers {
    /// The number of permanent servers.
    pub(crate) steady: usize,
}

impl Servers {
    /// Returns the numbers of the permanent servers.
    pub(crate) fn steady(self) -> Range<usize> {
        0..self.steady
    }

    /// Returns the numbers of the servers that a request starts, and that are stopped when they are idle.
    pub(crate) fn sleepers(self) -> Range<usize> {
        self.steady..self.steady + SLEEPERS
    }

    /// Returns the numbers of the servers that reloads add and remove; at the start and at the end there are none.
    pub(crate) fn guests(self) -> Range<usize> {
        let sleepers = self.sleepers();
        sleepers.end..sleepers.end + GUESTS
    }

    /// Returns the number of servers that are in the configuration from the start.
    pub(crate) fn configured(self) -> usize {
        self.sleepers().end
    }

    /// Returns the numbers of the servers that publish events.
    pub(crate) fn publishers(self) -> impl Iterator<Item = usize> {
        self.steady().step_by(PUBLISHERS)
    }

    /// Returns the number of the server that a call goes to. The sleepers are called seldom, so that they sleep.
    pub(crate) fn called(self, random: &mut Random) -> usize {
        let numbers = match random.below(100) {
            0 => self.sleepers(),
            1..4 => self.guests(),
            _ => self.steady(),
        };
        numbers.start + random.below(numbers.len())
    }
}

/// Returns whether a permanent server has a channel of events.
pub(crate) const fn publishes(number: usize) -> bool {
    number.is_multiple_of(PUBLISHERS)
}

/// Returns the id of a server.
pub(crate) fn id(number: usize) -> String {
    format!("soak{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_server_is_called() {
        let (servers, mut random) = (Servers { steady: 3 }, Random::new(1, 1));
        let mut called: Vec<usize> = (0..10_000).map(|_| servers.called(&mut random)).collect();
        called.sort_unstable();
        called.dedup();
        assert_eq!(called, (0..servers.guests().end).collect::<Vec<_>>());
        assert_eq!(servers.publishers().collect::<Vec<_>>(), [0]);
    }
}
