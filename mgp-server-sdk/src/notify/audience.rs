//! The clients that can be told something.

use super::Subscriptions;
use mgp_transport::seam::Peer;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{
        ResourceUpdated,
        stateless::{Listen, SubscriptionFilter},
        tasks::extension::TaskChanged,
    },
    rpc::{Notice, RequestId},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The clients that can be told something. A clone is the same list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Audience(Arc<Mutex<Vec<Listener>>>);

/// A client that can be told something.
#[derive(Debug, Clone)]
pub(crate) struct Listener {
    pub(crate) peer: Peer,
    hears: Hears,
    /// Held while a subscription is being acknowledged, which must be its first message.
    pub(crate) gate: Arc<tokio::sync::Mutex<()>>,
}

/// What a client is told.
#[derive(Debug, Clone)]
enum Hears {
    /// What belongs to its session: all that has changed, and the resources that it subscribed to.
    Session,
    /// What a request of a stateless revision asked for.
    Request { id: RequestId, filter: Arc<SubscriptionFilter> },
}

impl Audience {
    /// Adds a client that has finished its handshake. Those that are gone are forgotten, so that there are never more than are
    /// connected.
    pub(crate) fn join(&self, peer: &Peer) {
        let mut listeners = self.lock();
        let same = |known: &Listener| {
            matches!(known.hears, Hears::Session) && known.peer.session().id() == peer.session().id()
        };
        listeners.retain(|known| !known.peer.is_closed() && !same(known));
        listeners.push(Listener { peer: peer.unbound(), hears: Hears::Session, gate: Arc::default() });
    }

    /// Adds a client that listens for as long as what is returned lives. It is told nothing while the gate is locked.
    pub(crate) fn listen(
        &self,
        peer: &Peer,
        id: &RequestId,
        filter: SubscriptionFilter,
        gate: Arc<tokio::sync::Mutex<()>>,
    ) -> Listening {
        let hears = Hears::Request { id: id.clone(), filter: Arc::new(filter) };
        self.lock().push(Listener { peer: peer.clone(), hears, gate });
        Listening { audience: self.clone(), peer: peer.clone(), id: id.clone() }
    }

    /// Those that are connected.
    pub(crate) fn connected(&self) -> Vec<Listener> {
        self.lock().iter().filter(|listener| !listener.peer.is_closed()).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Listener>> {
        // Every critical section only moves whole values, so a panic elsewhere leaves them whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    /// Whether it is to be told this, about a resource or a task where it is about one.
    pub(crate) fn wants(&self, method: &str, subject: Option<&str>) -> bool {
        match &self.hears {
            Hears::Request { filter, .. } => filter.wants(method, subject),
            Hears::Session if method == ResourceUpdated::METHOD => {
                subject.is_some_and(|uri| Subscriptions::of(self.peer.session()).contains(uri))
            }
            // A session hears of the tasks that it made, in other words.
            Hears::Session if method == TaskChanged::METHOD => false,
            Hears::Session => true,
        }
    }

    /// Whether it hears what belongs to its session.
    pub(crate) fn is_session(&self) -> bool {
        matches!(self.hears, Hears::Session)
    }

    /// The params as it gets them.
    pub(crate) fn params(&self, params: &RawJson) -> RawJson {
        match &self.hears {
            Hears::Session => params.clone(),
            Hears::Request { id, .. } => Listen::tagged(RawObject::from_json(params).unwrap_or_default(), id),
        }
    }
}

/// A client that listens. Dropping it ends that.
#[derive(Debug)]
pub(crate) struct Listening {
    audience: Audience,
    peer: Peer,
    id: RequestId,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.audience.lock().retain(|known| {
            let same = matches!(&known.hears, Hears::Request { id, .. } if *id == self.id);
            !(same && known.peer.is_same_connection(&self.peer))
        });
    }
}
