//! Tests of §3: the gate, the policies, the questions.

use super::*;
use crate::{
    audit::MemorySink,
    profile::ToolProfile,
    testing::{Inner, Task, TestCall, code, other_message, plain_profile},
};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::{BoxError, CancelCause, CancelToken, RefusalKind, Reply};
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

const SHELL: Permission = Permission::Standard(StandardPermission::ShellExecute);

fn needing_shell() -> ToolProfile {
    ToolProfile { permissions: vec![SHELL], ..plain_profile() }
}

fn operator() -> Principal {
    Principal::operator("root")
}

/// Answers when it is told to, and counts the questions.
#[derive(Debug, Clone)]
struct Human {
    verdict: PermissionVerdict,
    asked: Arc<AtomicUsize>,
    go: Arc<Notify>,
}

impl Human {
    fn saying(verdict: PermissionVerdict) -> Self {
        Self { verdict, asked: Arc::default(), go: Arc::default() }
    }

    fn approving() -> Self {
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

    async fn confirm(&self, _: &ConfirmationQuestion) -> bool {
        false
    }
}

struct Gate {
    permissions: Permissions,
    store: Arc<MemoryPermissionStore>,
    sink: MemorySink,
    inner: Inner,
}

impl Gate {
    async fn new(rules: PermissionRules, approver: Option<Arc<dyn Approver>>) -> Self {
        Self::over(Arc::new(MemoryPermissionStore::new()), rules, approver).await
    }

    async fn over(
        store: Arc<MemoryPermissionStore>,
        rules: PermissionRules,
        approver: Option<Arc<dyn Approver>>,
    ) -> Self {
        let sink = MemorySink::new(100);
        let mut builder = Permissions::builder(rules, store.clone(), Arc::new(sink.clone()));
        if let Some(approver) = approver {
            builder = builder.approver(approver);
        }
        let permissions = builder.time_limit(Duration::from_secs(60)).open().await.unwrap();
        Self { permissions, store, sink, inner: Inner::new() }
    }

    fn call(&self, call: TestCall) -> impl Future<Output = Result<Reply, BoxError>> + Send + 'static {
        PermissionLayer::new(self.permissions.clone()).layer(self.inner.clone()).oneshot(call.message)
    }

    async fn outcome(&self) -> (Option<i64>, usize) {
        let reply = self.call(TestCall::new("{}").profile(needing_shell())).await.unwrap();
        (code(&reply), self.inner.reached())
    }

    fn events(&self) -> Vec<AuditEventType> {
        self.sink.events().into_iter().map(|event| event.event_type).collect()
    }
}

fn interactive() -> PermissionRules {
    PermissionRules::new(PermissionPolicy::Interactive)
}

#[tokio::test]
async fn a_permission_that_is_not_approved_answers_1000_with_what_is_missing() {
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::DenyAll), None).await;
    let row = gate.permissions.open_question("s", &SHELL).await.unwrap();
    let call = TestCall::new("{}").profile(needing_shell());
    let record = call.record.clone();
    let reply = gate.call(call).await.unwrap();
    assert_eq!((code(&reply), gate.inner.reached()), (Some(1000), 0));
    let data = reply.as_error().unwrap().data.as_ref().unwrap().as_str().to_owned();
    let details = format!(
        r#""details":{{"permission":"shell.execute","server_id":"s","request_id":"{}","state":"deferred"}}"#,
        row.request_id
    );
    assert!(data.contains(&details), "{data}");
    assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Permission);
}

#[tokio::test]
async fn tools_that_need_nothing_other_messages_and_approved_permissions_pass() {
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::ConfigOnly).approve("s", SHELL), None).await;
    gate.call(TestCall::new("{}")).await.unwrap();
    let other = TestCall { message: other_message(), ..TestCall::new("{}") };
    gate.call(other).await.unwrap();
    assert_eq!(gate.outcome().await, (None, 3));
    assert!(gate.events().is_empty());
}

#[tokio::test]
async fn a_name_that_is_no_permission_is_refused_by_name() {
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::AutoApprove), None).await;
    let profile = ToolProfile { invalid_permissions: vec!["shell.exec".into()], ..plain_profile() };
    let reply = gate.call(TestCall::new("{}").profile(profile)).await.unwrap();
    assert!(reply.as_error().unwrap().message.contains("\"shell.exec\""));
    assert_eq!(gate.inner.reached(), 0);
}

#[tokio::test]
async fn interactive_without_an_approver_denies_and_an_operator_s_grant_counts() {
    let gate = Gate::new(interactive(), None).await;
    assert_eq!(gate.outcome().await, (Some(1000), 0));
    gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap();
    assert_eq!(gate.outcome().await, (None, 1));
    gate.permissions.revoke("s", &SHELL, &operator()).await.unwrap();
    assert_eq!(gate.outcome().await, (Some(1000), 1));
    assert_eq!(gate.events(), [AuditEventType::PermissionGranted, AuditEventType::PermissionRevoked]);
}

