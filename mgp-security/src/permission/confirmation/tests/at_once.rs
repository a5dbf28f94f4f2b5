//! Tests of operators who answer the same question at the same time.

use super::rig::{Gate, dangerous};
use crate::permission::{
    ApprovalTerm, ConfirmationStore, Deny, OpenDecisionError, SqlPermissionStore, SqlStore,
};
use mgp_types::context::Principal;
use std::sync::Arc;
#[cfg(feature = "sqlite")]
use xtask_testing::{SharedDatabase, databases};

/// Has two operators answer one question in opposite ways at once. Asserts that the answer which holds is the one in the trail, and
/// that an approval allows one call.
async fn answer_at_once(one: Arc<dyn ConfirmationStore>, other: Arc<dyn ConfirmationStore>) {
    for round in 0..20 {
        let gate = Gate::over(one.clone(), Arc::new(Deny));
        let there =
            Gate { confirmations: Gate::over(other.clone(), Arc::new(Deny)).confirmations, ..gate.clone() };
        let call = || dangerous(&format!("{{\"round\":{round}}}"));
        assert_eq!(gate.outcome(call()).await, (Some(1000), 0));
        let pending = gate.confirmations.pending().await.unwrap();
        let id = pending.last().unwrap().id.clone();
        let (yes, no) = {
            let (here, there, same) = (gate.confirmations.clone(), there.confirmations, id.clone());
            let (ann, ben) = (Principal::operator("ann"), Principal::operator("ben"));
            (
                tokio::spawn(async move { here.approve(&id, ApprovalTerm::Once, &ann).await }),
                tokio::spawn(async move { there.deny(&same, &ben).await }),
            )
        };
        yes.await.unwrap().unwrap();
        no.await.unwrap().unwrap();
        let rows = gate.confirmations.rows().await.unwrap();
        let row = rows.iter().find(|row| row.id == pending.last().unwrap().id).unwrap();
        let approved = row.term().is_some();
        assert_ne!(approved, row.is_denial(), "{row:?}");
        assert_eq!(row.decided_by.as_deref(), Some(if approved { "ann" } else { "ben" }));
        let expected = if approved { (None, 1) } else { (Some(1000), 0) };
        assert_eq!(gate.outcome(call()).await, expected, "the answer that holds is the one that counts");
        assert_eq!(gate.outcome(call()).await, (Some(1000), usize::from(approved)), "for one call at most");
        gate.confirmations.revoke(&row.id, &Principal::operator("ann")).await.unwrap();
        for open in gate.confirmations.pending().await.unwrap() {
            gate.confirmations.revoke(&open.id, &Principal::operator("ann")).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_concurrent_answers_holds_in_memory() {
    let store = Arc::new(SqlPermissionStore::in_memory());
    answer_at_once(store.clone(), store).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_concurrent_answers_holds_in_every_process() {
    // For the turn that the other may take on a busy machine.
    mgp_store::sqlite::set_lock_timeout(std::time::Duration::from_secs(120));
    use crate::permission::SqlPermissionStore;
    for SharedDatabase { here, there, .. } in databases(SqlPermissionStore::SCHEMA).await {
        let [here, there] = [here, there].map(|database| Arc::new(SqlPermissionStore::new(database)));
        answer_at_once(here, there).await;
    }
}

/// Has several operators answer an open question at once. Asserts that one of them wins, and that the others get the winner's answer.
async fn answer_open_at_once(one: Arc<dyn ConfirmationStore>, other: Arc<dyn ConfirmationStore>) {
    let gate = Gate::over(one, Arc::new(Deny));
    let processes = [gate.confirmations.clone(), Gate::over(other, Arc::new(Deny)).confirmations];
    for round in 0..10 {
        assert_eq!(gate.outcome(dangerous(&format!("{{\"round\":{round}}}"))).await, (Some(1000), 0));
        let id = gate.confirmations.pending().await.unwrap().pop().unwrap().id;
        let answers: Vec<_> = (0..8)
            .map(|i| {
                let (confirmations, id) = (processes[i % 2].clone(), id.clone());
                let by = Principal::operator(&format!("op{i}"));
                tokio::spawn(async move {
                    if i / 2 % 2 == 0 {
                        confirmations.approve_open(&id, ApprovalTerm::Once, None, &by).await
                    } else {
                        confirmations.deny_open(&id, &by).await
                    }
                })
            })
            .collect();
        let (mut won, mut lost) = (Vec::new(), Vec::new());
        for answer in answers {
            match answer.await.unwrap() {
                Ok(row) => won.push((row.state, row.decided_by)),
                Err(OpenDecisionError::Decided(row)) => lost.push((row.state, row.decided_by)),
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!((won.len(), lost.len()), (1, 7));
        assert!(lost.iter().all(|first| *first == won[0]), "{lost:?}");
        gate.confirmations.revoke(&id, &Principal::operator("ann")).await.unwrap();
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_several_answers_to_an_open_question_wins() {
    // For the turn that the others may take on a busy machine.
    mgp_store::sqlite::set_lock_timeout(std::time::Duration::from_secs(120));
    for SharedDatabase { here, there, .. } in databases(SqlPermissionStore::SCHEMA).await {
        let [here, there] = [here, there].map(|database| Arc::new(SqlPermissionStore::new(database)));
        answer_open_at_once(here, there).await;
    }
}
