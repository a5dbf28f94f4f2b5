//! One message: its POST, and what comes back on it.

use super::{
    answer::{Answer, read_json, read_stream, short_body},
    failure,
    link::Link,
    listen::reconnect_delay,
    outbox::{Kind, Message, Outbox},
};
use crate::{
    connection::{ConnectionError, Inbox, Route},
    http::header::{JSON, SSE, is_media_type},
};
use http::{StatusCode, header::CONTENT_TYPE};
use mgp_types::rpc::{ErrorObject, Frame, RequestId};
use reqwest::Response;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Sends a message and reads what comes back. `go_on` is dropped when the next message may be sent. Says which request,
/// if any, is over with it.
pub(super) async fn deliver(
    link: Arc<Link>,
    outbox: Arc<Outbox>,
    inbox: Arc<Inbox>,
    message: Message,
    go_on: oneshot::Sender<()>,
) -> Option<RequestId> {
    let Message { text, kind, place } = message;
    let (on_its_way, way) = match kind {
        // What comes after these must wait for more than that they left.
        Kind::Opening(_) | Kind::Opened => (None, Some(go_on)),
        Kind::Call(_) | Kind::Cancel(_) | Kind::Other => (Some(go_on), None),
    };
    let response = link.post(&text, on_its_way).await;
    outbox.sent();
    let outcome = match response {
        Ok(response) => {
            if let Kind::Opening(_) = kind {
                link.keep_session(response.headers());
                drop(way);
            }
            exchange(&link, &inbox, &kind, response).await
        }
        Err(error) => Err(error),
    };
    drop(place);
    if let Err(error) = outcome {
        fail(&inbox, &kind, error);
    }
    match kind {
        Kind::Opening(id) | Kind::Call(id) | Kind::Cancel(id) => Some(id),
        Kind::Opened | Kind::Other => None,
    }
}

/// Ends a call with what went wrong.
fn fail(inbox: &Inbox, kind: &Kind, error: ErrorObject) {
    match kind.call() {
        Some(id) => {
            inbox.receive(Frame::Response { id: Some(id.clone()), outcome: Err(error) }, Route::Session);
        }
        None => tracing::warn!(%error, "the server did not take a message"),
    }
}

async fn exchange(link: &Link, inbox: &Inbox, kind: &Kind, response: Response) -> Result<(), ErrorObject> {
    let status = response.status();
    if status == StatusCode::NOT_FOUND && link.has_session() {
        link.forget_session();
        inbox.close(ConnectionError::Transport(
            "the session expired: the server answered with HTTP 404".into(),
        ));
        return Ok(());
    }
    if !status.is_success() {
        return Err(failure::of_status(status, &short_body(response).await));
    }
    let Some(id) = kind.call() else { return Ok(()) };
    let mut answer =
        Answer { link, inbox, id: Some(id), opens: matches!(kind, Kind::Opening(_)), answered: false };
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    match content_type {
        Some(content_type) if is_media_type(content_type, JSON) => read_json(response, &mut answer).await?,
        Some(content_type) if is_media_type(content_type, SSE) => {
            follow_stream(response, &mut answer).await?;
        }
        other if status == StatusCode::OK => {
            let message = format!("unexpected Content-Type of an answer: {:?}", other.unwrap_or_default());
            return Err(failure::of_content(message));
        }
        _ => {}
    }
    if answer.answered {
        return Ok(());
    }
    Err(failure::of_content(format!("the server ended the exchange (HTTP {status}) without an answer")))
}

/// Reads a call's stream, and goes on where the server lets it be resumed.
async fn follow_stream(response: Response, answer: &mut Answer<'_>) -> Result<(), ErrorObject> {
    let mut resume = read_stream(response, answer).await;
    let mut failures = 0;
    while !answer.answered && failures < answer.link.config.reconnects {
        // A stream without ids cannot be resumed.
        let Some(last_id) = resume.last_id.clone() else { break };
        tokio::time::sleep(reconnect_delay(&answer.link.config, resume.retry, failures)).await;
        match answer.link.get(Some(&last_id)).await {
            Ok(response) if response.status() == StatusCode::OK => {
                let next = read_stream(response, answer).await;
                failures = if next.last_id.is_some() { 0 } else { failures + 1 };
                resume.last_id = next.last_id.or(resume.last_id);
                resume.retry = next.retry.or(resume.retry);
            }
            Ok(response) if response.status().is_client_error() => {
                return Err(failure::of_status(response.status(), &short_body(response).await));
            }
            Ok(_) => failures += 1,
            Err(error) => {
                tracing::debug!(error = %error.without_url(), "failed to resume a stream");
                failures += 1;
            }
        }
    }
    match resume.error {
        Some(error) if !answer.answered => Err(error),
        _ => Ok(()),
    }
}
