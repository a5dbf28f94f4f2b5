//! The memory of this process, as Linux counts it.

use std::fs;

/// Resident memory, in KiB.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) start: u64,
    pub(crate) peak: u64,
    pub(crate) end: u64,
}

impl Memory {
    pub(crate) fn at_start() -> Self {
        Self { start: read("VmRSS:"), ..Self::default() }
    }

    pub(crate) fn at_end(self) -> Self {
        Self { peak: read("VmHWM:"), end: read("VmRSS:"), ..self }
    }
}

/// Returns a value of `/proc/self/status`; 0 if there is no such line.
fn read(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
