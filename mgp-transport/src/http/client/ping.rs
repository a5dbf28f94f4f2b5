//! The check of a suspicion that the server has forgotten the session: a `ping`, which a server that knows the session answers.

use super::{
    body::short_body,
    events::Events,
    link::Link,
    lost_session::{SessionLoss, error_in, names_session},
};
use crate::http::header::{SSE, content_type, is_media_type};
use bytes::Bytes;
use futures_util::FutureExt;
use mgp_types::rpc::{ErrorObject, Frame, JsonRpcCode};
use reqwest::Response;
use std::{sync::Arc, time::Duration};

/// The `ping` that checks whether a server knows the session. Requests of the connection have numbers as ids.
const PING: &[u8] = br#"{"jsonrpc":"2.0","id":"is-the-session-known","method":"ping"}"#;

/// The time limit of the answer to the `ping`. In tests, it never passes.
const PING_LIMIT: Duration = Duration::from_secs(if cfg!(test) { 3600 } else { 5 });

/// Checks a suspicion that the session of the `epoch` is lost. Returns whether it is lost, or was reopened since the `epoch`.
/// Concurrent messages with the same suspicion share one check.
pub(super) async fn is_lost(link: &Arc<Link>, epoch: u64) -> bool {
    let check = link.check(epoch, || {
        let link = link.clone();
        let check = async move {
            let is_refused = refuses_ping(&link).await;
            if !is_refused {
                link.note_known(epoch);
            }
            is_refused
        };
        let check = check.boxed().shared();
        // The check continues even if its caller is gone.
        tokio::spawn(check.clone());
        check
    });
    match check {
        Some(check) => check.await || link.epoch() != epoch,
        None => true,
    }
}

/// Sends a `ping` to find out whether the server knows the session. Returns whether the server refuses the `ping`, too. A server
/// that does not answer, or cannot answer now, has not refused.
async fn refuses_ping(link: &Link) -> bool {
    tokio::time::timeout(PING_LIMIT, ping(link)).await.unwrap_or(false)
}

async fn ping(link: &Link) -> bool {
    let Ok(response) = link.post(&Bytes::from_static(PING), None, None).await else { return false };
    if response.status().is_success() {
        return answered_error(link, response).await.is_some_and(|error| names_session(&error));
    }
    let (status, headers) = (response.status(), response.headers().clone());
    let body = Bytes::from(short_body(response).await);
    if let Some((_, error)) = error_in(&body)
        && error.code == i64::from(JsonRpcCode::MethodNotFound)
    {
        // A server without `ping` has still read the request.
        return false;
    }
    SessionLoss::of(status, &headers, &body).is_some()
}

/// Reads the answer to the `ping`. Returns its error, if any.
async fn answered_error(link: &Link, response: Response) -> Option<ErrorObject> {
    if !is_media_type(content_type(response.headers()), SSE) {
        return error_in(&short_body(response).await.into()).map(|(_, error)| error);
    }
    let mut events = Events::of(response, link.max_frame);
    while let Ok(Some(event)) = events.next().await {
        if let Ok(Frame::Response { outcome, .. }) = Frame::parse(&event.data.into()) {
            return outcome.err();
        }
    }
    None
}
