//! §3.4 Ends approvals at their time, even if no tool that needs them is called.

use super::{settle, shared::PermissionCore};
use std::{sync::Weak, time::Duration};

/// The longest sleep. The clock may be set forward meanwhile.
const LONGEST: Duration = Duration::from_secs(30);
/// The shortest sleep, so that an end is not retried at once.
const SHORTEST: Duration = Duration::from_millis(10);
/// The pause after an end could not be recorded.
const RETRY: Duration = Duration::from_secs(1);

/// Records the end of each approval when it is due, so that it takes effect everywhere, until the last handle is dropped.
pub(super) async fn end_approvals(permissions: Weak<PermissionCore>) {
    let mut is_failing = false;
    loop {
        let Some(shared) = permissions.upgrade() else { return };
        let mut changes = shared.changes();
        let (mut pause, mut has_failed) = (LONGEST, false);
        let now = (shared.clock)();
        for (row, end) in shared.ends() {
            let left = Duration::try_from(end.duration_since(now)).unwrap_or_default();
            if !left.is_zero() {
                pause = pause.min(left);
            } else if let Err(error) = settle::expire(&shared, &row.server_id, &row.permission, end).await {
                if !is_failing {
                    let (server, permission) = (&row.server_id, &row.permission);
                    tracing::error!(server, %permission, %error, "the end of an approval was not recorded; it is tried again");
                }
                (has_failed, is_failing) = (true, true);
                // The others would fail too, and each would occupy the store.
                break;
            }
        }
        drop(shared);
        if has_failed {
            tokio::time::sleep(RETRY).await;
            continue;
        }
        is_failing = false;
        tokio::time::sleep(SHORTEST).await;
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            changed = changes.changed() => if changed.is_err() {
                return;
            }
        }
    }
}
