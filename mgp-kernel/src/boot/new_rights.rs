//! Notifies hosts of changed rights.

use crate::{features::server_set::ServerSet, ground::changes::Change};
use mgp_security::{access::AccessControl, definition::Definitions, permission::Permissions};
use std::sync::Weak;

/// Notifies the hosts when rules, decisions or pins have changed the offered tools, until the kernel is gone.
pub(super) async fn tell_of_new_rights(
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

/// Notifies hosts that the resources and prompts shown to them may have changed, if any server that is connected or starts on demand has some.
fn shown_offers_changed(set: &ServerSet) {
    let greetings: Vec<_> =
        set.servers.load().iter().filter_map(|server| server.current_greeting()).collect();
    for (area, change) in [("resources", Change::Resources), ("prompts", Change::Prompts)] {
        if greetings.iter().any(|greeting| greeting.capabilities.has(area)) {
            set.hosts.changed(change);
        }
    }
}
