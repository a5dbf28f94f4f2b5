//! POST of a batch: several messages at once, as 2025-03-26 allows.

use super::without_stream::{answers, no_answer};
use crate::{
    codec::batch,
    connection::Route,
    era,
    http::server::{
        ReplyForm,
        limits::BodyLease,
        refusal::{Refusal, json},
        request::{idempotency_key, media_types::AnswerForms, revision::check_version},
        session::HttpSession,
        state::ServerState,
        stream::{
            Kind, Next,
            sse::{self, Form},
        },
    },
    seam::{Extensions, TokenGrant},
};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use mgp_types::{
    context::Principal,
    rpc::{Frame, FrameError, RequestId, write_response},
};
use std::{collections::VecDeque, sync::Arc};
use tokio::time::Instant;

/// Handles the messages of a batch in order. The answers are sent together, as one array or on one stream.
pub(super) async fn post(
    server: &ServerState,
    principal: &Principal,
    granted: Option<&TokenGrant>,
    (headers, forms): (&HeaderMap, AnswerForms),
    text: Bytes,
    lease: Option<Arc<BodyLease>>,
) -> Result<Response, Refusal> {
    let session = server.sessions.find(headers, principal)?;
    check_version(headers)?;
    if !era::has_batches(session.peer().session().get()) {
        let message = "batches are not supported: only 2025-03-26 has them, send one message in each POST";
        return Err(Refusal::bad_request(message));
    }
    idempotency_key::check_absent(headers)?;
    let frames = batch::read(text, server.config.session.batch)?;
    // Checked before any message is handed over: a message that the token does not allow refuses the whole batch.
    let contexts = frames.iter().map(|frame| match frame {
        Ok(frame) => server.authority.authorize(granted, frame, lease.as_ref()),
        Err(_) => Ok(Extensions::new()),
    });
    let contexts = contexts.collect::<Result<Vec<_>, _>>()?;
    let ids: Vec<_> = frames.iter().filter_map(request_id).collect();
    let refusals: Vec<_> = frames.iter().filter_map(refusal).collect();
    if !ids.is_empty() && server.is_draining() {
        return Err(Refusal::draining());
    }
    for frame in frames.iter().flatten() {
        server.note(&session, frame).await?;
    }
    let activity = session.activity();
    if ids.is_empty() {
        hand_over(&session, frames, contexts);
        return Ok(array(refusals.iter()));
    }
    let reader = session.streams.open_calls(&ids).map_err(|id| {
        let message =
            format!("invalid id: a request with the id {id} is still running, or occurs twice in this batch");
        Refusal::bad_request(message).of(Some(id))
    })?;
    reader.begin_with(refusals.into_iter());
    hand_over(&session, frames, contexts);
    if !forms.stream {
        let found = answers(&session, &reader).await;
        if found.is_empty() {
            return no_answer(&session, &reader);
        }
        return Ok(array(found.iter().map(|event| &event.text)));
    }
    let deadline = Instant::now() + server.config.json_timeout;
    let mut events = VecDeque::new();
    let is_all = loop {
        match reader.next_by(deadline).await {
            Next::Event(number, event) => {
                let is_answer = matches!(event.kind, Kind::Answer { .. });
                events.push_back((number, event));
                if !is_answer {
                    break false;
                }
            }
            Next::End => break !reader.is_dismissed(),
            Next::NotYet => break false,
        }
    };
    if session.peer().is_closed() {
        return Err(Refusal::no_session());
    }
    if is_all && forms.json && server.config.reply_form == ReplyForm::AsNeeded {
        return Ok(array(events.iter().map(|(_, event)| &event.text)));
    }
    let after = events.front().map_or_else(|| reader.last_sent(), |(number, _)| number - 1);
    let form = Form::of(&session.streams, &server.config, &reader, after);
    Ok(sse::response(reader, events, form, activity))
}

/// Hands every message to the session, in the order of the batch.
fn hand_over(session: &Arc<HttpSession>, frames: Vec<Result<Frame, FrameError>>, contexts: Vec<Extensions>) {
    for (frame, context) in frames.into_iter().zip(contexts) {
        match frame {
            Ok(frame) => {
                let route = match &frame {
                    Frame::Request { id, .. } => Route::Request(id.clone()),
                    Frame::Notification { .. } | Frame::Response { .. } => Route::Session,
                };
                session.inbox.receive_with(frame, route, context);
            }
            // An unreadable response ends the call that it names. The other messages already have their answers.
            Err(error) if error.is_response => session.inbox.refuse(error, &Route::Session),
            Err(_) => {}
        }
    }
}

fn request_id(frame: &Result<Frame, FrameError>) -> Option<&RequestId> {
    match frame {
        Ok(Frame::Request { id, .. }) => Some(id),
        _ => None,
    }
}

/// Returns the answer to an element that is not a message. An element that was meant as a response gets none.
fn refusal(frame: &Result<Frame, FrameError>) -> Option<Bytes> {
    let error = frame.as_ref().err().filter(|error| !error.is_response)?;
    let mut text = Vec::new();
    write_response(&mut text, error.id.as_ref(), &Err(error.error.clone()));
    Some(text.into())
}

/// Returns the answers as one array. JSON-RPC has no empty array, so a response without answers has no body.
fn array<'a>(answers: impl Iterator<Item = &'a Bytes>) -> Response {
    let mut text = Vec::new();
    for answer in answers {
        text.push(if text.is_empty() { b'[' } else { b',' });
        text.extend_from_slice(answer);
    }
    if text.is_empty() {
        return StatusCode::ACCEPTED.into_response();
    }
    text.push(b']');
    json(text)
}
