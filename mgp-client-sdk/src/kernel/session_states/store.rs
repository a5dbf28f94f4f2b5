//! The tokens of sessions, in memory: bounded, and each only for a time.

use mgp_transport::seam::Session;
use mgp_types::{context::SessionTag, session_state::SessionStateToken};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::time::Instant;

/// The bounds of the tokens that are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct StateBounds {
    /// The most tokens.
    pub(super) most: usize,
    /// The most tokens of one session.
    pub(super) most_of_one: usize,
    /// The most bytes of all tokens together.
    pub(super) bytes: usize,
    /// The time after which a token that no call has used is dropped.
    pub(super) idle: Duration,
}

const BOUNDS: StateBounds =
    StateBounds { most: 4096, most_of_one: 64, bytes: 32 * 1024 * 1024, idle: Duration::from_secs(60 * 60) };

/// The tokens that servers gave to sessions. Clones share them.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct SessionStates(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bounds: StateBounds,
    kept: Mutex<HashMap<StateKey, KeptState>>,
}

/// A session, those for whom it acts, and a server in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct StateKey {
    pub(super) session: SessionTag,
    /// The agents on whose behalf a call is made, as a JSON array of their ids: what a server keeps for one is not another's.
    pub(super) delegation: Box<str>,
    pub(super) server_id: Arc<str>,
}

#[derive(Debug)]
struct KeptState {
    token: SessionStateToken,
    used: Instant,
}

/// The end of a session, at which its tokens are dropped.
#[derive(Debug)]
struct SessionEnd {
    session: SessionTag,
    states: Weak<Inner>,
}

impl Default for SessionStates {
    fn default() -> Self {
        Self::new(BOUNDS)
    }
}

impl SessionStates {
    pub(super) fn new(bounds: StateBounds) -> Self {
        Self(Arc::new(Inner { bounds, kept: Mutex::default() }))
    }

    /// Returns the token that a server gave a session last.
    pub(super) fn get(&self, key: &StateKey) -> Option<SessionStateToken> {
        let (mut kept, now) = (self.0.kept.lock(), Instant::now());
        let state = kept.get_mut(key)?;
        if now.duration_since(state.used) > self.0.bounds.idle {
            kept.remove(key);
            return None;
        }
        state.used = now;
        Some(state.token.clone())
    }

    /// Keeps a token in the place of the one before. Where there is no room, those that were not used for the longest time are dropped, first
    /// of all those of the same session.
    pub(super) fn keep(&self, key: StateKey, token: SessionStateToken) {
        let StateBounds { most, most_of_one, bytes, idle } = self.0.bounds;
        let (mut kept, now) = (self.0.kept.lock(), Instant::now());
        kept.remove(&key);
        if kept.len() >= most || size(&kept) + token.0.len() > bytes {
            kept.retain(|_, state| now.duration_since(state.used) <= idle);
        }
        while kept.keys().filter(|other| other.session == key.session).count() >= most_of_one {
            drop_oldest(&mut kept, |other| other.session == key.session);
        }
        while !kept.is_empty() && (kept.len() >= most || size(&kept) + token.0.len() > bytes) {
            drop_oldest(&mut kept, |_| true);
        }
        kept.insert(key, KeptState { token, used: now });
    }

    /// Forgets the token of a server in a session; `token` only if it is still that one.
    pub(super) fn forget(&self, key: &StateKey, token: Option<&SessionStateToken>) {
        let mut kept = self.0.kept.lock();
        if token.is_none_or(|token| kept.get(key).is_some_and(|state| state.token == *token)) {
            kept.remove(key);
        }
    }

    /// Has the tokens of a session dropped when it ends.
    pub(super) fn end_with(&self, session: &Session, tag: SessionTag) {
        let states = Arc::downgrade(&self.0);
        session.of_connection().get_or_insert_with(|| Arc::new(SessionEnd { session: tag, states }));
    }

    /// Returns whether nothing is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.0.kept.lock().is_empty()
    }

    #[cfg(test)]
    fn count(&self) -> usize {
        self.0.kept.lock().len()
    }
}

fn size(kept: &HashMap<StateKey, KeptState>) -> usize {
    kept.values().map(|state| state.token.0.len()).sum()
}

fn drop_oldest(kept: &mut HashMap<StateKey, KeptState>, which: impl Fn(&StateKey) -> bool) {
    let oldest = kept.iter().filter(|(key, _)| which(key)).min_by_key(|(_, state)| state.used);
    if let Some(key) = oldest.map(|(key, _)| key.clone()) {
        kept.remove(&key);
    }
}

impl Drop for SessionEnd {
    fn drop(&mut self) {
        if let Some(states) = self.states.upgrade() {
            states.kept.lock().retain(|key, _| key.session != self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(session: u8, server: &str) -> StateKey {
        StateKey {
            session: SessionTag::new([session; 16]),
            delegation: "[]".into(),
            server_id: server.into(),
        }
    }

    fn token(text: &str) -> SessionStateToken {
        SessionStateToken(text.to_owned())
    }

    fn states() -> SessionStates {
        let idle = Duration::from_secs(60);
        SessionStates::new(StateBounds { most: 4, most_of_one: 2, bytes: 100, idle })
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_is_kept_for_one_session_and_server_until_nobody_uses_it() {
        let states = states();
        states.keep(key(1, "a"), token("x"));
        assert_eq!(states.get(&key(1, "a")), Some(token("x")));
        assert_eq!((states.get(&key(2, "a")), states.get(&key(1, "b"))), (None, None));
        tokio::time::advance(Duration::from_secs(59)).await;
        assert_eq!(states.get(&key(1, "a")), Some(token("x")));
        tokio::time::advance(Duration::from_secs(59)).await;
        assert_eq!(states.get(&key(1, "a")), Some(token("x")), "it was used in between");
        tokio::time::advance(Duration::from_secs(61)).await;
        assert_eq!((states.get(&key(1, "a")), states.count()), (None, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_not_used_for_the_longest_time_makes_room() {
        let states = states();
        let keep = async |session, server, text: &str| {
            tokio::time::advance(Duration::from_secs(1)).await;
            states.keep(key(session, server), token(text));
        };
        for server in ["a", "b", "c"] {
            keep(1, server, "x").await;
        }
        assert_eq!((states.count(), states.get(&key(1, "a"))), (2, None), "a session has its share");
        for session in 2..=4 {
            keep(session, "a", "x").await;
        }
        assert_eq!((states.count(), states.get(&key(1, "b"))), (4, None), "all of them have a bound");
        keep(5, "a", &"x".repeat(98)).await;
        assert_eq!((states.count(), states.get(&key(2, "a"))), (3, None), "so do their bytes");
    }

    #[tokio::test]
    async fn the_tokens_of_a_session_end_with_it() {
        let (states, session) = (states(), Session::new("s"));
        states.keep(key(1, "a"), token("x"));
        states.keep(key(2, "a"), token("x"));
        states.end_with(&session.derived(), SessionTag::new([1; 16]));
        assert_eq!(states.count(), 2);
        drop(session);
        assert_eq!((states.count(), states.get(&key(1, "a"))), (1, None));
    }

    #[test]
    fn a_token_that_was_replaced_meanwhile_is_not_forgotten() {
        let states = states();
        states.keep(key(1, "a"), token("new"));
        states.forget(&key(1, "a"), Some(&token("old")));
        assert_eq!(states.count(), 1);
        states.forget(&key(1, "a"), Some(&token("new")));
        assert_eq!(states.count(), 0);
    }
}
