//! A gate that asks, with its store and its trail.

use crate::{
    audit::MemorySink,
    permission::{
        ApprovalTerm, Approver, ConfirmationBounds, ConfirmationGate, ConfirmationQuestion,
        ConfirmationStore, ConfirmationVerdict, Confirmations, Deny, PermissionQuestion, PermissionVerdict,
        SqlPermissionStore, SqlStore, record::APPROVAL_NEEDED,
    },
    profile::{Confirmation, ToolProfile},
    testing::{Inner, TestCall, code, plain_profile},
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_transport::seam::{GateLayer, Reply};
use mgp_types::{
    context::Principal,
    permission::{Permission, StandardPermission},
};
use parking_lot::Mutex;
use std::sync::Arc;
use tower::{Layer, ServiceExt};

pub(super) const SHELL: Permission = Permission::Standard(StandardPermission::ShellExecute);

pub(super) fn operator() -> Principal {
    Principal::operator("ann")
}

/// An approver that gives the same answer to every question, and keeps the questions.
#[derive(Debug, Clone)]
pub(super) struct FixedAnswer {
    pub(super) verdict: ConfirmationVerdict,
    pub(super) questions: Arc<Mutex<Vec<ConfirmationQuestion>>>,
    pub(super) attended: bool,
}

impl FixedAnswer {
    pub(super) fn approved(term: ApprovalTerm) -> Self {
        Self::new(ConfirmationVerdict::Approved { by: "ben".into(), term })
    }

    pub(super) fn denied() -> Self {
        Self::new(ConfirmationVerdict::Denied { by: "ben".into() })
    }

    fn new(verdict: ConfirmationVerdict) -> Self {
        Self { verdict, questions: Arc::default(), attended: true }
    }
}

#[async_trait]
impl Approver for FixedAnswer {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        PermissionVerdict::Deferred
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        self.questions.lock().push(question.clone());
        self.verdict.clone()
    }

    fn is_attended(&self, _: &ConfirmationQuestion) -> bool {
        self.attended
    }
}

/// A kernel's gate over a store that others may share.
#[derive(Clone)]
pub(super) struct Gate {
    pub(super) gate: ConfirmationGate,
    pub(super) confirmations: Confirmations,
    pub(super) sink: MemorySink,
    pub(super) inner: Inner,
}

impl Gate {
    /// Creates a gate without anybody to ask.
    pub(super) fn unattended() -> Self {
        Self::over(Arc::new(SqlPermissionStore::in_memory()), Arc::new(Deny))
    }

    pub(super) fn asking(approver: impl Approver) -> Self {
        Self::over(Arc::new(SqlPermissionStore::in_memory()), Arc::new(approver))
    }

    pub(super) fn over(store: Arc<dyn ConfirmationStore>, approver: Arc<dyn Approver>) -> Self {
        Self::by_clock(store, approver, Timestamp::now)
    }

    pub(super) fn by_clock(
        store: Arc<dyn ConfirmationStore>,
        approver: Arc<dyn Approver>,
        clock: fn() -> Timestamp,
    ) -> Self {
        let sink = MemorySink::new(100);
        let (recorded, bounds) = (Arc::new(sink.clone()), ConfirmationBounds::default());
        let confirmations = Confirmations::by_clock(store, recorded, Confirmations::LIFETIME, bounds, clock);
        let gate = ConfirmationGate::new(approver, confirmations.clone());
        Self { gate, confirmations, sink, inner: Inner::new() }
    }

    pub(super) async fn call(&self, call: TestCall) -> Reply {
        GateLayer::new(self.gate.clone()).layer(self.inner.clone()).oneshot(call.identified()).await.unwrap()
    }

    /// Makes a call. Returns the code of the answer, and the number of calls that were sent.
    pub(super) async fn outcome(&self, call: TestCall) -> (Option<i64>, usize) {
        let reply = self.call(call).await;
        (code(&reply), self.inner.reached())
    }

    /// Returns the id of the only open question.
    pub(super) async fn question(&self) -> String {
        let pending = self.confirmations.pending().await.unwrap();
        assert_eq!(pending.len(), 1, "{pending:?}");
        pending[0].id.clone()
    }

    /// Returns the events, except those of intents and of questions that wait.
    pub(super) fn events(&self) -> Vec<String> {
        let lines =
            self.sink.events().into_iter().map(|event| format!("{} {}", event.event_type, event.result));
        lines.filter(|line| !line.contains("CHANGE_INTENDED") && !line.contains(APPROVAL_NEEDED)).collect()
    }

    /// Returns the ids of the questions that the trail names as waiting.
    pub(super) fn needed(&self) -> Vec<String> {
        let events = self.sink.events().into_iter();
        let needed = events.filter(|event| event.event_type.as_str() == APPROVAL_NEEDED);
        needed.filter_map(|event| event.details?.text("request_id")).collect()
    }
}

/// Returns a call of a tool with this kind of confirmation.
pub(super) fn calling(confirmation: Confirmation, params: &str) -> TestCall {
    let profile = ToolProfile { confirmation, permissions: vec![SHELL], ..plain_profile() };
    TestCall::new(params).profile(profile).principal("a")
}

/// Returns a call of a dangerous tool.
pub(super) fn dangerous(arguments: &str) -> TestCall {
    calling(Confirmation::UnlessApproved, &format!(r#"{{"arguments":{arguments}}}"#))
}

pub(super) fn message(reply: &Reply) -> String {
    reply.as_error().map(|error| error.message.clone()).unwrap_or_default()
}
