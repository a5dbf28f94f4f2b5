//! How the kernel starts the server: as a child process of this very program.

use crate::kernel::{Endpoint, ServerSpec};
use mgp_transport::child::ChildCommand;
use std::{io, path::Path};

/// By which grants, calls and the audit name it, and the command line as well.
pub(crate) const ID: &str = "notes";

/// The server with its notes in a file, as a child process.
///
/// # Errors
/// Where this program's own path is not known, or a path is no UTF-8.
pub(crate) fn spec(file: &Path) -> io::Result<ServerSpec> {
    let program = std::env::current_exe()?;
    let command = ChildCommand::new(ID, text(&program)?).args(["embedded-server", ID, "--db", text(file)?]);
    Ok(ServerSpec::new(ID, Endpoint::Child(command)))
}

fn text(path: &Path) -> io::Result<&str> {
    path.to_str().ok_or_else(|| io::Error::other(format!("invalid path {path:?}: expected UTF-8")))
}
