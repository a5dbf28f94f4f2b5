//! Three small servers made with the server SDK. `mgp serve` uses them without a configuration at a terminal, and `mgp
//! demo` shows MGP with them.
//!
//! | server | runs | shows |
//! |---|---|---|
//! | [`files`] | in this process | a folder that paths cannot escape |
//! | [`jobs`] | in this process | streaming, progress, cancelling, a question, a validator |
//! | [`notes`] | in a child process of this program | permissions, restarts, persistent data |

pub(crate) mod files;
mod in_process;
pub(crate) mod jobs;
pub(crate) mod notes;
mod off_thread;
mod set;

pub(crate) use in_process::in_process;
pub(crate) use set::{run_server, servers};
