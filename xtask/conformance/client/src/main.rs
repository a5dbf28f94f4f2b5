//! The client that MCP's conformance suite tests: `cargo xtask conformance client`.
//!
//! The suite starts it once for each scenario, with the URL of the scenario's server as the last argument and the
//! scenario's name in the environment.
//!
//! | module | contents |
//! |---|---|
//! | `task` | the task that the suite sets |
//! | `scenarios` | the client's part in each scenario |

mod scenarios;
mod task;

use std::{process::ExitCode, time::Duration};
use task::Task;

/// The time limit of one scenario. The suite would wait for its own limit, and report less.
const TIMEOUT: Duration = Duration::from_secs(50);

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Task::read() {
        Ok(task) => match tokio::time::timeout(TIMEOUT, scenarios::run(&task)).await {
            Ok(done) => done,
            Err(_) => Err(format!("{} took longer than {TIMEOUT:?}", task.scenario)),
        },
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
