//! How a handler says how far it has come.

use super::{Amount, Increasing, ProgressPath};
use crate::asked::Asked;
use mgp_transport::seam::{CallError, Incoming};
use mgp_types::json::RawJson;

/// How a handler says how far it has come.
///
/// A caller that gave a progress token gets MCP's notification with that token; one that gave none, but negotiated
/// `streaming`, gets MGP's. Everybody else gets nothing, so that a handler need not ask.
#[derive(Debug)]
pub struct Progress {
    caller: Option<(Asked, ProgressPath)>,
    increasing: Increasing,
    /// What its notifications say of the task that the request has become: such progress outlives the answer.
    of_task: Option<RawJson>,
}

impl Progress {
    /// The progress of a request.
    #[must_use]
    pub fn of(incoming: &Incoming) -> Self {
        let caller = Asked::by(incoming).and_then(|caller| {
            let path = ProgressPath::to(&caller)?;
            Some((caller, path))
        });
        Self { caller, increasing: Increasing::default(), of_task: None }
    }

    /// The progress of a request that has become a task: the caller's token stays good after its answer, and what is said belongs
    /// to the session, not to the request. `meta` is the `_meta` of each notification. A caller that gave no token gets nothing.
    #[must_use]
    pub fn of_task(incoming: &Incoming, meta: RawJson) -> Self {
        let caller = Asked::by(incoming).and_then(|mut caller| {
            let path = ProgressPath::Mcp(caller.token.clone()?);
            caller.peer = caller.peer.unbound();
            Some((caller, path))
        });
        Self { caller, increasing: Increasing::default(), of_task: Some(meta) }
    }

    /// Whether anybody is told.
    #[must_use]
    pub const fn is_wanted(&self) -> bool {
        self.caller.is_some()
    }

    /// Says how far the work has come, of how much where that is known, and what is being done.
    ///
    /// A number that is not greater than the one before is dropped, because MCP demands that progress grows. So is what
    /// comes after the request was answered or cancelled.
    ///
    /// # Errors
    /// [`CallError`]: the connection could not carry it.
    pub async fn report(
        &mut self,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<(), CallError> {
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
        let amount = Amount { meta: self.of_task.clone(), ..Amount::new(progress, total) };
        path.send(&caller.peer, amount, message.map(RawJson::string)).await
    }
}
