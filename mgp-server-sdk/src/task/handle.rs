//! A handler's view of its task.

use super::{TaskForm, job::Job};
use crate::{Call, asking::AskError, from_call::FromCall};
use mgp_types::{json::RawObject, mcp::tasks::core::related_meta, rpc::Call as RpcCall};
use std::{convert::Infallible, sync::Arc};

/// A handler's view of its task. Clones share the task.
///
/// A handler that takes an `Option<TaskHandle>` gets one if its call is a task from the start. A handler that decides when its
/// call becomes a task gets the handle from [`StartTask`](super::StartTask).
#[derive(Debug, Clone)]
pub struct TaskHandle(pub(super) Arc<Job>);

impl TaskHandle {
    /// Returns the task's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.0.id()
    }

    /// Sets the message about the progress of the work, for clients that poll the task.
    pub fn say(&self, message: &str) {
        self.0.say(message);
    }

    /// Sends a question to the task's client, and waits for the answer.
    pub(crate) async fn ask<C: RpcCall>(&self, key: &str, params: &C::Params) -> Result<C::Result, AskError> {
        self.0.ask::<C>(key, params).await
    }
}

impl FromCall for Option<TaskHandle> {
    type Rejection = Infallible;

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        Ok(call.incoming().ext.get::<TaskHandle>().cloned())
    }
}

/// Returns the `_meta` of the messages that a handler sends in addition to its answer, if its call is a task whose client
/// receives these messages.
pub(crate) fn meta_of(call: &Call) -> Option<RawObject> {
    let is_by_client = call.task_form().is_some_and(TaskForm::is_by_client);
    let task = call.incoming().ext.get::<TaskHandle>().filter(|_| is_by_client)?;
    Some(related_meta(task.id()))
}
