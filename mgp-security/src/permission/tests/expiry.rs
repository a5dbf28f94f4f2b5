//! Tests of expiring approvals and revoked decisions, and of their events.

use super::rig::{Gate, SHELL, interactive, operator, ran_out};
#[cfg(feature = "sqlite")]
use crate::permission::{SqlPermissionStore, SqlStore};
use crate::{
    audit::{AuditError, AuditSink, MemorySink, StoreFuture},
    permission::{PermissionStore, Permissions, record::APPROVAL_NEEDED},
    testing::{Inner, tokio_clock},
};
use jiff::{SignedDuration, Timestamp};
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    permission::{Permission, PermissionState, StandardPermission},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use xtask_testing::within;

/// A sink that stores events while it has room.
#[derive(Debug, Clone)]
struct Disk(MemorySink, Arc<AtomicBool>);

impl AuditSink for Disk {
    fn record(&self, event: AuditEvent) -> StoreFuture {
        if self.1.load(Ordering::SeqCst) {
            return StoreFuture::ready(Err(AuditError::new("disk full")));
        }
        self.0.record(event)
    }
}

#[tokio::test]
async fn an_approval_expires_with_exactly_one_event() {
    let mut stores: Vec<Arc<dyn PermissionStore>> = vec![Arc::new(SqlPermissionStore::in_memory())];
    #[cfg(feature = "sqlite")]
    let folder = tempfile::tempdir().unwrap();
    #[cfg(feature = "sqlite")]
    stores.push(Arc::new(SqlPermissionStore::open(folder.path().join("permission.sqlite3")).unwrap()));
    for store in stores {
        store.put(ran_out()).await.unwrap();
        let disk = Disk(MemorySink::new(10), Arc::new(AtomicBool::new(true)));
        let permissions =
            Permissions::builder(interactive(), store.clone(), Arc::new(disk.clone())).open().await.unwrap();
        let refused = permissions.open_question("s", &SHELL).await.unwrap_err();
        assert!(refused.message.contains("disk full"), "{refused}");
        let state = async || store.load().await.unwrap().rows[0].state;
        assert_eq!(state().await, PermissionState::Approved, "its end is not in the trail: {store:?}");

        disk.1.store(false, Ordering::SeqCst);
        for _ in 0..2 {
            permissions.open_question("s", &SHELL).await.unwrap();
        }
        let mut events: Vec<_> = disk.0.events().into_iter().map(|event| event.event_type).collect();
        events.retain(|kind| kind.as_str() != APPROVAL_NEEDED);
        assert_eq!(events, [AuditEventType::PermissionRevoked], "{store:?}");
        assert_eq!(state().await, PermissionState::Deferred);
    }
}

#[tokio::test]
async fn a_withdrawn_denial_is_recorded_and_a_question_is_not() {
    let gate = Gate::new(interactive(), None).await;
    gate.permissions.open_question("s", &SHELL).await.unwrap();
    gate.permissions.revoke("s", &SHELL, &operator()).await.unwrap();
    assert_eq!(gate.events(), []);
    gate.permissions.deny("s", &SHELL, &operator()).await.unwrap();
    gate.permissions.revoke("s", &SHELL, &operator()).await.unwrap();
    let revoked = gate.sink.events().pop().unwrap();
    assert_eq!(revoked.event_type, "dev.cloto.mgp.PERMISSION_DENIAL_REVOKED".into());
    assert_eq!(revoked.actor.id, "root");
    assert_eq!(revoked.details.unwrap().text("permission").as_deref(), Some("shell.execute"));
}

#[tokio::test(start_paused = true)]
async fn approvals_expire_by_themselves_and_each_end_names_its_own() {
    let (store, sink) = (Arc::new(SqlPermissionStore::in_memory()), MemorySink::new(100));
    let builder = Permissions::builder(interactive(), store.clone(), Arc::new(sink.clone()));
    let permissions = builder.clock(tokio_clock).open().await.unwrap();
    let gate = Gate { permissions, store, sink, inner: Inner::new() };
    let other = Permission::Standard(StandardPermission::Camera);
    let (mut ids, mut ends) = (Vec::new(), Vec::new());
    for (permission, seconds) in [(&SHELL, 10), (&other, 100)] {
        let end = tokio_clock() + SignedDuration::from_secs(seconds);
        let row = gate.permissions.grant("s", permission, &operator(), Some(end)).await.unwrap();
        ids.push(row.request_id);
        ends.push(end);
    }
    let ended = || {
        let events = gate.sink.events().into_iter();
        let ended = events.filter(|event| event.event_type == AuditEventType::PermissionRevoked);
        ended.map(|event| event.details.unwrap().text("request_id").unwrap()).collect::<Vec<_>>()
    };
    let mut decisions = gate.permissions.decisions();
    for (number, end) in ends.into_iter().enumerate() {
        while ended().len() == number {
            within(decisions.changed()).await.unwrap();
        }
        let late = tokio_clock().duration_since(end);
        assert!((0..100).contains(&late.as_millis()), "{late}");
    }
    assert_eq!(ended(), ids);
    assert_eq!(gate.permissions.state("s", &other), PermissionState::Expired);
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_has_not_ended_is_unchanged() {
    let gate = Gate::new(interactive(), None).await;
    let end = Timestamp::now() + SignedDuration::from_hours(1);
    gate.permissions.grant("s", &SHELL, &operator(), Some(end)).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    assert_eq!(gate.permissions.state("s", &SHELL), PermissionState::Approved);
    assert!(!gate.events().contains(&AuditEventType::PermissionRevoked));
}
