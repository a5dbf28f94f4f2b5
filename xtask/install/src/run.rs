//! Runs an installer to its end.

use std::{process::Stdio, time::Duration};
use tokio::process::Command;

/// The time limit of one installation.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The most of an installer's output that an error shows, in bytes.
const SHOWN: usize = 2000;

/// Runs an installer to its end.
///
/// # Errors
/// The installer cannot be run, fails, or takes longer than ten minutes. The error ends with the installer's last output.
pub async fn run(mut command: Command, name: &str) -> Result<(), String> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(TIMEOUT, command.output())
        .await
        .map_err(|_| format!("{name} took longer than {TIMEOUT:?}"))?
        .map_err(|error| format!("failed to run {name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let start = said.len().saturating_sub(SHOWN);
    let end = said.char_indices().find(|(at, _)| *at >= start).map_or("", |(at, _)| &said[at..]);
    Err(format!("{name} ended with {}: {}", output.status, end.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_failing_installer_s_output_is_reported() {
        let mut command = Command::new("cargo");
        command.arg("no-such-subcommand");
        let error = run(command, "cargo").await.unwrap_err();
        assert!(error.starts_with("cargo ended with") && error.contains("no-such-subcommand"), "{error}");
    }
}
