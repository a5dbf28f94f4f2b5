//! The quota of a tool, as its server claims it.

open_object! {
    described /// The calls that are left, as the tool's server claims it.
    #[derive(Eq, Default)]
    pub struct Quota {
        /// The number of calls in a period.
        lenient limit: u64 = "limit",
        /// The number of calls that are left in this period.
        lenient remaining: u64 = "remaining",
        /// The end of this period, as an RFC 3339 time stamp.
        lenient resets_at: String = "resets_at",
    }
}
