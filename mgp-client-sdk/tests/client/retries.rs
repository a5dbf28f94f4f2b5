//! §14.6 Requests that a client makes again because the server's error says so. The clock is tokio's, and no second passes.

use crate::{
    scripted::{self, Lines, Script},
    support::{builder, hear_progress},
};
use mgp_client_sdk::{
    Era, EraChoice, RawJson,
    client::{Client, ClientBuilder, RetryPolicy},
    mcp::{ElicitParams, ElicitResult},
};
use mgp_server_sdk::{Server, Tool, ToolError, ask::Ask};
use mgp_types::error::ErrorCode;
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

fn limited(advice: &Value) -> Value {
    json!({"error": {"code": 3000, "message": "slow down", "data": {"_mgp": advice}}})
}

/// Connects to a server whose tool fails as often as `fails` says, each time with these messages.
async fn failing(
    fails: usize,
    builder: ClientBuilder,
    messages: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static,
) -> (Client, Lines) {
    let mgp = json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["error_handling"]}});
    failing_with(mgp, fails, builder, messages).await
}

/// Connects to a server with these capabilities.
async fn failing_with(
    capabilities: Value,
    fails: usize,
    builder: ClientBuilder,
    messages: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static,
) -> (Client, Lines) {
    let calls = Arc::new(AtomicUsize::new(0));
    let script: Script = Arc::new(move |line| {
        if let Some(answer) = scripted::plain(line, &capabilities) {
            return answer;
        }
        if line["method"] != "tools/call" {
            return Vec::new();
        }
        if calls.fetch_add(1, Ordering::SeqCst) < fails {
            return messages(line);
        }
        scripted::result(json!({"content": [{"type": "text", "text": "done"}]}))
    });
    let (client, lines) = scripted::connect(script, builder, EraChoice::Known(Era::Initialize)).await;
    (client.unwrap(), lines)
}

#[tokio::test(start_paused = true)]
async fn a_request_is_retried_after_the_requested_pause() {
    let advice = json!({"retryable": true, "retry_after_ms": 5_000, "retry_strategy": "immediate"});
    let (client, lines) = failing(2, builder(), move |_| vec![limited(&advice)]).await;
    let began = Instant::now();
    let done = client.call_tool("work", RawJson::empty_object()).await.unwrap();
    assert_eq!((done.content[0].as_text(), began.elapsed().as_secs()), (Some("done"), 10));
    let calls = lines.of("tools/call");
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[0]["params"], calls[2]["params"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_is_retried_as_often_as_client_and_error_allow() {
    let once = json!({"retryable": true, "max_retries": 1});
    let often = json!({"retryable": true, "max_retries": 100});
    for (advice, policy, expected) in [
        (json!({"retryable": false}), RetryPolicy::default(), 1),
        (often.clone(), RetryPolicy::never(), 1),
        (once, RetryPolicy::default(), 2),
        (often, RetryPolicy::default(), 3),
    ] {
        let (client, lines) = failing(9, builder().retries(policy), move |_| vec![limited(&advice)]).await;
        let error = client.call_tool("work", RawJson::empty_object()).await.unwrap_err();
        assert!(error.to_string().contains("slow down"), "{error}");
        assert_eq!(lines.of("tools/call").len(), expected, "{policy:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_an_error_that_asks_for_a_retry_is_retried() {
    for advice in [json!(null), json!({}), json!({"category": "resource"})] {
        let (client, lines) = failing(1, builder(), move |_| vec![limited(&advice)]).await;
        client.call_tool("work", RawJson::empty_object()).await.unwrap_err();
        assert_eq!(lines.of("tools/call").len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_plain_server_s_request_for_a_retry_does_not_count() {
    let said = |_: &Value| vec![limited(&json!({"retryable": true}))];
    let (client, lines) = failing_with(json!({"tools": {}}), 1, builder(), said).await;
    client.call_tool("work", RawJson::empty_object()).await.unwrap_err();
    assert_eq!(lines.of("tools/call").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_progress_was_seen_is_not_retried() {
    let (client, lines) = failing(1, builder(), |line| {
        let token = &line["params"]["_meta"]["progressToken"];
        let progress =
            json!({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}});
        vec![progress, limited(&json!({"retryable": true}))]
    })
    .await;
    let mut heard = 0;
    hear_progress(&client, "work", |_| heard += 1).await.unwrap_err();
    assert_eq!((heard, lines.of("tools/call").len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_pause_as_long_as_the_timeout_is_not_followed_by_a_retry() {
    let second = Duration::from_secs(1);
    for builder in [builder().max_request_timeout(5 * second), builder().request_timeout(5 * second)] {
        let advice = json!({"retryable": true, "retry_after_ms": 5_000});
        let (client, lines) = failing(1, builder, move |_| vec![limited(&advice)]).await;
        client.call_tool("work", RawJson::empty_object()).await.unwrap_err();
        assert_eq!(lines.of("tools/call").len(), 1);
    }
    // The second attempt is not answered, and has the time that is left.
    let calls = AtomicUsize::new(0);
    let builder = builder().max_request_timeout(20 * second);
    let (client, _lines) = failing(9, builder, move |_| {
        let is_first = calls.fetch_add(1, Ordering::SeqCst) == 0;
        let advice = json!({"retryable": true, "retry_after_ms": 5_000, "retry_strategy": "immediate"});
        if is_first { vec![limited(&advice)] } else { Vec::new() }
    })
    .await;
    let began = Instant::now();
    client.call_tool("work", RawJson::empty_object()).await.unwrap_err();
    assert_eq!(began.elapsed().as_secs(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_asked_the_user_is_not_retried() {
    for asks in [true, false] {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let work = move |ask: Ask| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move {
                let form = RawJson::parse(r#"{"type":"object","properties":{}}"#)?;
                if asks {
                    ask.elicit("sure", ElicitParams::form("Sure?", form)).await?;
                }
                Err::<String, _>(ToolError::protocol(ErrorCode::RateLimited.error("slow down")))
            }
        };
        let server = Server::new("s", "1").tool(Tool::new("work", "", work));
        let (input, output) = server.build().unwrap().in_process();
        let builder = builder().on_elicit(async |_: ElicitParams| ElicitResult::accept());
        let client = builder.connect(input, output).await.unwrap();
        client.call_tool("work", RawJson::empty_object()).await.unwrap_err();
        assert_eq!(calls.load(Ordering::SeqCst), if asks { 1 } else { 3 });
    }
}
