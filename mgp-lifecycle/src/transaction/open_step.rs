//! A step whose call runs.

use super::{
    Step, Transaction, TransactionKey,
    check::name_of_step,
    inner::Inner,
    step_end::{CallFacts, StepEnd},
};
use jiff::Timestamp;
use mgp_transport::seam::{CallRecord, ToolCall};
use mgp_types::{
    context::ToolId,
    error::ErrorCode,
    rpc::ErrorObject,
    transaction::{StepState, TransactionState},
};
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

/// The interval between attempts to store the end of a step.
const STORE_AGAIN: Duration = Duration::from_secs(1);

/// A step whose call runs. If it is dropped with the future of its call, its end is still stored.
pub(super) struct OpenStep {
    name: String,
    state: Option<OpenStepState>,
}

struct OpenStepState {
    transactions: Arc<Inner>,
    key: TransactionKey,
    record: CallRecord,
}

impl OpenStep {
    /// Stores a step that is about to be made at the server with this fingerprint.
    ///
    /// # Errors
    /// The refusal of a step that does not fit its transaction.
    pub(super) async fn begin(
        transactions: Arc<Inner>,
        transaction: &str,
        name: Option<String>,
        call: &ToolCall,
        endpoint: Option<String>,
    ) -> Result<Self, ErrorObject> {
        let key = TransactionKey::new(&call.principal, transaction);
        let (record, tool) = (call.record.clone(), call.target.tool.clone());
        // In a separate task: if the call is dropped while the step is stored, the step still exists and has to end.
        let begun = tokio::spawn(async move {
            let name = begin(&transactions, &key, name, (tool, endpoint)).await?;
            Ok(Self { name, state: Some(OpenStepState { transactions, key, record }) })
        });
        begun.await.map_err(|error| ErrorObject::internal(error.to_string()))?
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Stores that the server continues the step as a task.
    pub(super) async fn note_task(&self, task: String) {
        let Some(OpenStepState { transactions, key, .. }) = &self.state else { return };
        let step = self.name.clone();
        let note = move |of: &mut Transaction| {
            let runs = |there: &&mut Step| there.id == step && there.state == StepState::Running;
            if let Some(there) = of.steps.iter_mut().find(runs) {
                there.task = Some(task);
            }
            Ok(())
        };
        // The step runs even without this note.
        if let Err(error) = transactions.update(key, note).await {
            tracing::error!(%error, transaction = key.id, "the task of a step could not be stored");
        }
    }

    /// Stores the end of the step.
    pub(super) async fn close(mut self, end: StepEnd) {
        if let Some(open) = self.state.take() {
            open.close(self.name.clone(), end).await;
        }
    }
}

impl OpenStepState {
    /// Stores the end of the step, now or as soon as the store accepts it.
    async fn close(self, step: String, end: StepEnd) {
        let Self { transactions, key, .. } = self;
        let Err(error) = Self::store_end(&transactions, &key, step.clone(), end.clone()).await else {
            return;
        };
        tracing::error!(%error, transaction = key.id, "the end of a step could not be stored yet");
        let transactions = Arc::downgrade(&transactions);
        tokio::spawn(async move {
            loop {
                sleep(STORE_AGAIN).await;
                let Some(transactions) = transactions.upgrade() else { return };
                match Self::store_end(&transactions, &key, step.clone(), end.clone()).await {
                    Err(error) if error.code != i64::from(ErrorCode::ResourceNotFound) => {}
                    _ => return,
                }
            }
        });
    }

    async fn store_end(
        transactions: &Inner,
        key: &TransactionKey,
        step: String,
        end: StepEnd,
    ) -> Result<(), ErrorObject> {
        let close = move |of: &mut Transaction| {
            of.active_at = Timestamp::now().as_microsecond();
            // A rollback that timed out has marked the step as unknown; now the outcome is known.
            let late = |there: &&mut Step| matches!(there.state, StepState::Running | StepState::Unknown);
            if let Some(there) = of.steps.iter_mut().find(|there| there.id == step).filter(late) {
                (there.state, there.compensation, there.error) = (end.state, end.compensation, end.error);
                (there.is_concealed, there.task) = (end.is_concealed, None);
            }
            // The rollback ended without this step.
            if of.state == TransactionState::PartiallyRolledBack {
                of.state = of.end_of_rollback();
            }
            Ok(())
        };
        transactions.update(key, close).await.map(drop)
    }
}

impl Drop for OpenStep {
    fn drop(&mut self) {
        let Some(open) = self.state.take() else { return };
        let end = StepEnd::of(None, &open.record, &CallFacts::default());
        // Without a runtime the process is ending, and the step of an ended process reads as unknown.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(open.close(std::mem::take(&mut self.name), end));
        }
    }
}

/// Stores a step that is about to be made, and returns its name.
async fn begin(
    transactions: &Inner,
    key: &TransactionKey,
    name: Option<String>,
    (tool, endpoint): (ToolId, Option<String>),
) -> Result<String, ErrorObject> {
    let settings = transactions.settings;
    let owner = transactions.store.me().to_owned();
    let begin = move |of: &mut Transaction| {
        let name = name_of_step(of, name, &settings)?;
        of.active_at = Timestamp::now().as_microsecond();
        of.steps.push(Step {
            id: name,
            server_id: tool.server_id.to_string(),
            tool_name: tool.tool_name.to_string(),
            state: StepState::Running,
            owner,
            task: None,
            endpoint,
            compensation: None,
            attempt: 0,
            is_concealed: false,
            is_sent: false,
            is_uncertain: false,
            error: None,
        });
        Ok(())
    };
    let of = transactions.update(key, begin).await?;
    // This step is the last one, because no other began within the change.
    of.steps.last().map(|step| step.id.clone()).ok_or_else(|| ErrorObject::internal("a step was not stored"))
}
