//! One gateway for all hosts of a user: each `mgp serve` that a host starts hands its stdin and stdout to the gateway of its
//! configuration, and starts that gateway if it does not run.
//!
//! | file | content |
//! |---|---|
//! | `place` | the socket of a gateway |
//! | `handover` | the messages between a host's process and the gateway |
//! | `streams` | the host's streams, in the process that it has started |
//! | `join` | a host's process: finds the gateway, hands over |
//! | `waiting` | a host's process: waits until its session ends |
//! | `launch` | starts the gateway |
//! | `shell_path` | the search path and other variables of the login shell, for the gateway |
//! | `run` | the gateway's process |
//! | `session` | the session of one host |

mod handover;
mod join;
mod launch;
mod place;
mod run;
mod session;
mod shell_path;
mod streams;
mod waiting;

pub(crate) use join::serve_host;
pub(crate) use launch::start;
pub(crate) use place::{GatewayPlace, RUNTIME_FOLDER, runtime_folder};
pub(crate) use run::GatewayListener;
pub(crate) use shell_path::{ShellVariables, login_shell};
pub(crate) use waiting::continue_waiting;
