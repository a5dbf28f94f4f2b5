//! Secrets in what servers return, as hosts see them and as the trail records them.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, error, result, says, text},
    support::{Setup, server_rule, spec, start},
};
use mgp_kernel::{Era, SecretPolicy};
use mgp_types::audit::AuditEvent;
use serde_json::{Value, json};

const EVENT: &str = "dev.cloto.mgp.SECRET_FOUND";
const MASK: &str = "[secret: github-pat]";

/// A token that was made up, in two parts so that no scanner takes this file for a leak.
pub(crate) fn token() -> String {
    format!("ghp{}", "_x7Qd2LwZ9rTb4NcV8sKf1JhG5mYp3AeU6oRi")
}

/// Returns a log message with the token.
fn log_message() -> Value {
    says(None, "notifications/message", json!({"level": "error", "data": token()}))
}

/// Returns a server that answers every call, resource and prompt with the token.
fn server() -> RawServer {
    let capabilities = json!({"tools": {}, "resources": {}, "prompts": {}, "logging": {}});
    RawServer::new(Era::Initialize, capabilities, |message| match message["method"].as_str() {
        Some("tools/call") if message["params"]["arguments"]["fails"] == true => {
            Some(vec![error(message, -32000, &format!("no access with {}", token()))])
        }
        Some("tools/call") => {
            let mut answers = Vec::new();
            if message["params"]["arguments"]["logs"] == true {
                answers.push(log_message());
            }
            if message["params"]["arguments"]["streams"] == true {
                let chunk = json!({"type": "text", "text": token()});
                let chunk = json!({"request_id": message["id"], "index": 0, "content": chunk});
                answers.push(says(None, "notifications/mgp.stream.chunk", chunk));
            }
            if let Some(progress) = message["params"]["_meta"].get("progressToken") {
                let step = json!({"progressToken": progress, "progress": 1, "message": token()});
                answers.push(says(None, "notifications/progress", step));
            }
            answers.push(text(message, &format!("token: {}", token())));
            Some(answers)
        }
        Some("resources/list") => {
            Some(vec![result(message, json!({"resources": [{"uri": "s://1", "name": "s"}]}))])
        }
        Some("resources/templates/list") => Some(vec![result(message, json!({"resourceTemplates": []}))]),
        Some("resources/read") => {
            Some(vec![result(message, json!({"contents": [{"uri": "s://1", "text": token()}]}))])
        }
        Some("prompts/list") => Some(vec![result(message, json!({"prompts": [{"name": "p"}]}))]),
        Some("prompts/get") => {
            let content = json!({"type": "text", "text": token()});
            Some(vec![result(message, json!({"messages": [{"role": "user", "content": content}]}))])
        }
        _ => None,
    })
}

/// Starts a kernel in front of the server, and a host.
async fn setup(policy: SecretPolicy) -> (Setup, RawHost) {
    setup_with(&server(), policy).await
}

async fn setup_with(server: &RawServer, policy: SecretPolicy) -> (Setup, RawHost) {
    let mut spec = server.spec("srv");
    spec.secrets = policy;
    let setup = start(|kernel, _| kernel.server(spec)).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    let host = setup.raw_host(As::plain(Era::Initialize)).await;
    (setup, host)
}

/// Returns the details of the events of secrets.
fn found(setup: &Setup) -> Vec<Value> {
    let events = setup.sink.events();
    let events = events.iter().filter(|event| event.event_type.to_string() == EVENT);
    events.map(|event: &AuditEvent| serde_json::to_value(&event.details).unwrap()).collect()
}

#[tokio::test]
async fn a_host_gets_a_masked_result_after_the_trail_has_the_event() {
    let (setup, mut host) = setup(SecretPolicy::Mask).await;
    assert_eq!(host.text("work", json!({})).await, format!("token: {MASK}"));
    let events = setup.calls();
    assert_eq!(events, [format!("{EVENT} SUCCESS srv.work"), "TOOL_EXECUTED SUCCESS srv.work".to_owned()]);
    let expected = json!({"method": "tools/call", "action": "masked", "secrets": {"github-pat": 1}});
    assert_eq!(found(&setup), [expected]);
    let events: Vec<_> =
        setup.sink.events().into_iter().filter(|event| !event.trace_id.is_absent()).collect();
    let [.., secret, call] = &events[..] else { panic!("{events:?}") };
    assert_eq!((&secret.trace_id, secret.actor.id.as_str()), (&call.trace_id, "agent.test"));
}

#[tokio::test]
async fn resources_prompts_errors_and_progress_are_masked_too() {
    let (setup, mut host) = setup(SecretPolicy::Mask).await;
    let resource = host.get("resources/read", json!({"uri": "s://1"})).await;
    assert_eq!(resource["contents"][0]["text"], MASK);
    let prompt = host.get("prompts/get", json!({"name": "p"})).await;
    assert_eq!(prompt["messages"][0]["content"]["text"], MASK);
    let error = host.refused("tools/call", json!({"name": "work", "arguments": {"fails": true}})).await;
    assert_eq!(error["message"], format!("no access with {MASK}"));
    let params = json!({"name": "work", "arguments": {}, "_meta": {"progressToken": 7}});
    host.get("tools/call", params).await;
    assert_eq!(host.hear("notifications/progress").await["params"]["message"], MASK);
    assert!(!format!("{:?}{:?}", host.read, setup.sink.events()).contains(&token()));
    let methods: Vec<_> = found(&setup).iter().map(|details| details["method"].clone()).collect();
    assert_eq!(methods, ["resources/read", "prompts/get", "tools/call", "tools/call"]);
    assert_eq!(found(&setup)[3]["secrets"], json!({"github-pat": 2}), "the progress counts");
}

