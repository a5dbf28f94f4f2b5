//! Tools that run as tasks: one API for both of MCP's forms.
//!
//! | | revision 2025-11-25 | stateless revisions, extension `io.modelcontextprotocol/tasks` |
//! |---|---|---|
//! | decision | by the client, with [`Client::call_tool_as_task`](super::Client::call_tool_as_task) | by the server, when the client calls it |
//! | declaration | `task` in the request | the extension, only in requests for tasks |
//! | [`Task::result`] | one request, which the server answers when the task has ended | polls, at the server's interval |
//! | questions | arrive as requests of the server while `result` waits | are found by polling, and answered with `tasks/update` |
//! | a list | [`Client::tasks`](super::Client::tasks) | none |

mod begin;
mod call;
mod error;
mod questions;
mod request;
mod result;
mod task;

pub use call::{TaskCall, TaskStart};
pub use error::TaskError;
pub use task::Task;
