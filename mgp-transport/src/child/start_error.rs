//! The error of a program that could not be started, with the reason.

use super::ChildCommand;
use std::io;

/// The most characters of a search path that an error shows.
const MAX_SHOWN: usize = 400;

/// Returns the error of a start, with the program's name. `is_set_up` is true if the process has a different view of the file system.
pub(super) fn start_error(command: &ChildCommand, is_set_up: bool, error: &io::Error) -> io::Error {
    let reason = missing(command, is_set_up, error).unwrap_or_else(|| error.to_string());
    io::Error::new(error.kind(), format!("failed to start {:?}: {reason}", command.program()))
}

/// Returns what is missing. The operating system reports a missing program, folder or interpreter in the same words.
fn missing(command: &ChildCommand, is_set_up: bool, error: &io::Error) -> Option<String> {
    // Any other error names the missing file itself.
    let is_of_system = error.raw_os_error().is_some() || cfg!(windows);
    if error.kind() != io::ErrorKind::NotFound || !is_of_system {
        return None;
    }
    let (program, folder) = (command.program(), command.working_directory());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Some(format!("its working directory {} does not exist", folder.display()));
    }
    let is_path = program.contains(std::path::is_separator);
    if command.candidates().any(|file| file.is_file()) {
        let text = "it exists, but the interpreter that its first line names does not";
        return (cfg!(unix) && !is_set_up).then(|| text.to_owned());
    }
    if is_path {
        return None;
    }
    let path = command.variable("PATH").unwrap_or_default();
    let shown: String = path.to_string_lossy().chars().take(MAX_SHOWN).collect();
    let more = if shown.len() < path.len() { "..." } else { "" };
    let line = if program.contains(' ') { "; arguments stand apart from the program, in args" } else { "" };
    Some(format!("it is not in PATH ({shown}{more}){line}"))
}
