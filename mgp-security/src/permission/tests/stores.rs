//! Tests of the stores: the rows that they keep, and those that they refuse to replace.

use super::rig::{SHELL, ran_out};
use crate::permission::RecordFuture;
use crate::permission::{PermissionRow, PermissionStore, SqlPermissionStore, SqlStore};
#[cfg(feature = "sqlite")]
use crate::{
    audit::AuditError,
    permission::{DecisionError, ReplacedRows},
};
use jiff::{SignedDuration, Timestamp};
use mgp_types::permission::{GrantScope, PermissionState};
use std::collections::BTreeSet;
#[cfg(feature = "sqlite")]
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
#[cfg(feature = "sqlite")]
use xtask_testing::{SharedDatabase, databases, until_some};

fn recorded() -> RecordFuture {
    Box::pin(async { Ok(()) })
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_database_keeps_every_field_and_guards_decisions() {
    for database in databases(SqlPermissionStore::SCHEMA).await {
        guards_decisions(database).await;
    }
}

#[cfg(feature = "sqlite")]
async fn guards_decisions(SharedDatabase { here, there, .. }: SharedDatabase) {
    let (one, other) = (SqlPermissionStore::new(here), SqlPermissionStore::new(there));
    let question = PermissionRow::question("s", &SHELL, Some("t"));
    let end = Timestamp::from_microsecond(Timestamp::now().as_microsecond()).unwrap();
    let mut approved = question.clone().decided(PermissionState::Approved, "root", Some(end));
    approved.scope = Some(GrantScope::Programs(vec!["git".to_owned()]));

    let before = one.version().await.unwrap();
    assert!(other.put_undecided(question.clone()).await.unwrap());
    let again = PermissionRow::question("s", &SHELL, Some("t"));
    assert!(!one.put_undecided(again).await.unwrap(), "the id of the open question may have been shown");
    assert_eq!(other.load().await.unwrap().rows[0].request_id, question.request_id);
    until_some(async || (one.version().await.unwrap() != before).then_some(())).await;
    assert_eq!(one.load().await.unwrap().rows, std::slice::from_ref(&question));
    assert!(one.put_undecided(approved.clone()).await.unwrap());
    assert!(!other.put_undecided(question.clone()).await.unwrap(), "a human has decided");
    assert_eq!(other.load().await.unwrap().rows, [approved.clone()]);
    let first = one.expire("s", &SHELL, end, recorded()).await.unwrap();
    assert!(first && !other.expire("s", &SHELL, end, recorded()).await.unwrap());
    one.put(approved.clone()).await.unwrap();
    assert_eq!(other.remove("s", &SHELL).await.unwrap(), Some(approved));
    assert_eq!(one.load().await.unwrap().rows, []);
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_decision_is_recorded_only_if_it_wins_and_is_audited() {
    for database in databases(SqlPermissionStore::SCHEMA).await {
        records_the_winner(database).await;
    }
}

#[cfg(feature = "sqlite")]
async fn records_the_winner(SharedDatabase { here, there, .. }: SharedDatabase) {
    let (one, other) = (SqlPermissionStore::new(here), SqlPermissionStore::new(there));
    let question = PermissionRow::question("s", &SHELL, None);
    let approved = question.clone().decided(PermissionState::Approved, "root", None);
    let denied = question.clone().decided(PermissionState::Denied, "root", None);
    let recorded = Arc::new(AtomicUsize::new(0));
    let event = |outcome: Result<(), AuditError>| -> RecordFuture {
        let recorded = recorded.clone();
        Box::pin(async move {
            tokio::task::yield_now().await;
            recorded.fetch_add(1, Ordering::SeqCst);
            outcome
        })
    };
    let state = async || one.load().await.unwrap().rows[0].state;
    assert!(one.put_undecided(question).await.unwrap());
    let failed =
        one.decide(approved.clone(), ReplacedRows::Undecided, event(Err(AuditError::new("full")))).await;
    assert!(matches!(failed, Err(DecisionError::Audit(_))), "{failed:?}");
    assert_eq!((state().await, recorded.load(Ordering::SeqCst)), (PermissionState::Deferred, 1));
    assert!(other.decide(denied, ReplacedRows::Undecided, event(Ok(()))).await.unwrap());
    for replaces in [ReplacedRows::Questions, ReplacedRows::Undecided] {
        assert!(!one.decide(approved.clone(), replaces, event(Ok(()))).await.unwrap());
    }
    assert_eq!((state().await, recorded.load(Ordering::SeqCst)), (PermissionState::Denied, 2));
    assert!(one.decide(approved, ReplacedRows::All, event(Ok(()))).await.unwrap());
    assert_eq!((state().await, recorded.load(Ordering::SeqCst)), (PermissionState::Approved, 3));
}

#[tokio::test]
async fn a_question_in_memory_does_not_replace_an_open_one_either() {
    let store = SqlPermissionStore::in_memory();
    let first = PermissionRow::question("s", &SHELL, None);
    assert!(store.put_undecided(first.clone()).await.unwrap());
    assert!(!store.put_undecided(PermissionRow::question("s", &SHELL, Some("t"))).await.unwrap());
    assert_eq!(store.load().await.unwrap().rows[0].request_id, first.request_id);
    let approved = first.decided(PermissionState::Approved, "root", None);
    assert!(store.put_undecided(approved).await.unwrap());
}

#[tokio::test]
async fn only_an_approval_expires_and_only_at_its_own_end() {
    let store = SqlPermissionStore::in_memory();
    let row = ran_out();
    let end = row.expires_at.unwrap();
    store.put(PermissionRow { state: PermissionState::Denied, ..row.clone() }).await.unwrap();
    assert!(!store.expire("s", &SHELL, end, recorded()).await.unwrap());
    store.put(row).await.unwrap();
    assert!(!store.expire("s", &SHELL, end + SignedDuration::from_secs(1), recorded()).await.unwrap());
    assert!(store.expire("s", &SHELL, end, recorded()).await.unwrap());
    assert!(!store.expire("s", &SHELL, end, recorded()).await.unwrap());
}

#[tokio::test]
async fn a_memory_store_never_repeats_a_version() {
    let store = SqlPermissionStore::in_memory();
    let row = ran_out();
    let mut versions = BTreeSet::from([store.version().await.unwrap()]);
    for _ in 0..2 {
        store.put(row.clone()).await.unwrap();
        assert!(versions.insert(store.version().await.unwrap()));
        store.expire("s", &SHELL, row.expires_at.unwrap(), recorded()).await.unwrap();
        assert!(versions.insert(store.version().await.unwrap()));
        store.remove("s", &SHELL).await.unwrap();
        assert!(versions.insert(store.version().await.unwrap()));
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn an_unreadable_row_denies_and_the_others_are_followed() {
    use crate::{
        audit::NullSink,
        permission::{PermissionRules, Permissions},
    };
    use mgp_types::{
        context::Principal,
        permission::{Permission, PermissionPolicy, StandardPermission},
    };
    let camera = Permission::from(StandardPermission::Camera);
    // The remaining approvals, of: s shell, s camera, other camera
    for (sql, expected, named) in [
        (
            "UPDATE permissions SET state = 'maybe' WHERE permission = 'shell.execute'",
            [false, true, true],
            true,
        ),
        (
            "UPDATE permissions SET expires_at = 9223372036854775807 WHERE permission = 'shell.execute'",
            [false, true, true],
            true,
        ),
        (
            "UPDATE permissions SET scope = '{\"paths\":[\"srv\"]}' WHERE permission = 'shell.execute'",
            [false, true, true],
            true,
        ),
        ("UPDATE permissions SET scope = '{' WHERE permission = 'shell.execute'", [false, true, true], true),
        (
            "UPDATE permissions SET permission = 'x' WHERE permission = 'shell.execute'",
            [false, true, true],
            false,
        ),
        (
            "UPDATE permissions SET server_id = CAST(x'ff' AS TEXT) WHERE permission = 'camera'",
            [true, false, false],
            false,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("permission.sqlite3");
        let store = SqlPermissionStore::open(&path).unwrap();
        for permission in [&SHELL, &camera] {
            let row = PermissionRow::question("s", permission, None);
            store.put(row.decided(PermissionState::Approved, "root", None)).await.unwrap();
        }
        rusqlite::Connection::open(&path).unwrap().execute(sql, []).unwrap();
        let rules = PermissionRules::new(PermissionPolicy::AutoApprove);
        let permissions =
            Permissions::builder(rules, Arc::new(store), Arc::new(NullSink)).open().await.unwrap();
        let has = || {
            [("s", &SHELL), ("s", &camera), ("other", &camera)]
                .map(|(server, permission)| permissions.has_all(server, [permission]))
        };
        assert_eq!(has(), expected, "{sql}");
        let [unreadable] = &permissions.unreadable()[..] else { panic!("{sql}") };
        let text = unreadable.to_string();
        assert!(text.contains("cannot be read") && text.contains(&unreadable.problem), "{text}");
        assert_eq!(text.contains("permission shell.execute of server \"s\""), named, "{text}");
        let root = Principal::operator("root");
        if expected[1] {
            permissions.revoke("s", &camera, &root).await.unwrap().unwrap();
            permissions.deny("s", &camera, &root).await.unwrap();
            assert!(!has()[1], "{sql}: what is decided since holds");
        }
        if named {
            assert_eq!(permissions.open_question("s", &SHELL).await.unwrap().state, PermissionState::Denied);
            permissions.grant("s", &SHELL, &root, None).await.unwrap();
            assert!(has()[0] && permissions.unreadable().is_empty(), "{sql}: it is decided anew");
        }
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn an_unreadable_question_is_notified_as_a_denial() {
    use crate::{
        audit::NullSink,
        permission::{PendingApprover, PermissionRules, Permissions},
    };
    use mgp_types::permission::PermissionPolicy;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("permission.sqlite3");
    let store = SqlPermissionStore::open(&path).unwrap();
    store.put(PermissionRow::question("s", &SHELL, None)).await.unwrap();
    let rules = PermissionRules::new(PermissionPolicy::Interactive);
    let permissions = Permissions::builder(rules, Arc::new(store), Arc::new(NullSink))
        .approver(Arc::new(PendingApprover))
        .open()
        .await
        .unwrap();
    assert_eq!(permissions.state("s", &SHELL), PermissionState::Deferred);
    let mut told = permissions.decisions();
    let by_hand = rusqlite::Connection::open(&path).unwrap();
    by_hand.execute("UPDATE permissions SET state = 'maybe'", []).unwrap();
    xtask_testing::within(told.changed()).await.unwrap();
    assert_eq!(permissions.state("s", &SHELL), PermissionState::Denied);
}
