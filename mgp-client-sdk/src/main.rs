//! The program `mgp`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mgp_client_sdk::cli::main()
}
