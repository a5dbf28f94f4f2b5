//! The task that takes messages in the order in which they were sent, and starts their exchanges.

use super::{
    config::ClientTransport,
    failure::Failure,
    http_sse,
    link::Link,
    listen::listen,
    outbox::{Kind, Outbox},
    post::{deliver, fail},
};
use crate::connection::Inbox;
use mgp_types::rpc::RequestId;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::{
    sync::oneshot,
    task::{AbortHandle, JoinSet},
};

/// A request that is in flight.
struct Call {
    exchange: AbortHandle,
    /// True if the request is one of a stateless revision, which is cancelled by closing its stream.
    stateless: bool,
}

/// The time that the session's own stream may take to open before anything else is sent.
pub(super) const STREAM_FIRST: Duration = Duration::from_millis(250);

/// Sends until the connection is closed, then ends the session. `stream_first` is the time that the session's own stream may take to
/// open before anything else is sent.
pub(super) async fn drive(link: Arc<Link>, outbox: Arc<Outbox>, inbox: Arc<Inbox>, stream_first: Duration) {
    let peer = inbox.peer();
    let mut exchanges = JoinSet::new();
    let mut calls = HashMap::<RequestId, Call>::new();
    let mut listening = false;
    loop {
        let message = tokio::select! {
            biased;
            () = peer.closed() => break,
            Some(over) = exchanges.join_next() => {
                // The exchange of a call that was cancelled could stay open forever.
                if let Ok(Some(id)) = over && let Some(call) = calls.remove(&id) {
                    call.exchange.abort();
                }
                continue;
            }
            message = outbox.next() => message,
        };
        if let Kind::Cancel(id) = &message.kind
            && calls.get(id).is_some_and(|call| call.stateless)
        {
            // No cancellation is sent: closing the call's stream cancels it.
            if let Some(call) = calls.remove(id) {
                call.exchange.abort();
            }
            continue;
        }
        if link.config.transport == ClientTransport::HttpSse && !link.is_http_sse() {
            let stream = tokio::select! {
                biased;
                () = peer.closed() => break,
                stream = http_sse::open(&link, &inbox) => stream,
            };
            if let Err(error) = stream {
                fail(&inbox, &message.kind, &message.place, Failure::unrun(error));
                continue;
            }
        }
        let opened = message.kind == Kind::Opened;
        let (go_on, wait) = oneshot::channel();
        let (call, stateless) = (message.kind.call().cloned(), message.headers.is_some());
        let exchange = deliver(link.clone(), inbox.clone(), message, go_on);
        let exchange = exchanges.spawn(exchange);
        if let Some(id) = call {
            calls.insert(id, Call { exchange, stateless });
        }
        tokio::select! {
            biased;
            () = peer.closed() => break,
            // Its sender is dropped as the signal.
            _ = wait => {}
            () = tokio::time::sleep(link.config.handshake_timeout), if opened => {
                tracing::warn!("the server did not accept notifications/initialized in time");
            }
        }
        if opened && !link.is_http_sse() && !std::mem::replace(&mut listening, true) {
            let (answered, answer) = oneshot::channel();
            let listening = listen(link.clone(), inbox.clone(), answered);
            exchanges.spawn(async move {
                listening.await;
                None
            });
            // From here on, messages of the server need the stream. A server that delays its headers is not awaited.
            let _ = tokio::time::timeout(stream_first, answer).await;
        }
    }
    link.delete().await;
}
