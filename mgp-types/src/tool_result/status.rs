//! The status of a tool call that has ended.

spelled! {
    /// The status of a tool call that has ended.
    pub enum ResultStatus as "status of a result" {
        /// The tool did what was requested.
        Success = "success",
        /// The tool failed. Its error states the reason.
        Failure = "failure",
        /// Everything was already as it should be.
        NoChangeNeeded = "no_change_needed",
        /// The tool did a part of the request.
        PartialSuccess = "partial_success",
    }
}
