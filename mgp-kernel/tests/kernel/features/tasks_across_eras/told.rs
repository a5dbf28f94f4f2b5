//! The hosts that are notified of a task, and of an elicitation that is done.

use super::{
    questions::core_server,
    support::{Door, EXTENSION, about, begin, each_pair, host, kernel, look_until, other},
};
use crate::{
    raw_host::{As, RawHost, all},
    raw_server::{RawServer, error, result, says, text},
    support::{server_rule, start},
};
use mgp_kernel::Era;
use serde_json::{Value, json};

const STATUS: &str = "notifications/tasks/status";
const CHANGED: &str = "notifications/tasks";
const COMPLETE: &str = "notifications/elicitation/complete";

/// Listens for tasks. Returns the id of the request, and the tasks that it is acknowledged for.
async fn listen(host: &mut RawHost, tasks: &[&Value]) -> (i64, Value) {
    let ids: Vec<_> = tasks.iter().map(|task| &task["taskId"]).collect();
    let id = host.send("subscriptions/listen", json!({"notifications": {"taskIds": ids}})).await;
    let acknowledged = host.hear("notifications/subscriptions/acknowledged").await;
    (id, acknowledged["params"]["notifications"]["taskIds"].clone())
}

#[tokio::test]
async fn the_end_of_a_task_is_announced_in_the_host_s_form() {
    each_pair(|setup, mut made, (host_era, server_era), door| async move {
        let mut same = host(&setup, host_era).await;
        let mut other = other(&setup, host_era).await;
        let task = begin(&mut made, host_era, "wait").await;
        let mut listening = None;
        if host_era == Era::Stateless {
            let (id, told) = listen(&mut made, &[&task, &json!({"taskId": "0"})]).await;
            assert_eq!(told, json!([task["taskId"]]), "{server_era:?}");
            // The right id is not sufficient.
            assert_eq!(listen(&mut other, &[&task]).await.1, Value::Null);
            listening = Some(id);
        }
        if server_era == Era::Stateless {
            // The kernel's own subscription stands before the task ends.
            made.settle().await;
        }
        door.open();
        let method = if host_era == Era::Initialize { STATUS } else { CHANGED };
        let told = made.hear(method).await["params"].take();
        assert_eq!(
            (&told["taskId"], &told["status"]),
            (&task["taskId"], &json!("completed")),
            "{host_era:?} {server_era:?}"
        );
        if let Some(id) = listening {
            assert_eq!(told["result"]["content"][0]["text"], "through", "{server_era:?}: {told}");
            assert_eq!(told["_meta"], json!({"io.modelcontextprotocol/subscriptionId": id}));
        } else {
            assert_eq!((told.get("result"), told["ttl"].is_u64()), (None, true), "{told}");
        }
        for silent in [&mut same, &mut other] {
            silent.settle().await;
            assert_eq!((silent.count(STATUS), silent.count(CHANGED)), (0, 0), "{host_era:?} {server_era:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_question_of_a_core_server_s_task_reaches_subscribers() {
    let server = core_server();
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = host(&setup, Era::Stateless).await;
    let task = begin(&mut host, Era::Stateless, "work").await;
    listen(&mut host, &[&task]).await;
    let form = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}},
        "_meta": {super::support::RELATED: {"taskId": "own-0"}}});
    server.say(says(Some(1), "elicitation/create", form));
    let told = host.hear(CHANGED).await["params"].take();
    assert_eq!((&told["taskId"], &told["status"]), (&task["taskId"], &json!("input_required")), "{told}");
    assert_eq!(told["inputRequests"].as_object().unwrap().len(), 1, "{told}");
}

#[tokio::test]
async fn a_host_that_did_not_declare_tasks_cannot_subscribe_to_them() {
    let door = Door::closed();
    let setup = kernel(Era::Initialize, &door).await;
    let mut host = setup.raw_host(As::plain(Era::Stateless).can(all())).await;
    let refused = host.refused("subscriptions/listen", json!({"notifications": {"taskIds": ["0"]}})).await;
    assert_eq!(refused["code"], -32021, "{refused}");
}

