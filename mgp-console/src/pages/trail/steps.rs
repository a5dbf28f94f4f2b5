//! The steps of a transaction that a trace belongs to.

use super::event::EventParts;
use crate::{
    command_line::Words,
    page::{Context, foreign},
};
use maud::{Markup, html};
use mgp_types::audit::AuditEvent;
use serde::Deserialize;

/// The most callers whose transactions of one name are shown.
const MAX_CALLERS: usize = 5;
/// The most steps of a table.
const MAX_STEPS: usize = 100;

/// The answer of `mgp transactions ID`, as far as the page shows it.
#[derive(Debug, Deserialize)]
struct Transactions {
    #[serde(default)]
    transactions: Vec<Transaction>,
}

#[derive(Debug, Deserialize)]
struct Transaction {
    transaction_id: String,
    #[serde(default)]
    agent: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    explanation: String,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    step_id: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    server_id: String,
    #[serde(default)]
    tool: String,
    #[serde(default)]
    compensation: Option<Compensation>,
}

#[derive(Debug, Deserialize)]
struct Compensation {
    tool: String,
}

/// Returns the transactions that the events name. One that is not kept any more is left out.
pub(super) async fn transaction_steps(context: &Context, events: &[AuditEvent]) -> Markup {
    let Some(id) = events.iter().find_map(|event| event.detail("transaction_id")) else { return html! {} };
    let read = context.read_words::<Transactions>(Words::of(&["transactions"]).value(&id)).await;
    let words = &context.texts.trail;
    html! {
        h2 { (words.transaction) " " (foreign(&id)) }
        @match read {
            Ok(found) => {
                @for transaction in found.transactions.iter().filter(|found| found.transaction_id == id).take(MAX_CALLERS) {
                    (table(context, transaction))
                }
            }
            Err(_) => { p .quiet { (words.transaction_gone) } }
        }
    }
}

fn table(context: &Context, transaction: &Transaction) -> Markup {
    let words = &context.texts.trail;
    html! {
        p { (foreign(&transaction.agent)) " · " span .state data-state=(transaction.status) { (transaction.status) } " · " (foreign(&transaction.explanation)) }
        @if let Some(reason) = &transaction.reason { p { (words.rolled_back_because) " " (foreign(reason)) } }
        div .scroll tabindex="0" role="region" aria-label=(words.steps) { table {
            thead { tr {
                th scope="col" { (words.step) } th scope="col" { (words.result) } th scope="col" { (words.target) }
                th scope="col" { (words.undone_by) }
            } }
            tbody { @for step in transaction.steps.iter().take(MAX_STEPS) { tr {
                th scope="row" { (foreign(&step.step_id)) }
                td { span .state data-state=(step.status) { (step.status) } }
                td { (foreign(&step.server_id)) " " (foreign(&step.tool)) }
                td { @if let Some(compensation) = &step.compensation { (foreign(&compensation.tool)) } }
            } } }
        } }
    }
}
