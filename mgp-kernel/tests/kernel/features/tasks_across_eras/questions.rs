//! The questions of a task: a stateless host is asked when it polls the task, a host with a session when it waits for the result.

use super::support::{Door, RELATED, about, begin, call, host, kernel, look, look_until, spec, takes};
use crate::{
    features::eras::events,
    raw_host::{As, RawHost},
    raw_server::{RawServer, result, says},
    support::{agents, start, until_some},
};
use mgp_discovery::config::HostFeature;
use mgp_kernel::Era;
use serde_json::{Value, json};

const HOST_ASKED: &str = "dev.cloto.mgp.HOST_ASKED";

fn keys(task: &Value) -> Vec<String> {
    task["inputRequests"].as_object().unwrap().keys().cloned().collect()
}

/// Polls a task until it asks `count` questions.
async fn asks(host: &mut RawHost, task: &Value, count: usize) -> Value {
    let is_it = |seen: &Value| seen["status"] == "input_required" && keys(seen).len() == count;
    until_some(async || Some(look(host, task).await).filter(is_it)).await
}

fn named(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

#[tokio::test]
async fn a_core_server_s_questions_can_be_answered_in_parts() {
    let door = Door::closed();
    let setup = kernel(Era::Initialize, &door).await;
    let mut host = host(&setup, Era::Stateless).await;
    let task = begin(&mut host, Era::Stateless, "curious").await;
    let seen = asks(&mut host, &task, 2).await;
    let mut met = keys(&seen);
    for (key, question) in seen["inputRequests"].as_object().unwrap() {
        assert_eq!(question["method"], "elicitation/create", "{key}");
        let message = question["params"]["message"].as_str().unwrap();
        assert!(message.starts_with("[srv] Name "), "a server's question names it: {message}");
        assert!(question["params"].get("_meta").is_none(), "{question}");
    }
    let named_in = |seen: &Value, text: &str| {
        let questions = seen["inputRequests"].as_object().unwrap();
        let found = questions.iter().find(|(_, asked)| asked["params"]["message"] == text);
        found.unwrap_or_else(|| panic!("{text}: {seen}")).0.clone()
    };
    let (one, two) = (named_in(&seen, "[srv] Name one?"), named_in(&seen, "[srv] Name two?"));
    let mut update = about(&task);
    update["inputResponses"] = json!({&one: named("a"), "unknown": {"ignored": true}});
    let done = host.get("tasks/update", update.clone()).await;
    assert_eq!((done.get("taskId"), done.get("status")), (None, None), "{done}");
    assert_eq!(keys(&look(&mut host, &task).await), [&two[..]]);
    // An answer counts once.
    update["inputResponses"] = json!({&one: named("x"), &two: named("b")});
    host.get("tasks/update", update.clone()).await;
    let seen = loop {
        let seen = asks(&mut host, &task, 1).await;
        if keys(&seen) != [&two[..]] {
            break seen;
        }
    };
    let three = named_in(&seen, "[srv] Name three?");
    assert!(!met.contains(&three), "a key is one question's for a task's whole life: {three}");
    met.push(three.clone());
    update["inputResponses"] = json!({&three: named("c")});
    host.get("tasks/update", update).await;
    let done = look_until(&mut host, &task, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "a b c");
    assert_eq!(events(&setup, HOST_ASKED, "method"), ["SUCCESS elicitation/create"; 3]);
    assert_eq!(setup.calls(), ["TOOL_EXECUTED SUCCESS srv.curious"]);
}

#[tokio::test]
async fn a_stateless_server_s_questions_reach_the_waiting_host() {
    let door = Door::closed();
    let setup = kernel(Era::Stateless, &door).await;
    let mut host = host(&setup, Era::Initialize).await;
    let mut count = 0;
    host.says(move |_, _| {
        count += 1;
        Ok(named(&format!("n{count}")))
    });
    let task = begin(&mut host, Era::Initialize, "curious").await;
    let seen = look_until(&mut host, &task, "input_required").await;
    assert_eq!(seen.get("inputRequests"), None, "{seen}");
    assert_eq!(host.asked, [], "nobody waits yet");
    let result = host.get("tasks/result", about(&task)).await;
    let answered = result["content"][0]["text"].as_str().unwrap();
    assert!(["n1 n2 n3", "n2 n1 n3"].contains(&answered), "{answered}");
    let asked: Vec<_> = host.asked.iter().map(|(_, params)| params["message"].as_str().unwrap()).collect();
    assert_eq!(asked, ["[srv] Name one?", "[srv] Name two?", "[srv] Name three?"]);
    assert!(
        host.asked.iter().all(|(_, params)| params["_meta"][RELATED] == about(&task)),
        "{:?}",
        host.asked
    );
    assert_eq!(events(&setup, HOST_ASKED, "agent"), ["SUCCESS agent.test"; 3]);
}

#[tokio::test]
async fn two_hosts_waiting_for_one_result_share_its_questions() {
    let door = Door::closed();
    let setup = kernel(Era::Stateless, &door).await;
    let mut host = host(&setup, Era::Initialize).await;
    let task = begin(&mut host, Era::Initialize, "curious").await;
    let ids = [host.send("tasks/result", about(&task)).await, host.send("tasks/result", about(&task)).await];
    let mut answers = 0;
    while answers < 2 {
        let message = host.next().await;
        answers += usize::from(message.get("result").is_some() && ids.iter().any(|id| message["id"] == *id));
    }
    assert_eq!(host.asked.len(), 3, "{:?}", host.asked);
}

/// Returns a stateless server whose task asks a question, whatever capabilities it was told of.
fn bold(method: &'static str) -> RawServer {
    let task = move |kind: Option<&str>| {
        json!({"taskId": "own", "status": "input_required", "createdAt": "c", "lastUpdatedAt": "u", "ttlMs": null,
            "resultType": kind.unwrap_or("complete"),
            "inputRequests": {"k": {"method": method, "params": {"message": "Who?"}}}})
    };
    let capabilities = json!({"tools": {}, "extensions": {super::support::EXTENSION: {}}});
    RawServer::new(Era::Stateless, capabilities, move |message| match message["method"].as_str() {
        Some("tools/call") => Some(vec![result(message, task(Some("task")))]),
        Some("tasks/get") => Some(vec![result(message, task(None))]),
        _ => None,
    })
}

#[tokio::test]
async fn forbidden_or_unanswerable_questions_reach_no_host() {
    for (method, why) in [("elicitation/create", "not allowed"), ("tools/list", "tools/list")] {
        let mut spec = bold(method).spec("srv");
        spec.host_features = vec![HostFeature::Sampling];
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize).can(takes())).await;
        let task = begin(&mut host, Era::Initialize, "work").await;
        let refused = host.refused("tasks/result", about(&task)).await;
        assert!(refused["message"].as_str().unwrap().contains(why), "{refused}");
        assert_eq!(host.asked, []);
        assert_eq!(events(&setup, HOST_ASKED, "method"), [format!("BLOCKED {method}")]);
    }
    let door = Door::closed();
    let mut spec = spec(Era::Initialize, &door);
    spec.host_features = vec![HostFeature::Sampling];
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = setup.raw_host(As::plain(Era::Stateless).can(takes())).await;
    let task = begin(&mut host, Era::Stateless, "curious").await;
    look_until(&mut host, &task, "completed").await;
    assert_eq!(host.asked, []);
}

