//! The specification of the server: a child process of this same program.

use mgp_kernel::{Endpoint, ServerSpec};
use mgp_transport::child::ChildCommand;
use std::{io, path::Path};

/// The server's id in grants, calls, the audit trail, and on the command line.
pub(crate) const ID: &str = "notes";

/// Returns the specification of the server as a child process, with its notes in a file.
///
/// # Errors
/// If the system does not reveal this program's path, or a path is not UTF-8.
pub(crate) fn spec(file: &Path) -> io::Result<ServerSpec> {
    let program = std::env::current_exe()?;
    let command = ChildCommand::new(ID, text(&program)?).args(["embedded-server", ID, "--db", text(file)?]);
    Ok(ServerSpec::new(ID, Endpoint::Child(command)))
}

fn text(path: &Path) -> io::Result<&str> {
    path.to_str().ok_or_else(|| io::Error::other(format!("invalid path {path:?}: expected UTF-8")))
}
