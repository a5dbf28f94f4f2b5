//! MCP's official conformance suite against our programs: the program behind `cargo xtask conformance`.
//!
//! | module | contents |
//! |---|---|
//! | `suite` | the suite: its packages, its lists, and its runs |
//! | `scenarios` | the list of scenarios in the repository |
//! | `legs` | the parts of this project that are under test, and their scenarios |
//! | `results` | the suite's output for each scenario |
//! | `report` | tables, closing lines and JSON |
//! | `processes` | starts our own programs |
//!
//! The programs under test are separate packages, in `fixture/` and `client/`.

mod arguments;
mod folders;
mod legs;
mod processes;
mod report;
mod results;
mod revision;
mod run;
mod scenarios;
mod suite;

use arguments::Arguments;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let code = match Arguments::parse(&arguments) {
        Ok(Some(arguments)) => run(&arguments),
        Ok(None) => {
            println!("{}", arguments::USAGE);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Err(error),
    };
    code.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("failed to start: {error}"))?;
    runtime.block_on(run::run(arguments))
}
