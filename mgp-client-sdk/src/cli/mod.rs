//! The program `mgp`: the kernel as a gateway, and the operator's commands on its state.
//!
//! | module | what it holds |
//! |---|---|
//! | `run` | from the command line to an exit code |
//! | `args` | the command line |
//! | `command` | one file a command |
//! | `setup` | configuration, trust, state, and the kernel made of them |
//! | `terminal` | asks the person at the terminal |
//! | `demo`, `embedded` | the demo, and the servers in this binary |

mod args;
mod command;
mod demo;
mod duration;
mod embedded;
mod error;
mod exit;
mod host;
mod logging;
mod output;
mod run;
mod setup;
mod signals;
mod terminal;
mod until;
mod wait;

pub use run::main;
