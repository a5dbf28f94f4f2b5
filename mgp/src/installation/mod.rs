//! The way in which the program was installed, and the command that updates it.

mod command;
mod place;

pub(crate) use place::Installation;

use std::{io, path::PathBuf};

/// Returns the path of this program that an update keeps, for hosts' files.
pub(crate) fn lasting_program() -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let lasting = Installation::of_this_program().map(|found| found.lasting_path());
    // Otherwise, the path stays as it was written: a link may be its lasting part.
    Ok(lasting.filter(|path| program.canonicalize().is_ok_and(|real| real != *path)).unwrap_or(program))
}
