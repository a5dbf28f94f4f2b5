//! Tasks: calls that are answered with a handle, and whose result is fetched later. MCP has two wire forms; [`TaskForm`] converts both to
//! [`Task`], which all other code uses.
//!
//! | form | revision | who decides | result |
//! |---|---|---|---|
//! | [`core`] | 2025-11-25 | the client, with `task` in its request | `tasks/result` |
//! | [`extension`] | 2026-07-28, if the client declares [`TASKS_EXTENSION`](extension::TASKS_EXTENSION) | the server | in `tasks/get` |

mod client;
pub mod core;
pub mod extension;
mod form;
mod status;
mod support;
mod task;

pub use client::ClientTasks;
pub use form::TaskForm;
pub use status::TaskStatus;
pub use support::TaskSupport;
pub use task::{CancelTask, GetTask, Task};
