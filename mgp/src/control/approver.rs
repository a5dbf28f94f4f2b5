//! The approver of `mgp serve`: asks the users of hosts, and of commands that connect as hosts.

use super::host::CommandHost;
use crate::terminal::UnattendedApprover;
use async_trait::async_trait;
use mgp_kernel::AskHost;
use mgp_security::permission::{
    Approver, ConfirmationBatch, ConfirmationQuestion, ConfirmationVerdict, PermissionQuestion,
    PermissionVerdict,
};
use mgp_transport::seam::Peer;

/// An approver that asks the calling host's user. A [command](CommandHost) whose user cannot be asked, or does not decide, does not wait: its
/// question stays open for `mgp approve`. Its call is confirmed if the command line confirms calls.
#[derive(Debug, Clone)]
pub(crate) struct GatewayApprover {
    hosts: AskHost,
    commands: AskHost<UnattendedApprover>,
    confirming: AskHost<UnattendedApprover>,
}

impl Default for GatewayApprover {
    fn default() -> Self {
        let commands = |confirms| AskHost::or(UnattendedApprover { confirms });
        Self { hosts: AskHost::new(), commands: commands(false), confirming: commands(true) }
    }
}

impl GatewayApprover {
    /// Returns the approver for a host's questions.
    fn of(&self, peer: Option<&Peer>) -> &dyn Approver {
        match peer.and_then(|peer| peer.session().get::<CommandHost>()) {
            None => &self.hosts,
            Some(CommandHost { confirms: false, .. }) => &self.commands,
            Some(CommandHost { confirms: true, .. }) => &self.confirming,
        }
    }

    fn of_calls(&self, calls: &[ConfirmationQuestion]) -> &dyn Approver {
        self.of(calls.first().and_then(|question| question.peer.as_ref()))
    }
}

#[async_trait]
impl Approver for GatewayApprover {
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict {
        self.of(question.peer.as_ref()).permission(question).await
    }

    fn asks_person(&self, question: &PermissionQuestion) -> bool {
        self.of(question.peer.as_ref()).asks_person(question)
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        self.of(question.peer.as_ref()).confirm(question).await
    }

    fn is_attended(&self, question: &ConfirmationQuestion) -> bool {
        self.of(question.peer.as_ref()).is_attended(question)
    }

    fn asks_together(&self, question: &ConfirmationQuestion) -> bool {
        self.of(question.peer.as_ref()).asks_together(question)
    }

    fn listed_together(&self, calls: &[ConfirmationQuestion]) -> Vec<usize> {
        self.of_calls(calls).listed_together(calls)
    }

    async fn confirm_together(&self, batch: ConfirmationBatch<'_>) -> Option<ConfirmationVerdict> {
        self.of_calls(batch.calls).confirm_together(batch).await
    }

    async fn confirm_apart(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        self.of(question.peer.as_ref()).confirm_apart(question).await
    }
}
