//! The program `mgp`.

use std::process::ExitCode;

/// A message is often freed by another thread than the one that made it, which the C library's allocator is slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mgp_client_sdk::cli::main()
}
