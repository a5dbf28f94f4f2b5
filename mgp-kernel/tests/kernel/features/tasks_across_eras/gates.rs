//! A task belongs to its principal, for as long as the principal may use the tool.

use super::{
    questions::core_server,
    support::{Door, about, begin, call, each_pair, host, kernel, look_until, other, spec},
};
use crate::{
    raw_host::{ERAS, RawHost},
    raw_server::says,
    support::{agents, rule, server_rule, start},
};
use mgp_kernel::Era;
use mgp_types::access::{AccessDecision, AccessEntry};
use serde_json::{Value, json};

/// Returns each method about one task that a host of an era has, with its params.
fn methods(era: Era, task: &Value) -> Vec<(&'static str, Value)> {
    let mut update = about(task);
    update["inputResponses"] = json!({"elicitation-create-1": {"action": "accept"}});
    let own = match era {
        Era::Initialize => ("tasks/result", about(task)),
        Era::Stateless => ("tasks/update", update),
    };
    vec![("tasks/get", about(task)), ("tasks/cancel", about(task)), own]
}

/// Returns the errors that a host gets for requests about a task, without the task's id and the trace, which is another one each time.
async fn told(host: &mut RawHost, era: Era, task: &Value) -> Vec<String> {
    let mut told = Vec::new();
    for (method, params) in methods(era, task) {
        let answer = host.once(method, params).await;
        assert_eq!(answer["error"]["code"], -32602, "{era:?} {method}: {answer}");
        let mut error = answer["error"].clone();
        assert!(error["data"].as_object_mut().unwrap().remove("trace_id").is_some(), "{answer}");
        told.push(error.to_string().replace(task["taskId"].as_str().unwrap(), "ID"));
    }
    told
}

#[tokio::test]
async fn another_principal_s_task_looks_like_an_unknown_one() {
    each_pair(|setup, mut host, eras, door| async move {
        let task = begin(&mut host, eras.0, "wait").await;
        let mut other = other(&setup, eras.0).await;
        let unknown = json!({"taskId": "0123456789abcdef0123456789abcdef"});
        let expected = told(&mut other, eras.0, &unknown).await;
        assert_eq!(told(&mut other, eras.0, &task).await, expected, "{eras:?}");
        assert_eq!(told(&mut host, eras.0, &unknown).await, expected, "{eras:?}");
        if eras.0 == Era::Initialize {
            assert_eq!(other.get("tasks/list", json!({})).await["tasks"], json!([]), "{eras:?}");
        }
        door.open();
        look_until(&mut host, &task, "completed").await;
        assert_eq!(told(&mut other, eras.0, &task).await, expected, "{eras:?}");
    })
    .await;
}

