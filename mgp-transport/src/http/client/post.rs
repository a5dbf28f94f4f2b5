//! One message: its POST, and the response.

use super::{
    answer::Answer,
    body::{peek, short_body},
    config::ClientTransport,
    failure::{self, Failure},
    http_sse,
    link::Link,
    lost_session::SessionLoss,
    outbox::{Kind, Message, Place},
    ping::is_lost,
    response::read_answer,
    session,
};
use crate::connection::{Inbox, Route};
use bytes::Bytes;
use http::StatusCode;
use mgp_types::{
    error::ErrorCode,
    rpc::{ErrorObject, Frame, RequestId},
};
use reqwest::Response;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Sends a message and reads the response. `go_on` is dropped when the next message may be sent. Returns the id of the request
/// whose exchange has ended, if any.
pub(super) async fn deliver(
    link: Arc<Link>,
    inbox: Arc<Inbox>,
    message: Message,
    go_on: oneshot::Sender<()>,
) -> Option<RequestId> {
    let Message { text, kind, headers, place, unsent } = message;
    let stateless = headers.as_ref();
    link.remember(&kind, &text);
    link.settled().await;
    let epoch = link.epoch();
    let (on_its_way, way) = match kind {
        // Later messages must wait for the answers to these, not only until they are sent.
        Kind::Opening(_) | Kind::Opened => (None, Some(go_on)),
        Kind::Call(_) | Kind::Cancel(_) | Kind::Notice | Kind::Answer => (Some(go_on), None),
    };
    let response = link.post(&text, stateless, on_its_way).await;
    drop(unsent);
    let outcome = match response {
        Ok(response) if stateless.is_some() => exchange(&link, &inbox, &kind, true, response, epoch).await,
        Ok(response) => match again(&link, &inbox, &kind, &text, response, epoch).await {
            Ok(Some((response, epoch))) => {
                if let Kind::Opening(_) = kind {
                    link.keep_session(response.headers());
                    drop(way);
                }
                exchange(&link, &inbox, &kind, false, response, epoch).await
            }
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    if let Err(error) = outcome {
        fail(&inbox, &kind, &place, error);
    }
    drop(place);
    match kind {
        Kind::Opening(id) | Kind::Call(id) | Kind::Cancel(id) => Some(id),
        Kind::Opened | Kind::Notice | Kind::Answer => None,
    }
}

/// Fails a call. The failure of another message is logged, and counted if the message is a notification.
pub(super) fn fail(inbox: &Inbox, kind: &Kind, place: &Place, failure: Failure) {
    if *kind == Kind::Notice {
        place.refuse();
    }
    let Failure { error, is_unrun } = failure;
    match kind.call() {
        Some(id) if is_unrun => inbox.fail_unrun(id, error),
        Some(id) => inbox.fail(id, error),
        None => tracing::warn!(%error, "the server did not accept a message"),
    }
}

/// Sends a message once more if that can help: over another transport, or in a new session. Returns the response that counts, and
/// the epoch of its session; `None` if there is nothing more to do.
async fn again(
    link: &Arc<Link>,
    inbox: &Arc<Inbox>,
    kind: &Kind,
    text: &Bytes,
    response: Response,
    epoch: u64,
) -> Result<Option<(Response, u64)>, Failure> {
    let status = response.status();
    if let (Kind::Opening(_), ClientTransport::Auto, false) =
        (kind, link.config.transport, link.is_http_sse())
        && matches!(status, StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED)
    {
        let wait = failure::retry_after(response.headers());
        let body = short_body(response).await;
        let refusal = failure::of_status(status, wait, &body);
        if failure::is_of_protocol(&body) {
            return Err(refusal.into());
        }
        http_sse::open(link, inbox).await.map_err(|error| ErrorObject {
            message: format!("{}; and it offers no HTTP+SSE: {}", refusal.message, error.message),
            ..refusal
        })?;
        return link.post(text, None, None).await.map(|response| Some((response, epoch)));
    }
    let has_session = link.has_session() || link.is_http_sse();
    if status.is_success() || !has_session || matches!(kind, Kind::Opening(_)) {
        return Ok(Some((response, epoch)));
    }
    let (response, body) = peek(response).await;
    let loss = match SessionLoss::of(status, response.headers(), &body) {
        Some(loss) if loss == SessionLoss::Certain || link.may_be_lost(epoch) => loss,
        _ => return Ok(Some((response, epoch))),
    };
    if link.is_http_sse() {
        if loss == SessionLoss::Suspected && !is_lost(link, epoch).await {
            return Ok(Some((response, epoch)));
        }
        let why = format!(
            "the server no longer knows the session of its only stream (HTTP {status}), and HTTP+SSE cannot resume it"
        );
        end(link, inbox, kind, &why).await;
        return Ok(None);
    }
    match (session::renew(link, inbox, epoch, loss).await, loss) {
        // A server that failed may have run the call before.
        (Ok(true), _) if status.is_server_error() => return Err(failure::of_lost_session().into()),
        (Ok(true), _) => {}
        (Err(why), SessionLoss::Certain) => {
            end(link, inbox, kind, &why).await;
            return Ok(None);
        }
        (still_refused, _) => {
            if let Err(why) = still_refused {
                tracing::debug!(%status, why = &*why, "a message was refused, perhaps because the session is gone");
            }
            return Ok(Some((response, epoch)));
        }
    }
    if matches!(kind, Kind::Cancel(_) | Kind::Answer | Kind::Opened) {
        // These messages have no meaning in the new session, or were part of its handshake.
        return Ok(None);
    }
    let epoch = link.epoch();
    let response = link.post(text, None, None).await?;
    if matches!(response.status(), StatusCode::NOT_FOUND | StatusCode::GONE) {
        let again = response.status();
        let why =
            format!("the session expired: the server answered with HTTP {again}, and again on a new session");
        end(link, inbox, kind, &why).await;
        return Ok(None);
    }
    Ok(Some((response, epoch)))
}

/// Ends the connection because the server does not know the session. The refused message certainly did not run.
async fn end(link: &Link, inbox: &Inbox, kind: &Kind, why: &str) {
    if let Some(id) = kind.call() {
        inbox.fail_unrun(id, ErrorCode::UpstreamUnavailable.error_unsent(why));
    }
    // Other messages that were refused at the same time first get their own error, which says more than the end of the
    // connection.
    tokio::task::yield_now().await;
    session::close(link, inbox, why);
}

async fn exchange(
    link: &Arc<Link>,
    inbox: &Arc<Inbox>,
    kind: &Kind,
    stateless: bool,
    response: Response,
    epoch: u64,
) -> Result<(), Failure> {
    if !response.status().is_success() {
        return Err(failure::of_refusal(response).await);
    }
    let (Some(id), false) = (kind.call(), link.is_http_sse() && !stateless) else {
        // There is no answer, or it arrives on the session's only stream.
        link.note_taken();
        return Ok(());
    };
    let mut answer = Answer::of(link, inbox, Some(id), matches!(kind, Kind::Opening(_)), stateless);
    tokio::select! {
        biased;
        read = read_answer(response, &mut answer) => read?,
        () = link.until_renewed(epoch) => return Err(failure::of_lost_session().into()),
    }
    let Some(error) = answer.suspect.take() else {
        link.note_taken();
        return Ok(());
    };
    let suspected = SessionLoss::Suspected;
    if link.may_be_lost(epoch) && session::renew(link, inbox, epoch, suspected).await == Ok(true) {
        // The server answered the call, so it may have run the call.
        return Err(failure::of_lost_session().into());
    }
    inbox.receive(Frame::Response { id: Some(id.clone()), outcome: Err(error) }, Route::Session);
    Ok(())
}
