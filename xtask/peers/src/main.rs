//! Other people's clients and servers against ours: the program behind `cargo xtask peers`.
//!
//! | module | contents |
//! |---|---|
//! | `install` | the peers' packages with their versions, and their installation |
//! | `peers` | the peers: servers as data, clients that play hosts, and the program `mgp` |
//! | `tap` | relays and records the messages between two programs |
//! | `groups` | the rows: one file for each group |
//! | `rows` | runs rows within a time limit and reports them |
//! | `json` | compares JSON and searches it |

mod arguments;
mod groups;
mod install;
mod json;
mod peers;
mod programs;
mod rows;
mod run;
mod tap;
mod workspace;

use arguments::Arguments;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("failed to start: {error}")),
    };
    let code = match arguments.split_first() {
        Some((first, rest)) if first == tap::COMMAND => runtime.block_on(tap::run(rest)),
        _ => match Arguments::parse(&arguments) {
            Ok(Some(arguments)) => runtime.block_on(run::run(&arguments)),
            Ok(None) => {
                println!("{}", arguments::USAGE);
                Ok(ExitCode::SUCCESS)
            }
            Err(error) => Err(error),
        },
    };
    // A thread that reads stdin cannot be interrupted; waiting for it would keep the program alive.
    runtime.shutdown_background();
    code.unwrap_or_else(|error| failed(&error))
}

fn failed(error: &str) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::FAILURE
}
