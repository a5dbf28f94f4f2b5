//! The layer that asks before a call.

use super::Confirm;
use crate::permission::{Approver, Permissions};
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use tower_layer::Layer;

/// How many calls wait for a confirmation at most.
const MAX_WAITING: usize = 256;

/// Asks before a call where the tool's profile says so.
///
/// A dangerous tool needs an explicit confirmation or permission (§4.4): with [`permissions`](Self::permissions), nobody is asked where
/// the operator, the configuration or the policy `auto_approve` approved what the tool needs of the dangerous permissions (§3.2), and
/// it needs one.
#[derive(Debug, Clone)]
pub struct ConfirmationLayer {
    pub(super) approver: Arc<dyn Approver>,
    pub(super) permissions: Option<Permissions>,
    pub(super) time_limit: Duration,
    pub(super) waiting: Arc<Semaphore>,
}

impl ConfirmationLayer {
    /// A layer that asks an approver.
    #[must_use]
    pub fn new(approver: Arc<dyn Approver>) -> Self {
        let waiting = Arc::new(Semaphore::new(MAX_WAITING));
        Self { approver, permissions: None, time_limit: Duration::from_secs(300), waiting }
    }

    /// Where approvals count as confirmations.
    #[must_use]
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// How long a call waits for an answer; five minutes where nothing is said.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }
}

impl<S> Layer<S> for ConfirmationLayer {
    type Service = Confirm<S>;

    fn layer(&self, inner: S) -> Confirm<S> {
        Confirm { inner, layer: self.clone() }
    }
}