#[tokio::test]
async fn config_only_refuses_later_grants_and_only_admins_decide() {
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::ConfigOnly), None).await;
    let refused = gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap_err();
    assert_eq!(refused.code, 1000);
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::DenyAll), None).await;
    let agent = Principal::agent("a");
    let codes = [
        gate.permissions.grant("s", &SHELL, &agent, None).await.unwrap_err().code,
        gate.permissions.deny("s", &SHELL, &agent).await.unwrap_err().code,
        gate.permissions.revoke("s", &SHELL, &agent).await.unwrap_err().code,
    ];
    assert_eq!((codes, gate.events().len()), ([1000; 3], 0));
}

#[tokio::test]
async fn auto_approve_approves_once_audited_and_asks_for_exceptions() {
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::AutoApprove), None).await;
    assert_eq!(gate.outcome().await, (None, 1));
    assert_eq!(gate.outcome().await, (None, 2));
    assert_eq!(gate.events(), [AuditEventType::PermissionGranted]);
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::AutoApprove).except(SHELL), None).await;
    assert_eq!(gate.outcome().await, (Some(1000), 0));
}

#[tokio::test(start_paused = true)]
async fn concurrent_calls_wait_for_one_question_and_all_go_on() {
    let human = Human::approving();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let calls: Vec<_> =
        (0..8).map(|_| tokio::spawn(gate.call(TestCall::new("{}").profile(needing_shell())))).collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((human.asked.load(Ordering::SeqCst), gate.inner.reached()), (1, 0));
    human.go.notify_one();
    for call in calls {
        assert!(call.await.unwrap().unwrap().result().is_some());
    }
    assert_eq!((human.asked.load(Ordering::SeqCst), gate.inner.reached()), (1, 8));
    assert_eq!(gate.events(), [AuditEventType::PermissionGranted]);
    assert_eq!(gate.permissions.rows().await.unwrap()[0].decided_by.as_deref(), Some("root"));
}

