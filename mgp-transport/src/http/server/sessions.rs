//! The sessions of a server, by what their clients present.

use super::{
    refusal::Refusal,
    session::{HttpSession, Transport},
};
use crate::{http::header::SESSION_ID, sync::lock};
use http::{HeaderMap, StatusCode};
use mgp_types::{context::Principal, error::ErrorCode};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// The sessions of a server.
#[derive(Debug)]
pub(super) struct Sessions {
    table: Mutex<HashMap<String, Arc<HttpSession>>>,
    limit: usize,
}

impl Sessions {
    pub(super) fn new(limit: usize) -> Self {
        Self { table: Mutex::default(), limit }
    }

    pub(super) fn count(&self) -> usize {
        lock(&self.table).len()
    }

    pub(super) fn all(&self) -> Vec<Arc<HttpSession>> {
        lock(&self.table).values().cloned().collect()
    }

    /// Refuses one session too many.
    pub(super) fn check_room(&self) -> Result<(), Refusal> {
        if self.count() < self.limit { Ok(()) } else { Err(self.too_many()) }
    }

    pub(super) fn add(&self, session: &Arc<HttpSession>) -> Result<(), Refusal> {
        let mut table = lock(&self.table);
        if table.len() >= self.limit {
            return Err(self.too_many());
        }
        table.insert(session.secret.clone(), session.clone());
        Ok(())
    }

    pub(super) fn remove(&self, session: &HttpSession) {
        lock(&self.table).remove(&session.secret);
    }

    /// The session that a request names in its header.
    pub(super) fn find(
        &self,
        headers: &HeaderMap,
        principal: &Principal,
    ) -> Result<Arc<HttpSession>, Refusal> {
        let Some(secret) = headers.get(SESSION_ID) else {
            let message = "missing Mcp-Session-Id header: only initialize may come without one";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, message));
        };
        self.named(secret.to_str().unwrap_or_default(), principal, Transport::Streamable)
    }

    /// The session of a name. One of another principal, or of another transport, does not exist for it.
    pub(super) fn named(
        &self,
        secret: &str,
        principal: &Principal,
        transport: Transport,
    ) -> Result<Arc<HttpSession>, Refusal> {
        let session = lock(&self.table).get(secret).cloned();
        let session = session.filter(|session| {
            session.principal == *principal && session.transport == transport && session.takes_messages()
        });
        session.ok_or_else(Refusal::no_session)
    }

    fn too_many(&self) -> Refusal {
        let message = format!("too many sessions: {} are open, which is the limit", self.limit);
        let error = ErrorCode::ResourceExhausted.error(message).to_plain_mcp();
        Refusal::with(StatusCode::SERVICE_UNAVAILABLE, error)
    }
}
