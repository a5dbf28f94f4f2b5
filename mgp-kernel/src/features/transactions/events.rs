//! The events of transactions in the audit trail.

use crate::ground::trail::Trail;
use async_trait::async_trait;
use mgp_lifecycle::transaction::{Step, Transaction, TransactionEvent, TransactionObserver};
use mgp_security::audit::EventDraft;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
    transaction::{StepState, TransactionState},
};
use std::sync::Arc;

const BEGUN: &str = "dev.cloto.mgp.TRANSACTION_BEGUN";
const COMMITTED: &str = "dev.cloto.mgp.TRANSACTION_COMMITTED";
const ROLLBACK_BEGUN: &str = "dev.cloto.mgp.TRANSACTION_ROLLBACK_BEGUN";
const ROLLED_BACK: &str = "dev.cloto.mgp.TRANSACTION_ROLLED_BACK";

/// A recorder of the progress of transactions. Each of their calls has its own event.
pub(crate) struct RecordedTransactions(pub(crate) Arc<Trail>);

#[async_trait]
impl TransactionObserver for RecordedTransactions {
    async fn observe(&self, event: TransactionEvent, of: &Transaction, by: Option<&Principal>) {
        let event_type = match event {
            TransactionEvent::Begun => BEGUN,
            TransactionEvent::Committed => COMMITTED,
            TransactionEvent::RollbackBegun => ROLLBACK_BEGUN,
            TransactionEvent::RollbackEnded => ROLLED_BACK,
        };
        let draft = EventDraft::new(AuditEventType::from(event_type), by.unwrap_or(&self.0.myself))
            .detail("transaction_id", &of.id)
            .detail("agent_id", &of.caller.id)
            .detail("steps", &of.steps.len());
        let draft = match event {
            TransactionEvent::Begun | TransactionEvent::Committed => draft,
            TransactionEvent::RollbackBegun => draft.detail("reason", &of.reason),
            TransactionEvent::RollbackEnded if of.state == TransactionState::RolledBack => draft,
            TransactionEvent::RollbackEnded => {
                let is_left = |step: &&Step| step.took_effect() && step.state != StepState::Compensated;
                let left: Vec<&str> = of.steps.iter().filter(is_left).map(|step| step.id.as_str()).collect();
                draft.result(AuditResult::Failure).detail("not_undone", &left)
            }
        };
        self.0.store(draft.finish()).await;
    }
}
