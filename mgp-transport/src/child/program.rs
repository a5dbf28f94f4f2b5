//! The places of a program.

use super::ChildCommand;
use std::{
    env,
    path::{Path, PathBuf},
};

/// Returns the files that a command's program may be, in the order in which the operating system tries them.
pub(super) fn candidates(command: &ChildCommand) -> impl Iterator<Item = PathBuf> {
    let (program, folder) = (command.program(), command.working_directory().unwrap_or(Path::new("")));
    let path = command.variable("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = match program.contains(std::path::is_separator) {
        true => vec![PathBuf::new()],
        false => env::split_paths(&path).collect(),
    };
    // A relative path starts from the working directory.
    folders.into_iter().map(move |of_path| folder.join(of_path).join(program))
}
