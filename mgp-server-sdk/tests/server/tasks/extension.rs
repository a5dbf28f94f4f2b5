//! The extension of the stateless revisions, without questions.

use super::support::{Door, TaskClient, connect, core, takes_none, takes_tasks};
use mgp_server_sdk::{
    Progress, Server, Tool, ToolError,
    extract::Log,
    task::{
        TaskHandle,
        TaskSupport::{Optional, Required},
    },
};
use mgp_types::rpc::ErrorObject;
use serde_json::json;
use xtask_testing::until_some;

#[tokio::test]
async fn a_client_that_accepts_tasks_gets_one_with_its_result() {
    let door = Door::closed();
    let stack = door.server().build().unwrap();
    let mut client = connect(&stack, None);
    let created = client.ask(1, "tools/call", takes_tasks(json!({"name": "wait"}))).await["result"].take();
    let mut keys: Vec<_> = created.as_object().unwrap().keys().filter(|key| *key != "_meta").collect();
    keys.sort();
    let expected =
        ["createdAt", "lastUpdatedAt", "pollIntervalMs", "resultType", "status", "taskId", "ttlMs"];
    assert_eq!(keys, expected, "{created}");
    assert_eq!((&created["resultType"], &created["status"]), (&json!("task"), &json!("working")));
    assert_eq!((&created["ttlMs"], &created["pollIntervalMs"]), (&json!(3_600_000), &json!(1000)));
    let working = client.look(2, &created["taskId"]).await["result"].take();
    assert_eq!((&working["resultType"], &working["status"]), (&json!("complete"), &json!("working")));
    assert!(working.get("result").is_none(), "{working}");
    door.open.add_permits(1);
    let done = client.until(&created["taskId"], "completed").await;
    assert_eq!(done["result"], json!({"content": [{"type": "text", "text": "through"}]}));
    assert!(done.get("error").is_none() && done["createdAt"] == created["createdAt"], "{done}");
}

