//! HTTP+SSE, the transport of 2024-11-05: one stream for all messages of the server, whose first event names the address for messages
//! to the server.
//!
//! The stream cannot be resumed: the connection ends with it.

use super::{events::Events, failure, link::Link};
use crate::{
    connection::{ConnectionError, Inbox, Route},
    http::header::{SSE, content_type, is_media_type},
};
use http::StatusCode;
use mgp_types::rpc::ErrorObject;
use std::sync::Arc;

/// Opens the stream, whose first event names the address for messages. The rest of the stream is read in the background.
pub(super) async fn open(link: &Arc<Link>, inbox: &Arc<Inbox>) -> Result<(), ErrorObject> {
    let limit = link.config.handshake_timeout;
    let (events, endpoint) = tokio::time::timeout(limit, first_event(link))
        .await
        .unwrap_or_else(|_| Err(failure::of_content(format!("no endpoint event came within {limit:?}"))))?;
    link.post_to(&endpoint)?;
    tokio::spawn(read(events, link.clone(), inbox.clone()));
    Ok(())
}

async fn first_event(link: &Link) -> Result<(Events, String), ErrorObject> {
    let response = link.get(None).await.map_err(failure::of_transport)?;
    let status = response.status();
    if status != StatusCode::OK {
        return Err(failure::of_status(status, failure::retry_after(response.headers()), b""));
    }
    let found = content_type(response.headers());
    if !is_media_type(found, SSE) {
        return Err(failure::of_content(format!("unexpected Content-Type of a stream: {found:?}")));
    }
    let mut events = Events::of(response, link.max_frame);
    match events.next().await? {
        Some(event) if event.event == "endpoint" => {
            Ok((events, String::from_utf8_lossy(&event.data).trim().to_owned()))
        }
        Some(event) => {
            let message = format!("unexpected first event: expected endpoint, found {:?}", event.event);
            Err(failure::of_content(message))
        }
        None => Err(failure::of_content("the stream ended without an endpoint event")),
    }
}

/// Reads the stream to its end, and then closes the connection.
async fn read(mut events: Events, link: Arc<Link>, inbox: Arc<Inbox>) {
    let peer = inbox.peer();
    let why = loop {
        let event = tokio::select! {
            () = peer.closed() => return,
            event = events.next() => event,
        };
        match event {
            Ok(Some(event)) if matches!(&*event.event, "" | "message") && !event.data.is_empty() => {
                link.look_for_version(&event.data);
                inbox.receive_text(event.data.into(), &Route::Session);
            }
            Ok(Some(_)) => {}
            Ok(None) => break "it ended".to_owned(),
            Err(error) => break error.message,
        }
    };
    let why = format!("the server's only stream is gone, and HTTP+SSE cannot resume it: {why}");
    inbox.close(ConnectionError::Transport(why.into()));
}
