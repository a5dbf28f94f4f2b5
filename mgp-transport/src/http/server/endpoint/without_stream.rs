//! The answers to a client that cannot read streams.

use crate::{
    connection::Route,
    http::{
        header::{JSON, SSE},
        server::{
            refusal::Refusal,
            session::HttpSession,
            stream::{Event, Kind, Reader},
        },
    },
};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use mgp_types::rpc::{ErrorObject, Frame, JsonRpcCode};

/// Returns the answers of a stream whose client cannot read streams. Messages before the answers are dropped. A request is
/// refused on behalf of the client, so that the service does not wait for it.
pub(in crate::http::server) async fn answers(session: &HttpSession, reader: &Reader) -> Vec<Event> {
    let mut answers = Vec::new();
    while let Some(Ok((_, event))) = reader.next().await {
        if let Kind::Answer { .. } = event.kind {
            answers.push(event);
        } else if let Ok(Frame::Request { id, method, .. }) = Frame::parse(&event.text) {
            let message = format!("{method} cannot be sent: the client accepts {JSON} and not {SSE}");
            let error = ErrorObject::new(JsonRpcCode::MethodNotFound, message);
            session.inbox.receive(Frame::Response { id: Some(id), outcome: Err(error) }, Route::Session);
        }
    }
    answers
}

/// Answers a client that cannot read streams, if there is no answer. Its session ended, its request was cancelled, or the rest
/// can only be read as a stream.
pub(super) fn no_answer(session: &HttpSession, reader: &Reader) -> Result<Response, Refusal> {
    if session.peer().is_closed() {
        return Err(Refusal::no_session());
    }
    if reader.is_dismissed() {
        let message =
            format!("unsupported Accept: expected {SSE}, because the answer comes on a later stream");
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, message));
    }
    Ok(StatusCode::ACCEPTED.into_response())
}
