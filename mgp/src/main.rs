//! The program `mgp`: the kernel as a gateway, and the operator's commands on its state.
//!
//! | module | content |
//! |---|---|
//! | `run` | from the command line to an exit code |
//! | `args`, `options` | the command line |
//! | `command` | one file per command |
//! | `catalogue` | the tools that commands work on |
//! | `console` | the console in the browser |
//! | `gateway` | the gateway that serves all hosts of a user, and the processes that hosts start |
//! | `control` | the control socket of this kernel, and connections to those of running kernels |
//! | `reload` | watches for changes of the configuration of a running kernel |
//! | `setup` | configuration, trust, state, and the kernel built from them |
//! | `masking` | texts without their keys |
//! | `secrets` | reads secrets that are outside of the configuration, and finds keys in it |
//! | `input` | the input of a command: stdin, or what the console gives it |
//! | `operator` | the person who runs the program |
//! | `own_kernel` | the gateway in whose process a command of the console runs |
//! | `installation` | how the program was installed, and the command that updates it |
//! | `meant` | suggestions for misspelt names |
//! | `logging` | logs on stderr, and logs kept for `mgp logs` |
//! | `metrics_page` | the page of metrics |
//! | `notify` | notifications for an operator who is away, that something waits for a decision |
//! | `process_group` | the processes of a program that is started for a bounded time |
//! | `terminal`, `terminal_form` | ask the user at the terminal, for a kernel of this process and for a running one |
//! | `wait` | starts the servers that a command needs, and reports progress |
//! | `traces` | sends spans to a collector |
//! | `demo`, `embedded` | the demo, and the servers in this binary |

mod args;
mod catalogue;
mod command;
#[cfg(feature = "console")]
mod console;
mod control;
mod demo;
mod duration;
mod embedded;
mod error;
mod exit;
#[cfg(unix)]
mod gateway;
mod host;
mod input;
mod installation;
mod logging;
mod masking;
mod meant;
mod metrics_page;
mod notify;
mod operator;
mod options;
mod output;
mod own_kernel;
mod process_group;
mod reload;
mod replica;
mod replica_report;
mod run;
mod secrets;
mod setup;
mod signals;
mod table;
mod terminal;
mod terminal_form;
mod traces;
mod until;
mod wait;

use std::process::ExitCode;

/// Messages are often freed on another thread than the one that allocated them, which is slow with the C library's
/// allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The allocator turns huge pages off, because each small process would take two of them. Servers would inherit that.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(false);
    mgp_security::confine::continue_start();
    #[cfg(unix)]
    if let Some(code) = gateway::continue_waiting() {
        return code;
    }
    run::main()
}
