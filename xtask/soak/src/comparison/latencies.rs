//! The latencies of one window.

use std::time::Duration;

/// A kind of request whose latency is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Session,
    List,
    Call,
}

/// The latencies of one window of time, in microseconds, by kind of request, and the lengths of the lists, in bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Latencies {
    of_kinds: [Vec<u64>; 3],
    list_lengths: Vec<u64>,
}

impl RequestKind {
    pub(crate) const ALL: [Self; 3] = [Self::Session, Self::List, Self::Call];

    /// Returns the name in the table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Session => "a session",
            Self::List => "a whole list",
            Self::Call => "a call of a good server",
        }
    }
}

impl Latencies {
    pub(crate) fn add(&mut self, kind: RequestKind, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.of_kinds[kind as usize].push(micros);
    }

    /// Adds the length of a list.
    pub(crate) fn add_length(&mut self, bytes: usize) {
        self.list_lengths.push(bytes as u64);
    }

    /// Adds the latencies of another host.
    pub(super) fn extend(&mut self, other: &Self) {
        for (all, more) in self.of_kinds.iter_mut().zip(&other.of_kinds) {
            all.extend(more);
        }
        self.list_lengths.extend(&other.list_lengths);
    }

    /// Returns the mean length of a list, in bytes; `None` if there were no lists.
    pub(super) fn list_length(&self) -> Option<u64> {
        self.list_lengths.iter().sum::<u64>().checked_div(self.list_lengths.len() as u64)
    }

    /// Returns the number of answers.
    pub(super) fn count(&self, kind: RequestKind) -> usize {
        self.of_kinds[kind as usize].len()
    }

    /// Returns the latency that a share of the answers does not exceed, in microseconds; `None` if there were no answers.
    pub(super) fn percentile(&self, kind: RequestKind, percent: usize) -> Option<u64> {
        let mut sorted = self.of_kinds[kind as usize].clone();
        sorted.sort_unstable();
        sorted.get(sorted.len().saturating_sub(1) * percent / 100).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_of_all_hosts_count_by_kind() {
        let (mut all, mut other) = (Latencies::default(), Latencies::default());
        for ms in 1..=100 {
            other.add(RequestKind::List, Duration::from_millis(ms));
        }
        all.add(RequestKind::List, Duration::from_millis(200));
        all.extend(&other);
        assert_eq!((all.count(RequestKind::List), all.count(RequestKind::Call)), (101, 0));
        assert_eq!(all.percentile(RequestKind::List, 50), Some(51_000));
        assert_eq!(all.percentile(RequestKind::List, 99), Some(100_000));
        assert_eq!(all.percentile(RequestKind::Call, 50), None);
    }
}
