//! Tasks: calls of tools that are answered with a handle, while the tool continues in the background. The client polls the task,
//! answers the task's questions, fetches the result, or cancels the task. It can do so over another connection, too.
//!
//! A tool declares with [`Tool::task`](crate::Tool::task) whether it runs as a task. One handler serves both forms of MCP:
//!
//! | | revision 2025-11-25 | stateless revisions, extension `io.modelcontextprotocol/tasks` |
//! |---|---|---|
//! | the decision is made by | the client, with `task` in its request | the server, if the client declares the extension |
//! | [`Forbidden`](TaskSupport::Forbidden) | answers; refuses `task` | answers |
//! | [`Optional`](TaskSupport::Optional) | as the client decides | a task; without the extension an answer |
//! | [`Required`](TaskSupport::Required) | refuses calls without `task` | a task; refuses clients without the extension |
//! | the handler takes a [`StartTask`] | as the client decides, from the start | a task when the handler begins it |
//! | questions of a handler ([`ask`](crate::ask)) | are sent to a client that waits in `tasks/result` | stand in `tasks/get`, are
//! answered by `tasks/update` |
//! | a result with `isError` | is a failed task | is a completed task |
//! | progress | goes to the token of the call | is not sent; the message of [`TaskHandle::say`] is |
//! | changes are sent to | the client that made the task | clients that listen with `subscriptions/listen` |
//!
//! In a task, a handler that asks a question waits for the answer at that point, in both forms: it does not run again.
//!
//! A task belongs to the principal that created it; for others it does not exist. If callers are not authenticated, anyone who
//! knows the task's id, which is 128 random bits, may use the task. [`TaskLimits`] bounds the number of tasks, their time and
//! their size. A task is cancelled if it still runs when its time has expired, or when the server stops for good. A draining
//! server waits for its tasks as for calls.

mod handle;
mod job;
mod limits;
mod memory;
mod methods;
mod plan;
mod questions;
mod record;
mod result;
mod run;
mod start;
mod store;
mod tasks;
mod tell;
mod wire;

pub use handle::TaskHandle;
pub(crate) use handle::meta_of;
pub use limits::TaskLimits;
pub use memory::MemoryTaskStore;
pub(crate) use plan::Plan;
pub use record::{StoredTask, TaskOwner, TaskState};
pub(crate) use start::Slot;
pub use start::StartTask;
pub use store::{TaskStore, TaskStoreError};
pub(crate) use tasks::{NewTask, Outcome, TaskWork, Tasks};

pub(crate) use mgp_types::mcp::tasks::TaskForm;
pub use mgp_types::mcp::tasks::TaskSupport;
