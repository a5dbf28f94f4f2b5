//! The sessions of a server, by the secrets that their clients present.

use super::{
    refusal::Refusal,
    room::Room,
    session::{HttpSession, Transport},
};
use crate::http::header::SESSION_ID;
use http::HeaderMap;
use mgp_types::context::Principal;
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// The sessions of a server.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    table: Mutex<HashMap<String, Arc<HttpSession>>>,
}

impl Sessions {
    pub(super) fn count(&self) -> usize {
        self.table.lock().len()
    }

    pub(super) fn all(&self) -> Vec<Arc<HttpSession>> {
        self.table.lock().values().cloned().collect()
    }

    /// Refuses a session for which there is no room, among all or among those of its principal.
    pub(super) fn check_room(&self, principal: &Principal, room: Room) -> Result<(), Refusal> {
        check(&self.table.lock(), principal, room)
    }

    pub(super) fn add(&self, session: &Arc<HttpSession>, room: Room) -> Result<(), Refusal> {
        let mut table = self.table.lock();
        check(&table, &session.principal, room)?;
        table.insert(session.secret.clone(), session.clone());
        Ok(())
    }

    pub(super) fn remove(&self, session: &HttpSession) {
        self.table.lock().remove(&session.secret);
    }

    /// Returns the session that a request names in its header.
    pub(super) fn find(
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

    /// Returns the session of a name. A session of another principal, or of another transport, counts as unknown.
    pub(super) fn named(
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

fn check(
    table: &HashMap<String, Arc<HttpSession>>,
    principal: &Principal,
    room: Room,
) -> Result<(), Refusal> {
    let of_one = table.values().filter(|session| session.principal == *principal).count();
    room.check("session", table.len(), of_one)
}
