//! `mgp transactions`: shows running transactions, and those that need attention.

use crate::{
    command::known::known_id,
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, note, on_one_line, shortened, table},
    setup::Setup,
};
use clap::Args;
use mgp_types::transaction::{StepReport, TransactionReport, TransactionState};
use serde::Serialize;

/// The maximum number of transactions in a list.
const LISTED: usize = 200;

/// The maximum number of transactions among which a beginning of an id is looked for.
const COMPARED: usize = 10_000;

/// The maximum length of arguments in a table, in characters. The JSON form has them whole.
const ARGUMENTS: usize = 120;

/// Show running transactions, and those that were rolled back in part
///
/// A rollback in part means that a step was not undone, or may not have been, and needs attention. With an ID, shows the steps, and the calls
/// that undo them.
#[derive(Debug, Args)]
pub(crate) struct TransactionsArgs {
    /// The caller's id of a transaction, or an unambiguous beginning of it
    id: Option<String>,
    /// Also list transactions that are committed or rolled back
    #[arg(long, conflicts_with = "id")]
    all: bool,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct TransactionList {
    transactions: Vec<ShownTransaction>,
}

#[derive(Serialize)]
struct ShownTransaction {
    agent: String,
    /// The agents on whose behalf its caller acts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    on_behalf_of: Vec<String>,
    #[serde(flatten)]
    report: TransactionReport,
}

pub(crate) async fn run(options: &Options, args: TransactionsArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let store = setup.state.transactions().await?;
    let stored = match &args.id {
        Some(given) => {
            let exact = store.named(given).await?;
            if exact.is_empty() {
                let all = store.all(COMPARED).await?;
                store.named(meant(given, all.iter().map(|stored| stored.id.as_str()))?).await?
            } else {
                exact
            }
        }
        None if args.all => store.all(LISTED).await?,
        None => store.unsettled(LISTED).await?,
    };
    let transactions: Vec<_> = stored
        .into_iter()
        .map(|stored| ShownTransaction {
            report: stored.whole_report(),
            agent: stored.caller.id,
            on_behalf_of: stored.caller.delegation,
        })
        .collect();
    let text = match (&args.id, transactions.is_empty()) {
        (Some(_), _) => transactions.iter().map(whole).collect::<Vec<_>>().join("\n\n"),
        (None, true) => {
            note(if args.all {
                "there are no transactions"
            } else {
                "no transaction is open, and none needs attention"
            });
            String::new()
        }
        (None, false) => {
            if transactions.len() == LISTED {
                note(&format!("only the first {LISTED} are shown"));
            }
            table(
                ["transaction", "agent", "state", "begun", "steps", "meaning"],
                transactions.iter().map(row),
            )
        }
    };
    Outcome::new(text, &TransactionList { transactions })
}

/// Returns the only id that begins with a text.
///
/// # Errors
/// If no id matches, if several match, or if the beginning is too short.
fn meant<'a>(given: &str, ids: impl Iterator<Item = &'a str>) -> Result<&'a str, CliError> {
    known_id("transaction", given, ids).map_err(|problem| {
        CliError::new(Exit::NotFound, problem).help("`mgp transactions --all` lists those of the last week")
    })
}

/// Returns a sentence about the transactions that were rolled back in part, with the command that lists them; `None` if there are none.
pub(super) fn sentence(in_part: usize) -> Option<String> {
    let subject = match in_part {
        0 => return None,
        1 => "1 transaction was".to_owned(),
        more => format!("{more} transactions were"),
    };
    Some(format!("{subject} rolled back in part: see `mgp transactions`"))
}

fn row(ShownTransaction { agent, report, .. }: &ShownTransaction) -> [String; 6] {
    [
        report.transaction_id.clone(),
        agent.clone(),
        report.status.to_string(),
        report.begun_at.clone(),
        report.steps.len().to_string(),
        on_one_line(&report.explanation),
    ]
}

/// Returns a transaction with its steps.
fn whole(ShownTransaction { agent, report, .. }: &ShownTransaction) -> String {
    let TransactionReport { transaction_id, status, begun_at, explanation, .. } = report;
    let mut lines = vec![
        format!("{} of {}: {status}, begun {begun_at}", on_one_line(transaction_id), on_one_line(agent)),
        on_one_line(explanation),
    ];
    if let Some(description) = &report.description {
        lines.push(format!("purpose: {}", on_one_line(description)));
    }
    if let Some(reason) = report.reason.as_ref().filter(|_| *status != TransactionState::Active) {
        lines.push(format!("rolled back because: {}", on_one_line(reason)));
    }
    if report.steps.is_empty() {
        lines.push("it has no steps".to_owned());
    } else {
        let header = ["step", "state", "server", "tool", "undone by", "error"];
        lines.push(table(header, report.steps.iter().map(step_row)));
    }
    lines.join("\n")
}

fn step_row(step: &StepReport) -> [String; 6] {
    let undone_by = step.compensation.as_ref().map_or_else(
        || "-".to_owned(),
        |call| format!("{} {}", call.tool, shortened(call.arguments.as_str(), ARGUMENTS)),
    );
    let error = step.error.as_ref().map(|error| on_one_line(&error.message));
    [
        step.step_id.clone(),
        step.status.to_string(),
        step.server_id.clone(),
        step.tool.clone(),
        undone_by,
        error.unwrap_or_default(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unique_beginning_of_a_transaction_is_enough() {
        let ids = ["booking-2026-1", "booking-2026-2", "order-77"];
        assert_eq!(meant("order-7", ids.into_iter()).unwrap(), "order-77");
        for (given, expected) in [
            ("booking", "booking-2026-1, booking-2026-2"),
            ("order", "too short"),
            ("refund", "there is no transaction"),
        ] {
            let error = meant(given, ids.into_iter()).unwrap_err();
            assert!(error.exit == Exit::NotFound && error.message().contains(expected), "{error:?}");
        }
    }

    #[test]
    fn transactions_that_need_attention_are_counted_in_a_sentence() {
        assert_eq!(sentence(0), None);
        let one = sentence(1).unwrap();
        assert_eq!(one, "1 transaction was rolled back in part: see `mgp transactions`");
        assert!(sentence(2).unwrap().starts_with("2 transactions were "));
    }
}
