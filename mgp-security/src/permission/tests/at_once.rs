//! Tests of operators who answer at the same time.

use super::rig::{SHELL, interactive};
use crate::{
    audit::MemorySink,
    permission::{OpenDecisionError, PermissionStore, Permissions, SqlPermissionStore, SqlStore},
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

/// Has several operators decide on open questions at once. Asserts that one of them wins each, that the others get the winner's
/// decision, and that only the winner is in the trail.
async fn decide_on_open_at_once(one: Arc<dyn PermissionStore>, other: Arc<dyn PermissionStore>) {
    let sink = MemorySink::new(1000);
    let open = async |store| {
        Permissions::builder(interactive(), store, Arc::new(sink.clone())).open().await.unwrap()
    };
    let processes = [open(one).await, open(other).await];
    for round in 0..10 {
        let server = format!("s{round}");
        processes[0].open_question(&server, &SHELL).await.unwrap();
        let deciders: Vec<_> = (0..8)
            .map(|i| {
                let (permissions, server) = (processes[i % 2].clone(), server.clone());
                let by = Principal::operator(&format!("op{i}"));
                tokio::spawn(async move {
                    if i / 2 % 2 == 0 {
                        permissions.grant_open(&server, &SHELL, &by, None, None).await
                    } else {
                        permissions.deny_open(&server, &SHELL, &by).await
                    }
                })
            })
            .collect();
        let (mut won, mut lost) = (Vec::new(), Vec::new());
        for decider in deciders {
            match decider.await.unwrap() {
                Ok(row) => won.push(row),
                Err(OpenDecisionError::Decided(row)) => lost.push(*row),
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!((won.len(), lost.len()), (1, 7));
        assert!(lost.iter().all(|row| *row == won[0]), "{lost:?}");
        let events = sink.events().into_iter();
        let decided = events.filter(|event| {
            matches!(event.event_type, AuditEventType::PermissionGranted | AuditEventType::PermissionDenied)
                && event.target.get().and_then(|target| target.server_id.get()) == Some(&server)
        });
        let by: Vec<_> = decided.map(|event| event.actor.id.clone()).collect();
        assert_eq!(by, [won[0].decided_by.clone().unwrap()]);
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_several_decisions_on_an_open_question_wins() {
    // For the turn that the others may take on a busy machine.
    mgp_store::sqlite::set_lock_timeout(std::time::Duration::from_secs(120));
    for SharedDatabase { here, there, .. } in databases(SqlPermissionStore::SCHEMA).await {
        let [here, there] = [here, there].map(|database| Arc::new(SqlPermissionStore::new(database)));
        decide_on_open_at_once(here, there).await;
    }
}
