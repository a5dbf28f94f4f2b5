//! Sends `mgp/stream/cancel` for a call whose caller no longer waits.

use mgp_transport::{connection::Body, seam::Peer};
use mgp_types::{
    json::{RawJson, RawObject},
    rpc::{Call, Method, RawParams, RequestId},
    stream::CancelStream,
};

/// Cancels a call to a peer by `mgp/stream/cancel`, without waiting: there is always room for the request, and its answer is dropped.
/// `call` is the id under which the call was sent.
pub fn cancel_unheard(peer: &Peer, call: i64, reason: &str) {
    let params: RawObject =
        [("request_id", RequestId::from(call).to_json()), ("reason", RawJson::string(reason))]
            .into_iter()
            .collect();
    let (id, method, params) =
        (RequestId::from(peer.next_id()), Method::known(CancelStream::METHOD), RawParams::from(params));
    // A connection that is gone has no calls left to cancel.
    let _ = peer.try_forward(Body::Request { id: &id, method: &method, params: &params }, true);
}
