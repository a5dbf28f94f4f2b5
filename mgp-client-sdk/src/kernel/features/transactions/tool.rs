//! The tool `mgp_transaction`, for hosts that only know `tools/call`.

use crate::kernel::boot::core::Core;
use mgp_lifecycle::transaction::RollbackAsker;
use mgp_toolindex::meta_tools::TransactionRequest;
use mgp_transport::seam::Incoming;
use mgp_types::{
    context::Principal,
    json::RawJson,
    rpc::{ErrorObject, RawResult},
    transaction::{RollbackTransactionParams, TransactionParams},
};
use std::sync::Arc;

/// Returns the host of a request, as one that may request a rollback.
pub(in crate::kernel) fn asker(message: &Incoming) -> RollbackAsker {
    RollbackAsker { granted: message.ext.get().cloned(), host: message.peer().cloned() }
}

/// Answers a call of the tool.
pub(in crate::kernel) async fn answer(
    core: &Arc<Core>,
    caller: &Principal,
    asker: RollbackAsker,
    request: TransactionRequest,
) -> Result<RawResult, ErrorObject> {
    core.offers_transactions()?;
    let of = &core.transactions;
    let report = match request {
        TransactionRequest::Begin(params) => of.begin(caller, params).await?,
        TransactionRequest::Commit(transaction_id) => {
            of.commit(caller, TransactionParams { transaction_id }).await?
        }
        TransactionRequest::Rollback { transaction_id, reason } => {
            let params = RollbackTransactionParams { transaction_id, reason };
            of.rollback_for(caller, params, asker).await?
        }
        TransactionRequest::Status(transaction_id) => of.status(caller, &transaction_id).await?,
    };
    Ok(RawJson::from_value(&report)?)
}
