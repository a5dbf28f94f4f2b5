//! POST of a stateless revision: one request, which describes its own caller and the caller's capabilities.

use super::{
    exchange::Exchange,
    exchanges::ExchangeGuard,
    headers::{self, ParamHeaders},
};
use crate::{
    connection::Connection,
    http::{
        header::{JSON, SSE},
        server::{
            builder::Inner,
            config::ReplyForm,
            log::{Event, Kind, Retention},
            queue::{Limits, Reader},
            refusal::Refusal,
            sse::{self, Form},
            until,
        },
    },
    seam::{Incoming, Session, TokenGrant},
};
use axum::response::{IntoResponse, Response};
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, header::CONTENT_TYPE};
use mgp_types::{
    context::Principal,
    mcp::{
        CallTool, McpErrorCode,
        stateless::{EnvelopeMembers, RequestEnvelope},
    },
    negotiation::read_offer,
    rpc::{Call, ErrorObject, Frame, JsonRpcCode},
};
use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// Takes one message, and answers it if it is a request.
pub(in crate::http::server) async fn post(
    server: &Arc<Inner>,
    principal: &Principal,
    headers: &HeaderMap,
    frame: Frame,
    context: Extensions,
) -> Result<Response, Refusal> {
    match frame {
        Frame::Request { id, method, params } => {
            let expires = context.get::<TokenGrant>().and_then(|granted| granted.who().expires);
            let incoming = Incoming { id: Some(id.clone()), method, params, ext: context };
            let request = start(server, principal, headers, incoming);
            let (exchange, reader, underway) = request.map_err(|refusal| refusal.of(Some(&id)))?;
            let response = answer(server, &exchange, reader, underway).await;
            Ok(match expires {
                // A subscription may be open for days.
                Some(expires) if is_stream(&response) => until::expiry(response, expires),
                _ => response,
            })
        }
        // Nothing in these revisions waits for a notification.
        Frame::Notification { .. } => Ok(StatusCode::ACCEPTED.into_response()),
        Frame::Response { .. } => {
            let message = "unexpected response: no request is sent to clients in this revision of MCP";
            Err(Refusal::new(StatusCode::BAD_REQUEST, message))
        }
    }
}

fn start(
    server: &Arc<Inner>,
    principal: &Principal,
    headers: &HeaderMap,
    mut incoming: Incoming,
) -> Result<(Arc<Exchange>, Reader, ExchangeGuard), Refusal> {
    let bad_request = |error: ErrorObject| Refusal::with(StatusCode::BAD_REQUEST, error);
    let object = incoming.params.object().map_err(bad_request)?;
    let members = EnvelopeMembers::of(object);
    if let Some(version) = members.as_ref().and_then(EnvelopeMembers::version) {
        headers::check(headers, &incoming.method, object, &version).map_err(bad_request)?;
    }
    let envelope = members.map_or_else(|| RequestEnvelope::read(object), |members| members.read());
    let envelope = envelope.map_err(bad_request)?;
    let has_mgp = read_offer(&envelope.capabilities.0).is_some();
    let entered = server.exchanges.enter(principal, server.room_for_requests());
    let mut underway = entered.map_err(|refusal| refusal.in_mgp(has_mgp))?;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let session = Session::new(&format!("request-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    server.introduce(&session, principal);
    let limits = Limits {
        messages: server.config.stream_messages,
        bytes: server.config.stream_bytes,
        write_timeout: server.config.write_timeout,
        kept: Retention { messages: 0, bytes: 0 },
        resume_timeout: Duration::ZERO,
    };
    let (exchange, reader) = Exchange::new(limits);
    let (service, _) = (server.make_service)(&session);
    incoming.ext.insert(envelope);
    if incoming.method == *CallTool::METHOD {
        incoming.ext.insert(ParamHeaders::of(headers));
    }
    let connection = Connection::builder(service).session(session).config(server.config.session.clone());
    underway.started(connection.answer_one(incoming, exchange.clone()));
    Ok((exchange, reader, underway))
}

/// Answers in the form that fits the first event.
async fn answer(server: &Inner, exchange: &Exchange, reader: Reader, underway: ExchangeGuard) -> Response {
    let first = tokio::time::timeout(server.config.json_timeout, poll_fn(|cx| reader.poll_next(cx))).await;
    let form = |keep_alive| Form { keep_alive, ..Form::default() };
    match first {
        Ok(Some(Ok((number, event)))) => {
            let status = exchange.error().map_or(StatusCode::OK, status_of);
            let is_answer = matches!(event.kind, Kind::Answer { .. });
            if is_answer && (status != StatusCode::OK || server.config.reply_form == ReplyForm::AsNeeded) {
                return as_json(event, status);
            }
            sse::response(reader, [(number, event)].into(), form(server.config.keep_alive), underway)
        }
        // Cancelled: an empty stream.
        Ok(Some(Err(_)) | None) => sse::response(reader, VecDeque::new(), form(None), underway),
        Err(_) => sse::response(reader, VecDeque::new(), form(server.config.keep_alive), underway),
    }
}

fn is_stream(response: &Response) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == SSE)
}

fn as_json(event: Event, status: StatusCode) -> Response {
    let mut response = (status, event.text).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

/// Returns the status of an answer that is an error. Most are 200: the error concerns the work, not the request.
fn status_of(code: i64) -> StatusCode {
    let refused = [
        McpErrorCode::HeaderMismatch,
        McpErrorCode::MissingRequiredClientCapability,
        McpErrorCode::UnsupportedProtocolVersion,
    ];
    if code == i64::from(JsonRpcCode::MethodNotFound) {
        StatusCode::NOT_FOUND
    } else if refused.map(i64::from).contains(&code) {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::OK
    }
}
