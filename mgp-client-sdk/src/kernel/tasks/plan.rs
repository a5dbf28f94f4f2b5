//! Decides whether a call is to become a task, and how its server is asked for one.
//!
//! | host | server of 2025-11-25 | server of a stateless revision |
//! |---|---|---|
//! | 2025-11-25, with `task` | is asked as the host asks | is told that tasks are taken; where it answers at once, the kernel keeps the result as a task that has ended |
//! | 2025-11-25, without | answers | is not told, so it answers |
//! | stateless, declares the extension | is asked for a task where the tool's `taskSupport` is `required` or `optional` | is told |
//! | stateless, does not | a tool with `required` is refused | is not told |
//! | earlier revisions | answers | is not told |
//!
//! `optional` counts as `required` for a host that declares the extension, because in that form the server decides, and a server
//! that speaks both forms decides so too.

use super::form::{Form, Speaks};
use crate::kernel::server::{Link, Server};
use mgp_transport::seam::{Incoming, ToolCall};
use mgp_types::{
    context::ToolId,
    json::{RawJson, RawObject},
    mcp::{
        McpErrorCode,
        tasks::{
            TaskSupport,
            core::TaskMetadata,
            extension::{TASKS_EXTENSION, tasks_not_declared},
        },
    },
    rpc::{ErrorObject, JsonRpcCode},
};

/// The decision whether a call is to become a task.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct Plan {
    /// The tool that is called; `None` for other requests.
    pub(super) tool: Option<ToolId>,
    /// The form in which the host takes a task for the answer; `None` if the host takes none.
    pub(super) host: Option<Form>,
    /// True if a server of a stateless revision is told that tasks are taken.
    declares: bool,
    /// True if the host could have asked for a task.
    could_ask: bool,
}

impl Plan {
    /// Plans a request, and changes its params to those for the server.
    ///
    /// # Errors
    /// -32021 if the tool only runs as a task and the host does not take one; -32602 if the host asks for a task in a way that
    /// cannot be read.
    pub(in crate::kernel) fn of(
        server: &Server,
        link: &Link,
        message: &Incoming,
        params: &mut RawObject,
    ) -> Result<Self, ErrorObject> {
        let speaks = Speaks::of(message.session());
        let Some(tool) = ToolCall::of(message).map(|call| call.target.tool.clone()) else {
            // A request about a task tells the server that tasks are taken. Only a call can become a task.
            let declares = speaks == Speaks::Form(Form::Extension);
            return Ok(Self { tool: None, host: None, declares, could_ask: false });
        };
        let host = match (speaks, link.is_stateless()) {
            (Speaks::Form(Form::Extension), true) => Some(Form::Extension),
            (Speaks::Form(Form::Core), true) => {
                let asks = TaskMetadata::of(params)?.is_some();
                params.remove("task");
                asks.then_some(Form::Core)
            }
            (Speaks::Form(Form::Core), false) => params.get("task").is_some().then_some(Form::Core),
            // In these revisions the member means nothing, but at the server it would mean something.
            (_, false) => {
                params.remove("task");
                match (speaks, support(server, link, &tool)) {
                    (_, TaskSupport::Forbidden) | (Speaks::No, _) => None,
                    (Speaks::Form(_), _) => {
                        params.insert("task", RawJson::empty_object());
                        Some(Form::Extension)
                    }
                    (Speaks::Undeclared, TaskSupport::Required) => return Err(refused(&tool)),
                    (Speaks::Undeclared, TaskSupport::Optional) => None,
                }
            }
            (Speaks::Undeclared | Speaks::No, true) => None,
        };
        let could_ask = speaks == Speaks::Form(Form::Core);
        Ok(Self { tool: Some(tool), host, declares: host.is_some(), could_ask })
    }

    /// Returns whether a server of a stateless revision is told that tasks are taken for answers.
    pub(in crate::kernel) fn declares(&self) -> bool {
        self.declares
    }

    /// Adapts an error of the server. An error that demands a client which takes tasks is said in the terms of the host's revision.
    pub(in crate::kernel) fn error(&self, error: ErrorObject) -> ErrorObject {
        let wants_tasks = error.code == i64::from(McpErrorCode::MissingRequiredClientCapability)
            && error.data.as_ref().is_some_and(|data| data.may_hold(TASKS_EXTENSION));
        match &self.tool {
            Some(tool) if wants_tasks && self.could_ask && !self.declares => {
                let problem = format!("tool {:?} runs as a task alone: expected task", &*tool.tool_name);
                ErrorObject::new(JsonRpcCode::MethodNotFound, problem)
            }
            _ => error,
        }
    }

    /// Returns whether the call may be answered with a task.
    pub(in crate::kernel) fn takes_task(&self) -> bool {
        self.host.is_some()
    }
}

/// Returns a tool's support for running as a task, at a server of revision 2025-11-25.
fn support(server: &Server, link: &Link, tool: &ToolId) -> TaskSupport {
    if !link.runs_core_tasks() {
        return TaskSupport::Forbidden;
    }
    let tools = server.tools();
    let listed = tools.iter().find(|listed| listed.tool.name == *tool.tool_name);
    listed.map_or(TaskSupport::Forbidden, |listed| listed.tool.task_support())
}

/// Returns the refusal of a call whose host could not take the task that the call becomes.
fn refused(tool: &ToolId) -> ErrorObject {
    let mut error = tasks_not_declared();
    error.message = format!("tool {:?} runs as a task alone: {}", &*tool.tool_name, error.message);
    error
}
