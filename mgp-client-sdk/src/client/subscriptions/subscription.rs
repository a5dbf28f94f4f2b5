//! The handle of a subscription.

use super::listener::ChangesListener;
use crate::{
    client::{
        Client,
        changes::{Change, Changes},
    },
    session,
};
use mgp_transport::{
    connection::ConnectionError,
    seam::{CallError, Peer},
};
use mgp_types::mcp::SubscriptionFilter;
use std::sync::Arc;

/// A subscription to changes at the server, which ends when it is dropped. See [`Client::subscribe`].
#[derive(Debug)]
pub struct Subscription {
    peer: Peer,
    changes: Arc<Changes>,
    wanted: SubscriptionFilter,
    inner: session::Subscription,
}

impl Client {
    /// Subscribes to changes of the lists, and of single resources by their URIs.
    ///
    /// In the era of `initialize`, each resource is requested from the server, which reports changes of its lists to every client.
    /// In the stateless era, one request stays open. If it breaks, it is sent again, after a delay that doubles with each failure.
    ///
    /// ```
    /// use mgp_client_sdk::{client::{Change, Client}, mcp::SubscriptionFilter};
    /// # use mgp_server_sdk::{Resource, Server};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let server = Server::new("s", "1").resource(Resource::text("memo:1", "memo", async || "buy milk")).build()?;
    /// # let (input, output) = server.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let wanted = SubscriptionFilter { resource_subscriptions: vec!["memo:1".into()], ..Default::default() };
    /// let mut subscription = client.subscribe(wanted).await?;
    /// # server.notifier().resource_updated("memo:1").await;
    /// assert!(subscription.next().await? == Change::Resource("memo:1".into()));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CallError`] if the server does not accept the subscription.
    pub async fn subscribe(&self, wanted: SubscriptionFilter) -> Result<Subscription, CallError> {
        let caller = self.caller.clone();
        let (peer, limits) = (caller.session.peer.clone(), caller.limits.listen());
        let changes = Arc::new(Changes::new(caller.limits.changes));
        let listener = Arc::new(ChangesListener { caller, changes: changes.clone() });
        let (inner, listening) = self.caller.session.subscription(listener, limits);
        match listening {
            Some(listening) => drop(tokio::spawn(listening.run())),
            None => self.listeners.join(&changes),
        }
        let mut subscription = Subscription { peer, changes, wanted: SubscriptionFilter::default(), inner };
        subscription.set(wanted).await?;
        Ok(subscription)
    }
}

impl Subscription {
    /// Waits for the next change. A change that is repeated before it is read is returned once. After a break, during which
    /// anything could have changed, the whole subscription is returned.
    ///
    /// # Errors
    /// The reason why there are no more changes: the connection is gone, or the subscription was given up.
    pub async fn next(&mut self) -> Result<Change, CallError> {
        tokio::select! {
            biased;
            change = self.changes.next() => change,
            () = self.peer.closed() => Err(ConnectionError::Closed.into()),
        }
    }

    /// Returns the lists and resources whose changes the server reports, which may be fewer than requested.
    #[must_use]
    pub fn accepted(&self) -> SubscriptionFilter {
        self.changes.filter()
    }

    /// Replaces the subscription. Changes of lists and resources in both are reported throughout.
    ///
    /// # Errors
    /// [`CallError`]; the earlier subscription stays.
    pub async fn set(&mut self, wanted: SubscriptionFilter) -> Result<(), CallError> {
        self.inner.set(wanted.clone()).await?;
        self.wanted = wanted;
        Ok(())
    }

    /// Subscribes to one more resource.
    ///
    /// # Errors
    /// The same as for [`set`](Self::set).
    pub async fn add_resource(&mut self, uri: &str) -> Result<(), CallError> {
        let mut wanted = self.wanted.clone();
        if !wanted.resource_subscriptions.iter().any(|known| known == uri) {
            wanted.resource_subscriptions.push(uri.to_owned());
        }
        self.set(wanted).await
    }

    /// Unsubscribes from a resource.
    ///
    /// # Errors
    /// The same as for [`set`](Self::set).
    pub async fn remove_resource(&mut self, uri: &str) -> Result<(), CallError> {
        let mut wanted = self.wanted.clone();
        wanted.resource_subscriptions.retain(|known| known != uri);
        self.set(wanted).await
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.inner.leave();
    }
}
