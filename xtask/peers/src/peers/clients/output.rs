//! Runs a client to its end and reads its output.

use crate::rows::Folder;
use std::process::Stdio;
use tokio::process::Command;

/// Runs the program, keeps its stderr as a log, and returns its stdout.
pub(crate) async fn output(mut command: Command, folder: &Folder, name: &str) -> Result<String, String> {
    command.current_dir(folder.path()).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map_err(|error| format!("failed to run {name}: {error}"))?;
    let (said, printed) =
        (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout).into_owned());
    folder.write(&format!("{name}.log"), &format!("{said}\n{printed}"))?;
    if output.status.success() {
        return Ok(printed);
    }
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Err(format!("{name} ended with {}: {last}", output.status))
}
