//! The session that a request names.

use crate::http::{
    era,
    header::SESSION_ID,
    server::{
        paths::{HttpSsePaths, secret_in},
        session::Transport,
        state::ServerState,
    },
};
use axum::extract::Request;

/// The session that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedSession {
    pub(super) secret: String,
    pub(super) transport: Transport,
}

impl NamedSession {
    /// Returns the session that a request names; `None` if the request names none, or is one of a stateless revision.
    pub(super) fn of(server: &ServerState, request: &Request) -> Option<Self> {
        let is_messages = |paths: &HttpSsePaths| paths.messages == request.uri().path();
        if server.paths.http_sse.as_ref().is_some_and(is_messages) {
            let secret = secret_in(request.uri().query()?)?.to_owned();
            return Some(Self { secret, transport: Transport::HttpSse });
        }
        if !server.paths.is_endpoint(request.uri().path()) || era::names_stateless(request.headers()) {
            return None;
        }
        let secret = request.headers().get(SESSION_ID)?.to_str().ok()?.to_owned();
        Some(Self { secret, transport: Transport::Streamable })
    }
}
