//! The handle of a subscription.

use super::{
    changes::{Change, Changes},
    listening::Command,
    session::{SessionListeners, offered},
};
use crate::client::caller::Caller;
use mgp_transport::{connection::ConnectionError, seam::CallError};
use mgp_types::mcp::{ServerCapabilities, stateless::SubscriptionFilter};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// A subscription to changes at the server, which ends when it is dropped. See [`Client::subscribe`](crate::client::Client::subscribe).
#[derive(Debug)]
pub struct Subscription {
    pub(super) caller: Caller,
    pub(super) changes: Arc<Changes>,
    pub(super) wanted: SubscriptionFilter,
    pub(super) way: Way,
}

/// The way in which the server is asked.
#[derive(Debug)]
pub(super) enum Way {
    /// Resource by resource, in the era of `initialize`.
    Session { listeners: SessionListeners, capabilities: ServerCapabilities },
    /// By a request that stays open, which a task holds.
    Listening {
        task: mpsc::Sender<Command>,
        /// True if the server speaks MGP. A plain MCP server is not asked for MGP's events.
        mgp: bool,
    },
}

impl Subscription {
    /// Waits for the next change. A change that is repeated before it is read is returned once. After a break, during which
    /// anything could have changed, everything that is subscribed to is returned.
    ///
    /// # Errors
    /// The reason why no more changes come: the connection is gone, or the subscription was given up.
    pub async fn next(&mut self) -> Result<Change, CallError> {
        tokio::select! {
            biased;
            change = self.changes.next() => change,
            () = self.caller.peer.closed() => Err(ConnectionError::Closed.into()),
        }
    }

    /// Returns the lists and resources whose changes the server reports, which may be fewer than were asked for.
    #[must_use]
    pub fn accepted(&self) -> SubscriptionFilter {
        self.changes.filter()
    }

    /// Replaces what is subscribed to. Changes of what is in both are reported throughout.
    ///
    /// # Errors
    /// [`CallError`]; the earlier subscription stays, and in the era of `initialize` also the new resources that were accepted
    /// before the error.
    pub async fn set(&mut self, wanted: SubscriptionFilter) -> Result<(), CallError> {
        match &self.way {
            Way::Session { listeners, capabilities } => {
                let offered = offered(wanted.clone(), capabilities);
                listeners.change(&self.caller, &self.changes, offered).await?;
            }
            Way::Listening { task, mgp } => {
                let gone = || CallError::from(ConnectionError::Closed);
                let (done, answer) = oneshot::channel();
                let command = Command { wanted: asked(&wanted, *mgp), done };
                task.send(command).await.map_err(|_| gone())?;
                answer.await.map_err(|_| gone())??;
            }
        }
        self.wanted = wanted;
        Ok(())
    }

    /// Subscribes to one more resource.
    ///
    /// # Errors
    /// As [`set`](Self::set).
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
    /// As [`set`](Self::set).
    pub async fn remove_resource(&mut self, uri: &str) -> Result<(), CallError> {
        let mut wanted = self.wanted.clone();
        wanted.resource_subscriptions.retain(|known| known != uri);
        self.set(wanted).await
    }
}

/// Returns the part of `wanted` that the server is asked for: MGP's events only if it speaks MGP.
pub(super) fn asked(wanted: &SubscriptionFilter, mgp: bool) -> SubscriptionFilter {
    let mut asked = wanted.clone();
    asked.mgp = asked.mgp.filter(|_| mgp);
    asked
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // A request that stays open ends with its task, which ends with the subscription.
        let Way::Session { listeners, .. } = &self.way else { return };
        let uris = self.changes.filter().resource_subscriptions;
        // Without a runtime nothing can be sent, and the connection is gone.
        let Some(runtime) = tokio::runtime::Handle::try_current().ok().filter(|_| !uris.is_empty()) else {
            return;
        };
        let (listeners, caller) = (listeners.clone(), self.caller.clone());
        runtime.spawn(async move { listeners.release(&caller, uris).await });
    }
}
