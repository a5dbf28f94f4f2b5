//! The tokens of sessions, in memory, with limits on number and time.

use mgp_transport::seam::Session;
use mgp_types::{context::SessionTag, session_state::SessionStateToken};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{
        Arc, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// The limits on kept tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct StateBounds {
    /// The maximum number of tokens.
    pub(super) most: usize,
    /// The maximum number of tokens of one session.
    pub(super) most_of_one: usize,
    /// The maximum number of tokens of one principal, over all its sessions.
    pub(super) most_of_principal: usize,
    /// The maximum size of the tokens of one principal, in bytes.
    pub(super) bytes_of_principal: usize,
    /// The maximum size of all tokens, in bytes.
    pub(super) bytes: usize,
    /// The time after which a token without a successful use is dropped.
    pub(super) idle: Duration,
}

const BOUNDS: StateBounds = StateBounds {
    most: 4096,
    most_of_one: 64,
    most_of_principal: 512,
    bytes_of_principal: 4 * 1024 * 1024,
    bytes: 32 * 1024 * 1024,
    idle: Duration::from_secs(60 * 60),
};

/// The tokens that servers assigned to sessions. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct SessionStates(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bounds: StateBounds,
    kept: Mutex<StateTable>,
    /// The number of tokens, which every call reads without the lock.
    count: AtomicUsize,
}

type StateTable = HashMap<StateKey, KeptState>;

/// A session, the agents for which it acts, and a server in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct StateKey {
    pub(super) session: SessionTag,
    /// The agents on whose behalf a call is made, as a JSON array of their ids. A server's data for one must not be used for
    /// another.
    pub(super) delegation: Box<str>,
    /// The generation of the server. Another server with the same id has another generation.
    pub(super) server: u64,
}

#[derive(Debug)]
struct KeptState {
    token: SessionStateToken,
    /// The id of the caller in whose session the token was assigned.
    owner: Box<str>,
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
        Self(Arc::new(Inner { bounds, kept: Mutex::default(), count: AtomicUsize::new(0) }))
    }

    /// Returns the token that a server assigned to a session last. This does not count as a use of the token, because the call may be
    /// rejected for it.
    pub(super) fn get(&self, key: &StateKey) -> Option<SessionStateToken> {
        self.0.change(|kept, now| {
            let state = kept.get(key)?;
            if now.duration_since(state.used) > self.0.bounds.idle {
                kept.remove(key);
                return None;
            }
            Some(state.token.clone())
        })
    }

    /// Notes that a call has used a token, if the token is still the kept one.
    pub(super) fn note_used(&self, key: &StateKey, token: &SessionStateToken) {
        self.0.change(|kept, now| {
            if let Some(state) = kept.get_mut(key).filter(|state| state.token == *token) {
                state.used = now;
            }
        });
    }

    /// Keeps a token, replacing the previous one. Without room, the least recently used tokens are dropped: first those of the same session,
    /// then those of the same owner, then any.
    pub(super) fn keep(&self, key: StateKey, owner: &str, token: SessionStateToken) {
        let StateBounds { most, most_of_one, most_of_principal, bytes_of_principal, bytes, idle } =
            self.0.bounds;
        let size = token.0.len();
        let room = |bytes: usize| bytes.saturating_sub(size);
        self.0.change(|kept, now| {
            kept.remove(&key);
            if kept.len() >= most || usage(kept, |_, _| true).1 > room(bytes) {
                kept.retain(|_, state| now.duration_since(state.used) <= idle);
            }
            make_room(kept, most_of_one, usize::MAX, |other, _| other.session == key.session);
            make_room(kept, most_of_principal, room(bytes_of_principal), |_, state| *state.owner == *owner);
            make_room(kept, most, room(bytes), |_, _| true);
            kept.insert(key, KeptState { token, owner: owner.into(), used: now });
        });
    }

    /// Forgets the token of a server in a session. With `token`, only if it is still that one.
    pub(super) fn forget(&self, key: &StateKey, token: Option<&SessionStateToken>) {
        self.0.change(|kept, _| {
            if token.is_none_or(|token| kept.get(key).is_some_and(|state| state.token == *token)) {
                kept.remove(key);
            }
        });
    }

    /// Forgets all tokens of a removed server, by its generation.
    pub(crate) fn forget_server(&self, server: u64) {
        if !self.is_empty() {
            self.0.change(|kept, _| kept.retain(|key, _| key.server != server));
        }
    }

    /// Schedules dropping the tokens of a session for its end.
    pub(super) fn end_with(&self, session: &Session, tag: SessionTag) {
        let states = Arc::downgrade(&self.0);
        session.of_connection().get_or_insert_with(|| Arc::new(SessionEnd { session: tag, states }));
    }

    /// Returns whether nothing is kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.count.load(Ordering::Acquire) == 0
    }

    #[cfg(test)]
    fn count(&self) -> usize {
        self.0.kept.lock().len()
    }
}

