//! The methods for transactions.

use mgp_lifecycle::transaction::{RollbackAsker, TransactionMethods, Transactions};
use mgp_transport::seam::{Incoming, Routes};

/// Returns the methods for transactions.
pub(crate) fn routes() -> Routes<Transactions> {
    TransactionMethods::routes().map_state(|transactions: &Transactions, message| {
        Ok(TransactionMethods::new(transactions.clone(), asker(message)))
    })
}

/// Returns the host of a request, as one that may request a rollback.
pub(super) fn asker(message: &Incoming) -> RollbackAsker {
    RollbackAsker { granted: message.granted().cloned(), host: message.peer().cloned() }
}
