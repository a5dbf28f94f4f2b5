//! Decides whether a call becomes a task, and requests the task from its server.
//!
//! | host | server of 2025-11-25 | server of a stateless revision |
//! |---|---|---|
//! | 2025-11-25, with `task` | gets the host's request | gets the declaration; if it answers at once, the kernel keeps the result as an ended task |
//! | 2025-11-25, without | answers | gets no declaration, so it answers |
//! | stateless, declares the extension | gets a request for a task if the tool's `taskSupport` is `required` or `optional` | gets the declaration |
//! | stateless, does not | a tool with `required` is refused | gets no declaration |
//! | earlier revisions | answers | gets no declaration |
//!
//! The declaration states that tasks are accepted.
//!
//! `optional` is treated like `required` for a host that declares the extension. In that form the server decides, and a server
//! that speaks both forms makes the same decision.
//!
//! The tool of a session's server answers every host: the member `task` of a call is ignored.

use crate::upstream::{Link, Server};
use mgp_server_sdk::era;
use mgp_transport::seam::{Incoming, ToolCall};
use mgp_types::{
    context::{Target, ToolId},
    json::{RawJson, RawObject},
    mcp::{
        McpErrorCode,
        tasks::{
            ClientTasks, TaskForm, TaskSupport,
            core::TaskMetadata,
            extension::{TASKS_EXTENSION, tasks_not_declared},
        },
    },
    rpc::{ErrorObject, JsonRpcCode},
};
use std::sync::Arc;

/// The decision whether a call becomes a task.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The target of the call; `None` for other requests.
    pub(crate) target: Option<Arc<Target>>,
    /// The form in which the host accepts a task as the answer; `None` if the host does not accept tasks.
    pub(crate) host: Option<TaskForm>,
    /// True if a server that decides on tasks gets the declaration that tasks are accepted.
    declares: bool,
    /// True if the host could have requested a task.
    could_ask: bool,
}

impl Plan {
    /// Plans a request, and changes its params to those for the server.
    ///
    /// # Errors
    /// -32021 if the tool only runs as a task and the host does not accept one; -32602 if the host's request for a task cannot
    /// be parsed.
    pub(crate) fn of(
        server: &Server,
        link: &Link,
        message: &Incoming,
        params: &mut RawObject,
    ) -> Result<Self, ErrorObject> {
        let client = era::tasks_of(message.session());
        let Some(target) = ToolCall::of(message).map(|call| call.target.clone()) else {
            // A request about a task declares to the server that tasks are accepted. Only a call can become a task.
            let declares = client.form().is_some_and(|form| !form.is_by_client());
            return Ok(Self { target: None, host: None, declares, could_ask: false });
        };
        let could_ask = client.form().is_some_and(TaskForm::is_by_client);
        // A task is queried in separate requests, which do not name their session.
        if server.spec.session.is_some() {
            params.remove("task");
            return Ok(Self { target: Some(target), host: None, declares: false, could_ask });
        }
        let host = match (client, TaskForm::of(link.version).is_by_client()) {
            (ClientTasks::Form(form), false) if could_ask => {
                let asks = TaskMetadata::of(params)?.is_some();
                params.remove("task");
                asks.then_some(form)
            }
            (ClientTasks::Form(form), true) if could_ask => params.get("task").is_some().then_some(form),
            (_, false) => client.form(),
            // For these hosts the member has no meaning, but the server would interpret it.
            (_, true) => {
                params.remove("task");
                match (client, support(server, link, &target.tool)) {
                    (_, TaskSupport::Forbidden) | (ClientTasks::None, _) => None,
                    (ClientTasks::Form(form), _) => {
                        params.insert("task", RawJson::empty_object());
                        Some(form)
                    }
                    (ClientTasks::Undeclared, TaskSupport::Required) => return Err(refused(&target.tool)),
                    (ClientTasks::Undeclared, TaskSupport::Optional) => None,
                }
            }
        };
        Ok(Self { target: Some(target), host, declares: host.is_some(), could_ask })
    }

    /// Returns whether a server that decides on tasks gets the declaration that tasks are accepted.
    pub(crate) fn declares(&self) -> bool {
        self.declares
    }

    /// Adapts an error of the server. An error that requires a client with support for tasks is converted to the host's revision.
    pub(crate) fn error(&self, error: ErrorObject) -> ErrorObject {
        let wants_tasks = error.code == i64::from(McpErrorCode::MissingRequiredClientCapability)
            && error.data.as_ref().is_some_and(|data| data.may_hold(TASKS_EXTENSION));
        match self.target.as_deref() {
            Some(Target { tool, .. }) if wants_tasks && self.could_ask && !self.declares => {
                let problem = format!("tool {:?} only runs as a task: expected task", &*tool.tool_name);
                ErrorObject::new(JsonRpcCode::MethodNotFound, problem)
            }
            _ => error,
        }
    }

    /// Returns whether the call may be answered with a task.
    pub(crate) fn takes_task(&self) -> bool {
        self.host.is_some()
    }
}

/// Returns a tool's support for running as a task, at a server whose clients decide.
fn support(server: &Server, link: &Link, tool: &ToolId) -> TaskSupport {
    if link.tasks().is_none() {
        return TaskSupport::Forbidden;
    }
    let tools = server.tools();
    let listed = tools.iter().find(|listed| listed.name() == &*tool.tool_name);
    listed.map_or(TaskSupport::Forbidden, |listed| listed.tool.task_support())
}

/// Returns the refusal of a call that would become a task, which its host does not accept.
fn refused(tool: &ToolId) -> ErrorObject {
    let mut error = tasks_not_declared();
    error.message = format!("tool {:?} only runs as a task: {}", &*tool.tool_name, error.message);
    error
}