#[tokio::test]
async fn a_host_that_answers_with_an_error_can_be_asked_again() {
    let door = Door::closed();
    let setup = kernel(Era::Stateless, &door).await;
    let mut host = host(&setup, Era::Initialize).await;
    host.says(|_, _| Err(json!({"code": -1, "message": "busy"})));
    let task = begin(&mut host, Era::Initialize, "curious").await;
    let refused = host.refused("tasks/result", about(&task)).await;
    assert!(refused["message"].as_str().unwrap().contains("busy"), "{refused}");
    host.says(|_, _| Ok(named("z")));
    let result = host.get("tasks/result", about(&task)).await;
    assert_eq!(result["content"][0]["text"], "z z z");
}

/// Returns a core server whose tasks never end, and which sends the messages of a test.
pub(super) fn core_server() -> RawServer {
    let capabilities = json!({"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}});
    let made = std::sync::atomic::AtomicUsize::new(0);
    let task = |id: &str| json!({"taskId": id, "status": "working", "createdAt": "c", "lastUpdatedAt": "u", "ttl": null});
    RawServer::new(Era::Initialize, capabilities, move |message| match message["method"].as_str() {
        Some("tools/list") => Some(vec![result(
            message,
            json!({"tools": [{"name": "work", "inputSchema": {"type": "object"},
                "execution": {"taskSupport": "optional"}, "annotations": {"readOnlyHint": true}}]}),
        )]),
        Some("tools/call") if message["params"].get("task").is_some() => {
            let id = made.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Some(vec![result(message, json!({"task": task(&format!("own-{id}"))}))])
        }
        // Calls hang.
        Some("tools/call") => Some(Vec::new()),
        Some("tasks/get") => Some(vec![result(message, task(message["params"]["taskId"].as_str().unwrap()))]),
        _ => None,
    })
}

fn form(task: &str) -> Value {
    json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}},
        "_meta": {RELATED: {"taskId": task}}})
}

