//! Progress and partial results.

use crate::{
    Area, Check,
    outcome::{Miss, Outcome, failed, quoted, skipped},
    session::Exchange,
    visit::Visit,
};
use serde_json::{Value, json};

const fn check(id: &'static str, of: &'static str, rule: &'static str, run: crate::check::Run) -> Check {
    Check { id, area: Area::Streaming, rule, of, run }
}

pub(super) const CHECKS: &[Check] = &[
    check("streaming.token", "MCP progress", "Progress names the token of a running request.", |visit| {
        Box::pin(token(visit))
    }),
    check("streaming.growth", "MCP progress", "Progress grows with every notification.", |visit| {
        Box::pin(growth(visit))
    }),
    check("streaming.unasked", "MCP progress", "A call without a token receives no progress.", |visit| {
        Box::pin(unasked(visit))
    }),
    check(
        "streaming.chunks",
        "MGP §12.4",
        "Chunks have the indices 0, 1, 2 and so on, and the id of their request.",
        |visit| Box::pin(chunks(visit)),
    ),
    check("streaming.no-chunks", "MGP §12.3", "A call that requests no chunks receives none.", |visit| {
        Box::pin(no_chunks(visit))
    }),
];

const PROGRESS: &str = "notifications/progress";
const CHUNK: &str = "notifications/mgp.stream.chunk";

/// Calls each tool that may be called, with additional members in its params.
async fn called(visit: &mut Visit, more: fn(&Value) -> Value) -> Result<Vec<Exchange>, Miss> {
    let mut exchanges = Vec::new();
    for call in visit.calls().await? {
        let id = visit.main.session.take_id();
        let mut params = json!({ "name": call.tool["name"], "arguments": call.arguments });
        for (key, value) in more(&id).as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        exchanges.push(visit.main.session.request_as(id, "tools/call", params).await);
    }
    Ok(exchanges)
}

fn of<'a>(exchange: &'a Exchange, method: &'a str) -> impl Iterator<Item = &'a Value> {
    exchange.heard.iter().filter(move |heard| heard["method"] == json!(method)).map(|heard| &heard["params"])
}

fn with_token(id: &Value) -> Value {
    json!({ "_meta": { "progressToken": format!("check-{id}") } })
}

async fn token(visit: &mut Visit) -> Outcome {
    let mut count = 0;
    for exchange in called(visit, with_token).await? {
        let token = json!(format!("check-{}", exchange.id));
        for progress in of(&exchange, PROGRESS) {
            count += 1;
            if progress["progressToken"] != token {
                return failed(format!(
                    "sent {}; got progress {}; expected the token {token}",
                    quoted(&exchange.sent),
                    quoted(&progress.to_string())
                ));
            }
        }
    }
    some(count, "notifications")
}

async fn growth(visit: &mut Visit) -> Outcome {
    let mut count = 0;
    for exchange in called(visit, with_token).await? {
        let mut last = f64::NEG_INFINITY;
        for progress in of(&exchange, PROGRESS) {
            count += 1;
            match progress["progress"].as_f64() {
                Some(now) if now > last => last = now,
                _ => {
                    return failed(format!(
                        "sent {}; got progress {} after {last}; expected a greater number",
                        quoted(&exchange.sent),
                        quoted(&progress.to_string())
                    ));
                }
            }
        }
    }
    some(count, "notifications")
}

async fn unasked(visit: &mut Visit) -> Outcome {
    let calls = visit.calls().await?;
    for call in &calls {
        if let Some(progress) = of(&call.exchange, PROGRESS).next() {
            return failed(format!(
                "sent {}; got progress {}; expected none without a token",
                quoted(&call.exchange.sent),
                quoted(&progress.to_string())
            ));
        }
    }
    Ok(format!("{} calls without progress", calls.len()))
}

async fn chunks(visit: &mut Visit) -> Outcome {
    visit.needs(&["streaming"])?;
    let mut count = 0;
    for exchange in called(visit, |_| json!({ "_mgp": { "stream": true } })).await? {
        for (index, chunk) in of(&exchange, CHUNK).enumerate() {
            count += 1;
            let fits = chunk["index"] == json!(index) && chunk["request_id"] == exchange.id;
            if !fits || !chunk["content"]["type"].is_string() {
                return failed(format!(
                    "sent {}; got the chunk {}; expected the index {index}, the request_id {} and content with a type",
                    quoted(&exchange.sent),
                    quoted(&chunk.to_string()),
                    exchange.id
                ));
            }
        }
    }
    some(count, "chunks")
}

async fn no_chunks(visit: &mut Visit) -> Outcome {
    visit.needs(&["streaming"])?;
    let calls = visit.calls().await?;
    for call in &calls {
        if let Some(chunk) = of(&call.exchange, CHUNK).next() {
            return failed(format!(
                "sent {}; got the chunk {}; expected none that was not requested",
                quoted(&call.exchange.sent),
                quoted(&chunk.to_string())
            ));
        }
    }
    Ok(format!("{} calls without chunks", calls.len()))
}

fn some(count: usize, what: &str) -> Outcome {
    match count {
        0 => skipped(format!("no call received any {what}")),
        count => Ok(format!("{count} {what}")),
    }
}
