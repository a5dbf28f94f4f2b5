//! Requests about tasks.

use crate::client::caller::{Caller, decode};
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::tasks::{GetTask, Task, TaskForm, core::TaskParams},
    rpc::Call,
};

/// Queries the server for a task.
pub(super) async fn look(caller: &Caller, form: TaskForm, id: &str) -> Result<Task, CallError> {
    read::<GetTask>(form, &request::<GetTask>(caller, &TaskParams::new(id)).await?)
}

/// Sends a request about tasks.
pub(super) async fn request<C: Call>(caller: &Caller, params: &C::Params) -> Result<C::Result, CallError> {
    let params = RawJson::from_value(params).and_then(|params| RawObject::from_json(&params));
    let mut params = params.map_err(CallError::Params)?;
    caller.session.declare_tasks(&mut params);
    decode::<C>(&caller.call(C::METHOD, params, None).await?)
}

/// Parses the task in the answer to a request.
pub(super) fn read<C: Call>(form: TaskForm, json: &RawJson) -> Result<Task, CallError> {
    form.decode(json).map_err(|error| CallError::Result { method: C::METHOD, error })
}
