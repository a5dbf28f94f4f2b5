//! The core form of the revision 2025-11-25, without questions.

use super::support::{Door, RELATED, TaskClient, connect, core, takes_tasks};
use crate::support::hello;
use mgp_server_sdk::{
    Progress, Server, Tool, ToolError,
    extract::Log,
    task::TaskSupport::{Forbidden, Optional, Required},
};
use mgp_types::rpc::ErrorObject;
use serde_json::{Value, json};

#[tokio::test]
async fn the_client_decides_and_fetches_the_finished_result() {
    let door = Door::closed();
    let stack = door.server().build().unwrap();
    let mut client = core(&stack, None).await;
    let created = client.ask(1, "tools/call", json!({"name": "wait", "task": {"ttl": 60000}})).await;
    let task = &created["result"]["task"];
    assert_eq!(
        (&task["status"], &task["ttl"], &task["pollInterval"]),
        (&json!("working"), &json!(60000), &json!(1000))
    );
    assert!(created["result"].get("resultType").is_none(), "{created}");
    let id = &task["taskId"];
    client.request(2, "tasks/result", json!({"taskId": id})).await;
    assert_eq!(client.ask(3, "tasks/get", json!({"taskId": id})).await["result"]["status"], "working");
    assert!(!client.read.concat().contains(r#""id":2,"#), "the result is waited for: {:?}", client.read);
    door.open.add_permits(1);
    let result = client.answer_to(2).await["result"].take();
    let expected =
        json!({"content": [{"type": "text", "text": "through"}], "_meta": {RELATED: {"taskId": id}}});
    assert_eq!(result, expected);
    assert_eq!(client.until_core(id, "completed").await.get("result"), None);
    // Without `task`, the same tool answers.
    door.open.add_permits(1);
    let answer = client.ask(4, "tools/call", json!({"name": "wait"})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "through");
}

#[tokio::test]
async fn a_tool_is_called_only_in_its_declared_way() {
    let tool = |name: &str, support| Tool::new(name, "", async || "here").task(support);
    let server = || {
        Server::new("s", "1")
            .tool(tool("never", Forbidden))
            .tool(tool("may", Optional))
            .tool(tool("must", Required))
    };
    let mut client = connect(&server().build().unwrap(), None);
    let said = client.ask(0, "initialize", hello(false)).await["result"]["capabilities"].take();
    assert_eq!(said["tasks"], json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}));
    assert!(said.get("extensions").is_none(), "{said}");
    let list = client.ask(1, "tools/list", json!({})).await["result"]["tools"].take();
    assert_eq!(list[0].get("execution"), None);
    assert_eq!(list[1]["execution"], json!({"taskSupport": "optional"}));
    assert_eq!(list[2]["execution"], json!({"taskSupport": "required"}));
    for (params, code) in [
        (json!({"name": "never", "task": {}}), -32601),
        (json!({"name": "must"}), -32601),
        (json!({"name": "may", "task": {"ttl": "long"}}), -32602),
    ] {
        assert_eq!(client.ask(2, "tools/call", params.clone()).await["error"]["code"], code, "{params}");
    }
    client.begin_core(3, "must").await;
    let refused = client.ask(4, "tasks/update", json!({"taskId": "any", "inputResponses": {}})).await;
    assert_eq!(refused["error"]["code"], -32601);
    // Earlier revisions have no tasks.
    let mut earlier = connect(&server().build().unwrap(), None);
    let mut hello = hello(false);
    hello["protocolVersion"] = json!("2025-06-18");
    let said = earlier.ask(0, "initialize", hello).await["result"]["capabilities"].take();
    assert_eq!(said, json!({"tools": {"listChanged": true}}));
    assert!(!earlier.ask(1, "tools/list", json!({})).await.to_string().contains("execution"));
    let answer = earlier.ask(2, "tools/call", json!({"name": "may", "task": {}})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "here", "{answer}");
    assert_eq!(
        earlier.ask(3, "tools/call", json!({"name": "must", "task": {}})).await["error"]["code"],
        -32601
    );
    assert_eq!(earlier.ask(4, "tasks/get", json!({"taskId": "any"})).await["error"]["code"], -32601);
}

