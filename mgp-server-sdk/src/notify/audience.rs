//! The clients that can receive notifications.

use super::Subscriptions;
use mgp_transport::seam::Peer;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{Listen, ResourceUpdated, SubscriptionFilter, tasks::extension::TaskChanged},
    rpc::{Notice, RequestId},
};
use parking_lot::Mutex;
use std::sync::Arc;

/// The clients that can receive notifications. Clones share one list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Audience(Arc<Mutex<Vec<Listener>>>);

/// A client that can receive notifications.
#[derive(Debug, Clone)]
pub(crate) struct Listener {
    pub(crate) peer: Peer,
    hears: Interests,
    /// Held while a subscription is being acknowledged, because the acknowledgement must be the first message.
    pub(crate) gate: Arc<tokio::sync::Mutex<()>>,
}

/// The notifications that a client receives.
#[derive(Debug, Clone)]
enum Interests {
    /// Notifications of the client's session: all changes, and updates of the resources that the session subscribed to.
    Session,
    /// The notifications that a request of a stateless revision asked for.
    Request { id: RequestId, filter: Arc<SubscriptionFilter> },
}

impl Audience {
    /// Adds a client that has finished its handshake. Disconnected clients are removed, so that the list contains only connected
    /// ones.
    pub(crate) fn join(&self, peer: &Peer) {
        let mut listeners = self.0.lock();
        let same = |known: &Listener| {
            matches!(known.hears, Interests::Session) && known.peer.session().id() == peer.session().id()
        };
        listeners.retain(|known| !known.peer.is_closed() && !same(known));
        listeners.push(Listener { peer: peer.unbound(), hears: Interests::Session, gate: Arc::default() });
    }

    /// Adds a client that listens until the returned [`ListenerGuard`] is dropped. The client receives nothing while the gate is
    /// locked.
    pub(crate) fn listen(
        &self,
        peer: &Peer,
        id: &RequestId,
        filter: SubscriptionFilter,
        gate: Arc<tokio::sync::Mutex<()>>,
    ) -> ListenerGuard {
        let hears = Interests::Request { id: id.clone(), filter: Arc::new(filter) };
        self.0.lock().push(Listener { peer: peer.clone(), hears, gate });
        ListenerGuard { audience: self.clone(), peer: peer.clone(), id: id.clone() }
    }

    /// Returns the clients that are connected.
    pub(crate) fn connected(&self) -> Vec<Listener> {
        self.0.lock().iter().filter(|listener| !listener.peer.is_closed()).cloned().collect()
    }
}

impl Listener {
    /// Returns whether the client should receive a notification. `subject` is the resource or task of the notification, if any.
    pub(crate) fn wants(&self, method: &str, subject: Option<&str>) -> bool {
        match &self.hears {
            Interests::Request { filter, .. } => filter.wants(method, subject),
            Interests::Session if method == ResourceUpdated::METHOD => {
                subject.is_some_and(|uri| Subscriptions::of(self.peer.session()).contains(uri))
            }
            // A session receives another notification for the tasks that it created.
            Interests::Session if method == TaskChanged::METHOD => false,
            Interests::Session => true,
        }
    }

    /// Returns the params in the client's form.
    pub(crate) fn params(&self, params: &RawJson) -> RawJson {
        match &self.hears {
            Interests::Session => params.clone(),
            Interests::Request { id, .. } => {
                Listen::tagged(RawObject::from_json(params).unwrap_or_default(), id)
            }
        }
    }
}

/// A listening client, removed from the list on drop.
#[derive(Debug)]
pub(crate) struct ListenerGuard {
    audience: Audience,
    peer: Peer,
    id: RequestId,
}

impl Drop for ListenerGuard {
    fn drop(&mut self) {
        self.audience.0.lock().retain(|known| {
            let same = matches!(&known.hears, Interests::Request { id, .. } if *id == self.id);
            !(same && known.peer.is_same_connection(&self.peer))
        });
    }
}
