//! Repeated calls.

use crate::{
    Area, Check, arguments,
    outcome::{Miss, Outcome, failed, quoted, skipped},
    session::Answer,
    visit::{Call, Visit, is_meta_tool},
};
use mgp_types::negotiation::Extension;
use serde_json::{Value, json};

const fn check(id: &'static str, of: &'static str, rule: &'static str, run: crate::check::Run) -> Check {
    Check { id, area: Area::Idempotency, rule, of, run }
}

pub(super) const CHECKS: &[Check] = &[
    check("idempotency.hints", "MCP tools", "No tool is marked as read-only and as destructive.", |visit| {
        Box::pin(hints(visit))
    }),
    check(
        "idempotency.accepted",
        "proposal 5",
        "A key for a call does no harm if the server does not support keys.",
        |visit| Box::pin(accepted(visit)),
    ),
    check(
        "idempotency.repeated",
        "proposal 5",
        "A call that is repeated under its key has the answer of the first call.",
        |visit| Box::pin(repeated(visit)),
    ),
    check("idempotency.conflict", "proposal 5", "A key with other arguments is refused.", |visit| {
        Box::pin(conflict(visit))
    }),
];

async fn hints(visit: &mut Visit) -> Outcome {
    let mut marked = 0;
    for tool in visit.tools() {
        let hints = &tool["annotations"];
        marked += usize::from(hints["readOnlyHint"] == json!(true));
        if hints["readOnlyHint"] == json!(true) && hints["destructiveHint"] == json!(true) {
            return failed(format!(
                "asked for tools; got {}; expected either readOnlyHint or destructiveHint",
                quoted(&tool.to_string())
            ));
        }
    }
    match marked {
        0 => skipped("no tool is marked as read-only"),
        count => Ok(format!("{count} tools are only read-only")),
    }
}

/// Returns whether the server declares support for keys of calls.
fn claims(visit: &Visit) -> bool {
    let capabilities = &visit.main.greeting.result["capabilities"];
    let is_declared = [&capabilities["idempotency"], &capabilities["experimental"]["idempotency"]]
        .into_iter()
        .any(|claim| !claim.is_null() && *claim != json!(false));
    is_declared || visit.extensions().contains(Extension::Idempotency.as_str())
}

/// Returns the calls that a server with keys makes only once under a key. Calls of MGP's own tools are not included, because they
/// have no effect to repeat.
async fn calls_with_effect(visit: &mut Visit) -> Result<Vec<Call>, Miss> {
    if !claims(visit) {
        return skipped("the server does not declare idempotency");
    }
    let mut calls = visit.calls().await?;
    calls.retain(|call| !is_meta_tool(&call.tool) && matches!(call.exchange.answer, Answer::Result(_)));
    match calls.is_empty() {
        true => skipped("no call of a tool that could have an effect was answered with a result"),
        false => Ok(calls),
    }
}

fn call(tool: &Value, arguments: &Value, key: &str) -> Value {
    json!({ "name": tool["name"], "arguments": arguments, "_meta": { "idempotency_key": key } })
}

/// Returns a key that no earlier run has used.
fn key(of: &str) -> String {
    format!("check-{of}-{}", jiff::Timestamp::now().as_nanosecond())
}

async fn accepted(visit: &mut Visit) -> Outcome {
    let calls = visit.calls().await?;
    let Some(before) = calls.iter().find(|call| matches!(call.exchange.answer, Answer::Result(_))) else {
        return skipped("no call was answered with a result");
    };
    let params = call(&before.tool, &before.arguments, &key("accepted"));
    let exchange = visit.main.session.request("tools/call", params).await;
    exchange.result("a result, as without a key")?;
    Ok(format!("{} with a key is answered", before.tool["name"]))
}

async fn repeated(visit: &mut Visit) -> Outcome {
    let calls = calls_with_effect(visit).await?;
    let (tool, arguments) = (&calls[0].tool, &calls[0].arguments);
    let params = call(tool, arguments, &key("repeated"));
    let first = visit.main.session.request("tools/call", params.clone()).await;
    let second = visit.main.session.request("tools/call", params).await;
    let part = |answer: &Answer| match answer {
        Answer::Result(result) => Some((result["content"].clone(), result["structuredContent"].clone())),
        _ => None,
    };
    match part(&first.answer) {
        None => skipped("the first call has no result"),
        first if first == part(&second.answer) => Ok(format!("{} answered the same", tool["name"])),
        _ => Err(second.wrong(&format!("the answer of the first call: {}", first.came()))),
    }
}

async fn conflict(visit: &mut Visit) -> Outcome {
    let calls = calls_with_effect(visit).await?;
    let other = |call: &Call| Some((call.clone(), other_than(&call.arguments, &call.tool["inputSchema"])?));
    let Some((Call { tool, arguments, .. }, other)) = calls.iter().find_map(other) else {
        return skipped("no other arguments are found that fit");
    };
    let key = key("conflict");
    visit.main.session.request("tools/call", call(&tool, &arguments, &key)).await;
    let exchange = visit.main.session.request("tools/call", call(&tool, &other, &key)).await;
    match &exchange.answer {
        Answer::Error(_) => Ok(exchange.came()),
        Answer::Result(result) if result["isError"] == json!(true) => Ok(exchange.came()),
        _ => Err(exchange.wrong("an error, because the key was used with other arguments")),
    }
}

/// Returns arguments that also fit the schema, with one text or number changed.
fn other_than(arguments: &Value, schema: &Value) -> Option<Value> {
    arguments.as_object()?.iter().find_map(|(name, value)| {
        let changed = match value {
            Value::String(text) => json!(format!("{text}2")),
            Value::Number(number) => json!(number.as_i64()?.checked_add(1)?),
            Value::Bool(value) => json!(!value),
            _ => return None,
        };
        let mut other = arguments.clone();
        other[name] = changed;
        (arguments::fits(schema, &other)? && other != *arguments).then_some(other)
    })
}
