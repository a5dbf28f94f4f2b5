//! Tasks: calls with a later result. Hosts know a task by one of the kernel's ids, which maps to the server and the
//! server's id, and is only valid for the principal of the call. All code here uses a task's canonical form.
//! [`TaskForm`](mgp_types::mcp::tasks::TaskForm) converts it for a host and from a server.
//!
//! | file | content |
//! |---|---|
//! | `plan.rs` | decides whether a call becomes a task |
//! | `call_answer.rs` | registers the calls that have become tasks |
//! | `table.rs`, `known_task.rs` | the tasks, their owners, and their last known states |
//! | `methods.rs` | `tasks/get`, `tasks/update`, `tasks/cancel`, `tasks/result` |
//! | `across.rs`, `look.rs` | the same if host and server use different forms |
//! | `asked.rs` | asks hosts the questions that servers send about their tasks |
//! | `wait.rs` | `tasks/result` at a server that has no such method |
//! | `follow.rs` | waits for the end of a task, for the kernel |
//! | `step_tasks.rs` | the same for steps of transactions |
//! | `list.rs` | `tasks/list` |
//! | `tell.rs` | notifies hosts of their tasks |
//! | `ids.rs` | converts the ids in results |

mod across;
mod asked;
mod call_answer;
mod follow;
mod ids;
mod known_task;
mod list;
mod look;
mod methods;
mod plan;
mod step_tasks;
mod table;
mod tell;
mod wait;

pub(crate) use call_answer::CallAnswer;
pub(crate) use known_task::KnownTask;
pub(crate) use methods::{TaskMethods, routes};
pub(crate) use plan::Plan;
pub(crate) use step_tasks::StepTasks;
pub(crate) use table::TaskTable;
pub(crate) use tell::{TaskNews, listen};