impl Inner {
    /// Changes the tokens, and then counts them.
    fn change<T>(&self, change: impl FnOnce(&mut StateTable, Instant) -> T) -> T {
        let mut kept = self.kept.lock();
        let changed = change(&mut kept, Instant::now());
        self.count.store(kept.len(), Ordering::Release);
        changed
    }
}

/// Returns the number of the selected tokens, and their bytes.
fn usage(kept: &StateTable, selects: impl Fn(&StateKey, &KeptState) -> bool) -> (usize, usize) {
    let selected = kept.iter().filter(|(key, state)| selects(key, state));
    selected.fold((0, 0), |(count, bytes), (_, state)| (count + 1, bytes + state.token.0.len()))
}

/// Drops the oldest selected tokens until there is room for one more: fewer than `most` are left, with at most `bytes` bytes.
fn make_room(
    kept: &mut StateTable,
    most: usize,
    bytes: usize,
    selects: impl Fn(&StateKey, &KeptState) -> bool,
) {
    let (mut count, mut size) = usage(kept, &selects);
    while count > 0 && (count >= most || size > bytes) {
        let oldest = kept.iter().filter(|(key, state)| selects(key, state));
        let oldest = oldest.min_by_key(|(_, state)| state.used).map(|(key, _)| key.clone());
        let Some(dropped) = oldest.and_then(|key| kept.remove(&key)) else { return };
        (count, size) = (count - 1, size - dropped.token.0.len());
    }
}

