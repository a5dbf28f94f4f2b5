//! Servers that are taken away where the trail or the store fails.

use super::support::{BUILDER, builder, deregister, on, operator, register, with_registrar};
use crate::support::{Signals, agent_test, server_rule};
use async_trait::async_trait;
use mgp_discovery::registration::{
    AddOutcome, Registration, RegistrationStore, SqlRegistrationStore, StoreError,
};
use mgp_kernel::{Kernel, SqlStore};
use mgp_security::audit::{AuditError, AuditSink, StoreFuture};
use mgp_types::{
    audit::AuditEvent,
    context::Principal,
    discovery::{DeregisterServerParams, RegisterServerParams},
    permission::Permission,
};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A trail that stores nothing once it is full.
#[derive(Debug, Clone, Default)]
struct Trail(Arc<AtomicBool>);

impl AuditSink for Trail {
    fn record(&self, _: AuditEvent) -> StoreFuture {
        let full = self.0.load(Ordering::Relaxed);
        StoreFuture::ready(if full { Err(AuditError::new("disk full")) } else { Ok(()) })
    }
}

#[tokio::test]
async fn grants_end_with_their_server_despite_an_unwritable_trail() {
    let (trail, signals, ann) = (Trail::default(), Signals::default(), Principal::operator("ann"));
    let builder = with_registrar(Kernel::builder(), &signals).audit_sink(trail.clone());
    let kernel = builder.config(agent_test).start().await.unwrap();
    let params: RegisterServerParams =
        serde_json::from_value(json!({"id": "a", "transport": "stdio", "command": "x"})).unwrap();
    kernel.register(&ann, params).await.unwrap();
    for agent in ["agent.test", "agent.other"] {
        kernel.access().put(server_rule(agent, "a")).await.unwrap();
    }
    for name in ["shell.execute", "network.outbound"] {
        let permission: Permission = name.parse().unwrap();
        kernel.permissions().grant("a", &permission, &ann, None).await.unwrap();
    }
    trail.0.store(true, Ordering::Relaxed);
    let error = kernel.deregister(&ann, DeregisterServerParams { id: "a".into(), reason: None }).await;
    assert_eq!(error.unwrap_err().code, -32603);
    assert_eq!(kernel.access().entries().await.unwrap(), []);
    let rows = kernel.permissions().rows().await.unwrap();
    assert!(rows.iter().all(|row| row.server_id != "a"), "{rows:?}");
}

/// A store with a row that it cannot read.
#[derive(Debug)]
struct Broken {
    kept: SqlRegistrationStore,
    removed: AtomicBool,
}

const ROW: &str = "broken";

#[async_trait]
impl RegistrationStore for Broken {
    async fn load(&self) -> Result<Vec<Registration>, StoreError> {
        self.kept.load().await
    }

    async fn add(&self, registration: Registration, limit: usize) -> Result<AddOutcome, StoreError> {
        if registration.id() == ROW && !self.removed.load(Ordering::Relaxed) {
            return Ok(AddOutcome::Taken);
        }
        self.kept.add(registration, limit).await
    }

    async fn remove(&self, found: &Registration) -> Result<Option<Registration>, StoreError> {
        self.kept.remove(found).await
    }

    async fn remove_unusable(&self, id: &str) -> Result<bool, StoreError> {
        Ok(id == ROW && !self.removed.swap(true, Ordering::Relaxed))
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.kept.version().await
    }
}

#[tokio::test]
async fn only_the_admin_role_removes_an_unusable_registration() {
    let setup = on(Broken { kept: SqlRegistrationStore::in_memory(), removed: AtomicBool::new(false) }).await;
    let (mut agent, mut admin) = (builder(&setup).await, operator(&setup).await);
    setup.kernel.access().put(server_rule("agent.test", ROW)).await.unwrap();
    assert_eq!(deregister(&mut agent, ROW).await, json!({"id": ROW, "removed": false}));
    assert_eq!(deregister(&mut admin, "other").await, json!({"id": "other", "removed": false}));
    assert_eq!(deregister(&mut admin, ROW).await, json!({"id": ROW, "removed": true}));
    assert_eq!(setup.kernel.access().entries().await.unwrap(), []);
    assert_eq!(deregister(&mut admin, ROW).await, json!({"id": ROW, "removed": false}));
    register(&mut agent, ROW).await;
    assert_eq!(
        setup.registrations(),
        [
            format!("SERVER_DEREGISTERED SUCCESS ann {ROW}"),
            format!("SERVER_REGISTERED SUCCESS {BUILDER} {ROW}"),
        ]
    );
}
