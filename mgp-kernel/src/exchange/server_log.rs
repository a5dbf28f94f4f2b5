//! Forwards the log messages of servers to hosts.

use crate::{
    ground::{
        caller::NoCaller,
        roles::{is_of_admin, is_of_operator},
    },
    host::{HostDialect, Hosts},
    upstream::{LOG_TIMEOUT, Server},
};
use mgp_server_sdk::logging;
use mgp_transport::seam::{Incoming, Peer};
use mgp_types::{
    context::Principal,
    mcp::LogMessage,
    rpc::{Notice, RawParams},
};

/// Forwards a log message to the hosts that accept it: the host of the call in flight, else all hosts that may use the
/// server.
///
/// A log message may contain data of a call, and thus of one principal. Therefore:
/// - A message of an ended call is not forwarded.
/// - If the call is unknown and the hosts have several principals, not counting operators, only hosts with the admin role get the message.
/// - Once another kernel has used the server's process, a message may belong to that kernel's calls, and none is forwarded.
///
/// The message is searched for secrets once, for all its hosts.
pub(crate) async fn forward_log(server: &Server, hosts: &Hosts, message: &Incoming) {
    let params = &message.params;
    tracing::debug!(target: "mgp::server_log", server = server.id(), params = ?params.get());
    let mut peers = match server.exchange.caller(message) {
        Ok(caller) => vec![caller.peer],
        Err(NoCaller::Over) => return,
        Err(_) => of_one_principal(hosts.who_see(&server.rights.access, server.id())),
    };
    peers.retain(|peer| logging::is_wanted(peer.session(), params));
    let Some(first) = peers.first() else { return };
    let Some(params) = searched(server, first, params.clone()).await else { return };
    for peer in &peers {
        let params = HostDialect::of(Some(peer.session())).params(params.clone());
        let told = peer.notify(LogMessage::METHOD, params);
        if !matches!(tokio::time::timeout(LOG_TIMEOUT, told).await, Ok(Ok(()))) {
            tracing::debug!(session = peer.session().id(), "a host did not accept a log message");
        }
    }
}

/// Searches a log message for secrets. Returns the form that may leave the kernel; `None` if it must not leave. The event names the
/// principal of a host that accepts the message.
async fn searched(server: &Server, host: &Peer, params: RawParams) -> Option<RawParams> {
    let mut message = Incoming::notification(LogMessage::METHOD, params);
    if let Some(principal) = host.session().get::<Principal>() {
        message.set_principal(principal);
    }
    server.path.results.notification(message).await
}

/// Returns the hosts if all except operators' have the same principal, and otherwise only those with the admin role. An agent with that
/// role is a principal like any other: a message may belong to its call.
fn of_one_principal(mut hosts: Vec<Peer>) -> Vec<Peer> {
    let principal = |host: &Peer| host.session().get::<Principal>();
    let mut others = hosts.iter().filter(|host| !is_of_operator(host)).map(principal);
    let first = others.next();
    if !others.all(|other| Some(other) == first) {
        hosts.retain(is_of_admin);
    }
    hosts
}
