//! Messages of a real kernel, which fit the proposals' schemas as they are sent. The messages that do not, and why, are in docs/seeds.md.

use super::{
    request::{call, request},
    schemas::{self, Schemas},
    server,
};
use crate::{
    groups::ask::connect,
    peers::{Instance, Kernel, Upstream},
    rows::{Context, Row},
};
use mgp_client_sdk::{Era, client::Client};
use serde_json::{Map, Value, json};
use std::process::Stdio;

/// A message, and the definition that it must fit.
type Message = (&'static str, Value);

pub(super) fn row() -> Row {
    crate::rows::row("proposals/messages", &[], run).programs(&["python3"]).beside(schemas::folder())
}

async fn run(context: Context) -> Result<(), String> {
    let schemas = Schemas::read()?;
    let tickets = Upstream::new("tickets", Instance::Child(server::command()));
    let kernel = Kernel::configure(&context, "full", &[], vec![tickets])?;
    // The other era has no method by which a subscription ends.
    let host = Instance::Child(kernel.stdio(&context));
    let client = connect(&context, &host, Some(Era::Initialize)).await?;
    // Answered once the server is up.
    client.list_tools().await.map_err(|error| format!("failed to list: {error}"))?;
    let mut messages = calls(&client).await?;
    messages.extend(transactions(&client).await?);
    messages.extend(methods(&client).await?);
    messages.push(("conformance/ConformanceReport", report(&context).await?));
    let wrong: Vec<_> =
        messages.iter().filter_map(|(name, message)| schemas.check(name, message).err()).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Messages of calls: what is asked for in `_meta`, and what results say there.
async fn calls(client: &Client) -> Result<Vec<Message>, String> {
    let key = json!({ "idempotency_key": "peers-1", "idempotency_ttl_seconds": 60 });
    let title = json!({ "title": "Count swans" });
    call(client, "create_ticket", &title, &key).await?;
    let replayed = call(client, "create_ticket", &title, &key).await?;
    if replayed["_meta"]["was_replay"] != json!(true) {
        return Err(format!("this is no replay: {replayed}"));
    }
    let query = json!({ "query": "" });
    let attested = call(client, "search_tickets", &query, &json!({ "dev.cloto/attest": true })).await?;
    let kept =
        call(client, "search_tickets", &query, &json!({ "dev.cloto/call": { "keep_result": true } })).await?;
    let (result, state) = (&attested["structuredContent"], &attested["_meta"]["session_state"]);
    Ok(vec![
        ("transactions/IdempotentRequest", key),
        (
            "transactions/IdempotencyResponse",
            only(&replayed["_meta"], &["idempotency_key", "was_replay", "original_timestamp"])?,
        ),
        ("provenance/Provenance", part(&attested, "/_meta/provenance")?),
        ("provenance/Provenance", part(&attested, "/_meta/dev.cloto~1attestation")?),
        (
            "provenance/ProvenanceWrapper",
            json!({ "result": result, "provenance": attested["_meta"]["provenance"] }),
        ),
        ("session-state/StateUpdateResponse", json!({ "result": result, "session_state": state })),
        ("data-references/DataReference", part(&kept, "/_meta/dev.cloto~1reference")?),
    ])
}

/// Messages about transactions.
async fn transactions(client: &Client) -> Result<Vec<Message>, String> {
    let begin = json!({ "transaction_id": "tx-1", "timeout_seconds": 60, "description": "Two tickets" });
    let rollback = json!({ "transaction_id": "tx-1", "reason": "the second one failed" });
    let commit = json!({ "transaction_id": "tx-2" });
    let step = |name: &str, step: &str| json!({ "transaction_id": name, "step_id": step });
    let title = json!({ "title": "Feed swans" });
    request(client, "mgp/transaction/begin", &begin).await?;
    call(client, "create_ticket", &title, &step("tx-1", "first")).await?;
    let status = request(client, "mgp/transaction/status", &step("tx-1", "first")).await?;
    let rolled_back = request(client, "mgp/transaction/rollback", &rollback).await?;
    if rolled_back["steps_compensated"].as_array().is_none_or(Vec::is_empty) {
        return Err(format!("the rollback says nothing of its step: {rolled_back}"));
    }
    request(client, "transaction/begin", &commit).await?;
    request(client, "transaction/commit", &commit).await?;
    Ok(vec![
        ("transactions/TransactionBegin", begin),
        ("transactions/TransactionStepResult", part(&status, "/steps/0")?),
        ("transactions/TransactionCommit", commit),
        ("transactions/TransactionRollback", rollback),
        ("transactions/TransactionRollbackResult", rolled_back),
    ])
}

/// Messages of other methods.
async fn methods(client: &Client) -> Result<Vec<Message>, String> {
    let check = json!({ "tool": "search_tickets", "scopes_held": [], "parameters": { "query": "swans" } });
    let allowed = request(client, "can_execute", &check).await?;
    let refused =
        request(client, "check_permissions", &json!({ "tool": "nothing", "scopes_held": [] })).await?;
    if allowed["allowed"] != json!(true) || refused["allowed"] != json!(false) {
        return Err(format!("one is allowed and the other is not: {allowed}, {refused}"));
    }
    let subscribed = request(client, "mgp/events/subscribe", &json!({ "channels": ["tool.called"] })).await?;
    let unsubscribe = only(&subscribed, &["subscription_id"])?;
    request(client, "mgp/events/unsubscribe", &unsubscribe).await?;
    Ok(vec![
        ("service-manifest", request(client, "mgp/discovery/manifest", &json!({})).await?),
        ("permissions/PermissionCheckRequest", check),
        ("permissions/PermissionCheckResponse", allowed),
        ("permissions/PermissionCheckResponse", refused),
        ("subscribe-notify/UnsubscribeRequest", unsubscribe),
    ])
}

/// Returns the report of `mgp check` on our own gateway.
async fn report(context: &Context) -> Result<Value, String> {
    let mgp = &context.programs.mgp;
    let mut command = tokio::process::Command::new(mgp);
    command.args(["check", "--format", "json", "--"]).arg(mgp).args(["serve", "--demo", "--state-dir"]);
    command.arg(context.folder.file("checked")).current_dir(context.folder.path());
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map_err(|error| format!("failed to run mgp check: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("the report is no JSON: {error}"))
}

fn part(message: &Value, pointer: &str) -> Result<Value, String> {
    message.pointer(pointer).cloned().ok_or_else(|| format!("{pointer} is not in {message}"))
}

/// Returns an object with these of its members alone, all of which must be there.
fn only(object: &Value, keys: &[&str]) -> Result<Value, String> {
    let member = |key: &&str| Some(((*key).to_owned(), object.get(*key)?.clone()));
    let members: Option<Map<_, _>> = keys.iter().map(member).collect();
    members.map(Value::Object).ok_or_else(|| format!("{keys:?} are not in {object}"))
}
