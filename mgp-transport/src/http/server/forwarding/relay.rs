//! The response of another replica, and the answers for its requests if the replica is lost.
//!
//! A request that was sent to a replica may have run, also if its answer never arrives. The client then gets an error that says so, and does
//! not wait for an answer that nobody can send.

use crate::{
    http::{
        header::{JSON, SSE, content_type, is_media_type},
        server::{
            refusal::{Refusal, json},
            stream::sse,
        },
    },
    seam::StoredSession,
};
use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, future::BoxFuture, stream};
use http::{
    HeaderMap, HeaderValue,
    header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE},
    request::Parts,
};
use http_body_util::{BodyExt, Limited};
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    negotiation::read_offer,
    rpc::{ErrorObject, Frame, RequestId, write_response},
};
use std::pin::pin;

/// The longest body of a single answer that is held until it is complete, in bytes. A longer one is passed on in pieces.
const MAX_HELD: usize = 16 * 1024 * 1024;

/// The requests in a body that was forwarded.
#[derive(Debug, Clone)]
pub(super) struct PostedRequests {
    /// The ids of the requests without an answer.
    ids: Vec<RequestId>,
    is_batch: bool,
    /// True if the client reads single answers.
    reads_json: bool,
    /// True if the client supports MGP. Other clients are answered in plain MCP.
    has_mgp: bool,
}

impl PostedRequests {
    pub(super) fn of(parts: &Parts, text: &Bytes, stored: &StoredSession) -> Self {
        let is_batch = crate::codec::batch::is_batch(text.trim_ascii_start());
        let ids = match is_batch {
            _ if parts.method != http::Method::POST => Vec::new(),
            false => id_of(Frame::parse(text).ok()).into_iter().collect(),
            true => {
                messages(text).into_iter().filter_map(|text| id_of(Frame::parse(text.bytes()).ok())).collect()
            }
        };
        Self { ids, is_batch, reads_json: reads_json(&parts.headers), has_mgp: has_mgp(stored) }
    }

    /// Returns whether no request waits for an answer.
    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Creates the description of a body with one request.
    pub(super) fn one(id: RequestId, headers: &HeaderMap, has_mgp: bool) -> Self {
        Self { ids: vec![id], is_batch: false, reads_json: reads_json(headers), has_mgp }
    }

    /// Returns the answers to the requests whose outcome is unknown, because their replica was lost.
    pub(super) fn lost(self) -> Response {
        if self.ids.is_empty() {
            return Refusal::unavailable(
                "the replica that has the session was lost: the message may not have arrived",
            )
            .into_response();
        }
        let answers: Vec<_> = self.ids.iter().map(|id| self.unknown(id)).collect();
        if !self.reads_json {
            let events: Vec<u8> = answers.iter().flat_map(|answer| sse::write(None, answer)).collect();
            return ([(CONTENT_TYPE, HeaderValue::from_static(SSE))], events).into_response();
        }
        let mut text = answers.join(&b","[..]);
        if self.is_batch {
            text.insert(0, b'[');
            text.push(b']');
        }
        json(text)
    }

    /// Returns the answer to a request whose outcome is unknown.
    fn unknown(&self, id: &RequestId) -> Vec<u8> {
        let message = "the replica that handled the request was lost before its answer: the request may have been carried out";
        let error = ErrorCode::UpstreamUnavailable.error_outcome_unknown(message);
        let error: ErrorObject = if self.has_mgp { error } else { error.to_plain_mcp() };
        let mut text = Vec::new();
        write_response(&mut text, Some(id), &Err(error));
        text
    }

    /// Learns that events were passed on: their answers are no longer missing.
    fn passed(&mut self, events: &[u8]) {
        for line in events.split(|byte| *byte == b'\n') {
            if self.ids.is_empty() {
                return;
            }
            if let Some(data) = line.strip_prefix(b"data: ")
                && let Ok(Frame::Response { id: Some(id), .. }) = Frame::parse(&Bytes::copy_from_slice(data))
            {
                self.ids.retain(|missing| *missing != id);
            }
        }
    }
}

/// Returns whether a client reads single answers.
fn reads_json(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or("*/*");
    accept.contains(JSON) || accept.contains("*/*")
}

fn id_of(frame: Option<Frame>) -> Option<RequestId> {
    match frame {
        Some(Frame::Request { id, .. }) => Some(id),
        _ => None,
    }
}

fn messages(text: &Bytes) -> Vec<RawJson> {
    RawJson::parse(text.clone()).and_then(|array| array.decode()).unwrap_or_default()
}

/// Returns whether the client of a session offered MGP.
fn has_mgp(stored: &StoredSession) -> bool {
    let params = stored.record.initialize.clone().and_then(|params| RawObject::parse(params).ok());
    params
        .and_then(|params| params.object("capabilities"))
        .is_some_and(|offered| read_offer(&offered).is_some())
}

/// Returns the response of a replica to its client. `gone` resolves when the replica is gone.
pub(super) async fn relay(
    response: Response,
    posted: PostedRequests,
    gone: impl Future<Output = ()> + Send + 'static,
) -> Response {
    if is_media_type(content_type(response.headers()), SSE) {
        return events(response, posted, Box::pin(gone));
    }
    let (parts, body) = response.into_parts();
    let length =
        parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if posted.ids.is_empty() || length.is_none_or(|length| length > MAX_HELD) {
        return Response::from_parts(parts, body);
    }
    let gone = pin!(gone);
    let whole = tokio::select! {
        whole = Limited::new(body, MAX_HELD).collect() => whole.ok(),
        () = gone => None,
    };
    match whole {
        Some(whole) => Response::from_parts(parts, Body::from(whole.to_bytes())),
        None => posted.lost(),
    }
}

