//! The connected hosts, and the notifications to them.

use crate::{
    ground::{
        changes::{Change, Changes},
        kernel_id::SERVER_ID,
        manifest_uri::MANIFEST_URI,
        roles::{is_of_admin, is_of_operator},
    },
    host::ListedTools,
};
use mgp_lifecycle::health::Health;
use mgp_security::access::AccessControl;
use mgp_server_sdk::{Notifier, handshake::Handshake};
use mgp_stream::events::EventSubscription;
use mgp_transport::seam::{Incoming, Peer, Reply, Session, Visibility};
use mgp_types::{
    audit::AuditEvent, context::Principal, json::RawJson, lifecycle::LifecycleParams, mcp::SubscriptionFilter,
};
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// The connected hosts, and their notifications about the kernel. Clones share one list.
#[derive(Debug, Clone)]
pub(crate) struct Hosts(Arc<Inner>);

/// A reference to the list of hosts that does not keep the list alive.
#[derive(Debug, Clone)]
pub(crate) struct WeakHosts(Weak<Inner>);

impl WeakHosts {
    /// Returns the hosts; `None` once the kernel is gone.
    pub(crate) fn upgrade(&self) -> Option<Hosts> {
        self.0.upgrade().map(Hosts)
    }
}

#[derive(Debug)]
struct Inner {
    /// The hosts that have completed their handshake.
    sessions: Mutex<Vec<Peer>>,
    /// Notifies these hosts, and the subscribed hosts of the stateless era.
    notifier: Notifier,
    changes: Arc<Changes>,
    handshake: Handshake,
    health: Health,
    /// The tools in the hosts' lists.
    tools: Arc<dyn ListedTools>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Ends the task that notifies the hosts.
        self.changes.ring();
    }
}

impl Hosts {
    /// Creates the empty list, and starts the task that notifies hosts of changes until the list is dropped.
    pub(crate) fn new(handshake: Handshake, tools: Arc<dyn ListedTools>) -> Self {
        let (sessions, notifier, changes) = (Mutex::default(), Notifier::default(), Arc::default());
        let health = Health::new(SERVER_ID);
        let inner = Arc::new(Inner { sessions, notifier, changes, handshake, health, tools });
        tokio::spawn(tell(inner.changes.clone(), Arc::downgrade(&inner)));
        Self(inner)
    }

    /// Returns a reference that does not keep the list alive.
    pub(crate) fn downgrade(&self) -> WeakHosts {
        WeakHosts(Arc::downgrade(&self.0))
    }

    /// Returns the kernel's side of the handshake, without instructions.
    pub(super) fn handshake(&self) -> &Handshake {
        &self.0.handshake
    }

    /// Returns the kernel's health.
    pub(crate) fn health(&self) -> &Health {
        &self.0.health
    }

    /// Adds a host that has just sent `notifications/initialized`, and removes the hosts that have disconnected.
    pub(crate) fn add(&self, peer: &Peer) {
        self.0.notifier.join(peer);
        let mut sessions = self.0.sessions.lock();
        sessions.retain(|known| !known.is_closed());
        sessions.push(peer.unbound());
    }

    /// Returns the hosts that have completed their handshake and are still connected.
    pub(crate) fn sessions(&self) -> Vec<Peer> {
        self.0.sessions.lock().iter().filter(|peer| !peer.is_closed()).cloned().collect()
    }

    /// Returns the hosts whose agents may use a server's resources and prompts.
    pub(crate) fn who_see(&self, access: &AccessControl, server_id: &str) -> Vec<Peer> {
        self.sessions().into_iter().filter(|peer| may_use(peer, access, server_id)).collect()
    }

