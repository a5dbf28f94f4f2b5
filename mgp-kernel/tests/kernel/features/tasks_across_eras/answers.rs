//! The outcomes of a task, for each pair of eras.

use super::support::{
    Door, RELATED, about, begin, each_pair, host, kernel, look, look_until, outcome, spec, takes,
};
use crate::{
    features::eras::{self, events},
    raw_host::As,
    support::{pause_clock, start, until},
};
use mgp_kernel::Era;
use mgp_server_sdk::{
    Server, Tool, ToolError,
    task::{StartTask, TaskSupport},
};
use mgp_types::{access::DefaultPolicy, json::RawJson, rpc::ErrorObject};
use serde_json::json;
use std::time::Duration;

const REQUEST_FORWARDED: &str = "dev.cloto.mgp.REQUEST_FORWARDED";

#[tokio::test]
async fn a_task_is_read_and_its_result_fetched_in_the_host_s_form() {
    each_pair(|setup, mut host, (host_era, server_era), door| async move {
        let task = begin(&mut host, host_era, "wait").await;
        let (ttl, pause) = match host_era {
            Era::Initialize => ("ttl", "pollInterval"),
            Era::Stateless => ("ttlMs", "pollIntervalMs"),
        };
        assert!(task[ttl].is_u64() && task[pause].is_u64(), "{host_era:?} {server_era:?}: {task}");
        let seen = look(&mut host, &task).await;
        assert_eq!(
            (&seen["status"], &seen["taskId"], &seen["createdAt"], &seen[ttl], seen.get("result")),
            (&json!("working"), &task["taskId"], &task["createdAt"], &task[ttl], None),
            "{host_era:?} {server_era:?}"
        );
        door.open();
        let done = look_until(&mut host, &task, "completed").await;
        assert_eq!(done.get("result").is_some(), host_era == Era::Stateless, "{done}");
        let result = outcome(&mut host, host_era, &task).await;
        assert_eq!(result["content"][0]["text"], "through", "{host_era:?} {server_era:?}");
        let related = result["_meta"].get(RELATED).cloned();
        let named = (host_era == Era::Initialize).then(|| about(&task));
        assert_eq!(related, named, "{host_era:?} {server_era:?}: {result}");
        assert_eq!(setup.calls(), ["TOOL_EXECUTED SUCCESS srv.wait"], "one event, whatever it became");
        let subject = format!("SUCCESS {}", task["taskId"].as_str().unwrap());
        let forwarded = events(&setup, REQUEST_FORWARDED, "subject");
        assert!(!forwarded.is_empty() && forwarded.iter().all(|event| *event == subject), "{forwarded:?}");
    })
    .await;
}

#[tokio::test]
async fn a_running_task_uses_the_kernel_after_its_host_has_gone() {
    for (tool, is_used) in [(Some("wait"), true), (None, false)] {
        let door = Door::closed();
        let setup = kernel(Era::Initialize, &door).await;
        assert!(!setup.kernel.is_used());
        let mut host = host(&setup, Era::Initialize).await;
        assert!(setup.kernel.is_used());
        if let Some(tool) = tool {
            begin(&mut host, Era::Initialize, tool).await;
        }
        drop(host);
        until(|| setup.kernel.hosts() == 0).await;
        assert_eq!(setup.kernel.is_used(), is_used, "{tool:?}");
    }
}

#[tokio::test]
async fn a_waiting_host_gets_a_task_s_result_with_one_event() {
    for server_era in [Era::Initialize, Era::Stateless] {
        let door = Door::closed();
        let setup = kernel(server_era, &door).await;
        let mut host = host(&setup, Era::Initialize).await;
        let task = begin(&mut host, Era::Initialize, "wait").await;
        let waiting = host.send("tasks/result", about(&task)).await;
        assert_eq!(look(&mut host, &task).await["status"], "working");
        assert!(host.read.iter().all(|message| message["id"] != waiting), "it waits: {:?}", host.read);
        door.open();
        let answer = host.answer_to(waiting).await;
        assert_eq!(answer["result"]["content"][0]["text"], "through", "{server_era:?}: {answer}");
        let waited = events(&setup, REQUEST_FORWARDED, "method");
        assert_eq!(waited, ["SUCCESS tasks/get", "SUCCESS tasks/result"], "{server_era:?}");
    }
}

#[tokio::test]
async fn waiting_for_a_result_has_no_time_limit_and_blocks_no_call() {
    for server_era in [Era::Initialize, Era::Stateless] {
        let door = Door::closed();
        let mut spec = spec(server_era, &door);
        (spec.max_concurrent, spec.call_timeout) = (1, Duration::from_millis(300));
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let mut host = host(&setup, Era::Initialize).await;
        let _paused = pause_clock();
        let task = begin(&mut host, Era::Initialize, "wait").await;
        let waiting = host.send("tasks/result", about(&task)).await;
        tokio::time::sleep(Duration::from_millis(600)).await;
        assert_eq!(look(&mut host, &task).await["status"], "working", "{server_era:?}");
        door.open();
        let answer = host.answer_to(waiting).await;
        assert_eq!(answer["result"]["content"][0]["text"], "through", "{server_era:?}: {answer}");
    }
}

