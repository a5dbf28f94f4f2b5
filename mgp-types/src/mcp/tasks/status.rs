//! The status of a task.

spelled! {
    /// The status of a task.
    #[derive(Default)]
    pub enum TaskStatus as "task status" {
        /// The task is running.
        #[default]
        Working = "working",
        /// The task waits for input from its client.
        InputRequired = "input_required",
        /// The task has its result.
        Completed = "completed",
        /// The task has failed.
        Failed = "failed",
        /// The task was cancelled.
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// Returns whether the status is final: a task that has ended does not change.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}
