//! `cargo xtask bench`: our speed compared with others', in one run. Each bench is one folder, each contestant one file.

mod adder;
mod arguments;
mod benches;
mod call;
mod console;
mod context;
mod gateway;
mod http;
mod lazy;
mod measure;
mod replicas;
mod report;
mod search;
mod tools;
mod wire;

use arguments::{Arguments, Request};
use std::process::ExitCode;

/// The allocator of the program `mgp`, used for every contestant.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The exit code for an invalid command line.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let arguments = match Arguments::parse(&words) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(USAGE);
        }
    };
    match run(&arguments) {
        Ok(text) => {
            if !text.is_empty() {
                println!("{text}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<String, String> {
    let bench = match &arguments.request {
        Request::Help => return Ok(arguments::usage()),
        Request::List => return Ok(benches::list()),
        Request::Serve(over) => return gateway::serve(*over, &arguments.settings).map(|()| String::new()),
        Request::Tools(number) => return console::serve_tools(*number).map(|()| String::new()),
        Request::Index(size) => return search::measure_size(*size, &arguments.settings),
        Request::Run(bench) => bench,
    };
    let rows = (bench.run)(&arguments.settings)?;
    if arguments.json {
        return report::json(bench.name, &rows);
    }
    // A bench that was skipped has no rows.
    Ok(if rows.is_empty() { String::new() } else { report::table(&rows) })
}
