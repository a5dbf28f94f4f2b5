//! The roots of hosts, which a server may also request outside of a call: most do so once, right after the handshake.
//!
//! Only one host can answer such a request. If there is none yet, as at the start of a kernel, the request is refused. Once there is one, the
//! server is notified that the roots changed, so that it requests them again.

use crate::{
    ground::{caller::Caller, session_number::SessionNumber},
    host::Hosts,
    upstream::{LOG_TIMEOUT, Server},
};
use mgp_discovery::config::HostFeature;
use mgp_transport::seam::{Peer, ToolView, Visibility};
use mgp_types::{
    context::{Principal, ToolId},
    mcp::ListRoots,
    rpc::Call,
};
use std::sync::atomic::Ordering;

/// Returns the only host that has roots and whose agent may use the server; for an instance, the host of its session. While calls are in flight, this is their host.
fn only_host(hosts: &Hosts, server: &Server) -> Option<Caller> {
    let may_use = |principal: &Principal| may_use(&*server.rights.access.view(principal), server);
    let session = server.spec.instance_of;
    let is_its_own = |host: &Peer| session.is_none_or(|session| SessionNumber::of(host.session()) == session);
    let hosts = hosts.who_answer(may_use).into_iter().filter(is_its_own);
    let mut hosts = hosts.map(|host| Caller::of_session(&host)).filter(|host| host.capabilities().roots());
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => Some(host),
        _ => None,
    }
}

/// Returns the host that answers a request for roots outside of a call. Remembers a request that no host can answer.
pub(crate) fn host_of(hosts: &Hosts, server: &Server, method: &str) -> Option<Caller> {
    let is_busy = !server.exchange.is_idle();
    if method != ListRoots::METHOD || is_busy || !may_ask(server) {
        return None;
    }
    if let Some(host) = only_host(hosts, server) {
        return Some(host);
    }
    server.lacks_roots.store(true, Ordering::Release);
    // A host that has connected since does not know of the request.
    let host = only_host(hosts, server)?;
    server.lacks_roots.store(false, Ordering::Release);
    Some(host)
}

/// Notifies a server that the roots changed, if it requested them when no host could answer, and one can now.
pub(crate) async fn offer(hosts: &Hosts, server: &Server) {
    let Some(link) = server.link().filter(|_| server.lacks_roots.load(Ordering::Acquire)) else { return };
    if only_host(hosts, server).is_none() || !server.lacks_roots.swap(false, Ordering::AcqRel) {
        return;
    }
    if !matches!(tokio::time::timeout(LOG_TIMEOUT, link.roots_changed()).await, Ok(Ok(()))) {
        tracing::debug!(server = server.id(), "was not notified that a host with roots connected");
    }
}

/// Returns whether a server may request the roots of hosts.
pub(crate) fn may_ask(server: &Server) -> bool {
    server.spec.host_features.contains(&HostFeature::Roots)
}

/// Returns whether an agent may use a server or one of its tools. During calls of these tools, the server may ask the agent's
/// host, too.
pub(crate) fn may_use(view: &dyn ToolView, server: &Server) -> bool {
    let id = server.id();
    let may_call = || match view.sees_all_tools(id) {
        Some(all) => all,
        None => server.tools().iter().any(|listed| view.sees(&ToolId::new(id, listed.name()))),
    };
    view.sees_server(id) || may_call()
}
