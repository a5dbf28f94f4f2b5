//! Tasks: calls of tools that are answered with a handle, while the tool goes on in the background. Its client looks at the task
//! when it likes, answers what it asks, fetches the result, or cancels it; over another connection, too.
//!
//! A tool says with [`Tool::task`](crate::Tool::task) whether it runs as a task. One handler serves both forms that MCP has:
//!
//! | | revision 2025-11-25 | stateless revisions, extension `io.modelcontextprotocol/tasks` |
//! |---|---|---|
//! | who decides | the client, with `task` in its request | the server, where the client declares the extension |
//! | [`Forbidden`](TaskSupport::Forbidden) | answers; refuses `task` | answers |
//! | [`Optional`](TaskSupport::Optional) | as the client says | a task; without the extension an answer |
//! | [`Required`](TaskSupport::Required) | refuses calls without `task` | a task; refuses clients without the extension |
//! | the handler takes a [`StartTask`] | as the client says, from the beginning | a task when the handler begins it |
//! | what a handler asks ([`ask`](crate::ask)) | is sent to who waits in `tasks/result` | stands in `tasks/get`, is answered by `tasks/update` |
//! | a result with `isError` | is a failed task | is a completed task |
//! | progress | goes to the token of the call | is not told; [`TaskHandle::say`] is |
//! | who is told of changes | who made the task | who listens with `subscriptions/listen` |
//!
//! As a task, a handler that asks waits for the answer where it is, in both forms: it does not run again.
//!
//! A task belongs to the principal that made it; for others it does not exist. Where nothing authenticates callers, its id, which
//! is 128 random bits, is all that it takes to use it. What is kept, for how long and how much says [`TaskLimits`]. A task that still
//! runs when its time is over, or when the server stops for good, is cancelled; a server that drains waits for its tasks as for calls.

mod form;
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

pub(crate) use form::TaskForm;
pub use handle::TaskHandle;
pub use limits::TaskLimits;
pub use memory::MemoryTaskStore;
pub(crate) use methods::is_of_tasks;
pub(crate) use plan::Plan;
pub use record::{StoredTask, TaskOwner, TaskState};
pub(crate) use start::Slot;
pub use start::StartTask;
pub use store::{TaskStore, TaskStoreError};
pub(crate) use tasks::{NewTask, Outcome, TaskWork, Tasks};

pub use mgp_types::mcp::tasks::TaskSupport;
