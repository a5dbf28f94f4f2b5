//! Serves over stdio: the tools, or as a bad server.

use super::{output_fault, tools};
use crate::bad_servers::{self, BadServer};

/// Serves until stdin ends. Each child has unique names for its tools, so that hosts need no prefix. From a number on, children are
/// bad servers.
pub(crate) fn run(number: usize) -> Result<(), String> {
    if let Some(bad) = BadServer::of(number) {
        bad_servers::run(bad);
        return Ok(());
    }
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
