//! `cargo xtask confine`: a hostile program tries forbidden actions, confined and not confined.
//!
//! The attempts reach only files, processes and sockets that the check itself made. Those on resources stop at their own bounds.

#[cfg(target_os = "linux")]
mod attempts;
#[cfg(target_os = "linux")]
mod check;
#[cfg(target_os = "linux")]
mod cost;
#[cfg(target_os = "linux")]
mod ground;
#[cfg(target_os = "linux")]
mod hostile;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod users;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] | ["--list"] => users::check_as_each(&arguments),
        ["as-this-user"] => check::run(false),
        ["as-this-user", "--list"] => check::run(true),
        ["nothing"] => ExitCode::SUCCESS,
        ["victim"] => ground::be_victim(),
        ["remain", name, ground] => attempts::remain(name, ground),
        ["hostile", ground] => hostile::try_all(ground),
        ["attempt", name, ground] => hostile::try_one(name, ground),
        _ => {
            eprintln!("error: unexpected arguments: expected --list, which prints each attempt, or none");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!("confine: only Linux can confine");
    ExitCode::SUCCESS
}
