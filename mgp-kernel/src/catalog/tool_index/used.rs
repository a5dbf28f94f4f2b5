//! Updates the session of a tool call. The tool becomes the most recently used one. A tool that is new to the session is cached.

use super::session::{own, with_security};
use crate::catalog::tools::Tools;
use mgp_toolindex::{exposure::Exposure, session::ToolSession};
use mgp_transport::seam::{Incoming, Peer, ToolCall};
use mgp_types::{
    context::{Principal, ToolId},
    json::RawJson,
    mcp::ToolListChanged,
    rpc::Notice,
};
use std::{sync::Arc, time::Duration};

/// The time to wait for more tools after the first, so that the host is notified once.
const GATHER: Duration = Duration::from_millis(20);

/// The time limit for notifying a host.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Records a tool call before it is sent to its server, after every gate. Only the session's own table is read here. A tool that
/// is new to the session is counted and announced concurrently.
pub(crate) fn used(tools: &Arc<Tools>, message: &Incoming, tool: &ToolId) {
    let Some(principal) = message.principal() else { return };
    if let Some(handle) = ToolCall::of(message).and_then(|call| call.options().session.as_ref()) {
        // Calls do not depend on their session: an expired session has no effect on them.
        let caller = principal.caller();
        if let Ok(opened) = tools.handles.open(&caller, handle) {
            let _ = opened.tools.touch(tool);
            tools.handles.keep(&caller, &opened);
        }
        return;
    }
    let Some(session) = own(message) else { return };
    if session.touch(tool) && tools.exposure == Exposure::Hybrid {
        // The session also keeps its own tools.
        let principal = principal.in_session(session.tag());
        let (tools, with_security) = (tools.clone(), with_security(message));
        let peer = message.peer().map(Peer::unbound);
        tokio::spawn(async move {
            tokio::time::sleep(GATHER).await;
            tools.can_count().await;
            if tools.sessions.settle(&principal, &session, with_security).changed
                && !tools.lists_all(&principal).await
                && let Some(peer) = peer
            {
                tell(peer).await;
            }
        });
    }
}

/// Notifies the host of a request, concurrently with its answer, that the tools of its session have changed. Skipped if its list does not
/// show them, or shows all tools anyway.
pub(super) fn changed(tools: &Tools, principal: &Principal, message: &Incoming, session: &ToolSession) {
    if tools.exposure == Exposure::Hybrid && tools.lists_all_by_length(principal) != Some(true) {
        tell_owner(message, session);
    }
}

/// Notifies the host of a request, concurrently with its answer, that its tools have changed, if the session is the host's own. A list of
/// tools shows no other session.
pub(super) fn tell_owner(message: &Incoming, session: &ToolSession) {
    let is_own = own(message).is_some_and(|own| own.is_same(session));
    if let Some(peer) = message.peer().filter(|_| is_own).map(Peer::unbound) {
        tokio::spawn(tell(peer));
    }
}

async fn tell(peer: Peer) {
    let told = peer.notify(ToolListChanged::METHOD, RawJson::empty_object());
    match tokio::time::timeout(TIMEOUT, told).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a host was not notified that its tools changed"),
        Err(_) => tracing::debug!("a host reads slowly, and was not notified that its tools changed"),
    }
}
