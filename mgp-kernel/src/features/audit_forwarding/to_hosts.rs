//! Forwards events to the hosts that negotiated `audit`.

use super::INTERVAL;
use crate::{
    ground::trail::Trail,
    host::{Hosts, WeakHosts},
};
use mgp_security::audit::{AuditFilter, AuditLog, AuditPosition, AuditReader};
use mgp_types::rpc::ErrorObject;
use std::{sync::Weak, time::Duration};

/// The interval at which the trail is followed while no host is subscribed. A host that subscribes also receives events of this age.
const IDLE: Duration = Duration::from_secs(1);
/// The maximum number of events per read. A host that does not accept them in time misses the rest of them.
const PAGE: u32 = 100;

/// Returns the position after the newest event, from which [`forward_to_hosts`] begins. A kernel reads it before it has hosts, so that the first
/// one misses nothing. Returns `None` if there is no trail or it cannot be read.
pub(crate) async fn newest(trail: &Trail) -> Option<AuditPosition> {
    let log = trail.log.as_ref()?;
    after_newest(reader(log)).await.ok()
}

/// Forwards new events of the trail to the hosts of principals with the admin role, until the kernel is gone. With a database, these are the
/// events of all trails there. A host that misses an event, because it is slow or was disconnected, sees the gap in the numbers, and reads the
/// event with `mgp/audit/replay`.
pub(crate) async fn forward_to_hosts(
    trail: Weak<Trail>,
    hosts: WeakHosts,
    mut position: Option<AuditPosition>,
) {
    let (mut pause, mut is_failing) = (Duration::ZERO, false);
    loop {
        tokio::time::sleep(pause).await;
        let Some((trail, hosts)) = trail.upgrade().zip(hosts.upgrade()) else { return };
        let Some(log) = trail.log.clone() else { return };
        drop(trail);
        let reader = reader(&log);
        let is_subscribed = || hosts.has_audit_listeners();
        let forwarded = match position.clone().filter(|_| is_subscribed()) {
            Some(position) => {
                pause = INTERVAL;
                forward(reader, &hosts, position).await
            }
            None => {
                pause = IDLE;
                newest_while_idle(reader, is_subscribed, position.clone()).await.map(|next| (next, false))
            }
        };
        match forwarded {
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

fn reader(log: &AuditLog) -> &dyn AuditReader {
    match log.database() {
        Some(database) => database,
        None => log,
    }
}

/// Forwards a page of events after a position. Returns the position after them, and whether there are more.
async fn forward(
    reader: &dyn AuditReader,
    hosts: &Hosts,
    position: AuditPosition,
) -> Result<(AuditPosition, bool), ErrorObject> {
    let filter = AuditFilter { last: PAGE, ..AuditFilter::default() };
    let page = reader.after(position, filter).await?;
    if !page.events.is_empty() {
        hosts.audited(&page.events).await;
    }
    Ok((page.next, page.has_more))
}

/// Returns the position after the newest event. Returns the earlier position if a host subscribed during the reading, which may have passed
/// events that the host has to receive.
async fn newest_while_idle(
    reader: &dyn AuditReader,
    is_subscribed: impl Fn() -> bool,
    earlier: Option<AuditPosition>,
) -> Result<AuditPosition, ErrorObject> {
    let newest = after_newest(reader).await?;
    Ok(earlier.filter(|_| is_subscribed()).unwrap_or(newest))
}

async fn after_newest(reader: &dyn AuditReader) -> Result<AuditPosition, ErrorObject> {
    let nothing = AuditFilter { last: 0, ..AuditFilter::default() };
    Ok(reader.latest_page(nothing).await?.next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_security::audit::{AuditLogConfig, AuditSink, EventDraft};
    use mgp_types::{audit::AuditEventType, context::Principal};

    #[tokio::test]
    async fn a_host_that_subscribes_during_a_reading_misses_no_event() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::open(folder.path().join("audit.sqlite3"), &AuditLogConfig::default()).unwrap();
        let earlier = after_newest(&log).await.unwrap();
        let event = EventDraft::new(AuditEventType::ToolExecuted, &Principal::operator("test"));
        log.record(event.finish()).await.unwrap();
        let newest = after_newest(&log).await.unwrap();
        assert_ne!(newest, earlier);
        for (is_subscribed, expected) in [(false, &newest), (true, &earlier)] {
            let position = newest_while_idle(&log, || is_subscribed, Some(earlier.clone())).await.unwrap();
            assert_eq!(position, *expected, "{is_subscribed}");
        }
    }
}