#[tokio::test]
async fn log_messages_are_masked_within_a_call_and_without_one() {
    let server = server();
    let (setup, mut host) = setup_with(&server, SecretPolicy::Mask).await;
    host.text("work", json!({"logs": true})).await;
    assert_eq!(host.hear("notifications/message").await["params"]["data"], MASK);
    server.say(log_message());
    assert_eq!(host.hear("notifications/message").await["params"]["data"], MASK);
    assert!(!format!("{:?}{:?}", host.read, setup.sink.events()).contains(&token()));
    let of_logs = |details: &Value| details["method"] == "notifications/message";
    let found: Vec<_> = found(&setup).into_iter().filter(of_logs).collect();
    let expected =
        json!({"method": "notifications/message", "action": "masked", "secrets": {"github-pat": 1}});
    assert_eq!(found, [expected.clone(), expected]);
    for event in setup.sink.events() {
        assert!(event.event_type.to_string() != EVENT || event.actor.id == "agent.test", "{event:?}");
    }
}

#[tokio::test]
async fn an_unwanted_log_message_is_not_searched() {
    let server = server();
    let (setup, mut host) = setup_with(&server, SecretPolicy::Warn).await;
    host.get("logging/setLevel", json!({"level": "emergency"})).await;
    host.text("work", json!({"logs": true})).await;
    assert_eq!(found(&setup).len(), 1, "the result's");
    host.get("logging/setLevel", json!({"level": "debug"})).await;
    server.say(log_message());
    assert_eq!(host.hear("notifications/message").await["params"]["data"], token());
    assert_eq!(found(&setup)[1]["action"], "left");
}

#[tokio::test]
async fn a_server_s_text_in_an_error_of_the_kernel_is_masked() {
    let server = RawServer::new(Era::Stateless, json!({"tools": {}}), |message| {
        let answer = json!({"resultType": token(), "content": []});
        (message["method"] == "tools/call").then(|| vec![result(message, answer)])
    });
    let (setup, mut host) = setup_with(&server, SecretPolicy::Mask).await;
    let refused = host.refused("tools/call", json!({"name": "work", "arguments": {}})).await;
    assert!(refused["message"].as_str().unwrap().contains(MASK), "{refused}");
    assert_eq!(found(&setup)[0]["secrets"], json!({"github-pat": 1}));
}

#[tokio::test]
async fn the_policy_warn_records_secrets_and_keeps_the_result() {
    let (setup, mut host) = setup(SecretPolicy::Warn).await;
    assert_eq!(host.text("work", json!({})).await, format!("token: {}", token()));
    let expected = json!({"method": "tools/call", "action": "left", "secrets": {"github-pat": 1}});
    assert_eq!(found(&setup), [expected]);
}

#[tokio::test]
async fn a_result_is_forwarded_unchanged_by_default() {
    let (setup, mut host) = setup(SecretPolicy::default()).await;
    let id = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    let sent = json!({"content": [{"type": "text", "text": format!("token: {}", token())}]}).to_string();
    // A host is told of changed lists at any time.
    let line = loop {
        let line = host.line().await;
        if line.contains(&format!(r#""id":{id}"#)) {
            break line;
        }
    };
    assert_eq!(line, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{sent}}}"#));
    assert_eq!(found(&setup), [Value::Null; 0]);
    assert_eq!(setup.calls(), ["TOOL_EXECUTED SUCCESS srv.work"]);
}

#[tokio::test]
async fn a_chunk_that_is_held_back_counts_no_secrets() {
    for (policy, count) in [(SecretPolicy::Mask, 1), (SecretPolicy::Warn, 2)] {
        let (setup, mut host) = setup(policy).await;
        host.text("work", json!({"streams": true})).await;
        assert_eq!(found(&setup)[0]["secrets"], json!({"github-pat": count}), "{policy}");
    }
}

/// A secret may come in two chunks; the reply holds the whole text.
#[tokio::test]
async fn chunks_are_held_back_only_if_secrets_are_masked() {
    for policy in [SecretPolicy::Warn, SecretPolicy::Mask] {
        let setup = start(|kernel, signals| {
            let mut spec = spec("test", signals);
            spec.secrets = policy;
            kernel.server(spec)
        })
        .await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let params = json!({"name": "count", "arguments": {"steps": 3}, "_mgp": {"stream": true}});
        let result = host.get("tools/call", params).await;
        assert_eq!(result["content"][0]["text"], "0 1 2 ");
        let chunks = host.count("notifications/mgp.stream.chunk");
        assert_eq!(chunks, if policy == SecretPolicy::Mask { 0 } else { 3 }, "{policy}");
    }
}
