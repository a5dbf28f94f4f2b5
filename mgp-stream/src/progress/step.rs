//! One report of progress.

use std::time::Duration;

/// One report of progress, for [`Progress::report_step`](super::Progress::report_step).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProgressStep<'a> {
    pub(super) progress: f64,
    pub(super) total: Option<f64>,
    pub(super) message: Option<&'a str>,
    pub(super) remaining: Option<Duration>,
}

impl<'a> ProgressStep<'a> {
    /// Creates a report of the progress so far.
    #[must_use]
    pub const fn new(progress: f64) -> Self {
        Self { progress, total: None, message: None, remaining: None }
    }

    /// Sets the progress at the end.
    #[must_use]
    pub const fn total(mut self, total: f64) -> Self {
        self.total = Some(total);
        self
    }

    /// Sets the current step, in words.
    #[must_use]
    pub const fn message(mut self, message: &'a str) -> Self {
        self.message = Some(message);
        self
    }

    /// Sets an estimate of the remaining time. It is sent in whole milliseconds.
    #[must_use]
    pub const fn remaining(mut self, time: Duration) -> Self {
        self.remaining = Some(time);
        self
    }
}