#[tokio::test]
async fn a_caller_without_the_right_to_the_tool_loses_its_tasks() {
    each_pair(|setup, mut host, eras, door| async move {
        let task = begin(&mut host, eras.0, "wait").await;
        let waiting = match eras.0 {
            Era::Initialize => Some(host.send("tasks/result", about(&task)).await),
            Era::Stateless => None,
        };
        host.get("tools/list", json!({})).await;
        setup.kernel.access().put(rule("srv", Some("wait"), AccessDecision::Deny)).await.unwrap();
        let expected = told(&mut host, eras.0, &json!({"taskId": "0123456789abcdef0123456789abcdef"})).await;
        assert_eq!(told(&mut host, eras.0, &task).await, expected, "{eras:?}");
        assert_eq!(door.inside(), 1, "{eras:?}: what it may not look at it does not cancel");
        if eras.0 == Era::Initialize {
            assert_eq!(host.get("tasks/list", json!({})).await["tasks"], json!([]), "{eras:?}");
        }
        if let (Some(id), Era::Stateless) = (waiting, eras.1) {
            let answer = host.answer_to(id).await;
            assert_eq!(answer["error"]["code"], -32602, "it waits no longer: {answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_s_own_task_id_opens_nothing_and_is_concealed() {
    let server = core_server();
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    for era in ERAS {
        let mut host = host(&setup, era).await;
        let before = server.read_of("tasks/get").len();
        let task = begin(&mut host, era, "work").await;
        for own in ["own-0", "own-1", ""] {
            told(&mut host, era, &json!({"taskId": own, "x": 1})).await;
        }
        assert_eq!(server.read_of("tasks/get").len(), before, "the server was not asked");
        super::support::look(&mut host, &task).await;
        assert!(host.read.iter().all(|message| {
            message["result"]["taskId"] != "own-0" && message["result"]["taskId"] != "own-1"
        }));
    }
}

#[tokio::test]
async fn the_two_forms_of_one_principal_are_two_tables() {
    let door = Door::closed();
    let setup = kernel(Era::Initialize, &door).await;
    let (mut core, mut stateless) = (host(&setup, Era::Initialize).await, host(&setup, Era::Stateless).await);
    let one = begin(&mut core, Era::Initialize, "wait").await;
    let two = begin(&mut stateless, Era::Stateless, "wait").await;
    told(&mut stateless, Era::Stateless, &one).await;
    told(&mut core, Era::Initialize, &two).await;
    let listed = core.get("tasks/list", json!({})).await["tasks"].take();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed[0]["taskId"], one["taskId"]);
}

#[tokio::test]
async fn a_caller_without_the_right_gets_no_questions_or_updates() {
    let server = core_server();
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut core = host(&setup, Era::Initialize).await;
    begin(&mut core, Era::Initialize, "work").await;
    let mut stateless = host(&setup, Era::Stateless).await;
    let task = begin(&mut stateless, Era::Stateless, "work").await;
    let filter = json!({"notifications": {"taskIds": [task["taskId"]]}});
    stateless.send("subscriptions/listen", filter).await;
    stateless.hear("notifications/subscriptions/acknowledged").await;
    setup.kernel.access().put(rule("srv", Some("work"), AccessDecision::Deny)).await.unwrap();
    for own in ["own-0", "own-1"] {
        let status =
            json!({"taskId": own, "status": "working", "createdAt": "c", "lastUpdatedAt": "u", "ttl": null});
        server.say(says(None, "notifications/tasks/status", status));
    }
    let form = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}},
        "_meta": {super::support::RELATED: {"taskId": "own-0"}}});
    server.say(says(Some(1), "elicitation/create", form));
    let answer = server.reads(|message| message["id"] == 1 && message.get("method").is_none(), 1).await;
    assert!(answer[0].get("error").is_some(), "{answer:?}");
    core.get("tools/list", json!({})).await;
    assert_eq!((core.asked.len(), core.count("notifications/tasks/status")), (0, 0), "{:?}", core.read);
    stateless.settle().await;
    assert_eq!(stateless.heard, Vec::<Value>::new());
}

/// Returns the same params, on behalf of a chain of agents.
fn on_behalf_of(chain: &[&str], mut params: Value) -> Value {
    params["_mgp"]["delegation"] = json!(chain);
    params
}

async fn status(host: &mut RawHost, chain: &[&str], task: &Value) -> Value {
    let answer = host.once("tasks/get", on_behalf_of(chain, about(task))).await;
    answer["error"]["code"].as_i64().map_or_else(|| answer["result"]["status"].clone(), Value::from)
}

#[tokio::test]
async fn a_task_belongs_to_its_caller_and_its_own_chain() {
    for era in ERAS {
        let door = Door::closed();
        let setup =
            start(|kernel, _| kernel.server(spec(era, &door)).config(agents(["agent.boss", "agent.clerk"])))
                .await;
        let mut host = host(&setup, era).await;
        let request = on_behalf_of(&["agent.boss"], call(era, "wait"));
        let made = host.get("tools/call", request).await;
        let task = if era == Era::Initialize { made["task"].clone() } else { made };
        assert_eq!(status(&mut host, &[], &task).await, "working", "{era:?}");
        assert_eq!(status(&mut host, &["agent.boss"], &task).await, "working", "{era:?}");
        assert_eq!(status(&mut host, &["agent.clerk"], &task).await, -32602, "{era:?}");
        for (method, params) in methods(era, &task) {
            let answer = host.once(method, on_behalf_of(&["agent.clerk"], params)).await;
            assert_eq!(answer["error"]["code"], -32602, "{era:?} {method}: {answer}");
        }
        if era == Era::Initialize {
            let listed = host.get("tasks/list", on_behalf_of(&["agent.clerk"], json!({}))).await;
            assert_eq!(listed["tasks"], json!([]));
        }
        assert_eq!(
            status(&mut host, &["agent.boss"], &task).await,
            "working",
            "{era:?}: nobody cancelled it"
        );
        // If one agent of the chain loses its right, the chain loses its task.
        let boss = AccessEntry { permission: Some(AccessDecision::Deny), ..server_rule("agent.boss", "srv") };
        setup.kernel.access().put(boss).await.unwrap();
        assert_eq!(status(&mut host, &["agent.boss"], &task).await, -32602, "{era:?}");
        assert_eq!(status(&mut host, &[], &task).await, -32602, "{era:?}");
    }
}
