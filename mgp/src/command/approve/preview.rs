//! `mgp approve ID --like PATTERN --preview`: the earlier calls that a pattern would cover.

use super::calls::{call, pattern};
use crate::{
    error::CliError,
    output::{Outcome, local_time, on_one_line},
    setup::Setup,
};
use mgp_security::{
    audit::AuditFilter,
    permission::{ConfirmationRow, Confirmations},
};
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    json::RawJson,
};
use serde::Serialize;
use std::collections::HashSet;

/// The number of earlier calls that are compared.
const LOOKED_AT: u32 = 1000;
/// The most calls of each kind in an answer.
const CALLS: usize = 20;

/// The JSON form of the answer.
#[derive(Serialize)]
struct Preview {
    /// The number of the agent's latest calls of the tool.
    looked_at: usize,
    /// The number of those that the pattern covers.
    covered: usize,
    /// The number of those whose arguments are not kept: the trail has none, so only those of calls that were asked about are known.
    unknown: usize,
    /// The latest calls that the pattern covers.
    calls: Vec<EarlierCall>,
    /// The latest calls that it does not cover.
    others: Vec<EarlierCall>,
}

#[derive(Serialize)]
struct EarlierCall {
    at: String,
    arguments: RawJson,
}

/// Compares the calls, and decides nothing.
pub(super) async fn preview(
    setup: &Setup,
    confirmations: &Confirmations,
    id: &str,
    like: &[String],
) -> Result<Outcome, CliError> {
    let asked = call(confirmations, id).await?;
    let pattern = pattern(&asked, like)?;
    let same = |row: &ConfirmationRow| {
        let (one, other) = (&row.key, &asked.key);
        (&one.agent_id, &one.server_id, &one.tool_name)
            == (&other.agent_id, &other.server_id, &other.tool_name)
    };
    let mut rows = confirmations.rows().await?;
    rows.retain(|row| row.id != asked.id && same(row));
    rows.sort_by_key(|row| std::cmp::Reverse(row.asked_at));
    let unknown = unknown(setup, &asked, &rows).await?;
    let earlier = |row: &ConfirmationRow| EarlierCall {
        at: format!("{:.3}", row.asked_at),
        arguments: row.arguments.clone(),
    };
    let (covered, others): (Vec<_>, Vec<_>) =
        rows.iter().partition(|row| pattern.matches(&asked.arguments, &row.arguments));
    let preview = Preview {
        looked_at: rows.len() + unknown,
        covered: covered.len(),
        unknown,
        calls: covered.into_iter().take(CALLS).map(earlier).collect(),
        others: others.into_iter().take(CALLS).map(earlier).collect(),
    };
    Outcome::new(preview.text(), &preview)
}

/// Returns the number of the latest calls in the trail that nobody was asked about.
async fn unknown(
    setup: &Setup,
    asked: &ConfirmationRow,
    rows: &[ConfirmationRow],
) -> Result<usize, CliError> {
    let filter = AuditFilter {
        actor_id: Some(asked.key.agent_id.clone()),
        server_id: Some(asked.key.server_id.clone()),
        tool_name: Some(asked.key.tool_name.clone()),
        event_type: Some(AuditEventType::ToolExecuted),
        last: LOOKED_AT,
        ..AuditFilter::default()
    };
    let made = setup.audit_reader(false).await?.latest_page(filter).await?.events;
    let known: HashSet<_> = rows.iter().filter_map(|row| row.trace_id.as_deref()).collect();
    let is_known =
        |event: &AuditEvent| event.trace_id.get().is_some_and(|trace| known.contains(trace.as_str()));
    Ok(made.iter().filter(|event| !is_known(event)).count())
}

impl Preview {
    fn text(&self) -> String {
        let Self { looked_at, covered, unknown, .. } = self;
        let mut lines = vec![format!(
            "the pattern covers {covered} of {looked_at} calls; the arguments of {unknown} are not kept"
        )];
        for (mark, calls) in [("covered", &self.calls), ("not covered", &self.others)] {
            lines.extend(calls.iter().map(|call| {
                let arguments = mgp_kernel::arguments_on_screen(&call.arguments).text;
                format!("  {} {mark}: {}", local_time(&call.at), on_one_line(&arguments))
            }));
        }
        lines.join("\n")
    }
}