    /// Returns the hosts that a server may ask for their roots outside of a call: those whose agents satisfy `may_use`. Sessions of operators
    /// are left out, so that connecting one does not change which host a server reaches.
    pub(crate) fn who_answer(&self, may_use: impl Fn(&Principal) -> bool) -> Vec<Peer> {
        let may_use = |peer: &Peer| {
            let principal = peer.session().get::<Principal>();
            principal.is_some_and(|principal| may_use(&principal))
        };
        self.sessions().into_iter().filter(|peer| !is_of_operator(peer) && may_use(peer)).collect()
    }

    /// Returns the number of hosts that have completed their handshake and are still connected.
    pub(crate) fn count(&self) -> usize {
        self.sessions().len()
    }

    /// Notifies every host that something changed. Changes in quick succession are coalesced.
    pub(crate) fn changed(&self, change: Change) {
        self.0.changes.note(change);
    }

    /// Notifies the hosts that subscribed to a resource, and may use its server, that the resource changed.
    pub(crate) async fn resource_updated(&self, access: &AccessControl, server_id: &str, uri: &str) {
        self.0.notifier.resource_updated_to(uri, |peer| may_use(peer, access, server_id)).await;
    }

    /// Notifies the hosts that subscribed to a task, and satisfy `may_know`, that the task changed.
    pub(crate) async fn task_changed(
        &self,
        id: &str,
        task: &RawJson,
        may_know: impl Fn(&Peer) -> bool + Send,
    ) {
        self.0.notifier.task_changed_to(id, task, may_know).await;
    }

    /// Notifies the hosts that negotiated `lifecycle`, and satisfy `may_know`, that a server's state changed.
    pub(crate) async fn state_changed(
        &self,
        change: &LifecycleParams,
        may_know: impl Fn(&Session, &Principal) -> bool + Send,
    ) {
        let knows = move |peer: &Peer| {
            let session = peer.session();
            session.get::<Principal>().is_some_and(|who| may_know(session, &who))
        };
        self.0.notifier.state_changed_to(change, knows).await;
    }

    /// Returns whether a host whose principal has the admin role is subscribed to audit events.
    pub(crate) fn has_audit_listeners(&self) -> bool {
        self.0.notifier.has_audit_listeners(is_of_admin)
    }

    /// Sends events to the hosts that negotiated `audit` and whose principals have the admin role.
    pub(crate) async fn audited(&self, events: &[AuditEvent]) {
        self.0.notifier.audited_to(events, is_of_admin).await;
    }

    /// Answers `subscriptions/listen` of a host of the stateless era.
    pub(crate) fn listen(
        &self,
        message: &Incoming,
        filter: SubscriptionFilter,
        events: Option<EventSubscription>,
    ) -> impl Future<Output = Reply> + Send + use<> {
        self.0.notifier.listen(message, filter, events)
    }
}

async fn tell(changes: Arc<Changes>, inner: Weak<Inner>) {
    loop {
        let changed = changes.next().await;
        let parts = inner.upgrade().map(|hosts| (hosts.notifier.clone(), hosts.tools.clone()));
        let Some((notifier, tools)) = parts else { return };
        let knows = |peer: &Peer| tools.is_in_list(peer.session());
        if changed.has(Change::Tools) {
            notifier.tools_changed_to(|peer| !knows(peer)).await;
        } else if changed.has(Change::FollowedTools) {
            let is_meant = |peer: &Peer| !knows(peer) && tools.follows(peer.session());
            notifier.tools_changed_to(is_meant).await;
        }
        if changed.has(Change::Manifest) {
            notifier.resource_updated(MANIFEST_URI).await;
        }
        if changed.has(Change::Resources) {
            notifier.resources_changed().await;
        }
        if changed.has(Change::Prompts) {
            notifier.prompts_changed().await;
        }
    }
}

/// Returns whether a host's agent may use a server's resources and prompts.
fn may_use(peer: &Peer, access: &AccessControl, server_id: &str) -> bool {
    let principal = peer.session().get::<Principal>();
    principal.is_some_and(|principal| access.view(&principal).sees_server(server_id))
}
