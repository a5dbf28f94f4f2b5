//! Forwards events to the audit server.

use super::INTERVAL;
use crate::kernel::{
    core::Core,
    server::{Link, Server},
};
use mgp_lifecycle::health::{HealthProbe, ProbeMethod, Verdict};
use mgp_security::audit::AuditLog;
use mgp_types::{
    audit::{Audit, AuditEvent},
    context::ActorType,
    negotiation::Extension,
};
use std::{future::pending, time::Duration};

/// The most events that are sent before the server has to answer. Its health is asked for behind them.
const PAGE: u32 = 50;
/// The pause after a failure.
const RETRY: Duration = Duration::from_secs(2);

/// Forwards all events of the trail to a server, if it is the audit server; never returns. Over stdio, events are sent in order, and those that
/// the server did not certainly read before its connection ended are sent again: each at least once, under the same number. Over HTTP, an
/// event is lost if the server refuses it.
pub(in crate::kernel) async fn forward_to_server(
    core: &Core,
    server: &Server,
    link: &Link,
    method: ProbeMethod,
) {
    let Some(log) = core.trail.log.as_ref().filter(|_| core.trail.receiver.as_deref() == Some(server.id()))
    else {
        return pending().await;
    };
    if !link.negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Audit)) {
        tracing::warn!(
            server = server.id(),
            "the audit server gets no events: it did not negotiate MGP's extension `audit`"
        );
        return pending().await;
    }
    let mut is_failing = false;
    loop {
        let pause = match forward(log, server.id(), link, method).await {
            Ok(has_more) => {
                is_failing = false;
                if has_more { Duration::ZERO } else { INTERVAL }
            }
            Err(error) => {
                if !is_failing {
                    tracing::warn!(
                        server = server.id(),
                        error,
                        "audit events are not forwarded; it is tried again"
                    );
                }
                is_failing = true;
                RETRY
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// Forwards a page of events, and returns whether there are more. The page counts as received once the server has answered a question
/// that was sent after it.
async fn forward(log: &AuditLog, id: &str, link: &Link, method: ProbeMethod) -> Result<bool, String> {
    let page = log.unreceived(id, PAGE).await.map_err(|error| error.to_string())?;
    if page.events.is_empty() {
        return Ok(false);
    }
    let peer = link.control();
    for event in page.events.iter().filter(|event| !is_own(event, id)) {
        peer.notify::<Audit>(event).await.map_err(|error| error.to_string())?;
    }
    // For as long as it takes: its health is judged elsewhere, and what it has read slowly need not be sent again.
    match HealthProbe::new(peer, method).timeout(Duration::MAX).probe().await {
        Verdict::Alive(_) => {}
        Verdict::Failing { why, .. } | Verdict::Dead { why, .. } => return Err(why.to_string()),
    }
    log.received(id, page.next_seq).await.map_err(|error| error.to_string())?;
    Ok(page.has_more)
}

/// Returns whether the audit server itself reported the event. Sent back, it would lead to the next one.
fn is_own(event: &AuditEvent, id: &str) -> bool {
    event.actor.kind == ActorType::Server && event.actor.id == id
}
