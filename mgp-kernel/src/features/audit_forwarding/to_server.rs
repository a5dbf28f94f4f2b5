//! Forwards events to the audit server.

use super::INTERVAL;
use crate::{
    ground::trail::Trail,
    upstream::{Link, Server},
};
use mgp_lifecycle::health::{HealthProbe, ProbeMethod, Verdict};
use mgp_security::audit::{AuditLog, ForwardingTurn};
use mgp_types::{
    audit::{Audit, AuditEvent},
    context::ActorType,
    negotiation::Extension,
};
use std::{future::pending, time::Duration};

/// The maximum number of events sent before the server has to answer. A health check follows them.
const PAGE: u32 = 50;
/// The pause after a first failure, which doubles with each further one up to a maximum.
const RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// The pause between two checks whether another process still forwards.
const TURN: Duration = Duration::from_secs(2);

/// Forwards all events of the trail to a server, if it is the audit server. Never returns. Events are sent in order, each at least once, under
/// the same number. Events that the server rejected, or may not have read before its connection ended, are sent again. Of several kernels with
/// one trail, one forwards, and another takes over when it ends.
pub(crate) async fn forward_to_server(trail: &Trail, server: &Server, link: &Link, method: ProbeMethod) {
    let Some(log) = trail.log.as_ref().filter(|_| trail.receiver.as_deref() == Some(server.id())) else {
        return pending().await;
    };
    if !link.negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Audit)) {
        tracing::warn!(
            server = server.id(),
            "the audit server gets no events: it did not negotiate MGP's extension `audit`"
        );
        return pending().await;
    }
    let _turn = turn(log, server.id()).await;
    let mut failures = 0;
    loop {
        let pause = match forward(log, server.id(), link, method).await {
            Ok(has_more) => {
                failures = 0;
                if has_more { Duration::ZERO } else { INTERVAL }
            }
            Err(error) => {
                if failures == 0 {
                    tracing::warn!(server = server.id(), error, "audit events are not forwarded; retrying");
                }
                failures += 1;
                pause_after(failures)
            }
        };
        tokio::time::sleep(pause).await;
    }
}

fn pause_after(failures: u32) -> Duration {
    RETRY.saturating_mul(1 << failures.saturating_sub(1).min(6)).min(LONGEST_RETRY)
}

/// Waits until no other process forwards the events of the trail.
async fn turn(log: &AuditLog, id: &str) -> ForwardingTurn {
    let mut is_failing = false;
    loop {
        match log.forwarding_turn().await {
            Ok(Some(turn)) => return turn,
            Ok(None) => {}
            Err(error) => {
                if !std::mem::replace(&mut is_failing, true) {
                    tracing::warn!(server = id, %error, "audit events are not forwarded; retrying");
                }
            }
        }
        tokio::time::sleep(TURN).await;
    }
}

/// Forwards a page of events, and returns whether there are more. The page counts as received once the server has answered a request
/// that was sent after it.
async fn forward(log: &AuditLog, id: &str, link: &Link, method: ProbeMethod) -> Result<bool, String> {
    let page = log.unreceived(id, PAGE).await.map_err(|error| error.to_string())?;
    if page.events.is_empty() {
        return Ok(false);
    }
    let peer = link.control();
    let refused = peer.settled().await;
    for event in page.events.iter().filter(|event| !is_own(event, id)) {
        peer.notify::<Audit>(event).await.map_err(|error| error.to_string())?;
        // One by one, so that no event overtakes a rejected one.
        if peer.settled().await != refused {
            let number = event.seq().unwrap_or_default();
            return Err(format!("the server refused the event with the number {number}"));
        }
    }
    // Without a time limit: the server's health is checked elsewhere, and events that it reads slowly need not be
    // sent again.
    match HealthProbe::new(peer, method).timeout(Duration::MAX).probe().await {
        Verdict::Alive(_) => {}
        Verdict::Failing { why, .. } | Verdict::Dead { why, .. } => return Err(why.to_string()),
    }
    log.received(id, page.next_seq).await.map_err(|error| error.to_string())?;
    Ok(page.has_more)
}

/// Returns whether the audit server itself reported the event. Sending it back would lead to another one.
fn is_own(event: &AuditEvent, id: &str) -> bool {
    event.actor.kind == ActorType::Server && event.actor.id == id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound() {
        let pauses: Vec<_> = [1, 2, 3, 6, 7, u32::MAX].map(|n| pause_after(n).as_secs()).into();
        assert_eq!(pauses, [1, 2, 4, 32, 60, 60]);
    }
}
