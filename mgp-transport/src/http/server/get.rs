//! GET: the session's own stream.

use super::{accept, builder::Inner, endpoint::check_version, refusal::Refusal, sse};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use mgp_types::context::Principal;

/// Opens the session's stream, of which there is one.
pub(super) fn get(server: &Inner, principal: &Principal, headers: &HeaderMap) -> Result<Response, Refusal> {
    accept::check_get(headers)?;
    let session = server.sessions.find(headers, principal)?;
    check_version(headers)?;
    let activity = session.activity();
    let reader = session.streams.open_session().ok_or_else(|| {
        Refusal::new(
            StatusCode::CONFLICT,
            "the stream of this session is open already: there is one a session",
        )
    })?;
    Ok(sse::response(reader, None, server.config.keep_alive, activity))
}
