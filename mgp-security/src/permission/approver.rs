//! The approver, which is asked about permissions and calls.

use super::ApprovalTerm;
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_transport::seam::Peer;
use mgp_types::{
    context::{Principal, RiskLevel, Target, TraceId},
    intent::Intent,
    json::RawJson,
    permission::Permission,
    tool_metadata::CallEstimate,
};
use std::{fmt, sync::Arc, time::Duration};

/// A way to ask a person who may decide: an operator, or the user of the host.
///
/// A question may wait for long without delaying other calls. The layer that asks has a time limit, after which it drops the question. A question
/// without an answer (`Deferred`) stays open for another process of the operator.
///
/// An implementation needs the attribute of the crate [`async-trait`](https://docs.rs/async-trait):
///
/// ```
/// use mgp_security::permission::{
///     ApprovalTerm, Approver, ConfirmationQuestion, ConfirmationVerdict, PermissionQuestion, PermissionVerdict,
/// };
/// use mgp_types::context::RiskLevel;
///
/// /// Confirms every call that is not dangerous, and leaves permissions to the operator.
/// #[derive(Debug)]
/// struct Lenient;
///
/// #[async_trait::async_trait]
/// impl Approver for Lenient {
///     async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
///         PermissionVerdict::Deferred
///     }
///
///     async fn confirm(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
///         match question.risk {
///             RiskLevel::Dangerous => ConfirmationVerdict::Deferred,
///             _ => ConfirmationVerdict::Approved { by: "lenient".into(), term: ApprovalTerm::Once },
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait Approver: fmt::Debug + Send + Sync + 'static {
    /// Asks whether a server may have a permission. If another process answers the same question first, this future is dropped.
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict;

    /// Returns whether a question about a permission goes to the user of the calling host. This user is also asked if the question is
    /// already waiting for an operator.
    fn asks_person(&self, _: &PermissionQuestion) -> bool {
        false
    }

    /// Asks whether a call may be made. If another process answers the same question first, this future is dropped.
    async fn confirm(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict;

    /// Returns whether a person can answer a question about a call while the call waits. Such a question is closed if its call is
    /// cancelled, and is asked even if there is no room to keep it for another process.
    fn is_attended(&self, _: &ConfirmationQuestion) -> bool {
        true
    }

    /// Returns whether the question goes to a person who can be asked about several calls at once. Such a question is asked by
    /// [`confirm_together`](Self::confirm_together), and by [`confirm_apart`](Self::confirm_apart) if the person does not decide.
    fn asks_together(&self, _: &ConfirmationQuestion) -> bool {
        false
    }

    /// Returns the indices of the calls that one question can list in full. The first call is always included.
    fn listed_together(&self, _: &[ConfirmationQuestion]) -> Vec<usize> {
        vec![0]
    }

    /// Asks a person about waiting calls. If there are several, each is approved once. `None` if the person did not decide.
    async fn confirm_together(&self, batch: ConfirmationBatch<'_>) -> Option<ConfirmationVerdict> {
        match batch.calls {
            [question] => Some(self.confirm(question).await),
            _ => None,
        }
    }

    /// Asks about a call whose [person](Self::asks_together) did not decide.
    async fn confirm_apart(&self, _: &ConfirmationQuestion) -> ConfirmationVerdict {
        ConfirmationVerdict::Deferred
    }
}

#[async_trait]
impl<A: Approver + ?Sized> Approver for Arc<A> {
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict {
        (**self).permission(question).await
    }

    fn asks_person(&self, question: &PermissionQuestion) -> bool {
        (**self).asks_person(question)
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        (**self).confirm(question).await
    }

    fn is_attended(&self, question: &ConfirmationQuestion) -> bool {
        (**self).is_attended(question)
    }

    fn asks_together(&self, question: &ConfirmationQuestion) -> bool {
        (**self).asks_together(question)
    }

    fn listed_together(&self, calls: &[ConfirmationQuestion]) -> Vec<usize> {
        (**self).listed_together(calls)
    }

    async fn confirm_together(&self, batch: ConfirmationBatch<'_>) -> Option<ConfirmationVerdict> {
        (**self).confirm_together(batch).await
    }

