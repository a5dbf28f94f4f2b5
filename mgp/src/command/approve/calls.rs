//! Questions about calls that need confirmation.

use super::{
    args::ApproveArgs,
    earlier::{EarlierDecision, of_gone},
};
use crate::{
    command::known::{id_in_table, known_id},
    duration::from_now,
    error::CliError,
    exit::Exit,
    operator::operator,
    output::{Outcome, local_time, note, on_one_line},
    setup::Setup,
};
use jiff::Timestamp;
use mgp_kernel::arguments_in_full;
use mgp_security::permission::{
    ApprovalTerm, ArgumentsPattern, ConfirmationKey, ConfirmationRow, ConfirmationState, Confirmations,
    OpenDecisionError, PatternError,
};
use mgp_types::{context::RiskLevel, json::RawJson};
use serde::Serialize;

/// A question about a call, or its answer, as JSON.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<String>,
    every_time: bool,
    /// The first question of its group, if several belong together.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
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

/// The JSON form of the answer.
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
            estimate: row.estimate.clone(),
            every_time: row.every_time,
            group: None,
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

/// Rows about calls with the same agent, session, tool, definition and state, oldest first.
pub(super) struct CallGroup<'a>(Vec<&'a ConfirmationRow>);

/// Returns the groups of rows, in the order of their first rows.
pub(super) fn groups(rows: &[ConfirmationRow]) -> Vec<CallGroup<'_>> {
    let mut groups: Vec<CallGroup<'_>> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|group| is_of_group(group.0[0], row)) {
            Some(group) => group.0.push(row),
            None => groups.push(CallGroup(vec![row])),
        }
    }
    groups
}

fn is_of_group(one: &ConfirmationRow, other: &ConfirmationRow) -> bool {
    one.state == other.state && one.is_alike(other)
}

impl CallGroup<'_> {
    /// Returns the rows in their JSON form.
    pub(super) fn rows(&self) -> Vec<CallRow> {
        let group = (self.0.len() > 1).then(|| self.0[0].id.clone());
        self.0.iter().map(|row| CallRow { group: group.clone(), ..CallRow::from(*row) }).collect()
    }

    /// Returns the text of the rows, preceded by their count if there are several.
    pub(super) fn text(&self) -> String {
        let rows: Vec<_> = self.0.iter().map(|row| arguments_on_screen(row)).collect();
        let rows = rows.join("\n\n");
        let (row, count) = (self.0[0], self.0.len());
        if count == 1 {
            return rows;
        }
        let ConfirmationKey { agent_id, tool_name, server_id, .. } = &row.key;
        let head = format!("{agent_id}'s {count} calls of {tool_name} of server {server_id}, in one session");
        let head = on_one_line(&head);
        let how = if row.state == ConfirmationState::Open { "decides on all" } else { "is about all" };
        // Lists each id, so that the command does not cover later calls.
        let ids: Vec<_> = self.0.iter().map(|row| row.id.as_str()).collect();
        let ids = ids.join(" ");
        format!("{head}: `mgp approve {ids}` {how} {count}, with --show it shows them\n\n{rows}")
    }
}

/// Shows the full calls.
pub(super) async fn show(confirmations: &Confirmations, ids: &[&str]) -> Result<Outcome, CliError> {
    let Selection { rows, mut gone } = find(confirmations, ids).await?;
    if rows.is_empty() && !gone.is_empty() {
        return Err(gone.remove(0).1);
    }
    if !gone.is_empty() {
        note(&format!(
            "left out, because they are no longer there: {} of {} questions",
            gone.len(),
            ids.len()
        ));
    }
    let texts: Vec<_> = rows.iter().map(|row| described(row, &arguments_in_full(&row.arguments))).collect();
    Outcome::new(texts.join("\n\n"), &CallRows { confirmations: rows.iter().map(CallRow::from).collect() })
}

