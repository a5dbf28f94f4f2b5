//! Tests of calls whose server requests a confirmation.

use super::rig::{Gate, dangerous};
use crate::permission::{
    ApprovalTerm, Approver, ConfirmationQuestion, ConfirmationVerdict, PermissionQuestion, PermissionVerdict,
    Permissions,
};
use async_trait::async_trait;
use mgp_types::{json::RawObject, proposals::WantedConfirmation};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// An approver that approves after almost the longest wait of a call.
#[derive(Debug)]
struct Slow;

#[async_trait]
impl Approver for Slow {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        PermissionVerdict::Deferred
    }

    async fn confirm(&self, _: &ConfirmationQuestion) -> ConfirmationVerdict {
        sleep(Permissions::WAIT - Duration::from_secs(1)).await;
        ConfirmationVerdict::Approved { by: "ben".into(), term: ApprovalTerm::Once }
    }
}

#[tokio::test(start_paused = true)]
async fn time_spent_at_the_server_does_not_count_as_waiting() {
    let gate = Gate::asking(Slow);
    let call = dangerous("{}").identified();
    call.record.update(|record| record.waits_since = Some(Instant::now()));
    sleep(Permissions::WAIT * 2).await;
    let wanted = RawObject::parse(r#"{"requires_confirmation":true,"tool":"t"}"#).unwrap();
    let wanted = WantedConfirmation::of(&wanted).unwrap();
    gate.gate.confirm_for_server(call, &wanted).await.unwrap();
}
