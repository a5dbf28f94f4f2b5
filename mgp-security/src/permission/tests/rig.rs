//! A gate with its store, its trail and its approver.

use crate::{
    audit::MemorySink,
    permission::{
        Approver, ConfirmationQuestion, ConfirmationVerdict, PermissionQuestion, PermissionRow,
        PermissionRules, PermissionVerdict, Permissions, SqlPermissionStore, SqlStore,
        record::APPROVAL_NEEDED,
    },
    profile::ToolProfile,
    testing::{Inner, TestCall, code, plain_profile},
};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::{BoxError, GateLayer, Reply};
use mgp_types::{
    audit::AuditEventType,
    context::Principal,
    permission::{Permission, PermissionPolicy, PermissionState, StandardPermission},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;
use tower::{Layer, ServiceExt};

pub(super) const SHELL: Permission = Permission::Standard(StandardPermission::ShellExecute);

pub(super) fn needing_shell() -> ToolProfile {
    ToolProfile { permissions: vec![SHELL], ..plain_profile() }
}

/// Returns an approval of the shell that ended a second ago.
pub(super) fn ran_out() -> PermissionRow {
    let end = Timestamp::now() - SignedDuration::from_secs(1);
    PermissionRow::question("s", &SHELL, None).decided(PermissionState::Approved, "root", Some(end))
}

pub(super) fn operator() -> Principal {
    Principal::operator("root")
}

/// An approver that answers on a signal, and counts the questions.
#[derive(Debug, Clone)]
pub(super) struct Human {
    verdict: PermissionVerdict,
    pub(super) asked: Arc<AtomicUsize>,
    pub(super) go: Arc<Notify>,
}

impl Human {
    pub(super) fn saying(verdict: PermissionVerdict) -> Self {
        Self { verdict, asked: Arc::default(), go: Arc::default() }
    }

    pub(super) fn approving() -> Self {
        Self::saying(PermissionVerdict::Approved { by: "root".into(), expires_at: None })
    }
}

#[async_trait]
impl Approver for Human {
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict {
        assert!(question.request_id.starts_with("perm-"));
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.go.notified().await;
        self.verdict.clone()
    }

    async fn confirm(&self, _: &ConfirmationQuestion) -> ConfirmationVerdict {
        ConfirmationVerdict::Deferred
    }
}

pub(super) struct Gate {
    pub(super) permissions: Permissions,
    pub(super) store: Arc<SqlPermissionStore>,
    pub(super) sink: MemorySink,
    pub(super) inner: Inner,
}

impl Gate {
    pub(super) async fn new(rules: PermissionRules, approver: Option<Arc<dyn Approver>>) -> Self {
        Self::over(Arc::new(SqlPermissionStore::in_memory()), rules, approver).await
    }

    pub(super) async fn over(
        store: Arc<SqlPermissionStore>,
        rules: PermissionRules,
        approver: Option<Arc<dyn Approver>>,
    ) -> Self {
        let sink = MemorySink::new(100);
        let mut builder = Permissions::builder(rules, store.clone(), Arc::new(sink.clone()));
        if let Some(approver) = approver {
            builder = builder.approver(approver);
        }
        let permissions = builder.wait(Duration::from_secs(60)).open().await.unwrap();
        Self { permissions, store, sink, inner: Inner::new() }
    }

    pub(super) fn call(
        &self,
        call: TestCall,
    ) -> impl Future<Output = Result<Reply, BoxError>> + Send + 'static {
        GateLayer::new(self.permissions.clone()).layer(self.inner.clone()).oneshot(call.identified())
    }

    pub(super) async fn outcome(&self) -> (Option<i64>, usize) {
        let reply = self.call(TestCall::new("{}").profile(needing_shell())).await.unwrap();
        (code(&reply), self.inner.reached())
    }

    /// Returns the types of the events, except those of questions that wait.
    pub(super) fn events(&self) -> Vec<AuditEventType> {
        let types = self.sink.events().into_iter().map(|event| event.event_type);
        types.filter(|kind| kind.as_str() != APPROVAL_NEEDED).collect()
    }

    /// Returns the ids of the questions that the trail names as waiting.
    pub(super) fn needed(&self) -> Vec<String> {
        let events = self.sink.events().into_iter();
        let needed = events.filter(|event| event.event_type.as_str() == APPROVAL_NEEDED);
        needed.filter_map(|event| event.details?.text("request_id")).collect()
    }
}

pub(super) fn interactive() -> PermissionRules {
    PermissionRules::new(PermissionPolicy::Interactive)
}
