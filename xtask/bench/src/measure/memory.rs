//! The memory of a process, as Linux counts it.

use std::fs;

/// Returns the resident memory of this process, in KiB; 0 if the system does not report it.
pub(crate) fn resident() -> u64 {
    resident_of("self")
}

/// Returns the resident memory of a process by its id, in KiB; 0 if the system does not report it.
pub(crate) fn resident_of(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
