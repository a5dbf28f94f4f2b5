//! Recorded messages against the proposals' schemas: those between our client, our kernel, a server of ours and the proposals' server.
//! The table of docs/proposals.md lists which are sent, read, or never sent and why.

use super::{
    page,
    schemas::{self, Schemas},
    server,
    traffic::{Traffic, Writer},
};
use crate::{
    groups::{
        ask::connect,
        request::{call, request},
    },
    peers::{Instance, Kernel, Upstream},
    rows::{Context, Row},
    tap::Command,
};
use mgp_client_sdk::{
    Era,
    client::{CallOptions, Client},
};
use mgp_types::{
    discovery::GetManifest,
    events::{SubscribeEvents, SubscribeParams, UnsubscribeEvents, UnsubscribeParams},
    idempotency::IdempotencyKey,
    json::RawObject,
    mcp::CallToolResult,
    rpc::Empty,
    transaction::{
        BeginTransaction, BeginTransactionParams, CommitTransaction, QueryTransaction, RollbackTransaction,
        RollbackTransactionParams, TransactionParams, TransactionReport,
    },
};
use serde_json::{Value, json};
use std::{fmt, process::Stdio, time::Duration};

pub(super) fn row() -> Row {
    crate::rows::row("proposals/messages", &[], run).programs(&["python3"]).beside(schemas::folder())
}

