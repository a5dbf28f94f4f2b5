//! `mgp man`: writes the manual pages, for packages.

use crate::{error::CliError, output::Outcome};
use clap::Args;
use std::path::PathBuf;

/// Write the manual pages of all commands into a folder
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder, which is made if it is missing
    folder: PathBuf,
}

/// Writes a page for the program and for each command.
pub(crate) fn run(args: &ManArgs, command_line: clap::Command) -> Result<Outcome, CliError> {
    let folder = &args.folder;
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command_line, folder));
    written.map_err(|error| {
        CliError::failed(format!("failed to write the pages to {}: {error}", folder.display()))
    })?;
    Ok(Outcome::silent())
}
