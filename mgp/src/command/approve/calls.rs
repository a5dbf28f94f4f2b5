//! Questions whether calls may be made.

use super::ApproveArgs;
use crate::{
    duration::from_now,
    error::CliError,
    exit::Exit,
    output::{Outcome, printable},
    setup::operator,
};
use mgp_client_sdk::kernel;
use mgp_security::permission::{
    ApprovalTerm, ArgumentsPattern, ConfirmationRow, ConfirmationState, Confirmations, PatternError,
};
use mgp_types::{context::RiskLevel, json::RawJson};
use serde::Serialize;

/// A question about a call, or its answer, for programs.
#[derive(Serialize)]
pub(super) struct CallRow {
    request_id: String,
    agent_id: String,
    server_id: String,
    tool_name: String,
    arguments: RawJson,
    arguments_sha256: String,
    definition_sha256: String,
    risk: RiskLevel,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<String>,
    every_time: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<RawJson>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    session_only: bool,
    state: &'static str,
    asked_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_at: Option<String>,
}

/// The answer for programs.
#[derive(Serialize)]
struct CallRows {
    confirmations: Vec<CallRow>,
}

impl From<&ConfirmationRow> for CallRow {
    fn from(row: &ConfirmationRow) -> Self {
        let key = &row.key;
        Self {
            request_id: row.id.clone(),
            agent_id: key.agent_id.clone(),
            server_id: key.server_id.clone(),
            tool_name: key.tool_name.clone(),
            arguments: row.arguments.clone(),
            arguments_sha256: key.arguments_sha256.clone(),
            definition_sha256: key.definition_sha256.clone(),
            risk: row.risk,
            reason: row.reason.clone(),
            intent: row.intent.clone(),
            every_time: row.every_time,
            pattern: row.pattern.as_ref().map(ArgumentsPattern::to_json),
            session_only: row.session_only,
            state: row.state.as_str(),
            asked_at: format!("{:.3}", row.asked_at),
            expires_at: row.expires_at.map(|end| format!("{end:.3}")),
            trace_id: row.trace_id.clone(),
            decided_by: row.decided_by.clone(),
            decided_at: row.decided_at.map(|at| format!("{at:.3}")),
        }
    }
}

/// Shows a call whole.
pub(super) async fn show(confirmations: &Confirmations, id: &str) -> Result<Outcome, CliError> {
    let row = find(confirmations, id).await?;
    let text = described(&row, &kernel::arguments_in_full(&row.arguments));
    Outcome::new(text, &CallRows { confirmations: vec![CallRow::from(&row)] })
}

/// Answers a question, or takes its answer back.
pub(super) async fn decide(
    confirmations: &Confirmations,
    id: &str,
    args: &ApproveArgs,
) -> Result<Outcome, CliError> {
    let (row, by) = (find(confirmations, id).await?, operator());
    let row = if args.revoke {
        confirmations.revoke(id, &by).await?.ok_or_else(|| unknown(id))?
    } else if args.deny {
        confirmations.deny(id, &by).await?
    } else {
        let term = match args.lifetime {
            Some(lifetime) => ApprovalTerm::Until(from_now(lifetime).map_err(CliError::usage)?),
            None if args.always => ApprovalTerm::Always,
            None if args.session => ApprovalTerm::Session,
            None => ApprovalTerm::Once,
        };
        let like = || {
            ArgumentsPattern::of_arguments(&row.arguments, &args.like).map_err(|error| pattern_error(&error))
        };
        let pattern = (!args.like.is_empty()).then(like).transpose()?;
        confirmations.approve_like(&row.id, term, pattern, &by).await?
    };
    let shown = CallRows { confirmations: vec![CallRow::from(&row)] };
    Outcome::new(sentence(&row, args.revoke), &shown)
}

/// A call as it is shown among others.
pub(super) fn arguments_on_screen(row: &ConfirmationRow) -> String {
    let shown = kernel::arguments_on_screen(&row.arguments);
    let mut text = described(row, &shown.text);
    if !shown.whole {
        text.push_str(&format!("\n  all of it: `mgp approve {} --show`", row.id));
    }
    text
}

fn described(row: &ConfirmationRow, arguments: &str) -> String {
    let key = &row.key;
    let end = row.expires_at.map_or_else(|| "never".to_owned(), |end| format!("{end:.3}"));
    // A question is forgotten; a decision ends.
    let until = if row.state == ConfirmationState::Open { "forgotten" } else { "ends" };
    let state = match (&row.decided_by, row.term()) {
        _ if row.state == ConfirmationState::Unreadable => {
            format!("unreadable: it counts as denied until `mgp approve {} --revoke`", row.id)
        }
        (Some(by), Some(term)) => {
            let like = row.pattern.as_ref().map(|pattern| format!(", {pattern}")).unwrap_or_default();
            format!("approved {term} by {by}{like}")
        }
        (Some(by), None) => format!("denied by {by}"),
        (None, _) => "open".to_owned(),
    };
    let name = |text: &str| printable(text).replace('\n', " ");
    let intent =
        row.intent.as_ref().map(|intent| format!("\n  for:       {:?}, says the agent", name(intent)));
    format!(
        "{}  {}\n  tool:      {} of server {} ({})\n  agent:     {}\n  why:       {}{}\n  asked:     {:.3}, {until}: {end}\n  arguments: {}",
        row.id,
        name(&state),
        name(&key.tool_name),
        name(&key.server_id),
        row.risk,
        name(&key.agent_id),
        name(&row.reason),
        intent.unwrap_or_default(),
        row.asked_at,
        arguments.replace('\n', "\n  ")
    )
}

fn sentence(row: &ConfirmationRow, revoked: bool) -> String {
    let (tool, server, agent) = (&row.key.tool_name, &row.key.server_id, &row.key.agent_id);
    let call = match &row.pattern {
        None => format!("{agent}'s call of {tool} of {server} with these arguments"),
        Some(pattern) => format!("{agent}'s call of {tool} of {server} with {pattern},"),
    };
    let text = match (row.state, row.expires_at) {
        _ if revoked => format!("{call} is undecided again"),
        (ConfirmationState::Denied, _) => format!("{call} is denied"),
        (ConfirmationState::ApprovedOnce, _) => {
            format!("{call} is approved once: it goes through when it is made again")
        }
        _ if row.session_only => format!("{call} is approved for its session"),
        (_, Some(end)) => format!("{call} is approved until {end:.3}"),
        (_, None) => format!("{call} is approved, until `mgp approve {} --revoke`", row.id),
    };
    printable(&text).into_owned()
}

fn pattern_error(error: &PatternError) -> CliError {
    CliError::usage(error.to_string()).help("see the call's arguments with `mgp approve ID --show`")
}

async fn find(confirmations: &Confirmations, id: &str) -> Result<ConfirmationRow, CliError> {
    confirmations.rows().await?.into_iter().find(|row| row.id == id).ok_or_else(|| unknown(id))
}

fn unknown(id: &str) -> CliError {
    let problem =
        format!("no question has the id {id:?}: it was used, taken back, or forgotten after its time");
    CliError::new(Exit::NotFound, problem).help("see `mgp approve --all`; the next such call asks anew")
}
