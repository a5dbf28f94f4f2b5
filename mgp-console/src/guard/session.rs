//! The tokens that open a session, and the sessions.

use super::secret::{Secret, SecretMark};
use crate::operator::{KeyedOperator, Operator};
use parking_lot::Mutex;
use std::{collections::HashMap, fmt, io, sync::Arc, time::Duration};
use tokio::time::Instant;

/// The time within which a token is used.
const TOKEN_LIFE: Duration = Duration::from_secs(120);
/// The time after which a session ends without a request.
const IDLE: Duration = Duration::from_secs(60 * 60);
/// The time after which a session ends.
const SESSION_LIFE: Duration = Duration::from_secs(12 * 60 * 60);
/// The most tokens, and the most sessions. The oldest makes room.
const MAX: usize = 64;

/// The session of an operator's browser.
pub(crate) struct Session {
    pub(crate) operator: Operator,
    /// The secret of the session's pages, which every change has to send: a page of another site cannot read it.
    pub(crate) page_token: Secret,
    mark: SecretMark,
    began: Instant,
    /// Returns whether the key still holds with which the session was opened, if it was one.
    holds: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("operator", &self.operator).finish_non_exhaustive()
    }
}

/// All tokens and sessions of a console.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    state: Mutex<SessionsState>,
}

#[derive(Debug, Default)]
struct SessionsState {
    tokens: HashMap<SecretMark, (Operator, Instant)>,
    sessions: HashMap<SecretMark, (Arc<Session>, Instant)>,
}

impl Sessions {
    /// Makes a token, which opens one session for an operator within two minutes.
    pub(crate) fn token(&self, operator: Operator) -> io::Result<Secret> {
        let token = Secret::draw()?;
        let mut state = self.state.lock();
        let now = Instant::now();
        state.tokens.retain(|_, (_, made)| now - *made < TOKEN_LIFE);
        make_room(&mut state.tokens, |(_, made)| *made);
        state.tokens.insert(token.mark(), (operator, now));
        Ok(token)
    }

    /// Uses up a token, and opens its session. Returns the secret of the session; `None` if the token is unknown, used or too old.
    pub(crate) fn open(&self, token: &str) -> io::Result<Option<Secret>> {
        let mut state = self.state.lock();
        let now = Instant::now();
        let Some((operator, made)) = state.tokens.remove(&SecretMark::of(token)) else { return Ok(None) };
        if now - made >= TOKEN_LIFE {
            return Ok(None);
        }
        state.open(operator, None).map(Some)
    }

    /// Opens the session of an operator with a key. Returns the secret of the session.
    pub(crate) fn open_with_key(
        &self,
        KeyedOperator { operator, holds }: KeyedOperator,
    ) -> io::Result<Secret> {
        self.state.lock().open(operator, Some(holds))
    }

    /// Returns the session with a secret, if it has not ended.
    pub(crate) fn find(&self, secret: &str) -> Option<Arc<Session>> {
        let mut state = self.state.lock();
        let (mark, now) = (SecretMark::of(secret), Instant::now());
        let (session, used) = state.sessions.get_mut(&mark)?;
        if !session.lives(*used, now) {
            state.sessions.remove(&mark);
            return None;
        }
        *used = now;
        Some(session.clone())
    }

    /// Ends a session.
    pub(crate) fn end(&self, session: &Session) {
        self.state.lock().sessions.remove(&session.mark);
    }

    /// Returns whether a session is still open. Unlike a request, the question does not keep it open.
    pub(crate) fn is_open(&self, session: &Session) -> bool {
        let now = Instant::now();
        self.state.lock().sessions.get(&session.mark).is_some_and(|(session, used)| session.lives(*used, now))
    }

    /// Returns the number of open sessions.
    pub(crate) fn count(&self) -> usize {
        let now = Instant::now();
        self.state.lock().sessions.values().filter(|(session, used)| session.lives(*used, now)).count()
    }
}

