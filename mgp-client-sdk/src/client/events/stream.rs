//! The handle of a subscription to events.

use super::listener::EventListener;
use crate::{
    client::{
        Client,
        event_queue::{EventItem, EventQueue},
    },
    session,
};
use mgp_transport::{
    connection::ConnectionError,
    seam::{CallError, Peer},
};
use mgp_types::{
    error::ErrorCode,
    events::SubscribeParams,
    mcp::{MgpFilter, SubscriptionFilter},
    rpc::{ErrorObject, JsonRpcCode},
};
use std::{sync::Arc, time::Duration};
use tokio::task::AbortHandle;

/// A subscription to events of the server, which ends when it is dropped. See [`Client::events`].
#[derive(Debug)]
pub struct EventStream {
    peer: Peer,
    queue: Arc<EventQueue>,
    inner: Arc<session::Subscription>,
    /// The task that ends a subscription with a limited time.
    ending: Option<AbortHandle>,
}

impl Client {
    /// Subscribes to the events of channels, by name; `build.*` stands for all channels below a prefix, and `*` for every
    /// channel.
    ///
    /// A subscription that breaks is renewed, and the stream then reports that events may be missing.
    ///
    /// ```
    /// use mgp_client_sdk::client::{Client, EventItem};
    /// # use mgp_server_sdk::Server;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let server = Server::new("builder", "1").channel("build.finished").build()?;
    /// # let (input, output) = server.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let mut builds = client.events(["build.*"]).await?;
    /// assert!(builds.channels() == ["build.finished"]);
    /// # server.events().unwrap().publish("build.finished", "docs")?;
    /// match builds.next().await? {
    ///     EventItem::Event(event) => println!("{}: {:?}", event.channel, event.data),
    ///     EventItem::Missed(count) => println!("{count:?} events were lost"),
    ///     _ => {}
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CallError`] if the server does not accept the subscription, or did not negotiate `events` (-32601).
    pub async fn events<S: Into<String>>(
        &self,
        channels: impl IntoIterator<Item = S>,
    ) -> Result<EventStream, CallError> {
        self.subscribe_events(SubscribeParams::new(channels)).await
    }

    /// Subscribes to events with a filter, or for a limited time. When the time has expired, the stream ends, and is not renewed.
    ///
    /// # Errors
    /// The same as for [`events`](Self::events).
    pub async fn subscribe_events(&self, params: SubscribeParams) -> Result<EventStream, CallError> {
        let caller = self.caller.clone();
        if !caller.session.has_events() {
            let error = "the server did not negotiate the extension \"events\"";
            return Err(CallError::Peer(ErrorObject::new(JsonRpcCode::MethodNotFound, error)));
        }
        let (peer, limits) = (caller.session.peer.clone(), caller.limits.listen());
        let queue = Arc::new(EventQueue::default());
        let listener = Arc::new(EventListener { caller, queue: queue.clone() });
        let (inner, listening) = self.caller.session.subscription(listener, limits);
        match listening {
            Some(listening) => drop(tokio::spawn(listening.run())),
            None => self.listeners.join_events(&queue),
        }
        let mut stream = EventStream { peer, queue, inner: Arc::new(inner), ending: None };
        let ttl = params.ttl_seconds;
        let mgp = Some(MgpFilter { events: Some(params), ..MgpFilter::default() });
        stream.inner.set(SubscriptionFilter { mgp, ..SubscriptionFilter::default() }).await?;
        stream.ending = ttl.map(|ttl| stream.end_after(ttl));
        Ok(stream)
    }
}

impl EventStream {
    /// Waits for the next event, or for the number of those that were lost before it.
    ///
    /// # Errors
    /// The reason why there are no more events: the connection is gone, the subscription was given up, or its time has
    /// expired (3003).
    pub async fn next(&mut self) -> Result<EventItem, CallError> {
        tokio::select! {
            biased;
            item = self.queue.next() => item,
            () = self.peer.closed() => Err(ConnectionError::Closed.into()),
        }
    }

    /// Ends the stream after a time, in seconds, on this side, too: not every server reports the end, and the stream would be renewed with
    /// the session.
    fn end_after(&self, ttl: u64) -> AbortHandle {
        let (queue, inner) = (self.queue.clone(), self.inner.clone());
        let ending = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(ttl)).await;
            let error = format!("the subscription to events ended after its {ttl} seconds");
            queue.end(CallError::Peer(ErrorCode::Timeout.error(error)));
            if let Err(error) = inner.set(SubscriptionFilter::default()).await {
                tracing::debug!(%error, "an expired subscription to events was not ended");
            }
        });
        ending.abort_handle()
    }

    /// Returns the existing channels, among those requested.
    #[must_use]
    pub fn channels(&self) -> Vec<String> {
        self.queue.channels()
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        if let Some(ending) = &self.ending {
            ending.abort();
        }
        self.inner.leave();
    }
}
