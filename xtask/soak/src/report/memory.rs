//! The memory of this process, as Linux counts it.

use std::{fs, time::Duration};

/// The growth that is ignored, in KiB: buffers of the children, the hosts and the allocator come and go.
const NOISE_KIB: u64 = 32 * 1024;
/// The bytes that the run itself keeps for each request: the ledger and the counts of the audit trail.
const KEPT_BYTES: u64 = 160;

/// Resident memory, in KiB.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) start: u64,
    pub(crate) peak: u64,
    pub(crate) end: u64,
    /// The memory while the hosts ran, at equal intervals.
    pub(crate) samples: Vec<u64>,
}

impl Memory {
    pub(crate) fn at_start() -> Self {
        Self { start: resident(), ..Self::default() }
    }

    pub(crate) fn at_end(self, samples: Vec<u64>) -> Self {
        Self { peak: read("VmHWM:"), end: resident(), samples, ..self }
    }

    /// Returns the median of the middle third of the run, and of the last third. The first third fills caches and buffers. A median,
    /// because a long answer that waits for its host takes megabytes for a moment.
    pub(crate) fn thirds(&self) -> (u64, u64) {
        let third = self.samples.len() / 3;
        let late = &self.samples[self.samples.len() - 2 * third..];
        (median(&late[..third]), median(&late[third..]))
    }

    /// Returns the growth from the middle third to the last one.
    pub(crate) fn growth(&self) -> u64 {
        let (middle, last) = self.thirds();
        last.saturating_sub(middle)
    }
}

/// Returns the allowed growth of a run with this many requests, in KiB. The middles of two thirds are a third of the run apart.
pub(crate) fn allowed_growth(requests: u64) -> u64 {
    NOISE_KIB + requests / 3 * KEPT_BYTES / 1024
}

/// Notes the memory repeatedly until it is aborted.
pub(crate) async fn watch(every: Duration, note: impl Fn(u64)) {
    loop {
        tokio::time::sleep(every).await;
        note(resident());
    }
}

/// Returns the resident memory now, in KiB.
pub(crate) fn resident() -> u64 {
    read("VmRSS:")
}

fn median(values: &[u64]) -> u64 {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Returns a value of `/proc/self/status`; 0 if the line is missing.
fn read(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leak_is_growth_and_a_peak_is_not() {
        let memory = |samples: &[u64]| Memory { samples: samples.to_vec(), ..Memory::default() };
        assert_eq!(memory(&[10, 10, 10, 50, 10, 10, 10, 90, 10]).growth(), 0);
        assert_eq!(memory(&[1, 2, 9, 10, 10, 10, 10, 10, 10]).growth(), 0, "the start is no leak");
        assert_eq!(memory(&[10, 11, 12, 13, 14, 15, 16, 17, 18]).growth(), 3);
        assert_eq!(memory(&[]).growth(), 0);
        assert!(read("VmRSS:") > 0 && allowed_growth(0) == NOISE_KIB);
    }
}
