//! `notifications/mgp.lifecycle`: the notice that a server's state changed.

use crate::state::Transition;
use jiff::Timestamp;
use mgp_types::lifecycle::LifecycleParams;

impl Transition {
    /// Returns the params of the `notifications/mgp.lifecycle` that reports the transition.
    ///
    /// ```
    /// use mgp_lifecycle::state::StateMachine;
    /// use mgp_types::lifecycle::ServerState;
    ///
    /// let machine = StateMachine::new("notes");
    /// let transition = machine.transition(ServerState::Connecting, "start")?;
    /// let notice = transition.notice("2026-02-27T12:00:00Z".parse()?);
    /// assert_eq!(notice.server_id, "notes");
    /// assert_eq!(notice.timestamp.as_deref(), Some("2026-02-27T12:00:00.000Z"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn notice(&self, at: Timestamp) -> LifecycleParams {
        LifecycleParams {
            server_id: self.server_id.to_string(),
            previous_state: self.from,
            new_state: self.to,
            reason: Some(self.reason.to_string()),
            timestamp: Some(format!("{at:.3}")),
        }
    }
}
