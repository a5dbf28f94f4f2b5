//! The hosts whose last list already contains the last change, so that they need no notification of it.

use mgp_transport::seam::Session;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The number of the last change to the tools shown to hosts.
#[derive(Debug, Default)]
pub(crate) struct LastChange(AtomicU64);

/// The number of the last change that a session's last list contains.
#[derive(Debug, Clone)]
struct LastList(Arc<AtomicU64>);

impl LastChange {
    /// Counts a change that has taken effect.
    pub(crate) fn advance(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns the number. Read it before the tools, so that they contain at least this change.
    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Notes that a list made after `now` was read is sent to a session.
    pub(crate) fn listed(session: &Session, now: u64) {
        session.get_or_insert_with(|| LastList(Arc::default())).0.fetch_max(now, Ordering::AcqRel);
    }

    /// Returns whether the last list of a session contains the last change.
    pub(super) fn is_in_list(&self, session: &Session) -> bool {
        session.get::<LastList>().is_some_and(|listed| listed.0.load(Ordering::Acquire) == self.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_knows_only_the_changes_before_its_list() {
        let (last, session) = (LastChange::default(), Session::new("host"));
        assert!(!last.is_in_list(&session), "it has listed nothing");
        last.advance();
        let now = last.now();
        last.advance();
        LastChange::listed(&session, now);
        assert!(!last.is_in_list(&session), "the list may lack the second change");
        LastChange::listed(&session, last.now());
        assert!(last.is_in_list(&session));
        LastChange::listed(&session, now);
        assert!(last.is_in_list(&session), "an earlier list that is answered later takes nothing back");
        last.advance();
        assert!(!last.is_in_list(&session));
    }
}
