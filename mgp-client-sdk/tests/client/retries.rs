//! §14.6 Requests that a client makes again because the server's error says so. The clock is tokio's, and no second passes.

use crate::{
    scripted::{self, Lines, Script},
    support::{builder, hear_progress},
};
use mgp_client_sdk::{
    Era, EraChoice, RawJson,
    client::{Client, ClientBuilder, RetryPolicy},
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

fn limited(advice: Value) -> Value {
    json!({"error": {"code": 3000, "message": "slow down", "data": {"_mgp": advice}}})
}

/// Connects to a server whose tool fails as often as `fails` says, each time with these messages.
async fn failing(
    fails: usize,
    builder: ClientBuilder,
    messages: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static,
) -> (Client, Lines) {
    let calls = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let script: Script = Arc::new(move |line| {
        if let Some(answer) = scripted::plain(line, &json!({"tools": {}})) {
            return answer;
        }
        if line["method"] != "tools/call" {
            return Vec::new();
        }
        if calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < fails {
            return messages(line);
        }
        scripted::result(json!({"content": [{"type": "text", "text": "done"}]}))
    });
    let (client, lines) = scripted::connect(script, builder, EraChoice::Known(Era::Initialize)).await;
    (client.unwrap(), lines)
}

#[tokio::test(start_paused = true)]
async fn a_request_is_made_again_after_the_pause_that_the_error_asks_for() {
    let advice = json!({"retryable": true, "retry_after_ms": 5_000, "retry_strategy": "immediate"});
    let (client, lines) = failing(2, builder(), move |_| vec![limited(advice.clone())]).await;
    let began = Instant::now();
    let done = client.call_tool("work", RawJson::empty_object()).await.unwrap();
    assert_eq!((done.content[0].as_text(), began.elapsed().as_secs()), (Some("done"), 10));
    let calls = lines.of("tools/call");
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[0]["params"], calls[2]["params"]);
}

#[tokio::test(start_paused = true)]
async fn it_is_made_as_often_as_the_client_and_the_error_allow() {
    let once = json!({"retryable": true, "max_retries": 1});
    let often = json!({"retryable": true, "max_retries": 100});
    for (advice, policy, expected) in [
        (json!({"retryable": false}), RetryPolicy::default(), 1),
        (often.clone(), RetryPolicy::never(), 1),
        (once, RetryPolicy::default(), 2),
        (often, RetryPolicy::default(), 3),
    ] {
        let (client, lines) =
            failing(9, builder().retries(policy), move |_| vec![limited(advice.clone())]).await;
        let error = client.call_tool("work", RawJson::empty_object()).await.unwrap_err();
        assert!(error.to_string().contains("slow down"), "{error}");
        assert_eq!(lines.of("tools/call").len(), expected, "{policy:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_without_advice_is_not_followed_by_another_request() {
    let (client, lines) = failing(1, builder(), |_| scripted::error(3000, "slow down")).await;
    client.call_tool("work", RawJson::empty_object()).await.unwrap_err();
    assert_eq!(lines.of("tools/call").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_request_of_which_the_caller_has_heard_is_not_made_again() {
    let (client, lines) = failing(1, builder(), |line| {
        let token = &line["params"]["_meta"]["progressToken"];
        let progress =
            json!({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}});
        vec![progress, limited(json!({"retryable": true}))]
    })
    .await;
    let mut heard = 0;
    hear_progress(&client, "work", |_| heard += 1).await.unwrap_err();
    assert_eq!((heard, lines.of("tools/call").len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn there_is_no_retry_after_the_longest_time_of_a_request() {
    let advice = json!({"retryable": true, "retry_after_ms": 5_000});
    let builder = builder().max_request_timeout(Duration::from_secs(5));
    let (client, lines) = failing(1, builder, move |_| vec![limited(advice.clone())]).await;
    client.call_tool("work", RawJson::empty_object()).await.unwrap_err();
    assert_eq!(lines.of("tools/call").len(), 1);
}
