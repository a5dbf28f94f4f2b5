//! `cargo xtask soak`: the kernel between many hosts over HTTP and many children over stdio, first with injected faults, then with bad
//! servers. Every request must be answered exactly once, nothing may be left over, and bad servers may not slow down good ones.
//!
//! | module | contents |
//! |---|---|
//! | `child` | the program behind the kernel: plain tools, and broken output on a signal |
//! | `bad_servers` | servers that are slow, dead, wrong or flooding, one of each kind |
//! | `comparison` | the good servers with and without the bad ones |
//! | `servers` | the servers of a run: permanent, on demand, or changed by reloads |
//! | `configuration` | `mgp.toml`, which changes during calls |
//! | `kernel` | the kernel and its HTTP server |
//! | `wire` | a hand-written HTTP/1.1, for hosts that do things that no client library allows |
//! | `hosts` | the hosts of both eras and their misbehavior |
//! | `faults` | the faults that are injected into the children, by a schedule from the seed; reloads, and an operator's commands |
//! | `ledger` | the counts of requests and answers, and their comparison with the audit trail |
//! | `report` | the leftovers, and the table |
//! | `replicas` | replicas of the program `mgp` instead of one kernel |

mod arguments;
mod bad_servers;
mod child;
mod comparison;
mod configuration;
mod faults;
mod hosts;
mod kernel;
mod ledger;
mod random;
mod replicas;
mod report;
mod run;
mod servers;
mod wire;

use arguments::{Arguments, Request};
use std::process::ExitCode;

/// The allocator of the program `mgp`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ended = Arguments::parse(&words).and_then(|request| match request {
        Request::Help => {
            println!("{}", arguments::USAGE);
            Ok(true)
        }
        Request::Child(number) => child::run(number).map(|()| true),
        Request::Tools { name, file, address } => replicas::serve_tools(&name, &file, address).map(|()| true),
        Request::Replicas(arguments) => replicas::run(&arguments),
        Request::Run(arguments) => run::run(&arguments),
    });
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
