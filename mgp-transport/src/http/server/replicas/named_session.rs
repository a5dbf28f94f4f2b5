//! The session that a request names.

use crate::http::{
    era,
    header::SESSION_ID,
    server::{paths::HttpSsePaths, session::Transport, state::ServerState},
};
use axum::extract::Request;

/// The query parameter that names the session in the address for messages of HTTP+SSE.
pub(in crate::http::server) const SESSION_PARAMETER: &str = "session_id";

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

/// Returns the secret of a session in a query.
pub(in crate::http::server) fn secret_in(query: &str) -> Option<&str> {
    let parts = query.split('&').filter_map(|part| part.split_once('='));
    parts.filter(|(name, _)| *name == SESSION_PARAMETER).map(|(_, value)| value).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_is_found_in_any_part_of_the_query() {
        assert_eq!(secret_in("a=b&session_id=7"), Some("7"));
        assert_eq!(secret_in("session_id2=7"), None);
        assert_eq!(secret_in(""), None);
    }
}
