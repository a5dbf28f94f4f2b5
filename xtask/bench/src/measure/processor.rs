//! The use of the machine's processors, as Linux counts it.

use std::fs;

/// The time of all processors since the machine was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ProcessorTime {
    busy: u64,
    all: u64,
}

impl ProcessorTime {
    /// Reads the present values; zeros if the system does not report them.
    pub(crate) fn now() -> Self {
        Self::parse(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    /// Returns the busy share of the time since an earlier reading, in percent; 0 if it is unknown.
    #[expect(clippy::cast_precision_loss, reason = "the times are far below 2^52")]
    pub(crate) fn busy_since(self, earlier: Self) -> f64 {
        let (busy, all) = (self.busy.saturating_sub(earlier.busy), self.all.saturating_sub(earlier.all));
        if all == 0 { 0.0 } else { 100.0 * busy as f64 / all as f64 }
    }

    /// Reads the first line: the word `cpu`, and the times in the modes user, nice, system, idle, waiting for the disk, interrupts (twice) and
    /// stolen by the host. The time of guests, which follows, is also in the first two.
    fn parse(stat: &str) -> Self {
        let line = stat.lines().next().and_then(|line| line.strip_prefix("cpu "));
        let times: Vec<u64> = line
            .into_iter()
            .flat_map(str::split_whitespace)
            .take(8)
            .map(|time| time.parse().unwrap_or_default())
            .collect();
        let all = times.iter().sum();
        let idle: u64 = times.iter().skip(3).take(2).sum();
        Self { busy: all - idle, all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_the_disk_is_not_busy_and_guests_count_once() {
        let before = ProcessorTime::parse("cpu  10 0 10 70 10 0 0 0 5 0\ncpu0 1 1 1 1");
        assert_eq!(before, ProcessorTime { busy: 20, all: 100 });
        let after = ProcessorTime::parse("cpu  60 10 40 80 20 5 5 10 50 9");
        assert_eq!(after.busy_since(before), 100.0 * 110.0 / 130.0);
    }

    #[test]
    fn an_unknown_use_is_zero() {
        let unknown = ProcessorTime::parse("");
        assert_eq!((unknown, unknown.busy_since(unknown)), (ProcessorTime::default(), 0.0));
    }
}
