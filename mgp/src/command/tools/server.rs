//! The server that a command on tools is limited to.

use crate::{error::CliError, exit::Exit};
use mgp_kernel::Kernel;

/// Refuses the id of an unknown server.
pub(super) fn check_server(kernel: &Kernel, server: &str) -> Result<(), CliError> {
    if kernel.servers().iter().any(|known| known.id() == server) {
        return Ok(());
    }
    let problem = format!("there is no server {server:?}");
    Err(CliError::new(Exit::NotFound, problem).help("see `mgp servers`"))
}
