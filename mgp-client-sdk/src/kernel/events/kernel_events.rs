//! The hub of the kernel, and who may hear what.

use super::own_channel::OwnChannel;
use crate::kernel::core::Core;
use mgp_security::access::AccessControl;
use mgp_stream::events::{EventHub, MAX_PATTERNS};
use mgp_transport::seam::Visibility;
use mgp_types::{
    context::Principal,
    events::{SubscribeParams, matches_channel},
};
use std::sync::Weak;
use tokio::sync::watch;

/// The most patterns of hosts that are compared with each other.
const MAX_COMPARED: usize = 4 * MAX_PATTERNS;

/// The answer of a server to a subscription to `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum StarAnswer {
    /// The server takes it, or was not asked yet.
    #[default]
    Taken,
    /// The server takes it and lists no channel, so perhaps it does not know what `*` stands for.
    NothingListed,
    /// The server refuses the name.
    Refused,
}

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
    /// It asks for all channels, so that it stays the same while hosts come and go, and so that the server lists what it has. A server that
    /// does not know `*` is asked for the patterns of the hosts.
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

    /// Returns whether a host has subscribed to events of a server, which then stays awake for that.
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

    /// Counts events of a server that were dropped, or lost before they came here, as lost by all hosts that might have heard them.
    pub(in crate::kernel) fn lost(&self, server_id: &str, count: u64) {
        if count > 0 {
            self.hub.lost(server_id, count, may_use_server(self.access.clone(), server_id));
        }
    }

    /// Returns a watch that changes with each subscription of a host.
    pub(in crate::kernel) fn changes(&self) -> watch::Receiver<u64> {
        self.hub.changes()
    }
}

/// Returns the patterns to ask a server for that does not know `*`. Perhaps it knows no patterns at all and compares names, so a channel that a
/// pattern takes in is asked for too, or the pattern of one host would silence the channel of another; but such channels come after the
/// others, because there is no room for everything. A pattern that another takes in is left out. `*` comes last if it is wanted, or alone
/// if there is nothing else.
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
    fn a_channel_that_a_pattern_takes_in_is_asked_for_after_all_others() {
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
    fn the_star_comes_last_or_alone() {
        assert_eq!(asked(&["*", "a"], true), ["a", "*"]);
        assert_eq!(asked(&["*", "a"], false), ["a"]);
        assert_eq!(asked(&["*"], false), ["*"]);
    }
}
