//! Hosts of an agent with a quota, which call until nothing is left.

use super::{
    Context,
    attempt::{Attempt, params, pause},
};
use crate::replicas::{machines::Role, tools};
use serde_json::json;
use std::ops::Range;

/// The type of a refusal because nothing is left.
const QUOTA_EXCEEDED: &str = "ApiLimitExceeded";
/// The bounds of the pause after a call, in milliseconds.
const PAUSE_MS: Range<u64> = 200..1000;
/// The first number of the hosts.
const FIRST: usize = 10_000;
/// The most calls after the last fault.
const LAST_CALLS: usize = 10_000;

/// Calls until the end of the run. With `is_last`, calls until nothing is left.
pub(crate) async fn spend(context: Context, number: usize, agent: usize, is_last: bool) {
    // A host without sessions opens none after the end of a run.
    let number = FIRST + if is_last { 2 * number + 1 } else { number };
    let mut host = context.host(Role::Spender(agent), context.balancer, number);
    for call in 0..LAST_CALLS {
        if !is_last && context.is_stopped() {
            return host.say_goodbye().await;
        }
        let server = if host.random.below(2) == 0 { tools::LOCAL } else { tools::REMOTE };
        let operation = format!("{}-{number}-{call}", Role::Spender(agent).agent());
        let params = params(&format!("note_{server}"), &operation, 0, json!({}));
        let attempt = context.attempt(&mut host, "note with a quota", params).await;
        let mut is_spent = false;
        context.outcomes.change(|book| {
            let spending = book.spenders.entry(agent).or_default();
            match attempt {
                Attempt::Done(_) => {
                    spending.accepted += 1;
                    book.acknowledged.insert(operation, "note");
                }
                Attempt::Refused { error_type, .. } if error_type == QUOTA_EXCEEDED => {
                    spending.refused += 1;
                    is_spent = true;
                }
                // It was not sent, so its units were given back.
                Attempt::Refused { is_retryable: true, .. } => {}
                Attempt::Refused { .. } | Attempt::Lost => spending.unknown += 1,
            }
        });
        match is_last {
            true if is_spent => return,
            true => {}
            false => pause(&mut host, PAUSE_MS).await,
        }
    }
}
