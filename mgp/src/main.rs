//! The program `mgp`: the kernel as a gateway, and the operator's commands on its state.
//!
//! | module | what it holds |
//! |---|---|
//! | `run` | from the command line to an exit code |
//! | `args` | the command line |
//! | `command` | one file a command |
//! | `catalogue` | the tools, as commands read them |
//! | `control` | the control socket, and the running kernels that listen at theirs |
//! | `reload` | the configuration of a running kernel, read again |
//! | `setup` | configuration, trust, state, and the kernel made of them |
//! | `meant` | the name that was probably meant |
//! | `logging` | logs on stderr, and those that are kept for `mgp logs` |
//! | `metrics_page` | the page of metrics |
//! | `terminal`, `terminal_form` | ask the person at the terminal, for a kernel of this process and for a running one |
//! | `wait` | starts the servers that a command needs, and says what it waits for |
//! | `traces` | spans, sent to a collector |
//! | `demo`, `embedded` | the demo, and the servers in this binary |

mod args;
mod catalogue;
mod command;
mod control;
mod demo;
mod duration;
mod embedded;
mod error;
mod exit;
mod host;
mod logging;
mod meant;
mod metrics_page;
mod output;
mod reload;
mod run;
mod setup;
mod signals;
mod table;
mod terminal;
mod terminal_form;
mod traces;
mod until;
mod wait;

use std::process::ExitCode;

/// A message is often freed by another thread than the one that made it, which the C library's allocator is slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    run::main()
}
