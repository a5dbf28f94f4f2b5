//! POST: one message.

use super::{
    accept, body,
    builder::Inner,
    config::ReplyForm,
    endpoint::check_version,
    queue::{Event, Kind, Reader},
    refusal::Refusal,
    session::HttpSession,
    sse,
};
use crate::{
    connection::{ConnectionError, Route},
    http::{
        era,
        header::{JSON, SESSION_ID},
    },
};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header::CONTENT_TYPE};
use mgp_types::{
    context::Principal,
    error::ErrorCode,
    rpc::{ErrorObject, Frame, RequestId},
};
use std::{
    future::poll_fn,
    sync::{Arc, atomic::Ordering},
};

/// Takes one message, and answers it where it is a request.
pub(super) async fn post(
    server: &Arc<Inner>,
    principal: &Principal,
    headers: &HeaderMap,
    body: axum::body::Body,
) -> Result<Response, Refusal> {
    accept::check_post(headers)?;
    let frame = body::read(body, &server.config).await?;
    let id = match &frame {
        Frame::Request { id, .. } => Some(id.clone()),
        Frame::Notification { .. } | Frame::Response { .. } => None,
    };
    let of_request = |refusal: Refusal| refusal.of(id.as_ref());
    if id.is_some() && server.draining.load(Ordering::Acquire) {
        let error = ErrorCode::ServerDraining.error("the server shuts down").to_plain_mcp();
        return Err(of_request(Refusal::with(StatusCode::SERVICE_UNAVAILABLE, error)));
    }
    let opens = matches!(&frame, Frame::Request { method, .. } if *method == era::OPENS_SESSION);
    if opens && !headers.contains_key(SESSION_ID) {
        return open(server, principal, frame).await.map_err(of_request);
    }
    let session = server.sessions.find(headers, principal).map_err(of_request)?;
    check_version(headers).map_err(of_request)?;
    if opens {
        let message = "the session is initialized already: a new one starts without Mcp-Session-Id";
        return Err(of_request(Refusal::new(StatusCode::BAD_REQUEST, message)));
    }
    match id {
        Some(id) => request(server, &session, frame, &id).await.map(|(response, _)| response),
        None => {
            let _activity = session.activity();
            session.inbox.receive(frame, Route::Session);
            Ok(StatusCode::ACCEPTED.into_response())
        }
    }
}

/// Opens a session with the request that asks for one.
async fn open(server: &Arc<Inner>, principal: &Principal, frame: Frame) -> Result<Response, Refusal> {
    let Frame::Request { id, .. } = &frame else { return Err(Refusal::no_session()) };
    let id = id.clone();
    server.sessions.check_room()?;
    let secret = super::api_key::random_hex().map_err(|error| {
        tracing::error!(%error, "no random bytes for a session id");
        Refusal::with(StatusCode::INTERNAL_SERVER_ERROR, ErrorObject::internal("internal error"))
    })?;
    let make_service = &server.make_service;
    let session = HttpSession::start(secret, principal.clone(), id.clone(), &server.config, |session| {
        make_service(session)
    });
    server.sessions.add(&session).inspect_err(|_| session.end(ConnectionError::Shutdown))?;
    tokio::spawn({
        let (server, session) = (server.clone(), session.clone());
        async move {
            session.clone().watch(server.config.idle_time_limit).await;
            server.sessions.remove(&session);
        }
    });
    let (mut response, refused) = request(server, &session, frame, &id).await?;
    if !refused && let Ok(secret) = HeaderValue::from_str(&session.secret) {
        response.headers_mut().insert(SESSION_ID, secret);
    }
    Ok(response)
}

/// Hands a request to its session and answers in the form that what comes first asks for. Says too whether the answer
/// is there and is an error.
async fn request(
    server: &Inner,
    session: &Arc<HttpSession>,
    frame: Frame,
    id: &RequestId,
) -> Result<(Response, bool), Refusal> {
    let activity = session.activity();
    let reader = session.streams.open_call(id).ok_or_else(|| {
        let message = format!("invalid id: a request with the id {id} is still running");
        Refusal::new(StatusCode::BAD_REQUEST, message).of(Some(id))
    })?;
    session.inbox.receive(frame, Route::Request(id.clone()));
    let first = first(&reader, server).await;
    let refused = matches!(&first, First::Event(Event { kind: Kind::Answer { ok: false }, .. }));
    let response = match first {
        First::Event(event)
            if server.config.reply_form == ReplyForm::AsNeeded
                && matches!(event.kind, Kind::Answer { .. }) =>
        {
            let mut response = event.text.into_response();
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
            response
        }
        First::Event(event) => sse::response(reader, Some(event), server.config.keep_alive, activity),
        First::NotYet => sse::response(reader, None, server.config.keep_alive, activity),
        First::End if session.peer().is_closed() => return Err(Refusal::no_session().of(Some(id))),
        // A cancelled call gets no answer: the stream is empty.
        First::End => sse::response(reader, None, None, activity),
    };
    Ok((response, refused))
}

/// What comes first for a request.
enum First {
    Event(Event),
    End,
    NotYet,
}

async fn first(reader: &Reader, server: &Inner) -> First {
    let next = poll_fn(|cx| reader.poll_next(cx));
    match tokio::time::timeout(server.config.json_time_limit, next).await {
        Ok(Some(Ok(event))) => First::Event(event),
        Ok(Some(Err(_)) | None) => First::End,
        Err(_) => First::NotYet,
    }
}
