//! The handle with which a handler reports progress.

use super::{Amount, ProgressFilter, ProgressPath, ProgressStep};
use crate::options::StreamOptions;
use mgp_transport::seam::{CallError, Incoming};
use mgp_types::json::RawJson;

/// The handle with which a handler reports progress.
///
/// A caller that gave a progress token gets MCP's notification with that token; a caller that gave none, but negotiated
/// `streaming`, gets MGP's. Every other caller gets nothing, so a handler can always report.
#[derive(Debug)]
pub struct Progress {
    caller: Option<(StreamOptions, ProgressPath)>,
    increasing: ProgressFilter,
    /// The `_meta` of the notifications if the request has become a task: such progress continues after the answer.
    of_task: Option<RawJson>,
}

impl Progress {
    /// Returns the progress handle of a request.
    #[must_use]
    pub fn of(incoming: &Incoming) -> Self {
        let caller = StreamOptions::by(incoming).and_then(|caller| {
            let path = ProgressPath::to(&caller)?;
            Some((caller, path))
        });
        Self { caller, increasing: ProgressFilter::default(), of_task: None }
    }

    /// Returns the progress handle of a request that has become a task. The caller's token stays valid after the
    /// answer, and the notifications belong to the session, not to the request. `meta` is the `_meta` of each
    /// notification. A caller that gave no token gets nothing.
    #[must_use]
    pub fn of_task(incoming: &Incoming, meta: RawJson) -> Self {
        let caller = StreamOptions::by(incoming).and_then(|mut caller| {
            let path = ProgressPath::Mcp { token: caller.token.clone()?, mgp: caller.negotiated };
            caller.peer = caller.peer.unbound();
            Some((caller, path))
        });
        Self { caller, increasing: ProgressFilter::default(), of_task: Some(meta) }
    }

    /// Returns whether the caller gets progress notifications.
    #[must_use]
    pub const fn is_wanted(&self) -> bool {
        self.caller.is_some()
    }

    /// Reports the progress so far, the total if it is known, and a message about the current step.
    ///
    /// A number that is not greater than the one before is dropped, because MCP demands that progress grows. Progress
    /// after the request was answered or cancelled is dropped, too.
    ///
    /// # Errors
    /// [`CallError`] if the connection could not carry the notification.
    pub async fn report(
        &mut self,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<(), CallError> {
        self.report_step(ProgressStep { total, message, ..ProgressStep::new(progress) }).await
    }

    /// Reports a step, as [`report`](Self::report) does. The estimate of the remaining time reaches callers that negotiated `streaming`
    /// (§12.6).
    ///
    /// ```
    /// use mgp_stream::progress::{Progress, ProgressStep};
    /// use mgp_transport::seam::CallError;
    /// use std::time::Duration;
    ///
    /// async fn work(progress: &mut Progress) -> Result<(), CallError> {
    ///     let step = ProgressStep::new(13.0).total(20.0).message("batch 13/20").remaining(Duration::from_millis(4500));
    ///     progress.report_step(step).await
    /// }
    /// ```
    ///
    /// # Errors
    /// As those of [`report`](Self::report).
    pub async fn report_step(&mut self, step: ProgressStep<'_>) -> Result<(), CallError> {
        let ProgressStep { progress, total, message, remaining } = step;
        let Some((caller, path)) = &self.caller else { return Ok(()) };
        if !self.increasing.admit(progress) {
            tracing::debug!(request = %caller.id, progress, "progress that does not grow: dropped");
            return Ok(());
        }
        let runs = || caller.peer.running(&caller.id).is_some_and(|token| !token.is_cancelled());
        if self.of_task.is_none() && !runs() {
            tracing::debug!(request = %caller.id, progress, "progress of a request that has ended: dropped");
            return Ok(());
        }
        let remaining_ms = remaining.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let remaining_ms = remaining_ms.and_then(|ms| RawJson::from_value(&ms).ok());
        let amount = Amount { meta: self.of_task.clone(), remaining_ms, ..Amount::new(progress, total) };
        path.send(&caller.peer, amount, message.map(RawJson::string)).await
    }
}