impl Drop for SessionEnd {
    fn drop(&mut self) {
        if let Some(states) = self.states.upgrade() {
            states.change(|kept, _| kept.retain(|key, _| key.session != self.session));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(session: u8, server: u64) -> StateKey {
        StateKey { session: SessionTag::new([session; 16]), delegation: "[]".into(), server }
    }

    fn token(text: &str) -> SessionStateToken {
        SessionStateToken(text.to_owned())
    }

    fn states() -> SessionStates {
        let idle = Duration::from_secs(60);
        SessionStates::new(StateBounds {
            most: 4,
            most_of_one: 2,
            most_of_principal: 4,
            bytes_of_principal: 100,
            bytes: 100,
            idle,
        })
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_belongs_to_one_session_and_server_until_it_is_unused() {
        let states = states();
        states.keep(key(1, 1), "ann", token("x"));
        assert_eq!(states.get(&key(1, 1)), Some(token("x")));
        assert_eq!((states.get(&key(2, 1)), states.get(&key(1, 2))), (None, None));
        tokio::time::advance(Duration::from_secs(59)).await;
        states.note_used(&key(1, 1), &token("x"));
        tokio::time::advance(Duration::from_secs(59)).await;
        assert_eq!(states.get(&key(1, 1)), Some(token("x")), "it was used in between");
        states.note_used(&key(1, 1), &token("another"));
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!((states.get(&key(1, 1)), states.count()), (None, 0), "to read it is not to use it");
    }

    #[tokio::test(start_paused = true)]
    async fn the_least_recently_used_token_is_evicted() {
        let states = states();
        let keep = async |session, server, text: &str| {
            tokio::time::advance(Duration::from_secs(1)).await;
            states.keep(key(session, server), "ann", token(text));
        };
        for server in [1, 2, 3] {
            keep(1, server, "x").await;
        }
        assert_eq!((states.count(), states.get(&key(1, 1))), (2, None), "a session has its share");
        for session in 2..=4 {
            keep(session, 1, "x").await;
        }
        assert_eq!((states.count(), states.get(&key(1, 2))), (4, None), "all of them have a bound");
        keep(5, 1, &"x".repeat(98)).await;
        assert_eq!((states.count(), states.get(&key(2, 1))), (3, None), "so do their bytes");
    }

    #[tokio::test]
    async fn the_tokens_of_a_session_end_with_it() {
        let (states, session) = (states(), Session::new("s"));
        states.keep(key(1, 1), "ann", token("x"));
        states.keep(key(2, 1), "ann", token("x"));
        states.end_with(&session.derived(), SessionTag::new([1; 16]));
        assert_eq!(states.count(), 2);
        drop(session);
        assert_eq!((states.count(), states.get(&key(1, 1))), (1, None));
    }

    #[test]
    fn a_token_that_was_replaced_in_the_meantime_is_kept() {
        let states = states();
        states.keep(key(1, 1), "ann", token("new"));
        states.forget(&key(1, 1), Some(&token("old")));
        assert_eq!(states.count(), 1);
        states.forget(&key(1, 1), Some(&token("new")));
        assert_eq!(states.count(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn many_sessions_of_one_principal_evict_no_state_of_others() {
        let idle = Duration::from_secs(60);
        let bounds = StateBounds {
            most: 100,
            most_of_one: 100,
            most_of_principal: 2,
            bytes_of_principal: 50,
            bytes: 100,
            idle,
        };
        let states = SessionStates::new(bounds);
        states.keep(key(0, 1), "ann", token("hers"));
        for session in 1..=20 {
            tokio::time::advance(Duration::from_secs(1)).await;
            states.keep(key(session, 1), "bob", token("x"));
        }
        assert_eq!((states.count(), states.get(&key(0, 1))), (3, Some(token("hers"))));
        states.keep(key(21, 1), "bob", token(&"x".repeat(50)));
        assert_eq!(states.count(), 2, "the bytes of one are bounded, too");
        assert_eq!(states.get(&key(0, 1)), Some(token("hers")));
    }

    #[tokio::test]
    async fn the_tokens_of_a_removed_server_are_forgotten() {
        let states = states();
        states.keep(key(1, 1), "ann", token("x"));
        states.keep(key(1, 2), "ann", token("x"));
        states.forget_server(1);
        assert_eq!((states.get(&key(1, 1)), states.get(&key(1, 2))), (None, Some(token("x"))));
        states.forget_server(2);
        assert!(states.is_empty());
    }

    #[cfg(feature = "child")]
    #[tokio::test]
    async fn a_server_replaced_by_another_command_loses_its_tokens() {
        let config = |keys: &str| {
            let text = format!("[[servers]]\nid = \"s\"\n{keys}");
            mgp_discovery::config::Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap()
        };
        let builder = crate::Kernel::builder().configure(&config("command = \"true\"")).unwrap();
        let kernel = builder.start().await.unwrap();
        let states = kernel.session_states();
        let place = || StateKey { server: kernel.servers()[0].succession.generation(), ..key(1, 0) };
        states.keep(place(), "ann", token("x"));
        let by = mgp_types::context::Principal::operator("ann");
        kernel.reconfigure(&config("command = \"true\"\nenv = { A = \"1\" }"), &by).await.unwrap();
        assert_eq!(states.get(&place()), Some(token("x")), "the command is the same");
        kernel.reconfigure(&config("command = \"false\""), &by).await.unwrap();
        assert!(states.is_empty());
    }
}
