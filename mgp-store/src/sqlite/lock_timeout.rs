//! The time limit of waits for another process.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// The limit of every wait of this process, in milliseconds.
static MILLIS: AtomicU64 = AtomicU64::new(5_000);

/// Returns the longest time that this process waits for the transaction or the turn of another one; 5 s if nobody has set it.
#[must_use]
pub fn lock_timeout() -> Duration {
    Duration::from_millis(MILLIS.load(Ordering::Relaxed))
}

/// Sets the longest time that this process waits for another one. Files that are open keep the limit that they were opened with.
///
/// The limit belongs to the process rather than to a file, because all files of a state folder have the same writers.
pub fn set_lock_timeout(limit: Duration) {
    MILLIS.store(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
}
