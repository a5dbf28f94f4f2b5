//! `resources/subscribe` and `resources/unsubscribe`, and the resources in `subscriptions/listen`. The kernel subscribes to a
//! resource at its server while at least one host watches it.

use super::{ResourceMethods, read::await_lists};
use crate::upstream::WatchGuard;
use mgp_server_sdk::notify::Subscriptions;
use mgp_transport::seam::{Incoming, Peer, Reply, RouteError};
use mgp_types::{
    context::Principal,
    mcp::ResourceUri,
    printable::quoted,
    rpc::{Empty, ErrorObject},
};

/// Answers `resources/subscribe`.
pub(super) async fn subscribe(methods: ResourceMethods, message: Incoming) -> Result<Reply, RouteError> {
    let principal = message.caller()?;
    let uri = message.params.decode::<ResourceUri>()?.uri;
    await_lists((&methods.forwarder, &methods.tools), &principal, &uri).await;
    if let (Some(session), Some(_)) = (message.session(), methods.own(&uri)) {
        Subscriptions::of(session).add(uri)?;
        return Ok(Reply::from_value(&Empty::default()));
    }
    let (Some(peer), Some(server)) = (message.peer(), methods.owner(&principal, &uri)) else {
        let error = ErrorObject::invalid_params(format!("resource not found: {}", quoted(&uri)));
        return Err(RouteError::about(uri, error));
    };
    let subscriptions = Subscriptions::of(peer.session());
    if !subscriptions.contains(&uri) {
        let watching = WatchGuard::new(server.watched(), vec![uri.clone()])?;
        subscriptions.add(uri.clone())?;
        tokio::spawn(until_unsubscribed(watching, subscriptions, uri, peer.unbound()));
    }
    Ok(Reply::from_value(&Empty::default()))
}

/// Answers `resources/unsubscribe`.
pub(super) async fn unsubscribe(_: ResourceMethods, message: Incoming) -> Result<Reply, RouteError> {
    message.caller()?;
    let uri = message.params.decode::<ResourceUri>()?.uri;
    if let Some(session) = message.session() {
        Subscriptions::of(session).remove(&uri);
    }
    Ok(Reply::from_value(&Empty::default()))
}

/// Watches a resource until its host unsubscribes or disconnects.
async fn until_unsubscribed(watching: WatchGuard, subscriptions: Subscriptions, uri: String, peer: Peer) {
    tokio::select! {
        () = subscriptions.removed(&uri) => {}
        () = peer.closed() => {}
    }
    drop(watching);
}

impl ResourceMethods {
    /// Returns whether a principal may subscribe to a resource.
    pub(crate) fn may_watch(&self, principal: &Principal, uri: &str) -> bool {
        self.own(uri).is_some() || self.owner(principal, uri).is_some()
    }

    /// Watches the resources in a request to listen, until the returned guards are dropped.
    pub(crate) fn watch_while(
        &self,
        principal: &Principal,
        uris: &[String],
    ) -> Result<Vec<WatchGuard>, ErrorObject> {
        let owned = uris.iter().filter_map(|uri| Some((self.owner(principal, uri)?, uri.clone())));
        owned.map(|(server, uri)| WatchGuard::new(server.watched(), vec![uri])).collect()
    }
}
