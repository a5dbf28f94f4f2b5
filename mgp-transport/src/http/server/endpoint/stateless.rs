//! POST of a stateless revision: one request, which describes its own caller and the caller's capabilities.

use crate::{
    http::{
        header::SSE,
        server::{
            ReplyForm,
            auth::until,
            refusal::{Refusal, json},
            request::media_types::{self, AnswerForms},
            state::ServerState,
            stateless::{Exchange, ExchangeGuard, ParamHeaders, check_headers},
            stream::{
                Kind, Next, Reader,
                sse::{self, Form},
            },
        },
    },
    seam::{Extensions, Incoming, TokenGrant},
};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header::CONTENT_TYPE};
use mgp_types::{
    context::Principal,
    mcp::{
        CallTool, Listen, McpErrorCode,
        stateless::{EnvelopeMembers, RequestEnvelope},
    },
    rpc::{Call, ErrorObject, Frame, JsonRpcCode},
};
use std::{collections::VecDeque, sync::Arc};
use tokio::time::Instant;

/// Accepts one message, and answers it if it is a request.
pub(super) async fn post(
    server: &ServerState,
    principal: &Principal,
    (headers, forms): (&HeaderMap, AnswerForms),
    frame: Frame,
    context: Extensions,
) -> Result<Response, Refusal> {
    match frame {
        Frame::Request { id, method, params } => {
            if method == *Listen::METHOD {
                media_types::check_stream(headers).map_err(|refusal| refusal.of(Some(&id)))?;
            }
            // A call may continue to its answer; a subscription may be open for days.
            let granted = context.get::<TokenGrant>().filter(|_| method == *Listen::METHOD).cloned();
            let incoming = Incoming { id: Some(id.clone()), method, params, ext: context };
            let request = start(server, principal, headers, incoming);
            let (exchange, reader, underway) = request.map_err(|refusal| refusal.of(Some(&id)))?;
            let response = answer(server, &exchange, forms, reader, underway).await;
            Ok(match granted {
                Some(granted) if is_stream(&response) => until::valid(response, granted),
                _ => response,
            })
        }
        // No service in these revisions waits for a notification.
        Frame::Notification { .. } => Ok(StatusCode::ACCEPTED.into_response()),
        Frame::Response { .. } => {
            let message = "unexpected response: no request is sent to clients in this revision of MCP";
            Err(Refusal::bad_request(message))
        }
    }
}

fn start(
    server: &ServerState,
    principal: &Principal,
    headers: &HeaderMap,
    mut incoming: Incoming,
) -> Result<(Arc<Exchange>, Reader, ExchangeGuard), Refusal> {
    let bad_request = |error: ErrorObject| Refusal::with(StatusCode::BAD_REQUEST, error);
    let object = incoming.params.object().map_err(bad_request)?;
    let members = EnvelopeMembers::of(object);
    if let Some(version) = members.as_ref().and_then(EnvelopeMembers::version) {
        check_headers(headers, &incoming.method, object, &version).map_err(bad_request)?;
    }
    let envelope = members.map_or_else(|| RequestEnvelope::read(object), |members| members.read());
    let envelope = envelope.map_err(bad_request)?;
    if incoming.method == *CallTool::METHOD {
        incoming.ext.insert(ParamHeaders::of(headers));
    }
    server.stateless.begin(principal, envelope, incoming)
}

/// Answers in a form that the client can read and that fits the first event.
async fn answer(
    server: &ServerState,
    exchange: &Exchange,
    forms: AnswerForms,
    reader: Reader,
    underway: ExchangeGuard,
) -> Response {
    let status = || exchange.error().map_or(StatusCode::OK, status_of);
    if !forms.stream {
        // Messages before the answer are dropped.
        while let Some(Ok((_, event))) = reader.next().await {
            if let Kind::Answer { .. } = event.kind {
                return (status(), json(event.text)).into_response();
            }
        }
        return StatusCode::ACCEPTED.into_response();
    }
    let form = |keep_alive| Form { keep_alive, ..Form::default() };
    let (first, form) = match reader.next_by(Instant::now() + server.config.json_timeout).await {
        Next::Event(number, event) => {
            let status = status();
            let is_answer = matches!(event.kind, Kind::Answer { .. });
            let as_json = forms.json && server.config.reply_form == ReplyForm::AsNeeded;
            if is_answer && (status != StatusCode::OK || as_json) {
                return (status, json(event.text)).into_response();
            }
            ([(number, event)].into(), form(server.config.keep_alive))
        }
        // Cancelled: the stream is empty.
        Next::End => (VecDeque::new(), form(None)),
        Next::NotYet => (VecDeque::new(), form(server.config.keep_alive)),
    };
    sse::response(reader, first, form, underway)
}

fn is_stream(response: &Response) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == SSE)
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
