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
mod image;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod users;

#[cfg(target_os = "linux")]
use mgp_security::confine::{ConfinementRunner, LandlockAbi, continue_start};
use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    continue_start();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["as-this-user", ref options @ ..] => with(options, check::run),
        ["nothing"] => ExitCode::SUCCESS,
        ["victim"] => ground::be_victim(),
        ["remain", name, ground] => attempts::remain(name, ground),
        ["hostile", ground] => hostile::try_all(ground),
        ["attempt", name, ground] => hostile::try_one(name, ground),
        _ => with(&arguments, |_| users::check_as_each(&arguments)),
    }
}

/// The options of the check.
#[cfg(target_os = "linux")]
#[derive(Default)]
struct Options {
    /// True if each attempt is printed with its outcomes.
    list: bool,
    /// The versions of Landlock that are tried; empty for that of this machine and the first one.
    versions: Vec<LandlockAbi>,
    /// The runner; `None` is automatic.
    runner: Option<ConfinementRunner>,
}

/// Runs a check with its options.
#[cfg(target_os = "linux")]
fn with(mut arguments: &[&str], check: impl FnOnce(Options) -> ExitCode) -> ExitCode {
    let mut options = Options::default();
    loop {
        arguments = match arguments {
            [] => return check(options),
            ["--list", rest @ ..] => {
                options.list = true;
                rest
            }
            ["--abi", number @ ("1" | "2" | "3" | "4" | "5" | "6"), rest @ ..] => {
                options.versions.extend(number.parse().ok().and_then(LandlockAbi::from_number));
                rest
            }
            ["--runner", runner @ ("native" | "bubblewrap" | "container"), rest @ ..] => {
                options.runner = runner.parse().ok();
                rest
            }
            [argument, ..] => {
                eprintln!(
                    "error: unexpected argument {argument:?}: expected --list, which prints each attempt, --abi with a version \
                     of Landlock from 1 to 6, which is tried instead of that of this machine and 1, or --runner with native, \
                     bubblewrap or container"
                );
                return ExitCode::FAILURE;
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!("confine: only Linux can confine");
    ExitCode::SUCCESS
}
