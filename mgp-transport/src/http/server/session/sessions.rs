//! The sessions of a server, by the secrets that their clients present.

use super::{HttpSession, Transport};
use crate::{
    connection::ConnectionError,
    http::{
        header::SESSION_ID,
        server::{
            HttpServerConfig,
            auth::random_hex,
            backend::Backend,
            limits::Room,
            refusal::Refusal,
            replicas::{LocalSessions, Replicas, key_of},
        },
    },
};
use http::{HeaderMap, StatusCode};
use mgp_types::{
    context::Principal,
    rpc::{ErrorObject, RequestId},
};
use parking_lot::Mutex;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// The sessions of a server.
pub(in crate::http::server) struct Sessions {
    backend: Arc<Backend>,
    config: Arc<HttpServerConfig>,
    /// This replica, which removes the record of a session that has ended.
    replicas: Option<Arc<Replicas>>,
    table: Mutex<HashMap<String, Arc<HttpSession>>>,
}

impl Sessions {
    pub(in crate::http::server) fn new(
        backend: Arc<Backend>,
        config: Arc<HttpServerConfig>,
        replicas: Option<Arc<Replicas>>,
    ) -> Self {
        Self { backend, config, replicas, table: Mutex::default() }
    }

    /// Opens a session and watches it to its end. `opening` is the request that opens the session; `None` if one stream carries
    /// everything.
    pub(in crate::http::server) fn open(
        self: &Arc<Self>,
        principal: &Principal,
        opening: Option<RequestId>,
    ) -> Result<Arc<HttpSession>, Refusal> {
        self.check_room(principal, self.room())?;
        let secret = random_hex().map_err(|error| {
            tracing::error!(%error, "no random bytes for a session id");
            Refusal::with(StatusCode::INTERNAL_SERVER_ERROR, ErrorObject::internal("internal error"))
        })?;
        let session = self.prepare(secret, principal.clone(), opening);
        self.admit(&session)?;
        Ok(session)
    }

    /// Starts a session that has no place yet.
    pub(in crate::http::server) fn prepare(
        &self,
        secret: String,
        principal: Principal,
        opening: Option<RequestId>,
    ) -> Arc<HttpSession> {
        let replicas = self.replicas.as_deref();
        HttpSession::start(secret, principal, opening, &self.backend, &self.config, replicas)
    }

    /// Gives a session a place, and watches it to its end.
    pub(in crate::http::server) fn admit(
        self: &Arc<Self>,
        session: &Arc<HttpSession>,
    ) -> Result<(), Refusal> {
        let ends = self.add(session, self.room()).inspect_err(|_| session.end(ConnectionError::Shutdown))?;
        if let Some(ends) = ends {
            tracing::info!(
                session = ends.peer().session().id(),
                "ended the session that was idle longest, for a new one"
            );
            ends.end(ConnectionError::Transport(
                "the session was idle longest, and a new session needed its place".into(),
            ));
        }
        tokio::spawn({
            let (sessions, session) = (self.clone(), session.clone());
            async move {
                session.clone().watch(&sessions.config).await;
                sessions.remove(&session);
                if let Some((replicas, replicated)) = sessions.replicas.as_ref().zip(session.replicated()) {
                    replicas.ended(replicated).await;
                }
            }
        });
        Ok(())
    }

    /// Returns the limits on sessions.
    fn room(&self) -> Room {
        let several = self.backend.authority().has_several_callers();
        Room::new(self.config.sessions, self.config.sessions_of_one, several)
    }

    /// Returns whether a session with a secret is here.
    pub(in crate::http::server) fn has(&self, secret: &str) -> bool {
        self.table.lock().contains_key(secret)
    }

    pub(in crate::http::server) fn count(&self) -> usize {
        self.table.lock().len()
    }

    pub(in crate::http::server) fn all(&self) -> Vec<Arc<HttpSession>> {
        self.table.lock().values().cloned().collect()
    }

    /// Refuses a new session if there is no room among all sessions or among those of its principal, and none can end.
    fn check_room(&self, principal: &Principal, room: Room) -> Result<(), Refusal> {
        find_room(&self.table.lock(), principal, room).map(drop)
    }

    /// Adds a session. Returns the session that must end for it, if there is no other room.
    fn add(&self, session: &Arc<HttpSession>, room: Room) -> Result<Option<Arc<HttpSession>>, Refusal> {
        let mut table = self.table.lock();
        let ends = find_room(&table, &session.principal, room)?;
        if let Some(ends) = &ends {
            table.remove(&ends.secret);
        }
        table.insert(session.secret.clone(), session.clone());
        Ok(ends)
    }

    pub(in crate::http::server) fn remove(&self, session: &HttpSession) {
        self.table.lock().remove(&session.secret);
    }

    /// Returns the session that a request names in its header.
    pub(in crate::http::server) fn find(
        &self,
        headers: &HeaderMap,
        principal: &Principal,
    ) -> Result<Arc<HttpSession>, Refusal> {
        let Some(secret) = headers.get(SESSION_ID) else {
            let message = "missing Mcp-Session-Id header: only initialize may come without one";
            return Err(Refusal::bad_request(message));
        };
        self.named(secret.to_str().unwrap_or_default(), principal, Transport::Streamable)
    }

    /// Returns the session with a name. A session of another principal, or of another transport, counts as unknown.
    pub(in crate::http::server) fn named(
        &self,
        secret: &str,
        principal: &Principal,
        transport: Transport,
    ) -> Result<Arc<HttpSession>, Refusal> {
        let session = self.table.lock().get(secret).cloned();
        let session = session.filter(|session| {
            session.principal == *principal && session.transport == transport && session.takes_messages()
        });
        session.ok_or_else(Refusal::no_session)
    }
}

impl LocalSessions for Sessions {
    fn end_lost(&self, owned: &HashMap<String, i64>) -> HashSet<String> {
        let mut here = HashSet::new();
        for session in self.all() {
            let Some(replicated) = session.replicated() else {
                here.insert(key_of(&session.secret));
                continue;
            };
            if owned.get(&replicated.key) == Some(&replicated.epoch) {
                here.insert(replicated.key.clone());
                continue;
            }
            tracing::warn!(
                session = session.peer().session().id(),
                "another replica has taken the session over"
            );
            self.remove(&session);
            session.end(ConnectionError::Transport("another replica has taken the session over".into()));
        }
        here
    }
}

/// Returns the session that must end to make room for one more of a principal; `None` if there is room. Many clients never end
/// their sessions, so the session that is idle longest ends.
///
/// It belongs to the same principal, or to one that still has more sessions afterwards. So no principal loses its last session to
/// another.
fn find_room(
    table: &HashMap<String, Arc<HttpSession>>,
    principal: &Principal,
    room: Room,
) -> Result<Option<Arc<HttpSession>>, Refusal> {
    let mut counts = HashMap::<&Principal, usize>::new();
    for session in table.values() {
        *counts.entry(&session.principal).or_default() += 1;
    }
    let of_one = counts.get(principal).copied().unwrap_or_default();
    let Err(refusal) = room.check("session", table.len(), of_one) else { return Ok(None) };
    let may_end = |owner: &Principal| {
        owner == principal || (of_one < room.of_one && counts.get(owner).is_some_and(|of| *of > of_one + 1))
    };
    let idle = table.values().filter(|session| may_end(&session.principal));
    let idle = idle.filter_map(|session| Some((session.idle_since()?, session)));
    idle.min_by_key(|(since, _)| *since).map(|(_, session)| Some(session.clone())).ok_or(refusal)
}
