//! The layer that asks for confirmation before a call.

use super::{Confirm, Confirmations};
use crate::permission::{Approver, Permissions};
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use tower_layer::Layer;

/// The most calls that wait for a confirmation. Further calls are answered at once, with the id of their question.
const MAX_WAITING: usize = 256;

/// Asks for confirmation before a call, if the tool's profile says so.
///
/// A dangerous tool needs an explicit confirmation or permission (§4.4). With [`permissions`](Self::permissions), nobody is asked if the
/// tool needs at least one of the dangerous permissions (§3.2), and those that it needs were approved by the operator, the configuration
/// or the policy `auto_approve`.
///
/// The question is a row of the store behind [`Confirmations`] from the start. The call waits a limited time for an answer, from the
/// approver or from another process. After that, the call is refused with the question's id, and a later answer holds for the same call
/// made again.
#[derive(Debug, Clone)]
pub struct ConfirmationLayer {
    pub(super) approver: Arc<dyn Approver>,
    pub(super) confirmations: Confirmations,
    pub(super) permissions: Option<Permissions>,
    pub(super) wait: Duration,
    pub(super) waiting: Arc<Semaphore>,
}

impl ConfirmationLayer {
    /// Creates a layer that asks an approver.
    #[must_use]
    pub fn new(approver: Arc<dyn Approver>, confirmations: Confirmations) -> Self {
        let waiting = Arc::new(Semaphore::new(MAX_WAITING));
        Self { approver, confirmations, permissions: None, wait: Permissions::WAIT, waiting }
    }

    /// Sets the permissions whose approvals count as confirmations.
    #[must_use]
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Sets the time that a call waits for an answer, including its waits at earlier gates. The default is [`Permissions::WAIT`].
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }
}

impl<S> Layer<S> for ConfirmationLayer {
    type Service = Confirm<S>;

    fn layer(&self, inner: S) -> Confirm<S> {
        Confirm { inner, layer: self.clone() }
    }
}
