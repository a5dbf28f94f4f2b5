//! Transactions of a few steps, which are committed or rolled back.

use super::{
    Context, Saga,
    attempt::{Attempt, params, pause},
    worker::{WORK_MS, Worker},
};
use crate::{
    hosts::{Host, Response},
    replicas::machines::Role,
};
use serde_json::{Value, json};
use std::ops::Range;

/// The states in which a transaction has ended.
const ENDS: [&str; 3] = ["committed", "rolled_back", "partially_rolled_back"];
/// The time without a step after which the gateway rolls a transaction back.
const TIMEOUT_SECS: u64 = 20;
/// The most requests for the end of a transaction.
const ATTEMPTS: usize = 60;
/// The bounds of the pause before another request, in milliseconds.
const PAUSE_MS: Range<u64> = 100..1000;
/// The number of the hosts that settle transactions.
const SETTLER: usize = 1_000_000;

/// The answer to a request about a transaction.
enum Reply {
    Report(Value),
    /// The replica knows no transaction of that name.
    Unknown,
    /// Another error, or none.
    Other,
}

impl Reply {
    fn of(response: &Response) -> Self {
        match Attempt::of(response) {
            Attempt::Done(result) => Self::Report(result["structuredContent"].clone()),
            _ if response.answers.iter().any(|answer| answer.to_string().contains("unknown transaction")) => {
                Self::Unknown
            }
            _ => Self::Other,
        }
    }
}

/// Runs one transaction.
pub(super) async fn run(worker: &mut Worker) {
    let id = format!("saga-{}", worker.operation());
    let outcomes = worker.context.outcomes.clone();
    let saga = Saga { worker: worker.agent, ..Saga::default() };
    outcomes.change(|book| {
        book.sagas.insert(id.clone(), saga);
    });
    let (context, host) = (worker.context.clone(), &mut worker.host);
    let begin = json!({"action": "begin", "transaction_id": id, "timeout_seconds": TIMEOUT_SECS});
    let Reply::Report(_) = context.transact(host, begin).await else {
        // It may have begun. Its report is requested at the end.
        return;
    };
    let mut has_failed = false;
    for step in 0..1 + worker.host.random.below(4) {
        let (tool, operation, step) = (worker.tool("note"), worker.operation(), format!("step-{step}"));
        outcomes.change(|book| {
            let saga = book.sagas.entry(id.clone()).or_default();
            saga.steps.insert(step.clone(), operation.clone());
        });
        let ms = worker.host.random.within(WORK_MS);
        let params = params(&tool, &operation, ms, json!({"transaction_id": id, "step_id": step}));
        match worker.context.attempt(&mut worker.host, "note in a transaction", params).await {
            Attempt::Done(_) => outcomes.acknowledge("note", &operation),
            _ => {
                has_failed = true;
                break;
            }
        }
    }
    // Some hosts leave their transaction to its timeout.
    let action = match worker.host.random.below(10) {
        _ if has_failed => "rollback",
        0 => return,
        1..6 => "commit",
        _ => "rollback",
    };
    if let Some(report) = worker.context.end(&mut worker.host, &id, action).await {
        outcomes.change(|book| book.sagas.entry(id).or_default().report = Some(report));
    }
}

impl Context {
    /// Requests the end of a transaction until it has ended, and returns its report; `None` if nobody knows it, or after too many attempts.
    async fn end(&self, host: &mut Host, id: &str, action: &str) -> Option<Value> {
        let mut action = action;
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                pause(host, PAUSE_MS).await;
            }
            let report = match self.transact(host, json!({"action": action, "transaction_id": id})).await {
                Reply::Report(report) => report,
                Reply::Unknown => return None,
                // It was lost, or the transaction could not end yet.
                Reply::Other => {
                    action = if action == "status" { "rollback" } else { "status" };
                    continue;
                }
            };
            match report["status"].as_str().unwrap_or_default() {
                status if ENDS.contains(&status) => return Some(report),
                "rolling_back" => action = "status",
                _ => action = "rollback",
            }
        }
        None
    }

    /// Sends a request about a transaction.
    async fn transact(&self, host: &mut Host, arguments: Value) -> Reply {
        const KIND: &str = "mgp_transaction";
        if !self.open(host).await {
            return Reply::Other;
        }
        let ticket = self.ledger.send(KIND);
        let params = json!({"name": KIND, "arguments": arguments});
        let message = host.era.request(ticket.id(), "tools/call", params, None);
        match host.exchange(&message, ticket.id(), KIND).await {
            Ok(response) => {
                ticket.answered(response.answer(), response.answers.len());
                Reply::of(&response)
            }
            Err(why) => {
                ticket.lost(&why);
                Reply::Other
            }
        }
    }
}

/// Ends the transactions whose end no host knows, after the last fault.
pub(crate) async fn settle(context: &Context) {
    for (id, saga) in context.outcomes.book().sagas {
        if saga.report.is_some() {
            continue;
        }
        // A host without sessions, because those open no session after the end of a run.
        let mut host = context.host(Role::Worker(saga.worker), context.balancer, SETTLER + 1);
        let report = context.end(&mut host, &id, "status").await;
        context.outcomes.change(|book| book.sagas.entry(id).or_default().report = report);
    }
}
