//! The status of a tool call that has ended.

spelled! {
    /// The status of a tool call that has ended.
    pub enum ResultStatus as "status of a result" {
        /// The tool did what it was asked for.
        Success = "success",
        /// The tool did not do it, and says why in its error.
        Failure = "failure",
        /// Everything was already as it should be.
        NoChangeNeeded = "no_change_needed",
        /// The tool did a part of it.
        PartialSuccess = "partial_success",
    }
}
