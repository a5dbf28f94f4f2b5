//! The record of a task.

use jiff::Timestamp;
use mgp_transport::seam::{Incoming, Session, UnauthenticatedMark};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use std::time::Duration;

/// The record of a task in a store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTask {
    /// The id of the task: 128 random bits, so that it cannot be guessed.
    pub id: String,
    /// The owner of the task.
    pub owner: TaskOwner,
    /// The tool that runs.
    pub tool: String,
    /// The state of the task.
    pub state: TaskState,
    /// The handler's message about the progress of the work, if it has set one.
    pub message: Option<String>,
    /// The time at which the task was created.
    pub created: Timestamp,
    /// The time of the last change.
    pub updated: Timestamp,
    /// The time for which the task is kept after its creation.
    pub ttl: Duration,
    /// The time between two polls that clients are asked for.
    pub poll_interval: Duration,
}

/// The owner of a task.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskOwner {
    /// The id of the principal that created the task; `None` if the caller is not authenticated.
    pub principal: Option<String>,
    /// The id of the session that the task was created on.
    pub session: String,
}

/// The state of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskState {
    /// The task runs.
    Working,
    /// The task waits for answers. The object holds the questions by key, each an object with a method and params.
    Asks(RawObject),
    /// The task has its result.
    Answered {
        /// The result of the tool.
        result: RawJson,
        /// True if the tool failed.
        failed: bool,
    },
    /// The task ended with an error of the protocol.
    Failed(ErrorObject),
    /// The task was cancelled.
    Cancelled,
}

impl StoredTask {
    /// Returns `true` if the time for which the task is kept has expired.
    #[must_use]
    pub fn has_expired(&self, now: Timestamp) -> bool {
        let age = Duration::try_from(now.duration_since(self.created));
        age.is_ok_and(|age| age >= self.ttl)
    }
}

impl TaskState {
    /// Returns `true` if the state is final.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        matches!(self, Self::Answered { .. } | Self::Failed(_) | Self::Cancelled)
    }

    /// Returns the size of the task's result, in bytes.
    pub(super) fn result_bytes(&self) -> usize {
        match self {
            Self::Answered { result, .. } => result.as_bytes().len(),
            Self::Working | Self::Asks(_) | Self::Failed(_) | Self::Cancelled => 0,
        }
    }
}

impl TaskOwner {
    /// Returns the sender of a message as the owner of a task.
    pub(super) fn of(incoming: &Incoming) -> Self {
        let session = incoming.session();
        let principal = known(incoming.principal(), session);
        Self {
            principal: principal.map(|principal| principal.id().to_owned()),
            session: session.map(Session::id).unwrap_or_default().to_owned(),
        }
    }

    /// Returns `true` if both owners have the same principal, or if neither has one.
    #[must_use]
    pub fn is_same_principal(&self, other: &Self) -> bool {
        self.principal == other.principal
    }

    /// Returns `true` if a task of `other` is shown in this owner's lists. If the caller is not authenticated, a list shows only
    /// the tasks of the caller's own session. Anyone who knows a task's id may use the task, so ids must not be disclosed.
    #[must_use]
    pub fn sees(&self, other: &Self) -> bool {
        self.is_same_principal(other) && (self.principal.is_some() || self.session == other.session)
    }
}

/// Returns the principal of a caller: the one in the message's context, otherwise the session's. A principal that stands for
/// everybody does not count, but one of the server's own layers may identify the caller in the message.
fn known(of_message: Option<&Principal>, session: Option<&Session>) -> Option<Principal> {
    let of_session = session.and_then(Session::get::<Principal>);
    let everybody = of_session.as_ref().filter(|_| session.is_some_and(Session::has::<UnauthenticatedMark>));
    let principal = of_message.or(of_session.as_ref());
    principal.filter(|principal| Some(*principal) != everybody).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_principal_counts_as_none() {
        let (everybody, alice) = (Principal::agent("local"), Principal::agent("alice"));
        let session = Session::new("s");
        assert_eq!(known(None, Some(&session)), None);
        session.set(everybody.clone());
        assert_eq!(known(None, Some(&session)), Some(everybody.clone()));
        assert_eq!(known(Some(&alice), Some(&session)), Some(alice.clone()));
        session.set(UnauthenticatedMark);
        assert_eq!(known(None, Some(&session)), None);
        assert_eq!(known(Some(&everybody), Some(&session)), None);
        assert_eq!(known(Some(&alice), Some(&session)), Some(alice.clone()));
        assert_eq!(known(Some(&alice), None), Some(alice));
    }
}