/// A stream of events that is passed on, whole events at a time.
struct Relay {
    body: axum::body::BodyDataStream,
    gone: BoxFuture<'static, ()>,
    posted: PostedRequests,
    /// The beginning of an event whose end has not arrived.
    held: BytesMut,
    is_over: bool,
}

fn events(response: Response, posted: PostedRequests, gone: BoxFuture<'static, ()>) -> Response {
    let (parts, body) = response.into_parts();
    let body = body.into_data_stream();
    let relay = Relay { body, gone, posted, held: BytesMut::new(), is_over: false };
    let pieces = stream::unfold(relay, |mut relay| async move {
        let piece = relay.next().await?;
        Some((Ok::<_, std::convert::Infallible>(piece), relay))
    });
    Response::from_parts(parts, Body::from_stream(pieces))
}

impl Relay {
    /// Returns the next piece; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.is_over {
            let arrived = tokio::select! {
                biased;
                arrived = self.body.next() => arrived,
                () = &mut self.gone => Some(Err(axum::Error::new(std::io::Error::other("the replica is gone")))),
            };
            match arrived {
                Some(Ok(bytes)) => {
                    self.held.extend_from_slice(&bytes);
                    if let Some(events) = self.whole_events() {
                        self.posted.passed(&events);
                        return Some(events);
                    }
                }
                Some(Err(error)) => {
                    tracing::debug!(%error, "the stream of another replica broke");
                    self.is_over = true;
                    return self.missing_answers();
                }
                None => {
                    self.is_over = true;
                    return (!self.held.is_empty()).then(|| self.held.split().freeze());
                }
            }
        }
        None
    }

    /// Takes the events that have arrived completely. An event that is too long to be held is passed on in pieces.
    fn whole_events(&mut self) -> Option<Bytes> {
        let end = memchr::memmem::rfind(&self.held, b"\n\n").map(|at| at + 2);
        let end = end.or_else(|| (self.held.len() > MAX_HELD).then_some(self.held.len()))?;
        Some(self.held.split_to(end).freeze())
    }

    /// Returns the answers that the lost replica has not sent.
    fn missing_answers(&self) -> Option<Bytes> {
        let answers = self.posted.ids.iter().map(|id| sse::write(None, &self.posted.unknown(id)));
        let answers: Vec<u8> = answers.flatten().collect();
        (!answers.is_empty()).then(|| answers.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seam::SessionRecord;
    use http::StatusCode;
    use std::future::pending;

    fn stored() -> StoredSession {
        let record = SessionRecord {
            principal: String::new(),
            initialize: Some("{}".to_owned()),
            level: None,
            subscriptions: Vec::new(),
            revision: 0,
        };
        StoredSession { owner: "a".to_owned(), epoch: 0, address: None, record }
    }

    fn posted(text: &'static str) -> PostedRequests {
        let (parts, ()) = http::Request::post("/mcp").body(()).unwrap().into_parts();
        PostedRequests::of(&parts, &Bytes::from_static(text.as_bytes()), &stored())
    }

    fn response(kind: &'static str, pieces: Vec<Result<&'static str, std::io::Error>>) -> Response {
        let body = Body::from_stream(stream::iter(pieces));
        ([(CONTENT_TYPE, HeaderValue::from_static(kind))], body).into_response()
    }

    async fn text(response: Response) -> String {
        String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}"#;

    fn broken() -> Result<&'static str, std::io::Error> {
        Err(std::io::Error::other("broken"))
    }

    #[tokio::test]
    async fn a_stream_that_breaks_before_its_answer_gets_one() {
        let progress =
            "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n";
        let cut = response(SSE, vec![Ok(progress), Ok("event: message\ndata: {\"json"), broken()]);
        let relayed = text(relay(cut, posted(CALL), pending()).await).await;
        let rest = relayed.strip_prefix(progress).unwrap();
        assert!(rest.starts_with("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":"), "{rest}");
        assert!(rest.contains("may have been carried out"), "{rest}");
    }

    #[tokio::test]
    async fn a_stream_that_breaks_after_its_answer_gets_no_other() {
        let answer = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n";
        let (first, second) = answer.split_at(30);
        let cut = response(SSE, vec![Ok(first), Ok(second), broken()]);
        assert_eq!(text(relay(cut, posted(CALL), pending()).await).await, answer);
    }

    #[tokio::test]
    async fn a_replica_that_is_gone_ends_its_streams() {
        let body = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
        let silent = ([(CONTENT_TYPE, HeaderValue::from_static(SSE))], body).into_response();
        let relayed = text(relay(silent, posted(CALL), std::future::ready(())).await).await;
        assert!(relayed.contains("\"id\":7"), "{relayed}");
    }

    #[tokio::test]
    async fn lost_requests_of_a_batch_are_answered_together() {
        let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","id":2,"method":"c"}]"#;
        let answers: serde_json::Value = serde_json::from_str(&text(posted(batch).lost()).await).unwrap();
        assert_eq!(
            (&answers[0]["id"], &answers[1]["id"], answers.as_array().unwrap().len()),
            (&1.into(), &2.into(), 2)
        );
        let notification = posted(r#"{"jsonrpc":"2.0","method":"b"}"#).lost();
        assert_eq!(notification.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
}