async fn run(context: Context) -> Result<(), String> {
    let schemas = Schemas::read()?;
    let (theirs, ours) = (context.folder.record("theirs"), context.folder.record("ours"));
    let of_ours = Command::new(&context.programs.tickets).tapped(&context.programs, &ours);
    let of_theirs = server::command().tapped(&context.programs, &theirs);
    let upstreams = [("theirs", of_theirs), ("ours", of_ours)]
        .map(|(id, command)| Upstream::new(id, Instance::Child(command)));
    let kernel = Kernel::configure(&context, "full", &[], upstreams.into())?;
    // The other era has no method that ends a subscription.
    let host = Instance::Child(kernel.stdio(&context));
    let client = connect(&context, &host, Some(Era::Initialize)).await?;
    // Answered once the servers are up.
    client.list_tools().await.map_err(failed)?;
    calls(&client).await?;
    transactions(&client).await?;
    methods(&client).await?;
    client.close().await;

    let mut traffic = Traffic::default();
    traffic.add(&context.folder.record("host"), Writer::Ours)?;
    traffic.add(&ours, Writer::Ours)?;
    traffic.add(&theirs, Writer::Theirs)?;
    traffic.put("conformance/ConformanceReport", Writer::Ours, &report(&context).await?);
    let wrong = problems(&schemas, &traffic)?;
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Returns each recorded message that does not fit its schema, and each row of the table that the record contradicts.
fn problems(schemas: &Schemas, traffic: &Traffic) -> Result<Vec<String>, String> {
    let check = |name: &str, body: &Value| schemas.check(name, body);
    let mut wrong: Vec<_> =
        traffic.messages.iter().filter_map(|message| check(message.name, &message.body).err()).collect();
    let (page, names) = (page::read()?, schemas.names());
    wrong.extend(
        page.keys().filter(|name| !names.contains(name)).map(|name| format!("{name} is not a message")),
    );
    for name in names {
        let Some(words) = page.get(&name) else {
            wrong.push(format!("{name} has no row"));
            continue;
        };
        let is_recorded =
            |writer| traffic.messages.iter().any(|message| message.name == name && message.writer == writer);
        for (word, writer) in [("sent", Writer::Ours), ("read", Writer::Theirs)] {
            match (words.contains(&word), is_recorded(writer)) {
                (true, false) => {
                    wrong.push(format!("{name} is {word}, the page says, and none was recorded"));
                }
                (false, true) => wrong.push(format!("{name} was recorded, and the page does not say {word}")),
                _ => {}
            }
        }
        if words.contains(&"never")
            && let Some(message) = traffic.written.iter().find(|part| check(&name, part).is_ok())
        {
            wrong.push(format!("{name} is never sent, the page says, and this was: {message}"));
        }
    }
    Ok(wrong)
}

/// Makes calls that request more than their result.
async fn calls(client: &Client) -> Result<(), String> {
    let key = IdempotencyKey::new("peers-1").ok_or("no key")?;
    let once = || CallOptions::new().idempotency_key(&key).idempotency_ttl(Duration::from_secs(60));
    for was_replay in [false, true] {
        let made = made(client, "create_ticket", json!({ "title": "Count swans" }), once()).await?;
        if made.replay_note().is_none_or(|note| note.was_replay != was_replay) {
            return Err(format!("this should be a replay, or the first call: {made:?}"));
        }
    }
    let query = json!({ "query": "" });
    made(client, "search_tickets", query.clone(), CallOptions::new().attest()).await?;
    made(client, "search_tickets", query.clone(), CallOptions::new().keep_result()).await?;
    let opened = json!({ "title": "Feed swans" });
    for _ in 0..2 {
        made(client, "open", opened.clone(), CallOptions::new().attest()).await?;
    }
    made(client, "export", json!({}), CallOptions::new()).await?;
    let refused =
        request(client, "tools/call", &json!({ "name": "search_tickets", "session_state": "no token" }))
            .await?;
    if refused["_meta"]["dev.cloto/result"]["error"]["error_details"]["code"] != json!("INVALID_INPUT") {
        return Err(format!("the server did not refuse the state of its host: {refused}"));
    }
    Ok(())
}

async fn made(
    client: &Client,
    tool: &str,
    arguments: Value,
    options: CallOptions,
) -> Result<CallToolResult, String> {
    let result = client.call_tool_with(tool, arguments, options).await.map_err(failed)?;
    if result.failed() { Err(format!("{tool} failed: {}", result.joined_text())) } else { Ok(result) }
}

/// Rolls back a transaction of which one step failed and one cannot be undone, and commits another one.
async fn transactions(client: &Client) -> Result<(), String> {
    let (id, description) = ("tx-1".to_owned(), Some("Two tickets".to_owned()));
    let begin = |transaction_id: &str| BeginTransactionParams {
        transaction_id: transaction_id.to_owned(),
        timeout_seconds: Some(60),
        description: description.clone(),
    };
    let of = |transaction_id: &str| TransactionParams { transaction_id: transaction_id.to_owned() };
    let title = json!({ "title": "Feed swans" });
    client.request::<BeginTransaction>(&begin(&id)).await.map_err(failed)?;
    let step = |name: &str| CallOptions::new().transaction("tx-1").step(name);
    made(client, "open", title.clone(), step("first")).await?;
    made(client, "create_ticket", title, step("second")).await?;
    let third =
        client.call_tool_with("close", json!({ "number": 99 }), step("third")).await.map_err(failed)?;
    if !third.failed() {
        return Err(format!("the third step succeeded: {third:?}"));
    }
    client.request::<QueryTransaction>(&of(&id)).await.map_err(failed)?;
    let rollback =
        RollbackTransactionParams { transaction_id: id, reason: Some("the third step failed".to_owned()) };
    let report = client.request::<RollbackTransaction>(&rollback).await.map_err(failed)?;
    undone(&report)?;
    client.request::<BeginTransaction>(&begin("tx-2")).await.map_err(failed)?;
    client.request::<CommitTransaction>(&of("tx-2")).await.map_err(failed).map(drop)
}

/// Checks that one step was undone and the other was not.
fn undone(report: &TransactionReport) -> Result<(), String> {
    let steps = report.steps_compensated.iter().flatten();
    let ends: Vec<_> = steps.map(|step| (step.step_id.as_str(), step.error.is_none())).collect();
    if ends == [("second", false), ("first", true)] {
        Ok(())
    } else {
        Err(format!("the rollback says {report:?}"))
    }
}

/// Sends requests of other methods.
async fn methods(client: &Client) -> Result<(), String> {
    let check = json!({ "tool": "search_tickets", "scopes_held": [], "parameters": { "query": "swans" } });
    let allowed = request(client, "can_execute", &check).await?;
    let refused =
        request(client, "check_permissions", &json!({ "tool": "nothing", "scopes_held": [] })).await?;
    if allowed["allowed"] != json!(true) || refused["allowed"] != json!(false) {
        return Err(format!("one is allowed and the other is not: {allowed}, {refused}"));
    }
    let params = SubscribeParams::new(["tool.called"]);
    let subscribed = client.request::<SubscribeEvents>(&params).await.map_err(failed)?;
    // An event of a call.
    call(client, "search_tickets", &json!({}), &json!({})).await?;
    let params = UnsubscribeParams { subscription_id: subscribed.subscription_id };
    client.request::<UnsubscribeEvents>(&params).await.map_err(failed)?;
    let empty = Empty::default();
    let _: RawObject = client.request::<GetManifest>(&empty).await.map_err(failed)?;
    Ok(())
}

/// Returns the report of `mgp check` on our own gateway.
async fn report(context: &Context) -> Result<Value, String> {
    let mgp = &context.programs.mgp;
    let mut command = tokio::process::Command::new(mgp);
    command.args(["check", "--format", "json", "--"]).arg(mgp).args([
        "serve",
        "--alone",
        "--demo",
        "--state-dir",
    ]);
    command.arg(context.folder.file("checked")).current_dir(context.folder.path());
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map_err(|error| format!("failed to run mgp check: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("the report is not JSON: {error}"))
}

fn failed(error: impl fmt::Display) -> String {
    format!("a request failed: {error}")
}
