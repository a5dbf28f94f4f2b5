//! Tells clients that something has changed.

use super::{Audience, Subscriptions};
use futures_util::future::join_all;
use mgp_transport::seam::Peer;
use mgp_types::{
    lifecycle::{LifecycleChange, LifecycleParams},
    mcp::{PromptListChanged, ResourceListChanged, ResourceUpdated, ResourceUri, ToolListChanged},
    negotiation::{Extension, Negotiated},
    rpc::{Empty, Notice},
};

/// Tells the server's clients that something has changed. A clone tells the same clients.
///
/// Handlers take it as an argument; [`ServerStack::notifier`](crate::ServerStack::notifier) is for everything else.
#[derive(Debug, Clone, Default)]
pub struct Notifier {
    audience: Audience,
}

impl Notifier {
    /// A client that has finished its handshake.
    pub(crate) fn join(&self, peer: &Peer) {
        self.audience.join(peer);
    }

    /// The list of tools is another one now.
    pub async fn tools_changed(&self) {
        self.tell::<ToolListChanged>(&Empty::default(), |_| true).await;
    }

    /// The list of resources is another one now.
    pub async fn resources_changed(&self) {
        self.tell::<ResourceListChanged>(&Empty::default(), |_| true).await;
    }

    /// The list of prompts is another one now.
    pub async fn prompts_changed(&self) {
        self.tell::<PromptListChanged>(&Empty::default(), |_| true).await;
    }

    /// A resource is another one now: those who subscribed to it are told.
    pub async fn resource_updated(&self, uri: &str) {
        let subscribed = |peer: &Peer| Subscriptions::of(peer.session()).contains(uri);
        self.tell::<ResourceUpdated>(&ResourceUri::new(uri), subscribed).await;
    }

    /// §11.4 The server's state is another one now: those who negotiated `lifecycle` are told.
    pub(crate) async fn state_changed(&self, change: &LifecycleParams) {
        let lifecycle = |negotiated: Negotiated| negotiated.has(Extension::Lifecycle);
        let negotiated = |peer: &Peer| peer.session().get::<Negotiated>().is_some_and(lifecycle);
        self.tell::<LifecycleChange>(change, negotiated).await;
    }

    async fn tell<N: Notice>(&self, params: &N::Params, wants: impl Fn(&Peer) -> bool) {
        let peers = self.audience.connected();
        let told = peers.iter().filter(|peer| wants(peer)).map(|peer| async move {
            if let Err(error) = peer.notice::<N>(params).await {
                tracing::debug!(method = N::METHOD, %error, "a client was not told");
            }
        });
        join_all(told).await;
    }
}
