//! Tasks: calls whose result comes later. Hosts know them by ids of the kernel's own, which lead to the server and its id, and count
//! for the principal alone whose call it was.
//!
//! | file | what it does |
//! |---|---|
//! | `table.rs` | which task is whose |
//! | `created.rs` | takes note of a call that has become a task |
//! | `methods.rs` | `tasks/get`, `tasks/update`, `tasks/cancel`, `tasks/result` |
//! | `list.rs` | `tasks/list` |
//! | `ids.rs` | exchanges the ids in results |

mod created;
mod ids;
mod list;
mod methods;
mod table;

pub(super) use created::{Creation, created};
pub(super) use ids::rename;
pub(super) use methods::{METHODS, answer};
pub(crate) use table::TaskTable;
