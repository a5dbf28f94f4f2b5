//! What is kept of a task.

use jiff::Timestamp;
use mgp_transport::seam::{Incoming, Session, Unauthenticated};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use std::time::Duration;

/// What is kept of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTask {
    /// Its id: 128 random bits, so that nobody guesses it.
    pub id: String,
    /// Whose it is.
    pub owner: TaskOwner,
    /// The tool that runs.
    pub tool: String,
    /// How far it has come.
    pub state: TaskState,
    /// The same in words, where the handler said so.
    pub message: Option<String>,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
    /// How long it is kept from when it was made.
    pub ttl: Duration,
    /// How long clients are told to wait between two looks.
    pub poll_interval: Duration,
}

/// Whose a task is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskOwner {
    /// The id of the principal that made it; none where nothing authenticated its caller.
    pub principal: Option<String>,
    /// The id of the session that it was made on.
    pub session: String,
}

/// How far a task has come.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskState {
    /// It runs.
    Working,
    /// It waits for answers. The questions stand under the keys by which they are answered, each an object with a method and params.
    Asks(RawObject),
    /// It has its result.
    Answered {
        /// The result of the tool.
        result: RawJson,
        /// Whether the result says that the tool failed.
        failed: bool,
    },
    /// It ended with an error of the protocol.
    Failed(ErrorObject),
    /// It was cancelled.
    Cancelled,
}

impl StoredTask {
    /// Whether it is kept no longer.
    #[must_use]
    pub fn has_expired(&self, now: Timestamp) -> bool {
        let age = Duration::try_from(now.duration_since(self.created));
        age.is_ok_and(|age| age >= self.ttl)
    }
}

impl TaskState {
    /// Whether it is the last one.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        matches!(self, Self::Answered { .. } | Self::Failed(_) | Self::Cancelled)
    }

    /// How many bytes its result has.
    pub(super) fn result_bytes(&self) -> usize {
        match self {
            Self::Answered { result, .. } => result.as_bytes().len(),
            Self::Working | Self::Asks(_) | Self::Failed(_) | Self::Cancelled => 0,
        }
    }
}

impl TaskOwner {
    /// Who sends a message.
    pub(super) fn of(incoming: &Incoming) -> Self {
        let session = incoming.session();
        let principal = known(incoming.ext.get::<Principal>(), session);
        Self {
            principal: principal.map(|principal| principal.id().to_owned()),
            session: session.map(Session::id).unwrap_or_default().to_owned(),
        }
    }

    /// Whether the same principal stands behind both, or nobody that is known behind either.
    #[must_use]
    pub fn is_same_principal(&self, other: &Self) -> bool {
        self.principal == other.principal
    }

    /// Whether a task of `other` is shown in a list to this one. Where nothing authenticated the caller, only those of the same
    /// session are: who knows a task's id may use it, but ids are not given away.
    #[must_use]
    pub fn sees(&self, other: &Self) -> bool {
        self.is_same_principal(other) && (self.principal.is_some() || self.session == other.session)
    }
}

/// Who is known to call: whom the message's context names, or the session. A name for everybody is none, but a layer of the
/// server's own may know better who calls.
fn known(of_message: Option<&Principal>, session: Option<&Session>) -> Option<Principal> {
    let of_session = session.and_then(Session::get::<Principal>);
    let everybody = of_session.as_ref().filter(|_| session.is_some_and(Session::has::<Unauthenticated>));
    let principal = of_message.or(of_session.as_ref());
    principal.filter(|principal| Some(*principal) != everybody).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_for_everybody_is_nobodys() {
        let (everybody, alice) = (Principal::agent("local"), Principal::agent("alice"));
        let session = Session::new("s");
        assert_eq!(known(None, Some(&session)), None);
        session.set(everybody.clone());
        assert_eq!(known(None, Some(&session)), Some(everybody.clone()));
        assert_eq!(known(Some(&alice), Some(&session)), Some(alice.clone()));
        session.set(Unauthenticated);
        assert_eq!(known(None, Some(&session)), None);
        assert_eq!(known(Some(&everybody), Some(&session)), None);
        assert_eq!(known(Some(&alice), Some(&session)), Some(alice.clone()));
        assert_eq!(known(Some(&alice), None), Some(alice));
    }
}
