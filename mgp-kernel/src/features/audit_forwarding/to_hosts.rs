//! Forwards events to the hosts that negotiated `audit`.

use super::INTERVAL;
use crate::{
    ground::trail::Trail,
    host::{Hosts, WeakHosts},
};
use mgp_security::audit::{AuditFilter, AuditPosition, AuditReader};
use mgp_types::rpc::ErrorObject;
use std::{sync::Weak, time::Duration};

/// The interval at which the trail is followed while no host is subscribed. A host that subscribes also receives events of this age.
const IDLE: Duration = Duration::from_secs(1);
/// The maximum number of events per read. A host that does not accept them in time misses the rest of them.
const PAGE: u32 = 100;

/// Forwards new events of the trail to the hosts of principals with the admin role, until the kernel is gone. With a database, these are the
/// events of all trails there. A host that misses an event, because it is slow or was disconnected, sees the gap in the numbers, and reads the
/// event with `mgp/audit/replay`.
pub(crate) async fn forward_to_hosts(trail: Weak<Trail>, hosts: WeakHosts) {
    let mut position = None;
    let (mut pause, mut is_failing) = (Duration::ZERO, false);
    loop {
        tokio::time::sleep(pause).await;
        let Some((trail, hosts)) = trail.upgrade().zip(hosts.upgrade()) else { return };
        let Some(log) = trail.log.clone() else { return };
        drop(trail);
        if hosts.has_audit_listeners() {
            pause = INTERVAL;
        } else {
            (pause, position) = (IDLE, None);
        }
        let reader: &dyn AuditReader = match log.database() {
            Some(database) => database,
            None => &log,
        };
        match forward(reader, &hosts, position.clone()).await {
            Ok((next, has_more)) => {
                (position, is_failing) = (Some(next), false);
                if has_more {
                    pause = Duration::ZERO;
                }
            }
            Err(error) if !is_failing => {
                tracing::warn!(%error, "audit events are not forwarded to hosts; retrying");
                is_failing = true;
            }
            Err(_) => {}
        }
    }
}

/// Forwards a page of events after a position. Returns the position after them, and whether there are more. Without a position, returns
/// the one after the newest event.
async fn forward(
    reader: &dyn AuditReader,
    hosts: &Hosts,
    position: Option<AuditPosition>,
) -> Result<(AuditPosition, bool), ErrorObject> {
    let filter = |last| AuditFilter { last, ..AuditFilter::default() };
    let Some(position) = position else {
        return reader.latest_page(filter(0)).await.map(|page| (page.next, false));
    };
    let page = reader.after(position, filter(PAGE)).await?;
    if !page.events.is_empty() {
        hosts.audited(&page.events).await;
    }
    Ok((page.next, page.has_more))
}
