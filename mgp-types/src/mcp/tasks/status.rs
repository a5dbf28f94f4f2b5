//! How far a task has come.

spelled! {
    /// How far a task has come.
    pub enum TaskStatus as "task status" {
        /// It runs.
        Working = "working",
        /// It waits for what only its client can say.
        InputRequired = "input_required",
        /// It has its result.
        Completed = "completed",
        /// It has failed.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// Whether it is the last one: a task that has ended stays as it is.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}