#[tokio::test]
async fn a_host_can_stop_waiting_while_the_task_continues() {
    let door = Door::closed();
    let setup = kernel(Era::Stateless, &door).await;
    let mut host = host(&setup, Era::Initialize).await;
    let task = begin(&mut host, Era::Initialize, "wait").await;
    let id = host.send("tasks/result", about(&task)).await;
    look(&mut host, &task).await;
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    host.say(cancelled).await;
    assert_eq!(look(&mut host, &task).await["status"], "working");
    door.open();
    look_until(&mut host, &task, "completed").await;
    assert!(host.read.iter().all(|message| message["id"] != id), "{:?}", host.read);
}

#[tokio::test]
async fn a_failed_tool_is_a_failed_task_only_in_the_core_form() {
    each_pair(|setup, mut host, eras, _| async move {
        let task = begin(&mut host, eras.0, "fails").await;
        let status = if eras.0 == Era::Initialize { "failed" } else { "completed" };
        look_until(&mut host, &task, status).await;
        let result = outcome(&mut host, eras.0, &task).await;
        assert_eq!(
            (&result["isError"], &result["content"][0]["text"]),
            (&json!(true), &json!("it is broken")),
            "{eras:?}"
        );
        assert_eq!(setup.calls().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_error_is_that_of_the_task() {
    each_pair(|_setup, mut host, eras, _| async move {
        let task = begin(&mut host, eras.0, "late").await;
        let seen = look_until(&mut host, &task, "failed").await;
        let error = match eras.0 {
            Era::Initialize => {
                assert_eq!(seen["statusMessage"], "out of order", "{eras:?}");
                host.refused("tasks/result", about(&task)).await
            }
            Era::Stateless => seen["error"].clone(),
        };
        assert_eq!((&error["code"], &error["message"]), (&json!(-7), &json!("out of order")), "{eras:?}");
        assert!(!seen.to_string().contains("_mgp"), "it stands in a result: {seen}");
    })
    .await;
}

#[tokio::test]
async fn the_error_of_a_task_has_no_number_of_the_registry() {
    let fails = async |start: StartTask| {
        start.begin().await;
        let data = RawJson::parse(r#"{"error_type":"FieldValidation","field":"ticker"}"#)?;
        Err::<String, _>(ToolError::protocol(ErrorObject::new(-32001, "no such ticker").with_data(data)))
    };
    let tool = Tool::new("fails", "Fails", fails).task(TaskSupport::Required).read_only(true);
    let stack = Server::new("numbers", "1").tool(tool).build().unwrap();
    // Such a server tells the error of a task in answer to another request than the one that shows the task.
    let mut spec = eras::spec("srv", Era::Initialize, &stack);
    spec.default_policy = DefaultPolicy::OptOut;
    let setup = start(|kernel, _| kernel.server(spec)).await;
    for (this, code) in [(As::plain(Era::Stateless), -32602), (As::mgp(Era::Stateless), 4000)] {
        let mut host = setup.raw_host(this.can(takes())).await;
        let task = begin(&mut host, Era::Stateless, "fails").await;
        let seen = look_until(&mut host, &task, "failed").await;
        let error = &seen["error"];
        assert_eq!((&error["code"], &error["message"]), (&json!(code), &json!("no such ticker")), "{seen}");
        assert_eq!(error["data"]["field"], "ticker", "{seen}");
    }
}

#[tokio::test]
async fn a_task_is_cancelled_at_its_server_and_can_be_again_per_form() {
    each_pair(|_setup, mut host, eras, door| async move {
        let task = begin(&mut host, eras.0, "wait").await;
        let done = host.get("tasks/cancel", about(&task)).await;
        match eras.0 {
            Era::Initialize => {
                assert_eq!(
                    (&done["taskId"], &done["status"]),
                    (&task["taskId"], &json!("cancelled")),
                    "{eras:?}"
                );
            }
            Era::Stateless => assert_eq!((done.get("taskId"), done.get("status")), (None, None), "{eras:?}"),
        }
        let seen = look_until(&mut host, &task, "cancelled").await;
        assert_eq!(seen.get("result"), None, "{eras:?}");
        until(|| door.inside() == 0).await;
        if eras.0 == Era::Initialize {
            assert_eq!(host.refused("tasks/cancel", about(&task)).await["code"], -32602, "{eras:?}");
            assert_eq!(host.refused("tasks/result", about(&task)).await["code"], -32602, "{eras:?}");
        } else {
            host.get("tasks/cancel", about(&task)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_core_host_lists_its_tasks_of_servers_of_both_eras() {
    for server_era in [Era::Initialize, Era::Stateless] {
        let door = Door::closed();
        let setup = kernel(server_era, &door).await;
        let mut host = host(&setup, Era::Initialize).await;
        let (one, two) = (
            begin(&mut host, Era::Initialize, "wait").await,
            begin(&mut host, Era::Initialize, "must").await,
        );
        let listed = host.get("tasks/list", json!({})).await["tasks"].take();
        let ids: Vec<_> = listed.as_array().unwrap().iter().map(|task| &task["taskId"]).collect();
        assert_eq!(ids, [&one["taskId"], &two["taskId"]], "{server_era:?}: {listed}");
        host.get("tasks/cancel", about(&one)).await;
        let listed = host.get("tasks/list", json!({})).await["tasks"].take();
        assert_eq!((&listed[0]["status"], &listed[1]["status"]), (&json!("cancelled"), &json!("working")));
        let mut stateless = super::support::host(&setup, Era::Stateless).await;
        for method in ["tasks/list", "tasks/result"] {
            assert_eq!(stateless.refused(method, about(&one)).await["code"], -32601, "{method}");
        }
    }
}
