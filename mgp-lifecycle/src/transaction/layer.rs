//! The layer that makes calls steps of transactions.

use super::{DeclaredCompensations, Steps, Transactions, template::Templates};
use mgp_transport::seam::ToolCall;
use std::{fmt, sync::Arc};
use tower_layer::Layer;

/// The layer that makes a call with a `transaction_id` in its `_meta` a step of that transaction. The step is stored before it is sent, and
/// its outcome before it is answered. For a [call that undoes a step](super::CompensationCall), the layer stores that the call is sent. It
/// goes inside the layer of idempotency keys, so that a replayed answer is not a second step.
///
/// A call that is not a step passes unchanged.
#[derive(Clone)]
pub struct TransactionLayer {
    pub(super) transactions: Transactions,
    pub(super) templates: Arc<Templates>,
}

impl TransactionLayer {
    /// Creates a layer. `templates` returns the declarations of the call that undoes a call.
    pub fn new(
        transactions: Transactions,
        templates: impl Fn(&ToolCall) -> DeclaredCompensations + Send + Sync + 'static,
    ) -> Self {
        Self { transactions, templates: Arc::new(templates) }
    }
}

impl<S> Layer<S> for TransactionLayer {
    type Service = Steps<S>;

    fn layer(&self, inner: S) -> Steps<S> {
        Steps { inner, layer: self.clone() }
    }
}

impl fmt::Debug for TransactionLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactionLayer").field("transactions", &self.transactions).finish_non_exhaustive()
    }
}
