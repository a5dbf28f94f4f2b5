//! The kernel's event hub, and the rights to receive its events.

use crate::{
    ground::own_channel::OwnChannel,
    upstream::{StarAnswer, servers::Servers},
};
use mgp_security::access::AccessControl;
use mgp_stream::events::{EventHub, MAX_PATTERNS};
use mgp_transport::seam::Visibility;
use mgp_types::{
    context::Principal,
    events::{SubscribeParams, matches_channel},
};
use std::sync::Weak;
use tokio::sync::watch;

/// The maximum number of hosts' patterns that are compared with each other.
const MAX_COMPARED: usize = 4 * MAX_PATTERNS;

/// The hub that delivers events of servers and of the kernel to hosts. Clones share one hub.
#[derive(Debug, Clone)]
pub(crate) struct KernelEvents {
    pub(super) hub: EventHub,
    pub(super) access: AccessControl,
}

impl KernelEvents {
    pub(crate) fn new(access: AccessControl) -> Self {
        Self { hub: EventHub::new(), access }
    }

    /// Returns whether any host has a subscription.
    pub(crate) fn is_heard(&self) -> bool {
        self.hub.is_heard()
    }

    /// Returns the kernel's subscription at a server; `None` if no host wants the server's events.
    ///
    /// The subscription is for all channels, so that it stays the same when hosts connect and disconnect, and the server lists its
    /// channels. A server that does not know `*` is asked for the hosts' patterns.
    pub(crate) fn wanted_of(&self, server_id: &str, star: StarAnswer) -> Option<SubscribeParams> {
        let patterns = self.patterns_for(server_id, true);
        if patterns.is_empty() {
            return None;
        }
        let channels = match star {
            StarAnswer::Taken => vec!["*".to_owned()],
            StarAnswer::NothingListed => without_star(patterns, true),
            StarAnswer::Refused => without_star(patterns, false),
        };
        Some(SubscribeParams::new(channels))
    }

    /// Returns whether a host has subscribed to events of a server, which keeps the server awake.
    pub(crate) fn keeps_awake(&self, server_id: &str) -> bool {
        !self.patterns_for(server_id, false).is_empty()
    }

    fn patterns_for(&self, server_id: &str, with_passive: bool) -> Vec<String> {
        if !self.hub.is_heard() {
            return Vec::new();
        }
        let may_hear = may_use_server(self.access.clone(), server_id);
        let mut patterns = self.hub.patterns_for(server_id, MAX_COMPARED, with_passive, may_hear);
        patterns.retain(|pattern| OwnChannel::of_name(pattern).is_none());
        patterns
    }

    /// Returns whether a host wants events of a server.
    pub(super) fn wants(&self, server_id: &str) -> bool {
        self.wanted_of(server_id, StarAnswer::Taken).is_some()
    }

    /// Counts dropped or lost events of a server as lost for all hosts that might have received them.
    pub(crate) fn lost(&self, server_id: &str, count: u64) {
        if count > 0 {
            self.hub.lost(server_id, count, may_use_server(self.access.clone(), server_id));
        }
    }

    /// Returns a receiver that changes with each subscription of a host.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.hub.changes()
    }
}

/// Returns the patterns to request from a server that does not know `*`. The server may not know patterns at all, and compare names. A channel
/// that matches another host's pattern is therefore requested, too, so that one host's pattern does not hide another's channel. Such channels
/// come last, because there is not room for everything. A pattern that another pattern includes is left out. `*` is last if it is wanted, or
/// the only one if there is nothing else.
fn without_star(patterns: Vec<String>, keep_star: bool) -> Vec<String> {
    let (stars, patterns): (Vec<_>, Vec<_>) = patterns.into_iter().partition(|pattern| pattern == "*");
    let is_covered =
        |pattern: &String| patterns.iter().any(|other| other != pattern && matches_channel(other, pattern));
    let (covered, others): (Vec<_>, Vec<_>) = patterns.iter().partition(|pattern| is_covered(pattern));
    let covered = covered.into_iter().filter(|pattern| !pattern.ends_with(".*"));
    let mut kept: Vec<_> = others.into_iter().chain(covered).take(MAX_PATTERNS - 1).cloned().collect();
    if keep_star || kept.is_empty() {
        kept.extend(stars);
    }
    kept
}

/// Returns a function that reports whether a principal may currently use a server, and thus receive its events.
pub(super) fn may_use_server(
    access: AccessControl,
    server_id: &str,
) -> impl Fn(Option<&Principal>) -> bool + Send + Sync + 'static {
    let server_id = server_id.to_owned();
    move |who| who.is_some_and(|who| access.view(who).sees_server(&server_id))
}

/// Updates the subscriptions at servers when hosts' subscriptions or the rules for servers change, until the kernel
/// is gone.
pub(crate) async fn follow_subscriptions(
    servers: Weak<Servers>,
    mut changes: watch::Receiver<u64>,
    mut rules: watch::Receiver<()>,
) {
    loop {
        let changed = tokio::select! {
            changed = changes.changed() => changed,
            changed = rules.changed() => changed,
        };
        match servers.upgrade() {
            Some(servers) if changed.is_ok() => {
                for server in servers.load().iter() {
                    server.watched().ring();
                }
            }
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(patterns: &[&str], keep_star: bool) -> Vec<String> {
        without_star(patterns.iter().map(|&pattern| pattern.to_owned()).collect(), keep_star)
    }

    #[test]
    fn a_channel_that_a_pattern_covers_is_requested_last() {
        assert_eq!(
            asked(&["model.token_usage", "model.*", "model.a.*", "system.error"], true),
            ["model.*", "system.error", "model.token_usage"]
        );
        let others: Vec<_> = (0..MAX_PATTERNS).map(|number| format!("a.{number}")).collect();
        let mut many = vec!["z.1", "z.*"];
        many.extend(others.iter().map(String::as_str));
        let kept = asked(&many, true);
        assert_eq!((kept.len(), kept[0].as_str()), (MAX_PATTERNS - 1, "z.*"));
        assert!(!kept.contains(&"z.1".to_owned()), "there is no room for it");
    }

    #[test]
    fn the_star_is_the_last_or_the_only_channel() {
        assert_eq!(asked(&["*", "a"], true), ["a", "*"]);
        assert_eq!(asked(&["*", "a"], false), ["a"]);
        assert_eq!(asked(&["*"], false), ["*"]);
    }
}
