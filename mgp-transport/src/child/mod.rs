//! Servers as child processes: one process group each, connected over stdin and stdout.
//!
//! A server ends with the process that started it: by the end of its stdin, and otherwise by [`ChildProcess::stop`] or by
//! dropping the [`ChildProcess`]. The processes that the server started end with it. On Linux this includes those that left its
//! process group. They are recognized by the variable `MGP_SERVER_RUN` of their environment, unless they have removed it.
//!
//! If this process is killed itself (SIGKILL), it can do neither. On Linux, the operating system then kills the server. On
//! Windows, it kills everything in the server's job, which includes the processes that the server started. Not reached are:
//! - on Linux, processes that the server started in turn, such as the server behind `npx` or `uvx`: they see the end of their stdin;
//! - on Linux, a program with set-user-ID or file capabilities, for which the request has no effect;
//! - on Linux, a server whose start had begun less than a few milliseconds before, if `/usr/bin/setpriv` starts it;
//! - on other systems, any process that ignores the end of its stdin.

#[cfg(target_os = "linux")]
mod before_exec;
mod command;
mod environment;
#[cfg(target_os = "linux")]
mod left_behind;
#[cfg(target_os = "linux")]
mod orphan;
#[cfg(target_os = "linux")]
mod parent_death;
mod process;
mod run;
#[cfg(target_os = "linux")]
mod spawn_thread;
mod start_error;
mod stderr;

pub use command::ChildCommand;
#[cfg(target_os = "linux")]
pub use orphan::Orphan;
pub use process::{ChildProcess, Grace};
pub use run::RunOutcome;
pub use stderr::StderrTail;
