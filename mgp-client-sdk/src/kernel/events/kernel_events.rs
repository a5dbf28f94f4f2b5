//! The hub of the kernel, and who may hear what.

use super::own_channel::OwnChannel;
use crate::kernel::core::Core;
use mgp_security::access::AccessControl;
use mgp_stream::events::{EventHub, MAX_PATTERNS};
use mgp_transport::seam::Visibility;
use mgp_types::{context::Principal, events::SubscribeParams};
use std::sync::Weak;
use tokio::sync::watch;

/// The hub that brings the events of servers and of the kernel to hosts. Clones are the same hub.
#[derive(Debug, Clone)]
pub(crate) struct KernelEvents {
    pub(super) hub: EventHub,
    pub(super) access: AccessControl,
}

impl KernelEvents {
    pub(in crate::kernel) fn new(access: AccessControl) -> Self {
        Self { hub: EventHub::new(), access }
    }

    /// Returns whether any host has a subscription.
    pub(in crate::kernel) fn is_heard(&self) -> bool {
        self.hub.is_heard()
    }

    /// Returns the subscription that the kernel wants at a server; `None` if no host wants the server's events.
    ///
    /// It asks for all channels, so that it stays the same while hosts come and go, and so that the server lists what it has. The patterns
    /// of the hosts are for servers that do not know `*`.
    pub(crate) fn wanted_of(&self, server_id: &str) -> Option<SubscribeParams> {
        if !self.hub.is_heard() {
            return None;
        }
        let may_hear = may_use_server(self.access.clone(), server_id);
        let mut patterns = self.hub.patterns_for(server_id, may_hear);
        let wants_all = patterns.remove("*");
        patterns.retain(|pattern| OwnChannel::of_name(pattern).is_none());
        if patterns.is_empty() && !wants_all {
            return None;
        }
        Some(SubscribeParams::new(["*".to_owned()].into_iter().chain(patterns).take(MAX_PATTERNS)))
    }

    /// Returns a watch that changes with each subscription of a host.
    pub(in crate::kernel) fn changes(&self) -> watch::Receiver<u64> {
        self.hub.changes()
    }
}

/// Returns the function that tells whether a principal may use a server, and so hear its events, at the moment that it is asked.
pub(super) fn may_use_server(
    access: AccessControl,
    server_id: &str,
) -> impl Fn(Option<&Principal>) -> bool + Send + Sync + 'static {
    let server_id = server_id.to_owned();
    move |who| who.is_some_and(|who| access.view(who).sees_server(&server_id))
}

/// Has the subscriptions at servers follow those of hosts and the rules on servers, until the kernel is gone.
pub(in crate::kernel) async fn follow_subscriptions(
    core: Weak<Core>,
    mut changes: watch::Receiver<u64>,
    mut rules: watch::Receiver<()>,
) {
    loop {
        let changed = tokio::select! {
            changed = changes.changed() => changed,
            changed = rules.changed() => changed,
        };
        match core.upgrade() {
            Some(core) if changed.is_ok() => {
                for server in core.servers.load().iter() {
                    server.watched.ring();
                }
            }
            _ => return,
        }
    }
}