impl SessionsState {
    fn open(
        &mut self,
        operator: Operator,
        holds: Option<Box<dyn Fn() -> bool + Send + Sync>>,
    ) -> io::Result<Secret> {
        let (secret, now) = (Secret::draw()?, Instant::now());
        let session =
            Session { operator, page_token: Secret::draw()?, mark: secret.mark(), began: now, holds };
        self.sessions.retain(|_, (session, used)| session.lives(*used, now));
        make_room(&mut self.sessions, |(_, used)| *used);
        self.sessions.insert(secret.mark(), (Arc::new(session), now));
        Ok(secret)
    }
}

impl Session {
    fn lives(&self, used: Instant, now: Instant) -> bool {
        let holds = || self.holds.as_ref().is_none_or(|holds| holds());
        now - used < IDLE && now - self.began < SESSION_LIFE && holds()
    }
}

fn make_room<V>(map: &mut HashMap<SecretMark, V>, age: impl Fn(&V) -> Instant) {
    if map.len() >= MAX
        && let Some(oldest) = map.iter().min_by_key(|(_, value)| age(value)).map(|(mark, _)| *mark)
    {
        map.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::OperatorRole;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn ann() -> Operator {
        Operator { name: "ann".to_owned(), role: OperatorRole::Admin }
    }

    fn opened(sessions: &Sessions) -> Secret {
        let token = sessions.token(ann()).unwrap();
        sessions.open(token.as_str()).unwrap().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_opens_one_session_within_two_minutes() {
        let sessions = Sessions::default();
        let token = sessions.token(ann()).unwrap();
        let secret = sessions.open(token.as_str()).unwrap().unwrap();
        assert_eq!(sessions.find(secret.as_str()).unwrap().operator, ann());
        assert!(sessions.open(token.as_str()).unwrap().is_none(), "a token is used once");
        assert!(sessions.open("").unwrap().is_none());
        let late = sessions.token(ann()).unwrap();
        tokio::time::advance(TOKEN_LIFE).await;
        assert!(sessions.open(late.as_str()).unwrap().is_none(), "a token has an end");
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_ends_idle_at_its_end_and_on_request() {
        let sessions = Sessions::default();
        let idle = opened(&sessions);
        tokio::time::advance(IDLE).await;
        assert!(sessions.find(idle.as_str()).is_none());

        let used = opened(&sessions);
        let mut lasted = Duration::ZERO;
        while sessions.find(used.as_str()).is_some() {
            tokio::time::advance(IDLE / 2).await;
            lasted += IDLE / 2;
        }
        assert_eq!(lasted, SESSION_LIFE);

        let ended = opened(&sessions);
        let session = sessions.find(ended.as_str()).unwrap();
        assert!(sessions.is_open(&session));
        sessions.end(&session);
        assert!(sessions.find(ended.as_str()).is_none() && !sessions.is_open(&session));
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_ends_with_its_key() {
        let (sessions, is_valid) = (Sessions::default(), Arc::new(AtomicBool::new(true)));
        let key = is_valid.clone();
        let holds = Box::new(move || key.load(Ordering::Relaxed));
        let secret = sessions.open_with_key(KeyedOperator { operator: ann(), holds }).unwrap();
        let session = sessions.find(secret.as_str()).unwrap();
        assert!(sessions.is_open(&session) && sessions.count() == 1);
        is_valid.store(false, Ordering::Relaxed);
        assert!(!sessions.is_open(&session) && sessions.count() == 0);
        assert!(sessions.find(secret.as_str()).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_session_makes_room() {
        let sessions = Sessions::default();
        let first = opened(&sessions);
        for _ in 0..MAX {
            tokio::time::advance(Duration::from_secs(1)).await;
            opened(&sessions);
        }
        assert_eq!(sessions.count(), MAX);
        assert!(sessions.find(first.as_str()).is_none());
    }
}
