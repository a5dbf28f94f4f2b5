//! §3.4 Ends approvals at their time, also while nobody calls a tool that needs them.

use super::{permissions::PermissionCore, settle};
use jiff::Timestamp;
use std::{sync::Weak, time::Duration};

/// The longest sleep. The clock may be set forward meanwhile.
const LONGEST: Duration = Duration::from_secs(30);
/// The pause after an approval has ended, or its end could not be recorded.
const RETRY: Duration = Duration::from_secs(1);

/// Records the end of each approval when its time has come, so that it takes effect everywhere, until the last handle is dropped.
pub(super) async fn end_approvals(permissions: Weak<PermissionCore>) {
    loop {
        let Some(shared) = permissions.upgrade() else { return };
        let mut changes = shared.changes();
        let (mut pause, mut has_ended) = (LONGEST, false);
        let now = Timestamp::now();
        for (row, end) in shared.ends() {
            let left = Duration::try_from(end.duration_since(now)).unwrap_or_default();
            if !left.is_zero() {
                pause = pause.min(left);
                continue;
            }
            has_ended = true;
            if let Err(error) = settle::expire(&shared, &row.server_id, &row.permission, end).await {
                tracing::error!(server = row.server_id, permission = %row.permission, %error, "the end of an approval was not recorded");
            }
        }
        drop(shared);
        if has_ended {
            tokio::time::sleep(RETRY).await;
            continue;
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            changed = changes.changed() => if changed.is_err() {
                return;
            }
        }
    }
}
