//! Commands that are shown and never run.

use mgp_server_sdk::{
    Json, ToolError,
    extract::{Args, State},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

/// How many commands are remembered.
const KEPT: usize = 100;
/// The longest command, in bytes.
const MAX_COMMAND: usize = 4096;

/// The commands that reached the tool, oldest first. A clone is the same list.
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

/// Says what would run. That it is remembered shows which commands got here at all.
pub(super) async fn run_command(
    State(Commands(commands)): State<Commands>,
    Args(Run { command }): Args<Run>,
) -> Result<String, ToolError> {
    if command.len() > MAX_COMMAND {
        let problem = format!("command: {} bytes long, expected at most {MAX_COMMAND}", command.len());
        return Err(ToolError::invalid_arguments(problem));
    }
    let answer = format!("would run: {command}");
    let mut commands = commands.lock().unwrap_or_else(PoisonError::into_inner);
    if commands.len() == KEPT {
        commands.pop_front();
    }
    commands.push_back(command);
    Ok(answer)
}

/// Which commands got here.
pub(super) async fn command_history(State(Commands(commands)): State<Commands>) -> Json<History> {
    let commands = commands.lock().unwrap_or_else(PoisonError::into_inner);
    Json(History { commands: commands.iter().cloned().collect() })
}
