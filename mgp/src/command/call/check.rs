//! `mgp call --dry-run`: the judgement on a call, without making it.

use crate::{
    error::CliError,
    exit::Exit,
    output::{Outcome, continued, on_one_line},
};
use mgp_client_sdk::client::{CallOptions, Client};
use mgp_kernel::command_word;
use mgp_types::{
    json::RawJson,
    tool_check::{CallQuestion, CheckToolResult},
};

/// Judges an agent's call with its options. The exit code is that of the refusal, if there is one.
pub(super) async fn check(
    client: &Client,
    agent: &str,
    tool: &str,
    arguments: RawJson,
    asked: CallOptions,
) -> Result<Outcome, CliError> {
    let judgement = client.check_tool_with(tool, arguments, asked).await?;
    let exit = judgement.error.as_ref().map_or(Exit::Success, |error| Exit::of_error(error.code));
    Ok(Outcome::new(text(&judgement, agent, tool), &judgement)?.with_exit(exit))
}

/// Returns the judgement on a call as lines of text: the outcome, and each question that would be asked first.
pub(crate) fn judgement_lines(judgement: &CheckToolResult) -> Vec<String> {
    let mut lines = Vec::new();
    match &judgement.error {
        Some(error) => lines.push(format!("refused ({}): {}", error.code, continued(&error.message))),
        None if judgement.would_ask.is_empty() => lines.push("allowed".to_owned()),
        None => lines.push("allowed once these are answered with yes:".to_owned()),
    }
    lines.extend(judgement.would_ask.iter().map(question));
    lines
}

fn text(judgement: &CheckToolResult, agent: &str, tool: &str) -> String {
    let mut lines = judgement_lines(judgement);
    if judgement.error.is_some() {
        let [agent, tool] = [agent, tool].map(command_word);
        lines.push(format!("see also `mgp access explain {agent} {tool}`"));
    }
    lines.join("\n")
}

fn question(question: &CallQuestion) -> String {
    let id = question.request_id.as_ref().map(|id| format!(" (`mgp approve {id}`)")).unwrap_or_default();
    format!("  {}: {}{id}", question.kind, on_one_line(&question.reason))
}
