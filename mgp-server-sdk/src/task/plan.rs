//! The decision whether a call becomes a task.

use super::{TaskForm, TaskSupport};
use crate::era;
use mgp_transport::seam::Session;
use mgp_types::{
    json::RawObject,
    mcp::tasks::{ClientTasks, core::TaskMetadata, extension::tasks_not_declared},
    rpc::{ErrorObject, JsonRpcCode},
};

/// The decision whether a call becomes a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// The call is answered with its result.
    Answer,
    /// The call becomes a task at once.
    AtOnce {
        /// The form of the task.
        form: TaskForm,
        /// The time for which the client asks to keep the task, in milliseconds.
        ttl: Option<u64>,
    },
    /// The call becomes a task when its handler begins one.
    WhenBegun {
        /// The form of the task.
        form: TaskForm,
    },
}

impl Plan {
    /// Decides whether the call of a tool becomes a task.
    ///
    /// # Errors
    /// Returns -32601 if the client may not call the tool in this way, -32021 if the client does not support tasks and the tool
    /// requires them, and -32602 if the client's request for a task cannot be read.
    pub(crate) fn of(
        support: TaskSupport,
        begun_by_handler: bool,
        session: Option<&Session>,
        params: &RawObject,
    ) -> Result<Self, ErrorObject> {
        match era::tasks_of(session) {
            ClientTasks::Form(form) if form.is_by_client() => match (TaskMetadata::of(params)?, support) {
                (Some(_), TaskSupport::Forbidden) => Err(refused("the tool does not run as a task")),
                (Some(TaskMetadata { ttl, .. }), _) => Ok(Self::AtOnce { form, ttl }),
                (None, TaskSupport::Required) => Err(refused("the tool runs only as a task: expected task")),
                (None, _) => Ok(Self::Answer),
            },
            // The server decides; a member `task` of the request is ignored.
            ClientTasks::Form(form) => Ok(match support {
                TaskSupport::Forbidden => Self::Answer,
                _ if begun_by_handler => Self::WhenBegun { form },
                _ => Self::AtOnce { form, ttl: None },
            }),
            ClientTasks::Undeclared if support == TaskSupport::Required => Err(tasks_not_declared()),
            ClientTasks::None if support == TaskSupport::Required => {
                Err(refused("the tool runs only as a task, which MCP has from 2025-11-25 on"))
            }
            ClientTasks::Undeclared | ClientTasks::None => Ok(Self::Answer),
        }
    }
}

fn refused(problem: &str) -> ErrorObject {
    ErrorObject::new(JsonRpcCode::MethodNotFound, problem)
}
