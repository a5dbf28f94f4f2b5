//! GET: the session's own stream, or the rest of a broken stream.

use crate::http::{
    header::LAST_EVENT_ID,
    server::{
        refusal::Refusal,
        request::{
            media_types,
            revision::{check_has_sessions, check_version},
        },
        session::HttpSession,
        state::ServerState,
        stream::{
            EventId, Reader, ResumeError,
            sse::{self, Form},
        },
    },
};
use axum::{Extension, extract::State, response::Response};
use http::{HeaderMap, HeaderValue, StatusCode};
use mgp_types::context::Principal;
use std::{collections::VecDeque, sync::Arc};

/// Opens the session's own stream, or resumes a stream after the last event that arrived.
pub(super) async fn get(
    State(server): State<Arc<ServerState>>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    check_has_sessions(&headers)?;
    media_types::check_stream(&headers)?;
    let session = server.sessions.find(&headers, &principal)?;
    check_version(&headers)?;
    let activity = session.activity();
    let reader = match headers.get(LAST_EVENT_ID) {
        Some(last) => resume(&session, last)?,
        None => own(&session)?,
    };
    let form = Form::of(&session.streams, &server.config, &reader, reader.last_sent());
    Ok(sse::response(reader, VecDeque::new(), form, activity))
}

fn own(session: &HttpSession) -> Result<Reader, Refusal> {
    session.streams.open_session().ok_or_else(|| {
        let message = "the stream of this session is open already: there is one a session";
        Refusal::new(StatusCode::CONFLICT, message)
    })
}

/// Resumes a stream after an event. If that is not possible, the status is not 404, because 404 would mean that the session is
/// gone.
fn resume(session: &HttpSession, last: &HeaderValue) -> Result<Reader, Refusal> {
    let id: Option<EventId> = last.to_str().ok().and_then(|last| last.parse().ok());
    let is_of_other = |id: EventId| id.session != session.streams.number();
    if let Some(id) = id.filter(|id| is_of_other(*id)).filter(|_| session.was_taken_over()) {
        // The events were those of a replica that is gone. Nothing was sent on the session's own stream since.
        return match id.stream {
            0 => own(session),
            _ => Err(expired()),
        };
    }
    let resumed = id.ok_or(ResumeError::Unknown).and_then(|id| session.streams.resume(id));
    resumed.map_err(|why| match why {
        ResumeError::Unknown => Refusal::bad_request("unknown Last-Event-ID: expected one of this session"),
        ResumeError::Expired => expired(),
    })
}

fn expired() -> Refusal {
    Refusal::new(StatusCode::GONE, "expired Last-Event-ID: the events after it are no longer kept")
}
