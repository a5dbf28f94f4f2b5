//! The tool `mgp_transaction`, for hosts that only know `tools/call`.

use crate::kernel::core::Core;
use mgp_toolindex::meta_tools::{self, TransactionRequest};
use mgp_transport::seam::TokenGrant;
use mgp_types::{
    context::Principal,
    json::RawJson,
    rpc::{ErrorObject, RawResult},
    transaction::{RollbackTransactionParams, TransactionParams},
};
use std::sync::Arc;

/// Answers a call of the tool.
pub(in crate::kernel) async fn answer(
    core: &Arc<Core>,
    caller: &Principal,
    granted: Option<TokenGrant>,
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
            of.rollback_granted(caller, params, granted).await?
        }
        TransactionRequest::Status(transaction_id) => of.status(caller, &transaction_id).await?,
    };
    Ok(RawJson::from_value(&report)?)
}

/// Adds the tool to those that a host is shown, where the operator wants it.
pub(in crate::kernel) fn show(core_shows: bool, shown: &mut Vec<RawJson>) {
    if core_shows {
        meta_tools::say_transactions(shown);
    }
}