/// Answers each question separately, or takes the answers back.
pub(super) async fn decide(
    (setup, confirmations): (&Setup, &Confirmations),
    ids: &[&str],
    args: &ApproveArgs,
) -> Result<Outcome, CliError> {
    // A call that was cancelled meanwhile does not prevent the other answers.
    let Selection { rows, gone } = find(confirmations, ids).await?;
    let (mut decided, mut failed) = (Vec::new(), Vec::new());
    for (id, error) in gone {
        failed.push(if args.open { of_gone(setup, &id, error).await } else { error });
    }
    for row in &rows {
        match answer(confirmations, row, args).await {
            Ok(row) => decided.push(row),
            // The first answer may be used up by now, and then its row is gone.
            Err(error) => {
                let is_looked_up = args.open && is_gone(confirmations, &row.id).await?;
                failed.push(if is_looked_up { of_gone(setup, &row.id, error).await } else { error });
            }
        }
    }
    if !failed.is_empty() {
        decided.iter().for_each(|row| note(&format!("{}: {}", row.id, sentence(row, args.revoke))));
        let first = failed.remove(0);
        failed.iter().for_each(|error| note(error.message()));
        return Err(first);
    }
    let shown = CallRows { confirmations: decided.iter().map(CallRow::from).collect() };
    let text = match &decided[..] {
        [row] => sentence(row, args.revoke),
        rows => {
            let text = |row: &ConfirmationRow| {
                let arguments = mgp_kernel::arguments_on_screen(&row.arguments).text.replace('\n', " ");
                format!("{}: {}\n  arguments: {arguments}", row.id, sentence(row, args.revoke))
            };
            rows.iter().map(text).collect::<Vec<_>>().join("\n")
        }
    };
    Outcome::new(text, &shown)
}

async fn answer(
    confirmations: &Confirmations,
    row: &ConfirmationRow,
    args: &ApproveArgs,
) -> Result<ConfirmationRow, CliError> {
    let by = operator();
    if args.revoke {
        return confirmations.revoke(&row.id, &by).await?.ok_or_else(|| unknown(&row.id));
    }
    if args.deny {
        return if args.open {
            confirmations.deny_open(&row.id, &by).await.map_err(not_open)
        } else {
            Ok(confirmations.deny(&row.id, &by).await?)
        };
    }
    let term = match args.lifetime {
        Some(lifetime) => ApprovalTerm::Until(from_now(lifetime).map_err(CliError::usage)?),
        None if args.always => ApprovalTerm::Always,
        None if args.session => ApprovalTerm::Session,
        None => ApprovalTerm::Once,
    };
    let pattern = (!args.like.is_empty()).then(|| pattern(row, &args.like)).transpose()?;
    if args.open {
        return confirmations.approve_open(&row.id, term, pattern, &by).await.map_err(not_open);
    }
    Ok(confirmations.approve_like(&row.id, term, pattern, &by).await?)
}

/// Returns the error of an answer to a question that is answered already.
fn not_open(error: OpenDecisionError<ConfirmationRow>) -> CliError {
    let row = match error {
        OpenDecisionError::Decided(row) => row,
        OpenDecisionError::Refused(error) => return (*error).into(),
        other => return CliError::failed(other),
    };
    let ConfirmationKey { agent_id, server_id, tool_name, .. } = &row.key;
    EarlierDecision {
        question: format!("{agent_id}'s call of {tool_name} of {server_id} ({})", row.id),
        decision: row.term().map_or_else(|| "denied".to_owned(), |term| format!("approved {term}")),
        by: row.decided_by.clone(),
        at: row.decided_at,
        revoked_by: Some(format!("mgp approve {} --revoke", row.id)),
    }
    .error()
}

/// Returns the pattern of an approval for more than one call.
pub(super) fn pattern(row: &ConfirmationRow, like: &[String]) -> Result<ArgumentsPattern, CliError> {
    ArgumentsPattern::of_arguments(&row.arguments, like).map_err(|error| pattern_error(&error))
}