#[tokio::test]
async fn a_denial_is_kept_and_nobody_is_asked_again() {
    let human = Human::saying(PermissionVerdict::Denied { by: "root".into() });
    human.go.notify_one();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    assert_eq!(gate.outcome().await, (Some(1000), 0));
    assert_eq!(gate.outcome().await, (Some(1000), 0));
    assert_eq!(human.asked.load(Ordering::SeqCst), 1);
    assert_eq!(gate.events(), [AuditEventType::PermissionDenied]);
    assert_eq!(gate.permissions.state("s", &SHELL), PermissionState::Denied);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_ends_at_the_time_limit_and_stays_open() {
    let gate = Gate::new(interactive(), Some(Arc::new(Pending))).await;
    let started = tokio::time::Instant::now();
    assert_eq!(gate.outcome().await, (Some(1000), 0));
    assert_eq!(started.elapsed().as_secs(), 60);
    let pending = gate.permissions.pending().await.unwrap();
    assert_eq!((pending.len(), pending[0].tool_name.as_deref()), (1, Some("t")));
}

#[tokio::test(start_paused = true)]
async fn another_process_can_answer_the_question() {
    let here = Gate::new(interactive(), Some(Arc::new(Pending))).await;
    let there = Gate::over(here.store.clone(), interactive(), None).await;
    let call = tokio::spawn(here.call(TestCall::new("{}").profile(needing_shell())));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(there.permissions.pending().await.unwrap().len(), 1);
    there.permissions.grant("s", &SHELL, &operator(), None).await.unwrap();
    let started = tokio::time::Instant::now();
    assert!(call.await.unwrap().unwrap().result().is_some());
    assert!(started.elapsed() <= Duration::from_millis(200), "{:?}", started.elapsed());
    assert_eq!((here.inner.reached(), here.events().len(), there.events().len()), (1, 0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_cancels_does_not_wait_and_the_question_goes_on() {
    let human = Human::approving();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let cancel = CancelToken::new();
    let call = TestCall::new("{}").profile(needing_shell()).on_session(None, &cancel);
    let record = call.record.clone();
    let call = tokio::spawn(gate.call(call));
    tokio::time::sleep(Duration::from_secs(1)).await;
    cancel.cancel(CancelCause::Notification);
    assert!(call.await.unwrap().unwrap().is_cancelled());
    assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Permission);
    human.go.notify_one();
    assert_eq!(gate.outcome().await, (None, 1));
    assert_eq!(human.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_approval_that_ran_out_is_revoked_once_and_asked_for_again() {
    let human = Human::saying(PermissionVerdict::Deferred);
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let end = Timestamp::now() - SignedDuration::from_secs(1);
    let row =
        PermissionRow::question("s", &SHELL, None).decided(PermissionState::Approved, "root", Some(end));
    gate.store.put(row).await.unwrap();
    let gate = Gate::over(gate.store.clone(), interactive(), Some(Arc::new(human.clone()))).await;
    assert_eq!(gate.permissions.state("s", &SHELL), PermissionState::Expired);
    for _ in 0..2 {
        human.go.notify_one();
        assert_eq!(gate.outcome().await, (Some(1000), 0));
    }
    assert_eq!(human.asked.load(Ordering::SeqCst), 2);
    assert_eq!(gate.events(), [AuditEventType::PermissionRevoked]);
}

#[tokio::test(start_paused = true)]
async fn of_several_processes_that_see_an_approval_run_out_one_audits_it() {
    let human = Human::saying(PermissionVerdict::Deferred);
    let store = Arc::new(MemoryPermissionStore::new());
    let end = Timestamp::now() - SignedDuration::from_secs(1);
    let row =
        PermissionRow::question("s", &SHELL, None).decided(PermissionState::Approved, "root", Some(end));
    store.put(row).await.unwrap();
    let here = Gate::over(store.clone(), interactive(), Some(Arc::new(human.clone()))).await;
    let there = Gate::over(store, interactive(), Some(Arc::new(human.clone()))).await;
    // Both have looked at the store, and look again only later.
    tokio::time::sleep(Duration::from_millis(1)).await;
    for gate in [&here, &there] {
        human.go.notify_one();
        assert_eq!(gate.outcome().await, (Some(1000), 0));
    }
    assert_eq!(here.events(), [AuditEventType::PermissionRevoked]);
    assert_eq!(there.events(), []);
}

#[tokio::test]
async fn an_end_that_is_over_is_refused() {
    let gate = Gate::new(interactive(), None).await;
    let end = Timestamp::now() - SignedDuration::from_secs(1);
    let error = gate.permissions.grant("s", &SHELL, &operator(), Some(end)).await.unwrap_err();
    assert!(error.code == -32602 && error.message.contains("expires_at"), "{error}");
}

#[tokio::test]
async fn no_permit_of_the_inner_service_is_held_while_somebody_decides() {
    let human = Human::approving();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let limited = tower::limit::ConcurrencyLimit::new(gate.inner.clone(), 1);
    let service = PermissionLayer::new(gate.permissions.clone()).layer(limited);
    let waiting = TestCall::new("{}").profile(needing_shell()).message;
    let mut waiting = Task::new(service.clone().oneshot(waiting));
    assert!(waiting.poll().is_pending());
    let reply = service.clone().oneshot(TestCall::new("{}").message).await.unwrap();
    assert!(reply.result().is_some());
    human.go.notify_one();
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn sqlite_keeps_every_field_and_guards_decisions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("permission.sqlite3");
    let (one, other) =
        (SqlitePermissionStore::open(&path).unwrap(), SqlitePermissionStore::open(&path).unwrap());
    let whole = |time: Timestamp| Timestamp::from_microsecond(time.as_microsecond()).unwrap();
    let mut question = PermissionRow::question("s", &SHELL, Some("t"));
    question.asked_at = whole(question.asked_at);
    let end = whole(Timestamp::now());
    let mut approved = question.clone().decided(PermissionState::Approved, "root", Some(end));
    approved.decided_at = approved.decided_at.map(whole);

    let before = one.version().await.unwrap();
    assert!(other.put_undecided(question.clone()).await.unwrap());
    let again = PermissionRow::question("s", &SHELL, Some("t"));
    assert!(!one.put_undecided(again).await.unwrap(), "the id of the open question may have been shown");
    assert_eq!(other.load().await.unwrap()[0].request_id, question.request_id);
    assert_ne!(one.version().await.unwrap(), before);
    assert_eq!(one.load().await.unwrap(), [question.clone()]);
    assert!(one.put_undecided(approved.clone()).await.unwrap());
    assert!(!other.put_undecided(question.clone()).await.unwrap(), "a human has decided");
    assert_eq!(other.load().await.unwrap(), [approved.clone()]);
    let first = one.expire("s", &SHELL, end).await.unwrap();
    assert!(first && !other.expire("s", &SHELL, end).await.unwrap());
    one.put(approved.clone()).await.unwrap();
    assert_eq!(other.remove("s", &SHELL).await.unwrap(), Some(approved));
    assert_eq!(one.load().await.unwrap(), []);
}

#[tokio::test]
async fn a_question_in_memory_does_not_replace_an_open_one_either() {
    let store = MemoryPermissionStore::default();
    let first = PermissionRow::question("s", &SHELL, None);
    assert!(store.put_undecided(first.clone()).await.unwrap());
    assert!(!store.put_undecided(PermissionRow::question("s", &SHELL, Some("t"))).await.unwrap());
    assert_eq!(store.load().await.unwrap()[0].request_id, first.request_id);
    let approved = first.decided(PermissionState::Approved, "root", None);
    assert!(store.put_undecided(approved).await.unwrap());
}
