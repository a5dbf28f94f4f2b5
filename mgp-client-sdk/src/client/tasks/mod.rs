//! Tools that run as tasks: one way to use both forms that MCP has.
//!
//! | | revision 2025-11-25 | stateless revisions, extension `io.modelcontextprotocol/tasks` |
//! |---|---|---|
//! | who decides | the client, by calling [`Client::call_tool_as_task`](super::Client::call_tool_as_task) | the server, where the client calls that |
//! | what the server is told | `task` in the request | the extension, in requests that are made for tasks alone |
//! | [`Task::result`] | one request, which the server answers when the task has ended | looks, as often as the server wants |
//! | what a task asks | comes as requests of the server while `result` waits | is found by a look, and answered by `tasks/update` |
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