/// Returns the question with an id.
pub(super) async fn call(confirmations: &Confirmations, id: &str) -> Result<ConfirmationRow, CliError> {
    let Selection { mut rows, mut gone } = find(confirmations, &[id]).await?;
    rows.pop().ok_or_else(|| gone.pop().map_or_else(|| unknown(id), |(_, error)| error))
}

/// Returns a call's arguments as shown in a list.
pub(super) fn arguments_on_screen(row: &ConfirmationRow) -> String {
    let shown = mgp_kernel::arguments_on_screen(&row.arguments);
    let mut text = described(row, &shown.text);
    if !shown.whole {
        text.push_str(&format!("\n  all of it: `mgp approve {} --show`", row.id));
    }
    text
}

fn described(row: &ConfirmationRow, arguments: &str) -> String {
    let key = &row.key;
    let time = |time: Timestamp| local_time(&format!("{time:.3}")).into_owned();
    let end = row.expires_at.map_or_else(|| "never".to_owned(), time);
    // Questions are forgotten; decisions expire.
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
    let name = on_one_line;
    let intent =
        row.intent.as_ref().map(|intent| format!("\n  for:       {:?}, says the agent", name(intent)));
    let estimate = row.estimate.as_ref().map(|estimate| format!("\n  likely:    {}", name(estimate)));
    format!(
        "{}  {}\n  tool:      {} of server {} ({})\n  agent:     {}\n  why:       {}{}{}\n  asked:     {}, {until}: {end}\n  arguments: {}",
        id_in_table(&row.id),
        name(&state),
        name(&key.tool_name),
        name(&key.server_id),
        row.risk,
        name(&key.agent_id),
        name(&row.reason),
        intent.unwrap_or_default(),
        estimate.unwrap_or_default(),
        time(row.asked_at),
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
            format!(
                "{call} is approved once: if it still waits, it goes on now; if it was refused, it goes through when it is made again"
            )
        }
        _ if row.session_only => format!("{call} is approved for its session"),
        (_, Some(end)) => format!("{call} is approved until {end:.3}"),
        (_, None) => format!("{call} is approved, until `mgp approve {} --revoke`", row.id),
    };
    on_one_line(&text)
}

fn pattern_error(error: &PatternError) -> CliError {
    CliError::usage(error.to_string()).help("see the call's arguments with `mgp approve ID --show`")
}

/// The questions with some ids.
struct Selection {
    /// The row of each id, without duplicates.
    rows: Vec<ConfirmationRow>,
    /// The ids without a row, each with its error.
    gone: Vec<(String, CliError)>,
}

/// Returns the questions with some ids, or with unambiguous beginnings of them.
async fn find(confirmations: &Confirmations, ids: &[&str]) -> Result<Selection, CliError> {
    let all = confirmations.rows().await?;
    let (mut rows, mut gone): (Vec<ConfirmationRow>, _) = (Vec::new(), Vec::new());
    for id in ids {
        let error = match known_id("question", id, all.iter().map(|row| row.id.as_str())) {
            Ok(known) => {
                let fresh = all.iter().filter(|row| row.id == known && !rows.contains(row));
                let fresh: Vec<_> = fresh.cloned().collect();
                rows.extend(fresh);
                continue;
            }
            Err(_) if id.len() >= WHOLE_ID => unknown(id),
            Err(problem) => CliError::new(Exit::NotFound, problem)
                .help("see the ids with `mgp approve` and `mgp approve --all`"),
        };
        gone.push(((*id).to_owned(), error));
    }
    Ok(Selection { rows, gone })
}

/// Returns whether a question and its answer are gone.
async fn is_gone(confirmations: &Confirmations, id: &str) -> Result<bool, CliError> {
    Ok(confirmations.rows().await?.iter().all(|row| row.id != id))
}

/// The length of a full id.
const WHOLE_ID: usize = "conf-".len() + 36;

fn unknown(id: &str) -> CliError {
    let problem =
        format!("no question has the id {id:?}: it was used, taken back, or forgotten after its time");
    CliError::new(Exit::NotFound, problem).help("see `mgp approve --all`; the next such call asks anew")
}
