//! Serves the tools over stdio.

use super::{output_fault, tools};

/// Serves until stdin ends. Each child has names of its own for its tools, so that hosts need no prefix.
pub(crate) fn run(number: usize) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("failed to start: {error}"))?;
    let ended = runtime.block_on(async {
        output_fault::listen().map_err(|error| format!("failed to listen for signals: {error}"))?;
        tools::server(number).serve_stdio().await.map_err(|error| error.to_string())
    });
    // A thread that reads stdin cannot be interrupted.
    runtime.shutdown_background();
    ended
}
