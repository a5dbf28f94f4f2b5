//! One run of a command.

use super::line::CommandLine;
use mgp_server_sdk::ToolError;
use mgp_transport::child::ChildCommand;
use serde_json::{Map, Value};
use std::{io, process::ExitStatus, time::Duration};

/// The most lines of stderr that an error has.
const LINES: usize = 10;

/// The runs of a command.
#[derive(Debug)]
pub(super) struct CommandRun {
    pub(super) program: ChildCommand,
    pub(super) line: CommandLine,
    pub(super) timeout: Duration,
    pub(super) max_output: usize,
}

impl CommandRun {
    /// Runs the command. Returns its output; invalid UTF-8 is replaced.
    pub(super) async fn run(&self, arguments: &Map<String, Value>) -> Result<String, ToolError> {
        let arguments = self.line.fill(arguments).map_err(ToolError::invalid_arguments)?;
        let command = self.program.clone().args(arguments);
        let ran = command.run_with_stderr(b"", self.max_output, self.timeout).await;
        let (outcome, stderr) = ran.map_err(|error| self.failed(&error))?;
        let output = String::from_utf8_lossy(&outcome.output).into_owned();
        match outcome.status {
            None => {
                let max = self.max_output;
                Err(ToolError::new(format!(
                    "the output is longer than {max} bytes, and the command was killed; narrow the request"
                )))
            }
            Some(status) if status.success() => Ok(output),
            Some(status) => Err(ToolError::new(problem(status, &output, &stderr))),
        }
    }

    fn failed(&self, error: &io::Error) -> ToolError {
        if error.kind() == io::ErrorKind::TimedOut {
            let limit = self.timeout;
            return ToolError::new(format!("the command did not end within {limit:?}, and was killed"));
        }
        ToolError::new(error)
    }
}

/// Returns the error of a command: its status, and the end of what it wrote.
fn problem(status: ExitStatus, output: &str, stderr: &[String]) -> String {
    let last =
        |lines: Vec<&str>| lines.iter().rev().take(LINES).rev().copied().collect::<Vec<_>>().join("\n");
    let mut written = last(stderr.iter().map(String::as_str).collect());
    if written.trim().is_empty() {
        written = last(output.lines().collect());
    }
    match written.trim() {
        "" => format!("the command ended with {status}, and wrote nothing"),
        written => format!("the command ended with {status}: {written}"),
    }
}
