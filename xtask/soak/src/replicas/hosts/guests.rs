//! A right that comes and goes, and hosts that use it at each replica whenever they can.

use super::{
    Context, Revocation,
    attempt::{params, pause},
};
use crate::{
    hosts::{Era, Host},
    replicas::{effects, machines::Role, tools},
};
use serde_json::{Value, json};
use std::{ops::Range, time::Duration};

/// The bounds of the pause between two calls of a guest, in milliseconds.
const CALL_MS: Range<u64> = 10..40;
/// The bounds of the times with the right, and without it, in milliseconds.
const ALLOWED_MS: Range<u64> = 400..900;
const REVOKED_MS: Range<u64> = 400..800;
/// The time limit of one request to revoke the right. A request to grant it has none, because it could be carried out later.
const REVOKE_TIMEOUT: Duration = Duration::from_secs(2);
/// The bounds of the pause before a refused change is requested again, in milliseconds.
const AGAIN_MS: Range<u64> = 20..100;
const GRANT: &str = "mgp/access/grant";
const REVOKE: &str = "mgp/access/revoke";
/// The first number of the guests, and that of the operator. Odd numbers are those of hosts without sessions.
const FIRST: usize = 30_001;
const OPERATOR: usize = 40_001;

/// Calls the guarded tool at one replica until the end of the run.
pub(crate) async fn visit(context: Context, number: usize) {
    let address = context.replicas[number % context.replicas.len()];
    let mut host = context.host(Role::Guest, address, FIRST + 2 * number);
    let tool = format!("note_{}", tools::GUARDED);
    let mut calls = 0_u64;
    while !context.is_stopped() {
        calls += 1;
        let operation = format!("guest{number}-{calls}");
        context.attempt(&mut host, "note with a right", params(&tool, &operation, 0, json!({}))).await;
        pause(&mut host, CALL_MS).await;
    }
}

/// Grants and revokes the right to the guarded tool, each time at another replica, until the end of the run.
pub(crate) async fn change_rights(context: Context) {
    let mut turn = 0;
    let mut operator = context.host(Role::Operator, context.balancer, OPERATOR);
    while !context.is_stopped() {
        let asked = effects::now();
        context.outcomes.change(|book| {
            if let Some(last) = book.revocations.last_mut() {
                last.until.get_or_insert(asked);
            }
        });
        context.change_right(&mut operator, &mut turn, GRANT).await;
        pause(&mut operator, ALLOWED_MS).await;
        if context.change_right(&mut operator, &mut turn, REVOKE).await {
            let revocation = Revocation { from: effects::now(), until: None };
            context.outcomes.change(|book| book.revocations.push(revocation));
        }
        pause(&mut operator, REVOKED_MS).await;
    }
    let asked = effects::now();
    context.outcomes.change(|book| {
        if let Some(last) = book.revocations.last_mut() {
            last.until.get_or_insert(asked);
        }
    });
}

impl Context {
    /// Requests a change of the guest's right until a replica acknowledges it. Returns whether one did.
    async fn change_right(&self, operator: &mut Host, turn: &mut usize, method: &'static str) -> bool {
        while !self.is_stopped() {
            *turn += 1;
            let replica = *turn % self.replicas.len();
            if self.is_cut_off(replica) {
                // It would not answer. The others must be able to revoke what its callers may do.
                continue;
            }
            let address = self.replicas[replica];
            operator.shared.endpoint.address = address;
            operator.connection = None;
            let mut params = json!({"agent_id": Role::Guest.agent(), "server_id": tools::GUARDED, "entry_type": "server_grant"});
            if method == GRANT {
                params["permission"] = "allow".into();
            }
            let is_revoke = method == REVOKE;
            let requested = self.request(operator, method, params);
            let succeeded = match is_revoke {
                true => tokio::time::timeout(REVOKE_TIMEOUT, requested).await.unwrap_or(false),
                false => requested.await,
            };
            if succeeded {
                return true;
            }
            pause(operator, AGAIN_MS).await;
        }
        false
    }

    /// Sends a request of MGP. Returns whether it succeeded.
    async fn request(&self, host: &mut Host, method: &'static str, params: Value) -> bool {
        let ticket = self.ledger.send(method);
        let mut message = Era::Stateless.request(ticket.id(), method, params, None);
        let capabilities = &mut message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        capabilities["extensions"]["dev.cloto/mgp"] = json!({"version": "0.3.0", "extensions": ["access"]});
        match host.exchange(&message, ticket.id(), method).await {
            Ok(response) => {
                let succeeded = response.answers.first().is_some_and(|answer| answer.get("result").is_some());
                ticket.answered(response.answer(), response.answers.len());
                succeeded
            }
            Err(why) => {
                ticket.lost(&why);
                false
            }
        }
    }
}
