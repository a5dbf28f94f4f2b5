//! The host that is asked about compensations, the calls that undo steps.

use async_trait::async_trait;
use mgp_security::permission::{
    Approver, ConfirmationBatch, ConfirmationQuestion, ConfirmationVerdict, PermissionQuestion,
    PermissionVerdict,
};
use mgp_transport::seam::Peer;
use std::sync::Arc;

/// The host of the session in which steps are undone: the one that requested the rollback, if any.
#[derive(Debug, Clone)]
pub(super) struct RollbackHost(pub(super) Option<Peer>);

/// An approver that asks the host of a rollback about its calls. Without a host, nobody waits for the rollback, so a question about one of its
/// calls stays open, and the call is refused at once.
#[derive(Debug)]
pub(crate) struct RollbackApprover(pub(crate) Arc<dyn Approver>);

/// Returns the host of a rollback; `None` for a question about any other call.
fn rollback_host(peer: Option<&Peer>) -> Option<RollbackHost> {
    peer?.session().get()
}

#[async_trait]
impl Approver for RollbackApprover {
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict {
        match rollback_host(question.peer.as_ref()) {
            None => self.0.permission(question).await,
            Some(RollbackHost(None)) => PermissionVerdict::Deferred,
            Some(RollbackHost(peer)) => {
                self.0.permission(&PermissionQuestion { peer, ..question.clone() }).await
            }
        }
    }

    fn asks_person(&self, question: &PermissionQuestion) -> bool {
        match rollback_host(question.peer.as_ref()) {
            None => self.0.asks_person(question),
            Some(RollbackHost(None)) => false,
            Some(RollbackHost(peer)) => self.0.asks_person(&PermissionQuestion { peer, ..question.clone() }),
        }
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        match rollback_host(question.peer.as_ref()) {
            None => self.0.confirm(question).await,
            Some(RollbackHost(None)) => ConfirmationVerdict::Deferred,
            Some(RollbackHost(peer)) => {
                self.0.confirm(&ConfirmationQuestion { peer, ..question.clone() }).await
            }
        }
    }

    fn is_attended(&self, question: &ConfirmationQuestion) -> bool {
        match rollback_host(question.peer.as_ref()) {
            None => self.0.is_attended(question),
            Some(RollbackHost(None)) => false,
            Some(RollbackHost(peer)) => {
                self.0.is_attended(&ConfirmationQuestion { peer, ..question.clone() })
            }
        }
    }

    fn asks_together(&self, question: &ConfirmationQuestion) -> bool {
        // Steps are undone one at a time.
        rollback_host(question.peer.as_ref()).is_none() && self.0.asks_together(question)
    }

    fn listed_together(&self, calls: &[ConfirmationQuestion]) -> Vec<usize> {
        self.0.listed_together(calls)
    }

    async fn confirm_together(&self, batch: ConfirmationBatch<'_>) -> Option<ConfirmationVerdict> {
        self.0.confirm_together(batch).await
    }

    async fn confirm_apart(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        self.0.confirm_apart(question).await
    }
}
