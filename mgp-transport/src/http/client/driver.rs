//! Takes messages in the order in which they were sent and starts their exchanges.

use super::{
    link::Link,
    listen::listen,
    outbox::{Kind, Outbox},
    post::deliver,
};
use crate::connection::Inbox;
use mgp_types::rpc::RequestId;
use std::{collections::HashMap, sync::Arc};
use tokio::{
    sync::oneshot,
    task::{AbortHandle, JoinSet},
};

/// Sends until the connection is closed, then ends the session.
pub(super) async fn drive(link: Arc<Link>, outbox: Arc<Outbox>, inbox: Arc<Inbox>) {
    let peer = inbox.peer();
    let mut exchanges = JoinSet::new();
    let mut calls = HashMap::<RequestId, AbortHandle>::new();
    let mut listening = false;
    loop {
        let message = tokio::select! {
            biased;
            () = peer.closed() => break,
            Some(over) = exchanges.join_next() => {
                // The exchange of a call that was cancelled could stay open for good.
                if let Ok(Some(id)) = over && let Some(call) = calls.remove(&id) {
                    call.abort();
                }
                continue;
            }
            message = outbox.next() => message,
        };
        let opened = message.kind == Kind::Opened;
        let (go_on, wait) = oneshot::channel();
        let call = message.kind.call().cloned();
        let exchange = deliver(link.clone(), outbox.clone(), inbox.clone(), message, go_on);
        let exchange = exchanges.spawn(exchange);
        if let Some(id) = call {
            calls.insert(id, exchange);
        }
        tokio::select! {
            biased;
            () = peer.closed() => break,
            // Its sender is dropped, which is the signal.
            _ = wait => {}
            () = tokio::time::sleep(link.config.handshake_time_limit), if opened => {
                tracing::warn!("the server did not accept notifications/initialized in time");
            }
        }
        if opened && !std::mem::replace(&mut listening, true) {
            let listening = listen(link.clone(), inbox.clone());
            exchanges.spawn(async move {
                listening.await;
                None
            });
        }
    }
    link.delete().await;
}
