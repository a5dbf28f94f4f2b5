//! POST: one message, or a batch if the session has batches.

use super::{
    batch, stateless,
    without_stream::{answers, no_answer},
};
use crate::{
    connection::Route,
    era::INITIALIZE,
    http::{
        era,
        header::SESSION_ID,
        server::{
            ReplyForm,
            forwarding::forward_continued,
            refusal::{Refusal, json},
            request::{
                RequestBody, idempotency_key,
                media_types::{self, AnswerForms},
                revision::check_version,
            },
            session::HttpSession,
            state::ServerState,
            stream::{
                Event, Kind, Next,
                sse::{self, Form},
            },
        },
    },
    seam::{Extensions, TokenGrant},
};
use axum::{
    Extension,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode};
use mgp_types::{
    context::Principal,
    rpc::{Frame, RequestId},
};
use std::{collections::VecDeque, sync::Arc};
use tokio::time::Instant;

/// Accepts one message, and answers it if it is a request.
pub(super) async fn post(
    State(server): State<Arc<ServerState>>,
    Extension(principal): Extension<Principal>,
    granted: Option<Extension<TokenGrant>>,
    request: Request,
) -> Result<Response, Refusal> {
    // Extracting the headers would copy them.
    let (parts, body) = request.into_parts();
    let headers = &parts.headers;
    let forms = media_types::check_post(headers)?;
    let (posted, lease) = server.bodies.read(&principal, body).await?;
    let granted = granted.as_deref();
    let frame = match posted {
        RequestBody::One(frame) => frame,
        RequestBody::Batch(text) => {
            return batch::post(&server, &principal, granted, (headers, forms), text, lease).await;
        }
    };
    if let Some(answered) = forward_continued(&server, &parts, &frame).await? {
        return Ok(answered);
    }
    let (id, context) = server.admit(granted, &frame, lease.as_ref())?;
    let frame = idempotency_key::put_into(frame, headers).map_err(|refusal| refusal.of(id.as_ref()))?;
    if era::is_stateless(headers, &frame) {
        return stateless::post(&server, &principal, (headers, forms), frame, context).await;
    }
    let opens = matches!(&frame, Frame::Request { method, .. } if *method == INITIALIZE);
    let has_session = headers.contains_key(SESSION_ID);
    let answered = match &id {
        Some(id) if opens && !has_session => open(&server, &principal, forms, frame, id, context).await,
        _ => in_session(&server, &principal, (headers, forms), frame, context).await,
    };
    answered.map_err(|refusal| refusal.of(id.as_ref()))
}

/// Hands a message to the session that its header names.
async fn in_session(
    server: &ServerState,
    principal: &Principal,
    (headers, forms): (&HeaderMap, AnswerForms),
    frame: Frame,
    context: Extensions,
) -> Result<Response, Refusal> {
    let session = server.sessions.find(headers, principal)?;
    check_version(headers)?;
    match &frame {
        Frame::Request { method, .. } if *method == INITIALIZE => Err(Refusal::bad_request(
            "the session is initialized already: a new one starts without Mcp-Session-Id",
        )),
        Frame::Request { id, .. } => {
            let id = id.clone();
            server.note(&session, &frame).await?;
            request(server, &session, forms, frame, &id, context).await.map(|(response, _)| response)
        }
        Frame::Notification { .. } | Frame::Response { .. } => {
            let _activity = session.activity();
            session.inbox.receive_with(frame, Route::Session, context);
            Ok(StatusCode::ACCEPTED.into_response())
        }
    }
}

/// Opens a session with its first request.
async fn open(
    server: &Arc<ServerState>,
    principal: &Principal,
    forms: AnswerForms,
    frame: Frame,
    id: &RequestId,
    context: Extensions,
) -> Result<Response, Refusal> {
    let session = server.sessions.open(principal, Some(id.clone()))?;
    server.keep(&session, Some(&frame)).await?;
    let (mut response, refused) = request(server, &session, forms, frame, id, context).await?;
    if !refused && let Ok(secret) = HeaderValue::from_str(&session.secret) {
        response.headers_mut().insert(SESSION_ID, secret);
    }
    Ok(response)
}

/// Hands a request to its session, and answers in a form that the client can read and that fits the first event. Also returns
/// whether the first event is an answer with an error.
async fn request(
    server: &ServerState,
    session: &Arc<HttpSession>,
    forms: AnswerForms,
    frame: Frame,
    id: &RequestId,
    context: Extensions,
) -> Result<(Response, bool), Refusal> {
    let activity = session.activity();
    let reader = session.streams.open_calls(&[id]).map_err(|id| {
        Refusal::bad_request(format!("invalid id: a request with the id {id} is still running"))
    })?;
    session.inbox.receive_with(frame, Route::Request(id.clone()), context);
    if !forms.stream {
        let Some(Event { text, kind }) = answers(session, &reader).await.pop() else {
            return no_answer(session, &reader).map(|response| (response, false));
        };
        return Ok((json(text), kind == Kind::Answer { ok: false }));
    }
    let first = reader.next_by(Instant::now() + server.config.json_timeout).await;
    let refused = matches!(&first, Next::Event(_, Event { kind: Kind::Answer { ok: false }, .. }));
    let (first, form) = match first {
        Next::Event(_, Event { text, kind: Kind::Answer { .. } })
            if forms.json && server.config.reply_form == ReplyForm::AsNeeded =>
        {
            return Ok((json(text), refused));
        }
        Next::End if session.peer().is_closed() => return Err(Refusal::no_session()),
        // A cancelled call gets no answer: the stream is empty.
        Next::End if !reader.is_dismissed() => (VecDeque::new(), Form::default()),
        Next::Event(number, event) => {
            ([(number, event)].into(), Form::of(&session.streams, &server.config, &reader, 0))
        }
        Next::NotYet | Next::End => (VecDeque::new(), Form::of(&session.streams, &server.config, &reader, 0)),
    };
    Ok((sse::response(reader, first, form, activity), refused))
}
