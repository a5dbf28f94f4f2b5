//! Requests of the stateless era that continue a call, or are about a task, of another replica.
//!
//! A call that asks its host waits in one replica. The opaque state, which the host sends back with its answers, begins with the id of that replica.
//! So does the id of a task.

use super::relay::{self, PostedRequests};
use crate::{
    http::{
        era,
        server::{forwarded::is_forwarded, refusal::Refusal, replicas::ForwardError, state::ServerState},
    },
    seam::ReplicaName,
};
use axum::response::Response;
use bytes::Bytes;
use http::request::Parts;
use mgp_types::{
    mcp::stateless::RequestEnvelope,
    negotiation::read_offer,
    rpc::{Frame, RawParams},
};
use std::time::Duration;
use tokio::time::sleep;

/// The pause before a replica that was not reached is tried again.
const PAUSE: Duration = Duration::from_millis(50);

/// Forwards a request that continues a call or a task of another replica, and returns the answer; `None` if this replica handles the request.
pub(in crate::http::server) async fn forward_continued(
    server: &ServerState,
    parts: &Parts,
    frame: &Frame,
) -> Result<Option<Response>, Refusal> {
    let Some(replicas) = &server.replicas else { return Ok(None) };
    let Frame::Request { id, params, .. } = frame else { return Ok(None) };
    let Some(Continuation { owner, is_task }) = Continuation::by(params) else { return Ok(None) };
    let is_here = owner == replicas.store.id() || is_forwarded(&parts.extensions);
    if is_here || !era::is_stateless(&parts.headers, frame) {
        return Ok(None);
    }
    let posted = PostedRequests::one(id.clone(), &parts.headers, has_mgp(params));
    let unreachable =
        || Refusal::unavailable("the replica that has the call or task cannot be reached").of(Some(id));
    let mut text = Vec::new();
    frame.write(&mut text);
    let text = Bytes::from(text);
    while let Some(target) = replicas.target(&owner).await.map_err(|refusal| refusal.of(Some(id)))? {
        if replicas.is_silent(&owner) {
            return Err(unreachable());
        }
        let mut request = http::Request::new(text.clone());
        request.method_mut().clone_from(&parts.method);
        request.uri_mut().clone_from(&parts.uri);
        request.headers_mut().clone_from(&parts.headers);
        let gone = || replicas.clone().gone(owner.clone());
        let answered = tokio::select! {
            answered = replicas.network.forward(&target, request) => answered,
            () = gone() => Err(ForwardError::Lost("the replica is gone".into())),
        };
        match answered {
            Ok(response) => return Ok(Some(relay::relay(response, posted, gone()).await)),
            Err(ForwardError::Lost(error)) => {
                tracing::warn!(%error, replica = owner, "a replica was lost while it handled a request");
                return Ok(Some(posted.lost()));
            }
            Err(ForwardError::Silent(error)) => {
                tracing::debug!(%error, replica = owner, "the replica of a call or task does not answer");
                replicas.note_silent(&owner);
                return Err(unreachable());
            }
            Err(ForwardError::Unreached(error)) => {
                tracing::debug!(%error, replica = owner, "a request was not forwarded");
                sleep(PAUSE).await;
            }
        }
    }
    tracing::info!(replica = owner, is_task, "the replica of a call or task is gone");
    // A task ends with its replica: every other one answers that it is unknown.
    Ok((!is_task).then(|| posted.lost()))
}

/// The call or task that a request continues.
struct Continuation {
    /// The id of its replica.
    owner: String,
    is_task: bool,
}

impl Continuation {
    /// Returns the call or task that the params of a request name: the first task, if it listens to several.
    fn by(params: &RawParams) -> Option<Self> {
        let params = params.object().ok()?;
        let owner = |id: &str| ReplicaName::of_state(id).map(str::to_owned);
        if let Some(owner) = params.text("requestState").and_then(|state| owner(&state)) {
            return Some(Self { owner, is_task: false });
        }
        let listened = || {
            let ids: Vec<String> = params.object("notifications")?.get("taskIds")?.decode().ok()?;
            ids.into_iter().next()
        };
        let owner = owner(&params.text("taskId").or_else(listened)?)?;
        Some(Self { owner, is_task: true })
    }
}

/// Returns whether the client of a request offers MGP.
fn has_mgp(params: &RawParams) -> bool {
    let envelope = params.object().ok().and_then(|params| RequestEnvelope::read(params).ok());
    envelope.is_some_and(|envelope| read_offer(&envelope.capabilities.0).is_some())
}
