//! Pins the definitions that could not be pinned when their server listed them.

use super::core::Core;
use std::{sync::Weak, time::Duration};
use tokio::time::sleep;

/// The pause before the first attempt. It doubles after each attempt, up to the longest one.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Compares definitions that could not be pinned, again and again, until they are pinned or the kernel is gone. Tells the hosts when some are:
/// their tools were withheld.
pub(super) async fn pin_later(core: Weak<Core>) {
    let Some(unpinned) = core.upgrade().map(|core| core.tools.unpinned.clone()) else { return };
    loop {
        unpinned.added().await;
        let mut pause = PAUSE;
        while unpinned.count() > 0 {
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            let Some(core) = core.upgrade() else { return };
            if core.compare_unpinned().await {
                core.tools.shown_changed(&core.hosts);
            }
        }
    }
}
