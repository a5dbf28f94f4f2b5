//! Calls of a tool with a limit a minute, more often than the limit allows.

use super::{
    Context,
    attempt::{Attempt, params, pause},
};
use crate::{
    hosts::Host,
    replicas::{effects, machines::Role, tools},
};
use serde_json::json;
use std::ops::Range;

/// The type of a refusal because of the limit.
const RATE_LIMITED: &str = "ApiLimitExceeded";
/// The bounds of the pause after a call, in milliseconds.
const PAUSE_MS: Range<u64> = 100..300;
/// The first number of the hosts. Odd numbers are those of hosts without sessions.
const FIRST: usize = 50_001;

/// Calls the tool at one replica until the end of the run.
pub(crate) async fn rush(context: Context, number: usize, agents: usize) {
    let address = context.replicas[number % context.replicas.len()];
    let mut host = context.host(Role::Worker(number % agents), address, FIRST + 2 * number);
    let mut calls = 0_u64;
    while !context.is_stopped() {
        calls += 1;
        context.rush(&mut host, format!("rush{number}-{calls}")).await;
        pause(&mut host, PAUSE_MS).await;
    }
}

impl Context {
    /// Calls the tool once.
    pub(super) async fn rush(&self, host: &mut Host, operation: String) {
        let params = params(&format!("{}_{}", tools::RUSH, tools::REMOTE), &operation, 0, json!({}));
        // The call passes the limit after this moment, and before the tool runs.
        let begun = effects::now();
        self.outcomes.change(|book| {
            book.rushes.insert(operation.clone(), begun);
        });
        match self.attempt(host, "note with a limit", params).await {
            Attempt::Done(_) => self.outcomes.acknowledge(tools::RUSH, &operation),
            Attempt::Refused { error_type, .. } if error_type == RATE_LIMITED => {
                self.outcomes.change(|book| book.limited += 1);
            }
            Attempt::Refused { .. } | Attempt::Lost => {}
        }
    }
}
