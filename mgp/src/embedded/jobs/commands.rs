//! Commands that are shown and never run.

use mgp_server_sdk::{
    ErrorType, Failure, Outcome,
    extract::{Args, State},
};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::VecDeque, sync::Arc};

/// The maximum number of remembered commands.
const KEPT: usize = 100;
/// The longest command, in bytes.
const MAX_COMMAND: usize = 4096;

/// The commands that reached the tool, oldest first. Clones share the same list.
#[derive(Debug, Clone, Default)]
pub(super) struct Commands(Arc<Mutex<VecDeque<String>>>);

#[derive(Deserialize, JsonSchema)]
pub(super) struct Run {
    /// The command, as one would type it into a shell.
    command: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct History {
    commands: Vec<String>,
}

/// Returns the command that would run, and remembers it for `command_history`.
pub(super) async fn run_command(
    State(Commands(commands)): State<Commands>,
    Args(Run { command }): Args<Run>,
) -> Result<Outcome<String>, Failure> {
    if command.len() > MAX_COMMAND {
        let problem =
            format!("invalid command: {} bytes long, expected at most {MAX_COMMAND}", command.len());
        return Err(Failure::new(ErrorType::ValidationError, problem));
    }
    let answer = format!("would run: {command}");
    let mut commands = commands.lock();
    if commands.len() == KEPT {
        commands.pop_front();
    }
    commands.push_back(command);
    Ok(Outcome::success(answer))
}

/// Returns the commands that reached the tool.
pub(super) async fn command_history(State(Commands(commands)): State<Commands>) -> Outcome<History> {
    let commands = commands.lock();
    Outcome::success(History { commands: commands.iter().cloned().collect() })
}
