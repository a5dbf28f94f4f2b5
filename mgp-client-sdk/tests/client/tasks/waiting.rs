//! The time limit and the interval of polling a task.

use super::support::{begin, by_hand, shown};
use crate::{scripted::result, support::builder};
use mgp_client_sdk::{
    Era,
    client::{Limits, TaskError},
    mcp::tasks::TaskStatus,
};
use serde_json::{Value, json};
use std::time::Duration;

/// Returns the number of times in a minute that a task that never ends is polled, if its server adds the members `said` to the task.
async fn looks(limits: Limits, said: Value) -> usize {
    let answer = move |_: &str, _: &Value| result(shown("working", said.clone()));
    let (client, lines) = by_hand(Era::Stateless, builder().limits(limits), answer).await;
    let task = begin(&client, "any").await;
    let error = task.result_within(Duration::from_millis(59_999)).await.unwrap_err();
    assert!(matches!(error, TaskError::Timeout { .. }), "{error}");
    lines.of("tasks/get").len()
}

#[tokio::test(start_paused = true)]
async fn polling_follows_the_server_s_interval_within_bounds() {
    let default = Limits::default;
    assert_eq!(looks(default(), json!({"pollIntervalMs": 5000})).await, 12);
    assert_eq!(looks(default(), json!({})).await, 60);
    assert_eq!(looks(default(), json!({"pollIntervalMs": 0})).await, 600);
    assert_eq!(looks(default(), json!({"pollIntervalMs": u64::MAX})).await, 1);
    let own = || Limits {
        task_poll_interval: Duration::from_secs(4),
        min_task_poll_interval: Duration::from_secs(2),
        max_task_poll_interval: Duration::from_secs(6),
        ..default()
    };
    assert_eq!(looks(own(), json!({})).await, 15);
    assert_eq!(looks(own(), json!({"pollIntervalMs": 1})).await, 30);
    assert_eq!(looks(own(), json!({"pollIntervalMs": 60_000})).await, 10);
}

#[tokio::test(start_paused = true)]
async fn repeated_waiting_does_not_poll_more_often() {
    let answer = |_: &str, _: &Value| result(shown("working", json!({"pollIntervalMs": 5000})));
    let (client, lines) = by_hand(Era::Stateless, builder(), answer).await;
    let task = begin(&client, "any").await;
    for _ in 0..20 {
        task.result_within(Duration::from_millis(900)).await.unwrap_err();
    }
    assert_eq!(lines.of("tasks/get").len(), 4);
    // An explicit request is not delayed.
    task.refresh().await.unwrap();
    assert_eq!(lines.of("tasks/get").len(), 5);
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_at_the_time_limit_and_the_task_goes_on() {
    for era in [Era::Initialize, Era::Stateless] {
        // A server of the earlier era does not answer while a task works.
        let answer = move |_: &str, _: &Value| match era {
            Era::Initialize => Vec::new(),
            Era::Stateless => result(shown("working", json!({}))),
        };
        let limits = Limits { task_timeout: Duration::from_secs(90), ..Limits::default() };
        let (client, lines) = by_hand(era, builder().limits(limits), answer).await;
        let task = begin(&client, "any").await;
        let before = tokio::time::Instant::now();
        let error = task.result().await.unwrap_err();
        assert_eq!(error.to_string(), r#"the task "t" did not end within 90s, and goes on"#);
        assert_eq!(before.elapsed().as_secs(), 90);
        task.result_within(Duration::from_secs(5)).await.unwrap_err();
        assert_eq!(before.elapsed().as_secs(), 95);
        assert_eq!(task.status(), TaskStatus::Working);
        assert!(lines.of("tasks/cancel").is_empty(), "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn in_the_era_of_initialize_waiting_is_one_request() {
    let answer = |method: &str, _: &Value| match method {
        "tasks/result" => result(json!({"content": [], "isError": true, "_meta": {"a/b": 1}})),
        _ => Vec::new(),
    };
    let (client, lines) = by_hand(Era::Initialize, builder(), answer).await;
    let task = begin(&client, "any").await;
    let brought = task.result().await.unwrap();
    assert!(brought.failed() && brought.meta.is_some(), "{brought:?}");
    assert_eq!(task.status(), TaskStatus::Failed);
    let asked: Vec<_> = lines.all().into_iter().skip(3).collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!((&asked[0]["method"], &asked[0]["params"]), (&json!("tasks/result"), &json!({"taskId": "t"})));
}
