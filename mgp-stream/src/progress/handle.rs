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
}

impl Progress {
    /// The progress of a request.
    #[must_use]
    pub fn of(incoming: &Incoming) -> Self {
        let caller = Asked::by(incoming).and_then(|caller| {
            let path = ProgressPath::to(&caller)?;
            Some((caller, path))
        });
        Self { caller, increasing: Increasing::default() }
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
        if caller.peer.running(&caller.id).is_none_or(|token| token.is_cancelled()) {
            tracing::debug!(request = %caller.id, progress, "progress of a request that has ended: dropped");
            return Ok(());
        }
        path.send(&caller.peer, Amount::new(progress, total), message.map(RawJson::from)).await
    }
}
