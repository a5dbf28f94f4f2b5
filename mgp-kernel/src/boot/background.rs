//! The tasks that follow changes of rights and of definitions' pins, until the kernel is gone.

use crate::{features::server_set::ServerSet, ground::changes::Change};
use mgp_security::{access::AccessControl, definition::Definitions, permission::Permissions};
use std::{sync::Weak, time::Duration};
use tokio::time::sleep;

/// The pause before the first attempt. It doubles after each attempt, up to a maximum, and is reset when a server is added or removed.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Notifies the hosts when rules, decisions or pins have changed the offered tools, until the kernel is gone.
pub(super) async fn notify_of_new_rights(
    set: Weak<ServerSet>,
    (access, permissions, definitions): (AccessControl, Permissions, Definitions),
) {
    let (mut rules, mut decisions) = (access.changes(), permissions.decisions());
    let mut pins = definitions.changes();
    drop((access, permissions, definitions));
    loop {
        let (changed, by_rule, by_pin) = tokio::select! {
            changed = rules.changed() => (changed, true, false),
            changed = decisions.changed() => (changed, false, false),
            changed = pins.changed() => (changed, false, true),
        };
        match set.upgrade() {
            Some(set) if changed.is_ok() => {
                if by_pin {
                    set.compare_definitions().await;
                }
                #[cfg(feature = "child")]
                if !by_rule && !by_pin {
                    for server in set.servers.load().iter() {
                        server.start_with_new_grants();
                    }
                }
                set.tools.shown_changed(&set.hosts);
                // Resources and prompts need no permission, only a rule for their server.
                if by_rule {
                    shown_offers_changed(&set);
                }
            }
            _ => return,
        }
    }
}

/// Notifies hosts that their resources and prompts may have changed, if any server that is connected or starts on demand has some.
fn shown_offers_changed(set: &ServerSet) {
    let greetings: Vec<_> =
        set.servers.load().iter().filter_map(|server| server.current_greeting()).collect();
    for (area, change) in [("resources", Change::Resources), ("prompts", Change::Prompts)] {
        if greetings.iter().any(|greeting| greeting.capabilities.has(area)) {
            set.hosts.changed(change);
        }
    }
}

/// Retries pinning the definitions that could not be pinned, until they are pinned or the kernel is gone. Hosts are notified when the pins
/// change.
pub(super) async fn pin_later(set: Weak<ServerSet>) {
    let Some(mut unpinned) = set.upgrade().map(|set| set.tools.unpinned.watch()) else { return };
    let mut pause = PAUSE;
    while unpinned.wait_for(|servers| !servers.is_empty()).await.is_ok() {
        tokio::select! {
            () = sleep(pause) => {}
            Ok(()) = unpinned.changed() => {
                pause = PAUSE;
                continue;
            }
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
        let Some(set) = set.upgrade() else { return };
        set.compare_unpinned().await;
    }
}