#[tokio::test]
async fn a_question_reaches_the_host_of_its_task_despite_other_calls() {
    let server = core_server();
    let setup = start(|kernel, _| kernel.server(server.spec("srv")).config(agents(["agent.other"]))).await;
    let mut maker = host(&setup, Era::Initialize).await;
    let mut stateless = host(&setup, Era::Stateless).await;
    let mut caller = super::support::other(&setup, Era::Initialize).await;
    let task = begin(&mut maker, Era::Initialize, "work").await;
    let other_task = begin(&mut stateless, Era::Stateless, "work").await;
    caller.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    server.has_read("tools/call", 3).await;

    server.say(says(Some(1), "elicitation/create", form("own-0")));
    maker.next().await;
    let answer = server.reads(|message| message["id"] == 1 && message.get("method").is_none(), 1).await;
    assert_eq!(answer[0]["result"]["action"], "accept");
    assert_eq!(
        maker.asked[0].1["_meta"][RELATED],
        about(&task),
        "by the id that it knows: {:?}",
        maker.asked
    );

    server.say(says(Some(2), "elicitation/create", form("own-1")));
    let seen = look_until(&mut stateless, &other_task, "input_required").await;
    let key = keys(&seen).remove(0);
    let mut update = about(&other_task);
    update["inputResponses"] = json!({key: named("a")});
    stateless.get("tasks/update", update).await;
    let answer = server.reads(|message| message["id"] == 2 && message.get("method").is_none(), 1).await;
    assert_eq!(answer[0]["result"], named("a"));
    assert_eq!((maker.asked.len(), caller.asked.len(), stateless.asked.len()), (1, 0, 0));
}

#[tokio::test]
async fn a_question_ends_with_its_task_or_its_cancellation() {
    let server = core_server();
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = host(&setup, Era::Stateless).await;
    let task = begin(&mut host, Era::Stateless, "work").await;
    server.say(says(Some(1), "elicitation/create", form("own-0")));
    look_until(&mut host, &task, "input_required").await;
    server.say(says(None, "notifications/cancelled", json!({"requestId": 1})));
    look_until(&mut host, &task, "working").await;
    assert!(events(&setup, HOST_ASKED, "method")[0].starts_with("FAILURE"));
    let call = call(Era::Stateless, "work");
    assert_eq!(host.get("tools/call", call).await["status"], "working", "and nothing else has changed");
}
