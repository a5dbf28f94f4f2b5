//! §11.2 Notifies hosts of changes of servers' states.

use super::KernelEvents;
use crate::{
    catalog::tools::OfferedTools,
    ground::local::is_local,
    host::Hosts,
    upstream::{StateChange, StateChanges},
};
use mgp_discovery::registry::Registry;
use mgp_transport::seam::{Session, Visibility};
use mgp_types::{
    context::{Principal, ToolId},
    lifecycle::{LifecycleParams, ShutdownReason},
};

/// Notifies hosts of state changes of servers that they may use at least in part (`notifications/mgp.lifecycle`), until the kernel is
/// gone.
pub(crate) async fn tell_hosts(
    hosts: Hosts,
    offered: OfferedTools,
    registry: Registry,
    events: KernelEvents,
    mut changes: StateChanges,
) {
    while let Some(change) = changes.next().await {
        match change {
            StateChange::Moved(moved) => {
                let plain = for_others(&moved);
                let is_told =
                    |who: &Principal| who.is_admin() || may_know(&offered, &registry, who, &moved.server_id);
                if events.is_heard() {
                    events.state_changed(&moved, Principal::is_admin);
                    let (offered, registry, id) =
                        (offered.clone(), registry.clone(), moved.server_id.clone());
                    let sees =
                        move |who: &Principal| !who.is_admin() && may_know(&offered, &registry, who, &id);
                    events.state_changed(&plain, sees);
                }
                let is_whole = |session: &Session, who: &Principal| is_of_user(session, who) && is_told(who);
                let is_plain = |session: &Session, who: &Principal| !is_of_user(session, who) && is_told(who);
                hosts.state_changed(&moved, is_whole).await;
                hosts.state_changed(&plain, is_plain).await;
            }
            StateChange::Missed(count) => {
                events.states_missed(count);
                tracing::warn!(count, "hosts were not notified of changes of servers' states");
            }
        }
    }
}

/// Returns whether the user of a host is the operator: the host was started by the operator, or has the admin role.
pub(crate) fn is_of_user(session: &Session, who: &Principal) -> bool {
    is_local(session) || who.is_admin()
}

/// Returns a change for other hosts than the operator's, with only a reason of the specification. Any other reason may quote the server, or
/// contain the path of its program.
pub(crate) fn for_others(change: &LifecycleParams) -> LifecycleParams {
    let is_standard =
        |reason: &String| !matches!(ShutdownReason::from(reason.as_str()), ShutdownReason::Other(_));
    LifecycleParams { reason: change.reason.clone().filter(is_standard), ..change.clone() }
}

fn may_know(offered: &OfferedTools, registry: &Registry, who: &Principal, server_id: &str) -> bool {
    let view = offered.view(who);
    view.sees_server(server_id)
        || registry.server(server_id).is_some_and(|server| {
            server.tools.iter().any(|tool| view.sees(&ToolId::new(server.id.clone(), tool.clone())))
        })
}
