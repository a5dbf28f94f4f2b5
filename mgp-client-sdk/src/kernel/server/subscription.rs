//! Subscriptions to a server's resources on behalf of hosts: by `resources/subscribe` in the era of `initialize`, by an open
//! `subscriptions/listen` in the stateless one.

use super::{Link, Server, inbound::Inbound, listening::listen};
use crate::kernel::changes::Change;
use mgp_types::{
    mcp::{ResourceUri, SubscribeResource, UnsubscribeResource},
    rpc::Call,
};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::{Notify, watch};

/// The most resources of one server that may be watched, over all hosts.
pub(crate) const MOST_WATCHED: usize = 4096;

/// The resources that hosts want to hear of, with the number of hosts for each.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    uris: Mutex<BTreeMap<String, usize>>,
    /// Notified when a resource is added or removed, and by [`ring`](Self::ring).
    pub(super) changed: Notify,
}

impl Watched {
    /// Counts one more host for a resource, and returns whether it is the first; `None` if there is no room.
    pub(crate) fn add(&self, uri: &str) -> Option<bool> {
        let mut uris = self.uris.lock();
        if uris.len() >= MOST_WATCHED && !uris.contains_key(uri) {
            return None;
        }
        let hosts = uris.entry(uri.to_owned()).or_default();
        *hosts += 1;
        let first = *hosts == 1;
        if first {
            self.changed.notify_one();
        }
        Some(first)
    }

    /// Counts one host less for a resource, and returns whether it was the last.
    pub(crate) fn remove(&self, uri: &str) -> bool {
        let mut uris = self.uris.lock();
        let Some(hosts) = uris.get_mut(uri) else { return false };
        *hosts -= 1;
        let last = *hosts == 0;
        if last {
            uris.remove(uri);
            self.changed.notify_one();
        }
        last
    }

    /// Signals that hosts want other notifications than before, besides those on resources.
    pub(crate) fn ring(&self) {
        self.changed.notify_one();
    }

    /// Returns whether a host wants to hear of a resource.
    pub(super) fn has(&self, uri: &str) -> bool {
        self.uris.lock().contains_key(uri)
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.uris.lock().keys().cloned().collect()
    }
}

/// Keeps a server informed of what hosts want to hear. Does not return while the connection stands.
///
/// `renewals` counts how often the server's session was opened anew, if the transport has sessions.
pub(super) async fn keep_listening(
    server: &Arc<Server>,
    link: &Arc<Link>,
    inbound: &Inbound,
    renewals: Option<watch::Receiver<u64>>,
) {
    if link.is_stateless() {
        listen(server, link, inbound).await;
    } else {
        subscribe(server, link, inbound, renewals).await;
    }
}

/// Subscribes to the resources that hosts have come to want, and unsubscribes from those that nobody wants any more. A new session
/// starts without subscriptions.
async fn subscribe(
    server: &Arc<Server>,
    link: &Arc<Link>,
    inbound: &Inbound,
    mut renewals: Option<watch::Receiver<u64>>,
) {
    let mut subscribed: Vec<String> = Vec::new();
    loop {
        let wanted =
            if link.capabilities.resource_subscriptions() { server.watched.all() } else { Vec::new() };
        for uri in wanted.iter().filter(|uri| !subscribed.contains(uri)) {
            say::<SubscribeResource>(server, link, uri).await;
        }
        for uri in subscribed.iter().filter(|uri| !wanted.contains(uri)) {
            say::<UnsubscribeResource>(server, link, uri).await;
        }
        subscribed = wanted;
        tokio::select! {
            () = server.watched.changed.notified() => {}
            () = renewed(&mut renewals) => {
                // Nobody knows what has changed since the server forgot the session, so all of it may have.
                for uri in std::mem::take(&mut subscribed) {
                    inbound.updated(&uri).await;
                }
                for change in [Change::Tools, Change::Resources, Change::Prompts] {
                    server.changes.note(change);
                }
                // The grants and the log level that the server was told went with the session.
                link.forget_told();
                inbound.announce_permissions(link);
            }
        }
    }
}

/// Waits until a session is opened anew; forever if there is none.
async fn renewed(renewals: &mut Option<watch::Receiver<u64>>) {
    if let Some(renewals) = renewals
        && renewals.changed().await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}

async fn say<C: Call<Params = ResourceUri>>(server: &Server, link: &Link, uri: &str) {
    let params = ResourceUri::new(uri);
    let asked = link.peer.request::<C>(&params);
    match tokio::time::timeout(server.spec.call_time_limit, asked).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::debug!(server = server.id(), uri, method = C::METHOD, %error, "not taken"),
        Err(_) => tracing::debug!(server = server.id(), uri, method = C::METHOD, "took too long"),
    }
}