#[tokio::test]
async fn a_server_s_task_stream_lasts_while_hosts_subscribe_to_tasks() {
    let task = |status: &str| json!({"taskId": "own", "status": status, "createdAt": "c", "lastUpdatedAt": "u", "ttlMs": null});
    let capabilities = json!({"tools": {"listChanged": true}, "extensions": {EXTENSION: {}}});
    let server =
        RawServer::new(Era::Stateless, capabilities, move |message| match message["method"].as_str() {
            Some("tools/call") => {
                let mut created = task("working");
                created["resultType"] = "task".into();
                Some(vec![result(message, created)])
            }
            Some("tasks/get") => Some(vec![result(message, task("working"))]),
            Some("subscriptions/listen") => Some(Vec::new()),
            _ => None,
        });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let wanted = |message: &Value| message["params"]["notifications"]["taskIds"].clone();
    let of_tasks = |count| {
        let server = server.clone();
        async move { server.has_read("subscriptions/listen", count).await.pop().unwrap() }
    };
    assert_eq!(wanted(&of_tasks(1).await), Value::Null);
    let mut stateless = host(&setup, Era::Stateless).await;
    let made = begin(&mut stateless, Era::Stateless, "work").await;
    let (id, _) = listen(&mut stateless, &[&made]).await;
    let listen = of_tasks(2).await;
    assert_eq!(wanted(&listen), json!(["own"]));
    let said = &listen["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"];
    assert!(said.get(EXTENSION).is_some(), "{listen}");
    let mut params = task("working");
    params["inputRequests"] = json!({
        "k": {"method": "elicitation/create", "params": {"message": "Who?"}},
        "x": {"method": "tools/list", "params": {}},
    });
    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
    server.say(says(None, CHANGED, params));
    let told = stateless.hear(CHANGED).await["params"].take();
    assert_eq!(told["taskId"], made["taskId"]);
    let expected = json!({"k": {"method": "elicitation/create", "params": {"message": "[srv] Who?"}}});
    assert_eq!(told["inputRequests"], expected, "it names its server, and asks what it may");
    assert_eq!(told["_meta"], json!({"io.modelcontextprotocol/subscriptionId": id}));
    server.say(says(None, CHANGED, task("cancelled")));
    assert_eq!(stateless.hear(CHANGED).await["params"]["status"], "cancelled");
    assert_eq!(wanted(&of_tasks(3).await), Value::Null, "it has ended");
    // A notification of a server about a task that is not its own, or that has ended, is ignored.
    server.say(says(None, CHANGED, json!({"taskId": made["taskId"], "status": "working", "createdAt": "c", "lastUpdatedAt": "u", "ttlMs": null})));
    server.say(says(None, CHANGED, json!({"taskId": "own"})));
    stateless.settle().await;
    assert_eq!(stateless.count(CHANGED), 0);
}

/// Returns a core server whose calls ask the user to visit a URL, by a question or by an error.
fn sending_to_a_url() -> RawServer {
    let call = parking_lot::Mutex::new(Value::Null);
    RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| match message["method"].as_str() {
        Some("tools/call") => {
            let id = &message["params"]["arguments"]["id"];
            let url =
                json!({"mode": "url", "message": "Go", "url": "https://example.com", "elicitationId": id});
            if message["params"]["arguments"]["fails"] == true {
                let mut failed = error(message, -32042, "go there first");
                failed["error"]["data"] = json!({"elicitations": [url]});
                return Some(vec![failed]);
            }
            *call.lock() = message.clone();
            Some(vec![says(Some(9), "elicitation/create", url)])
        }
        None if message["id"] == 9 => Some(vec![text(&call.lock(), "asked")]),
        _ => None,
    })
}

#[tokio::test]
async fn the_end_of_an_elicitation_is_announced_once_to_its_host() {
    let server = sending_to_a_url();
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    let (mut one, mut two) = (host(&setup, Era::Initialize).await, host(&setup, Era::Initialize).await);
    assert_eq!(one.text("work", json!({"id": "e1"})).await, "asked");
    assert_eq!(two.text("work", json!({"id": "e2"})).await, "asked");
    let failed =
        one.refused("tools/call", json!({"name": "work", "arguments": {"id": "e3", "fails": true}})).await;
    assert_eq!(failed["code"], -32042, "{failed}");
    // The ids of others, and unknown ones.
    for id in ["e2", "e1", "e1", "e3", "e4"] {
        server.say(says(None, COMPLETE, json!({"elicitationId": id})));
    }
    assert_eq!(one.hear(COMPLETE).await["params"], json!({"elicitationId": "e1"}));
    assert_eq!(one.hear(COMPLETE).await["params"], json!({"elicitationId": "e3"}));
    assert_eq!(two.hear(COMPLETE).await["params"], json!({"elicitationId": "e2"}));
    for host in [&mut one, &mut two] {
        host.settle().await;
        assert_eq!(host.count(COMPLETE), 0);
    }
}

#[tokio::test]
async fn a_task_that_ended_unobserved_is_seen_by_polling() {
    let door = Door::closed();
    let setup = kernel(Era::Initialize, &door).await;
    let mut host = host(&setup, Era::Stateless).await;
    let task = begin(&mut host, Era::Stateless, "wait").await;
    let (id, _) = listen(&mut host, &[&task]).await;
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    host.say(cancelled).await;
    host.get("tasks/get", about(&task)).await;
    door.open();
    look_until(&mut host, &task, "completed").await;
    host.settle().await;
    assert_eq!(host.count(CHANGED), 0);
}

#[tokio::test]
async fn mgp_in_a_server_s_list_of_tasks_reaches_no_plain_host() {
    let task = json!({"taskId": "own", "status": "working", "createdAt": "c", "lastUpdatedAt": "u", "ttl": null,
        "_mgp": {"secret": 1}});
    let capabilities =
        json!({"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}});
    let server = RawServer::new(Era::Initialize, capabilities, move |message| {
        match message["method"].as_str() {
            Some("tools/list") => Some(vec![result(
                message,
                json!({"tools": [{"name": "work", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
                "execution": {"taskSupport": "optional"}}]}),
            )]),
            Some("tools/call") => Some(vec![result(message, json!({"task": task}))]),
            Some("tasks/list") => Some(vec![result(message, json!({"tasks": [task]}))]),
            _ => None,
        }
    });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = host(&setup, Era::Initialize).await;
    let made = begin(&mut host, Era::Initialize, "work").await;
    let listed = host.get("tasks/list", json!({})).await;
    assert_eq!(listed["tasks"][0]["taskId"], made["taskId"], "{listed}");
    assert!(!listed.to_string().contains("secret"), "{listed}");
}
