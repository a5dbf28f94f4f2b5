//! A subscription, as who has it sees it.

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

/// Changes at the server, for as long as this lives. See [`Client::subscribe`](crate::client::Client::subscribe).
#[derive(Debug)]
pub struct Subscription {
    pub(super) caller: Caller,
    pub(super) changes: Arc<Changes>,
    pub(super) wanted: SubscriptionFilter,
    pub(super) way: Way,
}

/// How the server is asked.
#[derive(Debug)]
pub(super) enum Way {
    /// Resource by resource, in the era of `initialize`.
    Session { listeners: SessionListeners, capabilities: ServerCapabilities },
    /// By a request that stays open, which a task holds.
    Listening {
        task: mpsc::Sender<Command>,
        /// Whether the server knows MGP. A plain one is told nothing of it.
        mgp: bool,
    },
}

impl Subscription {
    /// The next change. The same change is told once until it is read here. After a break, during which anything could have changed,
    /// everything that is subscribed to is told.
    ///
    /// # Errors
    /// Why nothing more comes: the connection is gone, or the subscription was given up.
    pub async fn next(&mut self) -> Result<Change, CallError> {
        tokio::select! {
            biased;
            change = self.changes.next() => change,
            () = self.caller.peer.closed() => Err(ConnectionError::Closed.into()),
        }
    }

    /// What the server tells of: of what was asked for, perhaps not all.
    #[must_use]
    pub fn accepted(&self) -> SubscriptionFilter {
        self.changes.filter()
    }

    /// Asks for something else instead. What is in both is told of throughout.
    ///
    /// # Errors
    /// [`CallError`]; what was asked for before holds on, and in the era of `initialize` also the resources that were taken before
    /// the error.
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

    /// Asks for one more resource.
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

    /// Asks no longer for a resource.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub async fn remove_resource(&mut self, uri: &str) -> Result<(), CallError> {
        let mut wanted = self.wanted.clone();
        wanted.resource_subscriptions.retain(|known| known != uri);
        self.set(wanted).await
    }
}

/// What a server is asked of what is wanted.
pub(super) fn asked(wanted: &SubscriptionFilter, mgp: bool) -> SubscriptionFilter {
    let mut asked = wanted.clone();
    asked.mgp = asked.mgp.filter(|_| mgp);
    asked
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // A request that stays open ends with its task, which ends with this.
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
