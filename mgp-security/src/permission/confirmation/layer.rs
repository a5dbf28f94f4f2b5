//! The layer that asks before a call.

use super::{Confirm, Confirmations};
use crate::permission::{Approver, Permissions};
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use tower_layer::Layer;

/// The most calls that wait for a confirmation. Others are answered at once, with the id of their question.
const MAX_WAITING: usize = 256;

/// Asks before a call where the tool's profile says so.
///
/// A dangerous tool needs an explicit confirmation or permission (§4.4): with [`permissions`](Self::permissions), nobody is asked where
/// the operator, the configuration or the policy `auto_approve` approved what the tool needs of the dangerous permissions (§3.2), and
/// it needs one.
///
/// The question is a row of the store behind [`Confirmations`] from its first moment. A call waits a bounded time for its answer, from
/// the approver or from another process; after that it is refused with the question's id, and the answer holds for the call made
/// again.
#[derive(Debug, Clone)]
pub struct ConfirmationLayer {
    pub(super) approver: Arc<dyn Approver>,
    pub(super) confirmations: Confirmations,
    pub(super) permissions: Option<Permissions>,
    pub(super) wait: Duration,
    pub(super) waiting: Arc<Semaphore>,
}

impl ConfirmationLayer {
    /// Makes a layer that asks an approver.
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

    /// Sets how long a call waits for an answer, for those that it waited for before included; [`Permissions::WAIT`] otherwise.
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
