//! Tests of operators who answer at the same time.

use super::rig::{SHELL, interactive};
use crate::{
    audit::MemorySink,
    permission::{PermissionStore, Permissions, SqlPermissionStore, SqlStore},
};
use mgp_types::{
    audit::AuditEventType,
    context::Principal,
    permission::PermissionState::{Approved, Denied},
};
use std::sync::Arc;
use xtask_testing::until;
#[cfg(feature = "sqlite")]
use xtask_testing::{SharedDatabase, databases};

/// Has two operators decide in opposite ways at once. Asserts that one decision holds for both of them, and is the last intent in the
/// trail.
async fn decide_at_once(one: Arc<dyn PermissionStore>, other: Arc<dyn PermissionStore>) {
    let sink = MemorySink::new(1000);
    let open = async |store| {
        Permissions::builder(interactive(), store, Arc::new(sink.clone())).open().await.unwrap()
    };
    let (ann, ben) = (open(one).await, open(other).await);
    for round in 0..20 {
        let server = format!("s{round}");
        let (yes, no) = {
            let (ann, ben, server) = (ann.clone(), ben.clone(), server.clone());
            let other = server.clone();
            (
                tokio::spawn(
                    async move { ann.grant(&server, &SHELL, &Principal::operator("ann"), None).await },
                ),
                tokio::spawn(async move { ben.deny(&other, &SHELL, &Principal::operator("ben")).await }),
            )
        };
        yes.await.unwrap().unwrap();
        no.await.unwrap().unwrap();
        let row = ann.rows().await.unwrap().into_iter().find(|row| row.server_id == server).unwrap();
        assert!(
            matches!((row.state, row.decided_by.as_deref()), (Approved, Some("ann")) | (Denied, Some("ben"))),
            "{row:?}"
        );
        // The events of the outcomes come after the decisions, in any order.
        let intended = AuditEventType::from("dev.cloto.mgp.CHANGE_INTENDED");
        let events = sink.events();
        let last = events.iter().rfind(|event| event.event_type == intended).unwrap();
        assert_eq!(Some(last.actor.id.as_str()), row.decided_by.as_deref(), "the last intent is what holds");
        for permissions in [&ann, &ben] {
            until(|| permissions.state(&server, &SHELL) == row.state).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_concurrent_decisions_holds_in_memory() {
    let store = Arc::new(SqlPermissionStore::in_memory());
    decide_at_once(store.clone(), store).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_concurrent_decisions_holds_in_every_process() {
    // For the turn that the other may take on a busy machine.
    mgp_store::sqlite::set_lock_timeout(std::time::Duration::from_secs(120));
    use crate::permission::SqlPermissionStore;
    for SharedDatabase { here, there, .. } in databases(SqlPermissionStore::SCHEMA).await {
        let [here, there] = [here, there].map(|database| Arc::new(SqlPermissionStore::new(database)));
        decide_at_once(here, there).await;
    }
}
