//! Calls of tools that become tasks.

use super::service::{RegisteredTool, plain};
use crate::{
    call::{App, Arguments, Call},
    handler::BoxWork,
    task::{NewTask, Outcome, Slot, TaskHandle, TaskWork, Tasks},
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::{CallContext, CancelToken, Incoming, Reply};
use mgp_types::{
    json::{JsonError, RawJson},
    mcp::CallToolResult,
    rpc::ErrorObject,
};
use std::sync::Arc;

/// Turns a call into a task at once. `mgp` is true if the call's client has MGP.
pub(super) fn at_once(
    tasks: &Tasks,
    tool: &RegisteredTool,
    new: NewTask,
    (mut incoming, arguments): (Incoming, Arguments),
    app: Arc<App>,
    mgp: bool,
) -> impl Future<Output = Reply> + Send + 'static {
    let form = new.form;
    if let Some(context) = incoming.ext.get_mut::<CallContext>() {
        context.cancel = new.stop.clone();
        // The handler's messages belong to the session, because the request is answered before they are sent.
        if form.is_by_client() {
            context.peer = context.peer.unbound();
        }
    }
    incoming.ext.insert(form);
    let handler = tool.handler.clone();
    let work = move |task: TaskHandle| {
        incoming.ext.insert(task);
        outcome(handler.start_as_task(Call::new(incoming, arguments, app)), mgp)
    };
    tasks.start(new, work)
}

/// A call that becomes a task when its handler begins one.
pub(crate) struct TaskBeginning {
    tasks: Tasks,
    new: NewTask,
    slot: Slot,
    /// The cancel token of the request, which applies until the task has begun.
    request: Option<CancelToken>,
}

impl TaskBeginning {
    /// Prepares a call for a task that its handler may begin.
    pub(super) fn prepare(tasks: &Tasks, new: NewTask, incoming: &mut Incoming) -> Self {
        let slot = Slot::default();
        let mut request = None;
        if let Some(context) = incoming.ext.get_mut::<CallContext>() {
            request = Some(std::mem::replace(&mut context.cancel, new.stop.clone()));
        }
        incoming.ext.insert(slot.clone());
        Self { tasks: tasks.clone(), new, slot, request }
    }

    pub(super) fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Turns the rest of the handler's work into a task, because the handler requested one.
    pub(super) fn begin(mut self, work: BoxWork<CallToolResult>, mgp: bool) -> BoxFuture<'static, Reply> {
        self.request = None;
        let slot = self.slot.clone();
        let work = move |task| {
            slot.set(task);
            outcome(work, mgp)
        };
        self.tasks.start(self.new.clone(), work).boxed()
    }
}

impl Drop for TaskBeginning {
    fn drop(&mut self) {
        // Work that the handler has started elsewhere is notified of the cancellation.
        if let Some(cause) = self.request.as_ref().and_then(CancelToken::cause) {
            self.new.stop.cancel(cause);
        }
    }
}

/// Runs a handler, and returns its outcome as a task.
fn outcome(work: BoxWork<CallToolResult>, mgp: bool) -> TaskWork {
    async move {
        let result = match work.await {
            Ok(result) => result,
            Err(error) => {
                let told = error.into_tool_result();
                told.map_err(|error| if mgp { error } else { error.to_plain_mcp() })?
            }
        };
        let failed = result.failed();
        let result = if mgp { result } else { plain(result) };
        let internal =
            |error: JsonError| ErrorObject::internal(format!("failed to write the result: {error}"));
        Ok(Outcome { result: RawJson::from_value(&result).map_err(internal)?, failed })
    }
    .boxed()
}
