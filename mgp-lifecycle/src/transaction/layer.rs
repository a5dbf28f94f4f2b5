//! The layer that makes calls steps of transactions.

use super::{CompensationTemplate, Steps, Transactions};
use mgp_transport::seam::ToolCall;
use std::{fmt, sync::Arc};
use tower_layer::Layer;

/// The layer that makes a call with a `transaction_id` in its `_meta` a step of that transaction: stored before it is sent, and with what
/// became of it before it is answered. Of a [call that undoes a step](super::CompensationCall), it stores that the call is sent. It goes inside the layer of idempotency keys, so that an answer that is replayed is no second step.
///
/// A call that is no step passes as it is.
#[derive(Clone)]
pub struct TransactionLayer {
    pub(super) transactions: Transactions,
    pub(super) templates: Arc<Templates>,
}

/// A function that returns the declarations of the call that undoes a call: the operator's, and that of the tool.
type Templates = dyn Fn(&ToolCall) -> DeclaredCompensations + Send + Sync;

/// The declarations of the call that undoes a call, and the server that they are for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredCompensations {
    /// The operator's, which stands above the server's answer.
    pub configured: Option<CompensationTemplate>,
    /// True if the tool of the operator's declaration is not shown to the caller.
    pub is_concealed: bool,
    /// The declaration of the tool, used where the server's answer has none.
    pub of_tool: Option<CompensationTemplate>,
    /// A fingerprint of the server, by how it is reached: the call that undoes a step is made where the step was made, and at no other server of
    /// that name.
    pub endpoint: Option<String>,
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
