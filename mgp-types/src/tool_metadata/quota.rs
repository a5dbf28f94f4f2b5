//! The quota of a tool, as its server claims it.

use std::fmt;

/// The most characters of a server's time stamp that are shown.
const MAX_TIME: usize = 40;

open_object! {
    described /// The calls that are left, as the tool's server claims it.
    #[derive(Eq, Default)]
    pub struct Quota {
        /// The number of calls in a period.
        lenient limit: u64 = "limit",
        /// The number of remaining calls in this period.
        lenient remaining: u64 = "remaining",
        /// The end of this period, as an RFC 3339 time stamp.
        lenient resets_at: String = "resets_at",
    }
}

impl fmt::Display for Quota {
    /// Writes the part of a sentence that states the number of remaining calls, or nothing without a claim.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(remaining) = self.remaining else { return Ok(()) };
        write!(f, "{remaining}")?;
        if let Some(limit) = self.limit {
            write!(f, " of {limit}")?;
        }
        write!(f, " calls are left")?;
        // Quoted, so that no time stamp looks like a line of the question.
        let until = self.resets_at.as_ref().map(|time| time.chars().take(MAX_TIME).collect::<String>());
        until.map_or(Ok(()), |until| write!(f, " until {until:?}"))
    }
}
