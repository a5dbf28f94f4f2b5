//! The bounds of kept results, and what is kept.

use std::time::Duration;

/// The bounds of kept results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoomBounds {
    /// The most results of one caller.
    pub results: usize,
    /// The most bytes of one caller.
    pub bytes: u64,
    /// The most results of all callers.
    pub total_results: usize,
    /// The most bytes of all callers.
    pub total_bytes: u64,
}

/// The results that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeptTotals {
    /// The number of the caller's results.
    pub results: usize,
    /// The bytes of the caller's results.
    pub bytes: u64,
    /// The number of all results.
    pub total_results: usize,
    /// The bytes of all results.
    pub total_bytes: u64,
    /// The time until the first of the caller's results expires, if it has any.
    pub free_in: Option<Duration>,
}

/// The bound that leaves no room for a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no room: {kept} are kept for {whom}, which is the limit ({key} in the configuration)")]
pub struct RoomShortage {
    /// The results or bytes that are kept.
    pub kept: String,
    /// The callers that the bound is for.
    pub whom: &'static str,
    /// The bound's key in the configuration.
    pub key: &'static str,
    /// The time until the first of the caller's results expires, if it has any.
    pub free_in: Option<Duration>,
}

impl KeptTotals {
    /// Checks that there is room for another result of the caller.
    ///
    /// # Errors
    /// [`RoomShortage`] with the first bound that would be exceeded.
    pub fn check(&self, bounds: &RoomBounds, bytes: u64) -> Result<(), RoomShortage> {
        let checks = [
            (
                ("references.max_results", "references.max_bytes"),
                (self.results, self.bytes),
                (bounds.results, bounds.bytes),
                "this agent",
            ),
            (
                ("references.max_total_results", "references.max_total_bytes"),
                (self.total_results, self.total_bytes),
                (bounds.total_results, bounds.total_bytes),
                "all agents",
            ),
        ];
        for (keys, (results, kept_bytes), (most, most_bytes), whom) in checks {
            let (kept, key) = if results >= most {
                (format!("{results} results"), keys.0)
            } else if kept_bytes.saturating_add(bytes) > most_bytes {
                (format!("{kept_bytes} of {most_bytes} bytes"), keys.1)
            } else {
                continue;
            };
            return Err(RoomShortage { kept, whom, key, free_in: self.free_in });
        }
        Ok(())
    }
}
