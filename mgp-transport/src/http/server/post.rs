//! POST: one message, or a batch if the session has batches.

use super::{
    accept, batch,
    body::{self, RequestBody},
    builder::Inner,
    config::ReplyForm,
    endpoint::check_version,
    log::{Event, Kind},
    queue::Reader,
    refusal::Refusal,
    session::HttpSession,
    sse::{self, Form},
    stateless,
};
use crate::{
    connection::Route,
    era::INITIALIZE,
    http::{
        era,
        header::{JSON, SESSION_ID},
    },
    seam::TokenGrant,
};
use axum::response::{IntoResponse, Response};
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, header::CONTENT_TYPE};
use mgp_types::{
    context::Principal,
    rpc::{Frame, RequestId},
};
use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Arc, atomic::Ordering},
};

/// Takes one message, and answers it if it is a request.
pub(super) async fn post(
    server: &Arc<Inner>,
    principal: &Principal,
    granted: Option<TokenGrant>,
    headers: &HeaderMap,
    body: axum::body::Body,
) -> Result<Response, Refusal> {
    accept::check_post(headers)?;
    let (posted, lease) = body::read(server, principal, body).await?;
    let frame = match posted {
        RequestBody::One(frame) => frame,
        RequestBody::Batch(text) => {
            return batch::post(server, principal, granted.as_ref(), headers, text, lease).await;
        }
    };
    let mut context = server.authorize(granted.as_ref(), &frame)?;
    if let Some(lease) = lease {
        lease.keep_with(&mut context);
    }
    let id = match &frame {
        Frame::Request { id, .. } => Some(id.clone()),
        Frame::Notification { .. } | Frame::Response { .. } => None,
    };
    let of_request = |refusal: Refusal| refusal.of(id.as_ref());
    if id.is_some() && server.draining.load(Ordering::Acquire) {
        return Err(of_request(Refusal::draining()));
    }
    if era::is_stateless(headers, &frame) {
        return stateless::post(server, principal, headers, frame, context).await;
    }
    let opens = matches!(&frame, Frame::Request { method, .. } if *method == INITIALIZE);
    if opens && !headers.contains_key(SESSION_ID) {
        return open(server, principal, frame, context).await.map_err(of_request);
    }
    let session = server.sessions.find(headers, principal).map_err(of_request)?;
    check_version(headers).map_err(of_request)?;
    if opens {
        let message = "the session is initialized already: a new one starts without Mcp-Session-Id";
        return Err(of_request(Refusal::new(StatusCode::BAD_REQUEST, message)));
    }
    match id {
        Some(id) => request(server, &session, frame, &id, context).await.map(|(response, _)| response),
        None => {
            let _activity = session.activity();
            session.inbox.receive_with(frame, Route::Session, context);
            Ok(StatusCode::ACCEPTED.into_response())
        }
    }
}

/// Opens a session with the request that asks for one.
async fn open(
    server: &Arc<Inner>,
    principal: &Principal,
    frame: Frame,
    context: Extensions,
) -> Result<Response, Refusal> {
    let Frame::Request { id, .. } = &frame else { return Err(Refusal::no_session()) };
    let id = id.clone();
    let session = HttpSession::open(server, principal, Some(id.clone()))?;
    let (mut response, refused) = request(server, &session, frame, &id, context).await?;
    if !refused && let Ok(secret) = HeaderValue::from_str(&session.secret) {
        response.headers_mut().insert(SESSION_ID, secret);
    }
    Ok(response)
}

/// Hands a request to its session, and answers in the form that fits the first event. Also returns whether that event is an answer
/// with an error.
async fn request(
    server: &Inner,
    session: &Arc<HttpSession>,
    frame: Frame,
    id: &RequestId,
    context: Extensions,
) -> Result<(Response, bool), Refusal> {
    let activity = session.activity();
    let reader = session.streams.open_calls(&[id]).map_err(|id| {
        let message = format!("invalid id: a request with the id {id} is still running");
        Refusal::new(StatusCode::BAD_REQUEST, message).of(Some(id))
    })?;
    session.inbox.receive_with(frame, Route::Request(id.clone()), context);
    let first = first(&reader, server).await;
    let refused = matches!(&first, First::Event(_, Event { kind: Kind::Answer { ok: false }, .. }));
    let form = || Form::of(session, &server.config, &reader, 0);
    let response = match first {
        First::Event(_, event)
            if server.config.reply_form == ReplyForm::AsNeeded
                && matches!(event.kind, Kind::Answer { .. }) =>
        {
            let mut response = event.text.into_response();
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
            response
        }
        First::Event(number, event) => {
            let form = form();
            sse::response(reader, [(number, event)].into(), form, activity)
        }
        First::End if session.peer().is_closed() => return Err(Refusal::no_session().of(Some(id))),
        // A cancelled call gets no answer: the stream is empty.
        First::End if !reader.is_dismissed() => {
            sse::response(reader, VecDeque::new(), Form::default(), activity)
        }
        First::NotYet | First::End => {
            let form = form();
            sse::response(reader, VecDeque::new(), form, activity)
        }
    };
    Ok((response, refused))
}

/// The first event of a request.
enum First {
    Event(u64, Event),
    End,
    NotYet,
}

async fn first(reader: &Reader, server: &Inner) -> First {
    let next = poll_fn(|cx| reader.poll_next(cx));
    match tokio::time::timeout(server.config.json_timeout, next).await {
        Ok(Some(Ok((number, event)))) => First::Event(number, event),
        Ok(Some(Err(_)) | None) => First::End,
        Err(_) => First::NotYet,
    }
}