#[tokio::test]
async fn a_client_without_tasks_gets_the_answer_or_an_error() {
    let answers = |name: &str, support| Tool::new(name, "", async || "here").task(support);
    let server = Server::new("s", "1").tool(answers("may", Optional)).tool(answers("must", Required));
    let mut client = connect(&server.build().unwrap(), None);
    let answer = client.ask(1, "tools/call", takes_none(json!({"name": "may", "task": {"ttl": 1}}))).await;
    assert_eq!(answer["result"]["content"][0]["text"], "here", "{answer}");
    let required = json!({"requiredCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}});
    for (method, params) in [
        ("tools/call", json!({"name": "must"})),
        ("tasks/get", json!({"taskId": "any"})),
        ("tasks/update", json!({"taskId": "any", "inputResponses": {}})),
        ("tasks/cancel", json!({})),
        ("subscriptions/listen", json!({"notifications": {"taskIds": ["any"]}})),
    ] {
        let refused = client.ask(2, method, takes_none(params)).await["error"].take();
        assert_eq!((&refused["code"], &refused["data"]), (&json!(-32021), &required), "{method}: {refused}");
    }
}

#[tokio::test]
async fn the_extension_is_declared_for_task_tools_with_its_methods() {
    let mut client = connect(&Door::closed().server().build().unwrap(), None);
    let found = client.ask(1, "server/discover", takes_tasks(json!({}))).await["result"].take();
    let capabilities =
        json!({"tools": {"listChanged": true}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
    assert_eq!(found["capabilities"], capabilities);
    let list = client.ask(2, "tools/list", takes_tasks(json!({}))).await["result"].take();
    assert!(list["tools"][0].get("execution").is_none(), "{list}");
    for method in ["tasks/list", "tasks/result"] {
        let refused = client.ask(3, method, takes_tasks(json!({"taskId": "any"}))).await;
        assert_eq!(refused["error"]["code"], -32601, "{refused}");
    }
    let mut without =
        connect(&Server::new("s", "1").tool(Tool::new("hi", "", async || "hi")).build().unwrap(), None);
    let found = without.ask(1, "server/discover", takes_tasks(json!({}))).await["result"].take();
    assert_eq!(found["capabilities"], json!({"tools": {"listChanged": true}}));
    let refused = without.ask(2, "tasks/get", takes_tasks(json!({"taskId": "any"}))).await;
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
    let hi = without.ask(3, "tools/call", takes_tasks(json!({"name": "hi", "task": 7}))).await;
    assert_eq!(hi["result"]["content"][0]["text"], "hi", "{hi}");
}

#[tokio::test]
async fn a_tool_error_completes_a_task_and_a_protocol_error_fails_it() {
    let fails = async || Err::<String, _>(ToolError::new("no luck"));
    let errs = async || Err::<String, _>(ToolError::protocol(ErrorObject::new(-32050, "no way")));
    let server = Server::new("s", "1")
        .tool(Tool::new("fails", "", fails).task(Required))
        .tool(Tool::new("errs", "", errs).task(Required));
    let mut client = connect(&server.build().unwrap(), None);
    let task = client.begin(1, "fails").await;
    let failed = client.until(&task, "completed").await;
    assert_eq!((&failed["result"]["isError"], failed.get("error")), (&json!(true), None));
    let task = client.begin(2, "errs").await;
    let failed = client.until(&task, "failed").await;
    assert_eq!(
        (&failed["error"], failed.get("result")),
        (&json!({"code": -32050, "message": "no way"}), None)
    );
    assert_eq!(failed["statusMessage"], "no way");
}

#[tokio::test]
async fn a_task_reports_its_state_without_progress_and_log() {
    let door = Door::closed();
    let open = door.open.clone();
    let speaks = move |task: Option<TaskHandle>, mut progress: Progress, log: Log| {
        let open = open.clone();
        async move {
            if let Some(task) = &task {
                task.say("half done");
            }
            progress.report(0.5, Some(1.0), None).await?;
            log.error("boo").await;
            open.acquire().await?.forget();
            Ok::<_, ToolError>(format!("{} {}", task.is_some(), progress.is_wanted()))
        }
    };
    let stack = Server::new("s", "1").tool(Tool::new("speaks", "", speaks).task(Optional)).build().unwrap();
    let mut client = connect(&stack, None);
    let mut params = takes_tasks(json!({"name": "speaks"}));
    params["_meta"]["progressToken"] = json!("p");
    params["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
    let task = client.ask(1, "tools/call", params).await["result"]["taskId"].take();
    let said = until_some(async || client.look(2, &task).await["result"].get("statusMessage").cloned());
    assert_eq!(said.await, "half done");
    door.open.add_permits(1);
    let done = client.until(&task, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "true false");
    assert!(!client.read.concat().contains("notifications/"), "{:?}", client.read);
}

#[tokio::test]
async fn a_listener_is_notified_of_a_task_s_state() {
    let door = Door::closed();
    let stack = door.server().build().unwrap();
    let (mut client, mut idle) = (connect(&stack, Some("a")), connect(&stack, Some("a")));
    let mut session = core(&stack, Some("a")).await;
    let (task, other) = (client.begin(1, "wait").await, client.begin(2, "wait").await);
    let mut listener = connect(&stack, Some("a"));
    let filter = takes_tasks(json!({"notifications": {"taskIds": [task, "unknown"]}}));
    listener.request(9, "subscriptions/listen", filter).await;
    let acknowledged = listener.message().await;
    assert_eq!(acknowledged["params"]["notifications"], json!({"taskIds": [task]}));
    client.ask(3, "tasks/cancel", takes_tasks(json!({"taskId": other}))).await;
    client.ask(4, "tasks/cancel", takes_tasks(json!({"taskId": task}))).await;
    let told = listener.message().await;
    assert_eq!((&told["method"], &told["params"]["taskId"]), (&json!("notifications/tasks"), &task));
    assert_eq!(told["params"]["status"], "cancelled");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
    idle.ask(1, "tools/list", takes_tasks(json!({}))).await;
    session.ask(1, "tools/list", json!({})).await;
    assert!(!idle.read.concat().contains("notifications/"), "{:?}", idle.read);
    assert!(!session.read.concat().contains("notifications/"), "{:?}", session.read);
}