#[tokio::test]
async fn a_server_without_task_tools_ignores_task_requests() {
    let stack = Server::new("s", "1").tool(Tool::new("hi", "", async || "hi")).build().unwrap();
    let mut client = core(&stack, None).await;
    let answer = client.ask(1, "tools/call", json!({"name": "hi", "task": {"ttl": "?"}})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "hi", "{answer}");
    for method in ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"] {
        let refused = client.ask(2, method, json!({"taskId": "any"})).await;
        assert_eq!(refused["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn a_task_s_result_is_that_of_its_call() {
    let fails = async || Err::<String, _>(ToolError::new("no luck"));
    let errs = async || Err::<String, _>(ToolError::protocol(ErrorObject::new(-32050, "no way")));
    let server = Server::new("s", "1")
        .tool(Tool::new("fails", "", fails).task(Required))
        .tool(Tool::new("errs", "", errs).task(Required));
    let mut client = core(&server.build().unwrap(), None).await;
    let task = client.begin_core(1, "fails").await;
    let result = client.ask(2, "tasks/result", json!({"taskId": task})).await["result"].take();
    assert_eq!((&result["isError"], &result["_meta"][RELATED]["taskId"]), (&json!(true), &task));
    client.until_core(&task, "failed").await;
    let task = client.begin_core(3, "errs").await;
    let error = client.ask(4, "tasks/result", json!({"taskId": task})).await["error"].take();
    assert_eq!(error, json!({"code": -32050, "message": "no way"}));
    assert_eq!(client.until_core(&task, "failed").await["statusMessage"], "no way");
}

#[tokio::test]
async fn a_task_is_cancelled_once_and_then_has_no_result() {
    let door = Door::closed();
    let mut client = core(&door.server().build().unwrap(), None).await;
    let task = client.begin_core(1, "wait").await;
    client.request(2, "tasks/result", json!({"taskId": task})).await;
    let cancelled = client.ask(3, "tasks/cancel", json!({"taskId": task})).await["result"].take();
    assert_eq!((&cancelled["taskId"], &cancelled["status"]), (&task, &json!("cancelled")));
    let again = client.ask(4, "tasks/cancel", json!({"taskId": task})).await;
    assert_eq!(again["error"]["code"], -32602, "{again}");
    let refused = client.ask(5, "tasks/result", json!({"taskId": task})).await;
    assert_eq!(refused["error"]["code"], -32602);
    // The client that waited for the result learns of the cancellation.
    while !client.read.concat().contains(r#""id":2,"error":{"code":-32602"#) {
        client.message().await;
    }
}

#[tokio::test]
async fn tasks_are_listed_in_pages_the_oldest_first() {
    let stack =
        Server::new("s", "1").tool(Tool::new("hi", "", async || "hi").task(Optional)).build().unwrap();
    let mut client = core(&stack, Some("a")).await;
    let mut made = Vec::new();
    for id in 1..=120 {
        made.push(client.begin_core(id, "hi").await);
    }
    let first = client.ask(200, "tasks/list", json!({})).await["result"].take();
    let rest = client.ask(201, "tasks/list", json!({"cursor": first["nextCursor"]})).await["result"].take();
    assert_eq!((first["tasks"].as_array().unwrap().len(), rest.get("nextCursor")), (100, None));
    let listed = [&first, &rest].into_iter().flat_map(|page| page["tasks"].as_array().unwrap());
    let listed: Vec<Value> = listed.map(|task| task["taskId"].clone()).collect();
    assert_eq!(listed.len(), 120);
    assert!(made.iter().all(|task| listed.contains(task)), "{listed:?}");
    for cursor in ["", "tasks.x.y", "tools.1"] {
        let refused = client.ask(202, "tasks/list", json!({"cursor": cursor})).await;
        assert_eq!(refused["error"]["code"], -32602, "{cursor:?}");
    }
}

#[tokio::test]
async fn progress_and_logs_of_a_task_outlive_its_answer() {
    let door = Door::closed();
    let open = door.open.clone();
    let speaks = move |mut progress: Progress, log: Log| {
        let open = open.clone();
        async move {
            open.acquire().await?.forget();
            progress.report(1.0, None, None).await?;
            log.info("done").await;
            Ok::<_, ToolError>("spoken")
        }
    };
    let stack = Server::new("s", "1").tool(Tool::new("speaks", "", speaks).task(Optional)).build().unwrap();
    let mut client = core(&stack, None).await;
    let params = json!({"name": "speaks", "task": {}, "_meta": {"progressToken": "p"}});
    let task = client.ask(1, "tools/call", params).await["result"]["task"]["taskId"].take();
    door.open.add_permits(1);
    let progress = client.message().await;
    assert_eq!(progress["method"], "notifications/progress");
    let expected = json!({"progressToken": "p", "progress": 1, "_meta": {RELATED: {"taskId": task}}});
    assert_eq!(progress["params"], expected);
    let log = client.message().await;
    assert_eq!(
        (&log["method"], &log["params"]["_meta"][RELATED]["taskId"]),
        (&json!("notifications/message"), &task)
    );
    let told = client.message().await;
    assert_eq!((&told["method"], &told["params"]["taskId"]), (&json!("notifications/tasks/status"), &task));
    assert_eq!(told["params"]["status"], "completed");
    // The methods of the other form are for other clients.
    let refused = client.ask(2, "tasks/get", takes_tasks(json!({"taskId": task}))).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
}
