//! Sends the events of a subscription to its subscriber.

use super::EventSubscription;
use mgp_transport::seam::Peer;
use mgp_types::{
    events::Event,
    json::{RawJson, RawObject},
    mcp::Listen,
    rpc::{Notice, RequestId},
};

impl EventSubscription {
    /// Sends the events of the subscription to a peer, under an id, until the peer is gone or no more events come. If the subscription
    /// expires, a last event reports it. In the stateless era, `listening` is the request on whose stream the events are sent.
    ///
    /// While the peer takes nothing, the subscription loses its oldest events.
    pub async fn forward(mut self, peer: &Peer, id: &str, listening: Option<&RequestId>) {
        let forwarding = async {
            loop {
                let next = self.next(id).await;
                let is_last = next.is_none();
                let Some(event) = next.or_else(|| self.last(id)) else { return };
                let params = RawJson::from_value(&event).and_then(|params| match listening {
                    None => Ok(params),
                    Some(id) => RawObject::from_json(&params).map(|params| Listen::tagged(params, id)),
                });
                match params {
                    Ok(params) => {
                        if let Err(error) = peer.notify(Event::METHOD, params).await {
                            return tracing::debug!(%error, "a subscriber is gone");
                        }
                    }
                    Err(error) => tracing::warn!(%error, "an event cannot be written"),
                }
                if is_last {
                    return;
                }
            }
        };
        tokio::select! {
            () = forwarding => {}
            () = peer.closed() => {}
        }
    }
}