    async fn confirm_apart(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        (**self).confirm_apart(question).await
    }
}

/// The question whether a server may have a permission.
#[derive(Debug, Clone)]
pub struct PermissionQuestion {
    /// The question's id, by which other processes can answer it.
    pub request_id: String,
    /// The server and the tool that was called.
    pub target: Target,
    /// The permission that the tool needs.
    pub permission: Permission,
    /// The tool's risk, as the kernel judges it.
    pub risk: RiskLevel,
    /// The lifetime of an approval without an end. `None` if such an approval does not expire.
    pub grant_lifetime: Option<Duration>,
    /// The caller.
    pub principal: Option<Principal>,
    /// The host that called, if it can be asked.
    pub peer: Option<Peer>,
}

/// The question whether a call may be made (§4.4).
#[derive(Debug, Clone)]
pub struct ConfirmationQuestion {
    /// The question's id, by which other processes can answer it. `None` if there is no room to keep the question.
    pub request_id: Option<String>,
    /// The server and the tool.
    pub target: Target,
    /// The arguments of the call.
    pub arguments: Option<RawJson>,
    /// The tool's risk, as the kernel judges it.
    pub risk: RiskLevel,
    /// The reason for asking.
    pub reason: String,
    /// The caller's statement of the call's purpose.
    pub intent: Option<Intent>,
    /// The time and the units that the call is likely to take.
    pub estimate: CallEstimate,
    /// True if an approval holds only for this call, whatever its term, because every call of the tool is asked about, or because the
    /// question is not kept.
    pub every_time: bool,
    /// The caller.
    pub principal: Principal,
    /// The trace that the call belongs to.
    pub trace: Option<TraceId>,
    /// The name of the call's session. `None` if the call has no session: then no approval holds for the session.
    pub session: Option<Arc<str>>,
    /// The host that calls, if it can be asked.
    pub peer: Option<Peer>,
}

/// Calls of the same agent, session, tool and definition that are asked about in one question.
#[derive(Debug, Clone, Copy)]
pub struct ConfirmationBatch<'a> {
    /// The questions about the calls, at least one. The answer decides these calls and no other.
    pub calls: &'a [ConfirmationQuestion],
    /// The number of further such calls that wait.
    pub more: usize,
}

impl<'a> ConfirmationBatch<'a> {
    /// Creates the batch of one call.
    #[must_use]
    pub fn of_one(question: &'a ConfirmationQuestion) -> Self {
        Self { calls: std::slice::from_ref(question), more: 0 }
    }
}

/// The answer to a question about a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionVerdict {
    /// The server may have the permission, for the call that asked.
    Once {
        /// The name of the decider.
        by: String,
    },
    /// The server may have the permission.
    Approved {
        /// The name of the decider.
        by: String,
        /// The end of the approval. `None` if the approval does not state one.
        expires_at: Option<Timestamp>,
    },
    /// The server may not have the permission.
    Denied {
        /// The name of the decider.
        by: String,
    },
    /// Nobody decided.
    Deferred,
}

/// The answer to a question whether a call may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfirmationVerdict {
    /// The call may be made.
    Approved {
        /// The name of the decider.
        by: String,
        /// The calls that the approval holds for.
        term: ApprovalTerm,
    },
    /// The call may not be made, this time.
    Denied {
        /// The name of the decider.
        by: String,
    },
    /// Nobody decided.
    Deferred,
}

/// An approver that asks nobody: the question is stored, and another process of the operator can answer it until the time limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct PendingApprover;

#[async_trait]
impl Approver for PendingApprover {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        std::future::pending().await
    }

    async fn confirm(&self, _: &ConfirmationQuestion) -> ConfirmationVerdict {
        std::future::pending().await
    }

    fn is_attended(&self, _: &ConfirmationQuestion) -> bool {
        false
    }
}

/// An approver that approves nothing and answers at once. The question stays open for another process to answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deny;

#[async_trait]
impl Approver for Deny {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        PermissionVerdict::Deferred
    }

    async fn confirm(&self, _: &ConfirmationQuestion) -> ConfirmationVerdict {
        ConfirmationVerdict::Deferred
    }

    fn is_attended(&self, _: &ConfirmationQuestion) -> bool {
        false
    }
}
