//! Three small servers made with the server SDK: what `mgp serve` starts on without a configuration, and what `mgp demo`
//! shows MGP on.
//!
//! | server | runs | shows |
//! |---|---|---|
//! | [`files`] | in this process | a folder that no path leads out of |
//! | [`jobs`] | in this process | streaming, progress, cancelling, a question, a validator |
//! | [`notes`] | as a child process of this program | permissions, restarts, data that outlives its process |

pub(crate) mod files;
mod in_process;
pub(crate) mod jobs;
pub(crate) mod notes;
mod off_thread;
mod set;

pub(crate) use in_process::in_process;
pub(crate) use set::{run_server, servers};
