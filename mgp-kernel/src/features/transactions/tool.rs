//! The tool `mgp_transaction`, for hosts that only know `tools/call`.

use super::asker;
use crate::catalog::tool_index::OwnTool;
use async_trait::async_trait;
use mgp_lifecycle::transaction::Transactions;
use mgp_toolindex::meta_tools::TransactionRequest;
use mgp_transport::seam::Incoming;
use mgp_types::{
    context::Principal,
    error::ErrorCode,
    json::RawJson,
    rpc::{ErrorObject, RawResult},
    transaction::{RollbackTransactionParams, TransactionParams},
};

/// The tool for transactions, if the operator offers it.
#[derive(Debug, Clone)]
pub(crate) struct TransactionTool {
    pub(crate) transactions: Transactions,
    /// True if hosts that do not speak MGP get the tool.
    pub(crate) is_offered: bool,
}

#[async_trait]
impl OwnTool<TransactionRequest> for TransactionTool {
    async fn answer(
        &self,
        message: &Incoming,
        caller: &Principal,
        request: TransactionRequest,
    ) -> Result<RawResult, ErrorObject> {
        self.check_offered()?;
        let of = &self.transactions;
        let report = match request {
            TransactionRequest::Begin(params) => of.begin(caller, params).await?,
            TransactionRequest::Commit(transaction_id) => {
                of.commit(caller, TransactionParams { transaction_id }).await?
            }
            TransactionRequest::Rollback { transaction_id, reason } => {
                let params = RollbackTransactionParams { transaction_id, reason };
                of.rollback_for(caller, params, asker(message)).await?
            }
            TransactionRequest::Status(transaction_id) => of.status(caller, &transaction_id).await?,
        };
        Ok(RawJson::from_value(&report)?)
    }

    async fn check(
        &self,
        message: &Incoming,
        caller: &Principal,
        request: TransactionRequest,
    ) -> Result<(), ErrorObject> {
        self.check_offered()?;
        let of = &self.transactions;
        match request {
            TransactionRequest::Begin(params) => of.foresee_begin(caller, params).await,
            TransactionRequest::Commit(id) => of.foresee_commit(caller, &id).await,
            TransactionRequest::Rollback { transaction_id, reason } => {
                let params = RollbackTransactionParams { transaction_id, reason };
                of.foresee_rollback(caller, &params, message.granted()).await
            }
            TransactionRequest::Status(id) => of.foresee_status(caller, &id).await,
        }
    }
}

impl TransactionTool {
    /// Checks that transactions are offered as a tool.
    ///
    /// # Errors
    /// 4002 if they are not.
    fn check_offered(&self) -> Result<(), ErrorObject> {
        match self.is_offered {
            true => Ok(()),
            false => Err(ErrorCode::ToolDisabled.error(
                "transactions are not offered as a tool: the operator switches them on with kernel.transactions = true",
            )),
        }
    }
}
