//! The life of a task: its result, its failure, and its cancellation by its client; in both eras, over byte streams and HTTP.

use super::support::{Door, begin, by_hand, open, shown};
use crate::{
    scripted::{self, plain, result},
    support::{Way, builder, text, within},
};
use mgp_client_sdk::{
    CallError, Era, EraChoice,
    client::{Task, TaskError, TaskStart},
    mcp::tasks::TaskStatus,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

#[tokio::test]
async fn a_task_returns_the_result_of_its_call() {
    for way in Way::ALL {
        let door = Door::closed();
        let connected = open(*way, &door).await;
        let task = begin(&connected.client, "wait").await;
        assert_eq!(task.status(), TaskStatus::Working, "{way:?}");
        assert_eq!(within(task.refresh()).await.unwrap(), TaskStatus::Working, "{way:?}");
        assert!(task.ttl().is_some() && task.poll_interval().is_some(), "{way:?}");
        let opens = async {
            tokio::task::yield_now().await;
            door.open();
        };
        let (brought, ()) = tokio::join!(within(task.result()), opens);
        assert_eq!(text(&brought.unwrap()), "through", "{way:?}");
        assert_eq!(task.status(), TaskStatus::Completed, "{way:?}");
        assert_eq!(text(&within(task.result()).await.unwrap()), "through", "{way:?}");
    }
}

#[tokio::test]
async fn a_tool_error_is_a_result_and_a_protocol_error_a_failed_task() {
    for way in Way::ALL {
        let connected = open(*way, &Door::closed()).await;
        let failed = within(begin(&connected.client, "fail").await.result()).await.unwrap();
        assert!(failed.failed() && text(&failed) == "no luck", "{way:?} {failed:?}");
        let task = begin(&connected.client, "break").await;
        match within(task.result()).await {
            Err(TaskError::Failed(error)) => assert_eq!((error.code, &*error.message), (-32050, "no way")),
            other => panic!("{way:?} {other:?}"),
        }
        assert_eq!(task.status(), TaskStatus::Failed);
        assert_eq!(task.status_message().as_deref(), Some("no way"));
    }
}

#[tokio::test]
async fn a_cancelled_task_has_no_result_and_an_ended_one_is_unchanged() {
    for way in Way::ALL {
        let door = Door::closed();
        let connected = open(*way, &door).await;
        let task = begin(&connected.client, "wait").await;
        // This also holds for a caller that waits already.
        let cancels = async {
            tokio::task::yield_now().await;
            task.cancel().await
        };
        let (brought, cancelled) = within(async { tokio::join!(task.result(), cancels) }).await;
        assert_eq!(cancelled.unwrap(), TaskStatus::Cancelled, "{way:?}");
        let error = brought.unwrap_err();
        assert_eq!(error.to_string(), "the task was cancelled: cancelled by its client", "{way:?}");
        assert_eq!(within(task.cancel()).await.unwrap(), TaskStatus::Cancelled, "{way:?}");
        let done = begin(&connected.client, "wait").await;
        door.open();
        within(done.result()).await.unwrap();
        assert_eq!(within(done.cancel()).await.unwrap(), TaskStatus::Completed, "{way:?}");
    }
}

#[tokio::test]
async fn a_task_outlives_its_handle_and_is_found_by_id() {
    for way in Way::ALL {
        let door = Door::closed();
        let connected = open(*way, &door).await;
        let id = begin(&connected.client, "wait").await.id().to_owned();
        let task = within(connected.client.task(&id)).await.unwrap();
        assert_eq!(task.status(), TaskStatus::Working, "{way:?}");
        door.open();
        assert_eq!(text(&within(TaskStart::Task(task).result()).await.unwrap()), "through", "{way:?}");
    }
}

#[tokio::test]
async fn an_unknown_task_is_the_server_s_error() {
    for way in Way::ALL {
        let connected = open(*way, &Door::closed()).await;
        match within(connected.client.task("nobody's")).await {
            Err(TaskError::Call(CallError::Peer(error))) => {
                assert!(error.code == -32602 && error.message.contains("nobody's"), "{way:?} {error}");
            }
            other => panic!("{way:?} {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_forgotten_task_is_an_error_for_waiters_too() {
    for era in [Era::Initialize, Era::Stateless] {
        let unknown = |_: &str, _: &Value| scripted::error(-32602, "unknown task");
        let (client, lines) = by_hand(era, builder(), unknown).await;
        let task = begin(&client, "any").await;
        for error in [within(task.result()).await.map(drop), within(task.cancel()).await.map(drop)] {
            match error {
                Err(TaskError::Call(CallError::Peer(error))) => assert_eq!(error.code, -32602),
                other => panic!("{era:?} {other:?}"),
            }
        }
        assert!(lines.methods().len() < 10, "{:?}", lines.methods());
    }
}

#[tokio::test]
async fn tasks_are_listed_if_the_era_has_a_list() {
    let door = Door::closed();
    let connected = open(Way::Stream(Era::Initialize), &door).await;
    let made = [begin(&connected.client, "wait").await, begin(&connected.client, "wait").await];
    let listed = within(connected.client.tasks()).await.unwrap();
    let ids = |tasks: &[Task]| tasks.iter().map(|task| task.id().to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(ids(&listed), ids(&made));
    door.open();
    within(async { listed[0].result().await }).await.unwrap();
    let (client, lines) = by_hand(Era::Stateless, builder(), |_, _| Vec::new()).await;
    let error = within(client.tasks()).await.map(drop).unwrap_err();
    assert!(matches!(error, TaskError::Unsupported { what: "list tasks", .. }), "{error}");
    assert_eq!(lines.methods(), ["server/discover"]);
}

#[tokio::test]
async fn a_server_is_not_asked_for_unsupported_task_methods() {
    let script = |line: &Value| {
        let said = json!({"tasks": {"requests": {"tools": {"call": {}}}}});
        let task = json!({
            "taskId": "t", "status": "working", "createdAt": "c", "lastUpdatedAt": "u", "ttl": null
        });
        plain(line, &said).unwrap_or_else(|| result(json!({"task": task})))
    };
    let choice = EraChoice::Known(Era::Initialize);
    let (client, lines) = scripted::connect(Arc::new(script), builder(), choice).await;
    let client = client.unwrap();
    let task = begin(&client, "any").await;
    assert_eq!(task.ttl(), None);
    let error = within(task.cancel()).await.unwrap_err().to_string();
    assert_eq!(error, "the server cannot cancel tasks: expected tasks.cancel in its capabilities");
    let error = within(client.tasks()).await.map(drop).unwrap_err().to_string();
    assert_eq!(error, "the server cannot list tasks: expected tasks.list in its capabilities");
    assert_eq!(lines.methods(), ["initialize", "notifications/initialized", "tools/call"]);
}

#[tokio::test]
async fn another_task_is_not_mistaken_for_this_one() {
    let answer = |_: &str, _: &Value| result(shown("completed", json!({"taskId": "other", "result": {}})));
    let (client, _lines) = by_hand(Era::Stateless, builder(), answer).await;
    let task = begin(&client, "any").await;
    for error in [
        within(task.refresh()).await.unwrap_err(),
        within(task.result()).await.unwrap_err(),
        within(client.task("mine")).await.map(drop).unwrap_err(),
    ] {
        assert!(error.to_string().contains(r#"found "other""#), "{error}");
    }
    assert_eq!(task.status(), TaskStatus::Working);
}

#[tokio::test]
async fn an_ended_task_without_its_required_members_is_an_error() {
    for (status, missing) in [("completed", "result"), ("failed", "error")] {
        let answer = move |_: &str, _: &Value| result(shown(status, json!({})));
        let (client, _lines) = by_hand(Era::Stateless, builder(), answer).await;
        let error = within(begin(&client, "any").await.result()).await.unwrap_err().to_string();
        assert_eq!(error, format!("unexpected result of tasks/get: missing {missing}"));
    }
}
