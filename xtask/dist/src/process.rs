//! Other programs, run to their end.

use std::{path::Path, process::Stdio, time::Duration};
use tokio::process::Command;

/// The longest time that a program may run.
const TIMEOUT: Duration = Duration::from_secs(300);
/// The most of a program's output that an error shows, in bytes.
const SHOWN: usize = 2000;

/// The output of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessOutput {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program to its end, without input.
pub(crate) async fn ended(mut command: Command) -> Result<ProcessOutput, String> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let name = name(&command);
    let output = tokio::time::timeout(TIMEOUT, command.output()).await;
    let output = output.map_err(|_| format!("{name} took longer than {TIMEOUT:?}"))?;
    let output = output.map_err(|error| format!("failed to run {name}: {error}"))?;
    Ok(ProcessOutput {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Runs a program that must succeed. Returns its stdout.
pub(crate) async fn output(command: Command) -> Result<String, String> {
    let name = name(&command);
    let ended = ended(command).await?;
    if ended.code == Some(0) {
        return Ok(ended.stdout);
    }
    let all = format!("{}{}", ended.stdout, ended.stderr);
    let start = all.len().saturating_sub(SHOWN);
    let end = all.char_indices().find(|(at, _)| *at >= start).map_or("", |(at, _)| &all[at..]);
    let code = ended.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
    Err(format!("{name} ended with {code}: {}", end.trim()))
}

/// Returns whether a program runs: whether its tool is installed.
pub(crate) async fn runs(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument);
    ended(command).await.is_ok_and(|ended| ended.code == Some(0))
}

fn name(command: &Command) -> String {
    let words = command.as_std().get_args().take(2).map(|word| word.to_string_lossy().into_owned());
    let program = Path::new(command.as_std().get_program()).file_name().unwrap_or_default();
    [program.to_string_lossy().into_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}
