//! Servers as child processes: one process group each, spoken to over stdin and stdout.

mod command;
mod process;
mod stderr;

pub use command::ChildCommand;
pub use process::{ChildProcess, Grace};
