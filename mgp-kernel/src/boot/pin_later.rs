//! Pins the definitions that could not be pinned when their server listed them.

use crate::features::server_set::ServerSet;
use std::{sync::Weak, time::Duration};
use tokio::time::sleep;

/// The pause before the first attempt. It doubles after each attempt, up to a maximum, and is reset when a server is added or removed.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

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
