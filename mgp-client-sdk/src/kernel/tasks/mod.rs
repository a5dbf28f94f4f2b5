//! Tasks: calls whose result comes later. Hosts know them by ids of the kernel's own, which lead to the server and its id, and count
//! for the principal alone whose call it was. MCP has two forms of them; where a host and a server speak of them in two, the kernel
//! says in the words of one what it hears in those of the other.
//!
//! | file | what it does |
//! |---|---|
//! | `form.rs` | in which form somebody speaks |
//! | `plan.rs` | whether a call is to become a task |
//! | `created.rs` | takes note of a call that has become a task |
//! | `table.rs`, `known.rs` | which task is whose, and what is known of it |
//! | `methods.rs` | `tasks/get`, `tasks/update`, `tasks/cancel`, `tasks/result` |
//! | `across.rs`, `look.rs`, `convert.rs` | the same where host and server speak two forms |
//! | `wait.rs` | `tasks/result` at a server that has no such method |
//! | `list.rs` | `tasks/list` |
//! | `tell.rs` | what hosts are told without asking |
//! | `ids.rs` | exchanges the ids in results |
//! | `shown.rs` | what hosts are told of tools that may become tasks |

mod across;
mod convert;
mod created;
mod form;
mod ids;
mod known;
mod list;
mod look;
mod methods;
mod plan;
mod shown;
mod table;
mod tell;
mod wait;

pub(super) use created::{Created, created};
pub(super) use form::Speaks;
pub(super) use known::Known;
pub(super) use methods::{METHODS, answer};
pub(super) use plan::Plan;
pub(super) use shown::say_support;
pub(crate) use table::TaskTable;
pub(super) use tell::{core_status, extension_status, listen, listeners};
