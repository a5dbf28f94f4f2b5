//! Servers that an agent without the right to register them asks for, and the operator who decides.

use super::support::{open, reached, stdio};
use crate::{
    features::events,
    raw_host::{As, RawHost},
    support::{Setup, server_rule, spec, start, until},
};
use mgp_kernel::{Era, Registrar};
use mgp_types::context::Principal;
use serde_json::{Value, json};

fn ann() -> Principal {
    Principal::operator("ann")
}

async fn agent(setup: &Setup) -> RawHost {
    setup.raw_host(As::mgp(Era::Initialize)).await
}

/// Asks for a server, and returns the id of the request that waits, or the whole refusal.
async fn ask(host: &mut RawHost, request: Value) -> Result<String, Value> {
    let error = host.refused("mgp/discovery/register", request).await;
    let details = &error["data"]["_mgp"]["details"];
    match details["request_id"].as_str() {
        Some(id) if details["state"] == "open" => Ok(id.to_owned()),
        _ => Err(error),
    }
}

fn registrar(setup: &Setup) -> &Registrar {
    setup.kernel.registrar()
}

#[tokio::test]
async fn an_agent_s_server_is_registered_once_an_operator_approves_it() {
    let setup = open().await;
    let mut host = agent(&setup).await;
    let id = ask(&mut host, stdio("wanted")).await.unwrap();
    assert_eq!(ask(&mut host, stdio("wanted")).await.unwrap(), id, "it waits already");
    assert_eq!(setup.known(), ["test"]);
    let registrar = registrar(&setup);
    let refused = registrar.approve_request(&id, &Principal::agent("agent.test")).await.unwrap_err();
    assert_eq!(refused.code, 1000);
    let registered = registrar.approve_request(&id, &ann()).await.unwrap();
    assert_eq!((&*registered.created_by, registered.by_admin), ("ann", true));
    until(|| setup.known() == ["test", "wanted"]).await;
    assert_eq!(registrar.requests().await.unwrap(), []);
    assert_eq!(setup.registrations().last().unwrap(), "SERVER_REGISTERED SUCCESS ann wanted");
    let unknown = registrar.approve_request(&id, &ann()).await.unwrap_err();
    assert!(unknown.code == -32602 && unknown.message.contains(&id), "{unknown}");
}

#[tokio::test]
async fn an_operator_is_notified_of_a_request_once() {
    let setup = open().await;
    setup.permission_asked().await;
    let mut root = setup.raw_host(events::operator()).await;
    let channels = json!({"channels": ["security.approval_needed"]});
    events::subscribe(&mut root, Era::Initialize, channels).await;
    let mut host = agent(&setup).await;
    let mut heard = Vec::new();
    for server in ["wanted", "wanted", "other"] {
        heard.push(ask(&mut host, stdio(server)).await.unwrap());
    }
    heard.dedup();
    for (id, server) in heard.iter().zip(["wanted", "other"]) {
        let (channel, about, data, _) = events::hear(&mut root).await;
        assert_eq!((&*channel, &*about), ("security.approval_needed", server));
        assert_eq!((&data["request_id"], &data["agent_id"]), (&json!(id), &json!("agent.test")));
    }
    root.settle().await;
    assert_eq!(root.count(events::EVENT), 0, "{:?}", root.heard);
}

#[tokio::test]
async fn only_the_requesting_agent_is_notified_of_the_decision() {
    let setup = open().await;
    let (mut host, mut other) = (agent(&setup).await, setup.raw_host(As::mgp(Era::Initialize).of("x")).await);
    let channels = json!({"channels": ["security.approval_decided"]});
    events::subscribe(&mut host, Era::Initialize, channels.clone()).await;
    events::subscribe(&mut other, Era::Initialize, channels).await;
    let wanted = ask(&mut host, stdio("wanted")).await.unwrap();
    let unwanted = ask(&mut host, stdio("unwanted")).await.unwrap();
    registrar(&setup).approve_request(&wanted, &ann()).await.unwrap();
    registrar(&setup).deny_request(&unwanted, &ann()).await.unwrap();
    for (id, server, result) in [(&wanted, "wanted", "SUCCESS"), (&unwanted, "unwanted", "BLOCKED")] {
        let (channel, about, data, _) = events::hear(&mut host).await;
        assert_eq!((&*channel, &*about), ("security.approval_decided", server));
        assert_eq!((&data["request_id"], &data["result"]), (&json!(id), &json!(result)));
    }
    // What the operator registers unasked decides nothing.
    let mut root = setup.raw_host(events::operator()).await;
    root.get("mgp/discovery/register", stdio("own")).await;
    for host in [&mut host, &mut other] {
        host.settle().await;
        assert_eq!(host.count(events::EVENT), 0, "{:?}", host.heard);
    }
}

#[tokio::test]
async fn another_server_under_the_same_id_is_another_request() {
    let setup = open().await;
    let mut host = agent(&setup).await;
    let first = ask(&mut host, stdio("wanted")).await.unwrap();
    let other = json!({"id": "wanted", "transport": "stdio", "command": "rm"});
    let second = ask(&mut host, other).await.unwrap();
    assert_ne!(first, second);
    let registrar = registrar(&setup);
    assert_eq!(registrar.approve_request(&first, &ann()).await.unwrap_err().code, -32602);
    assert_eq!(
        registrar.approve_request(&second, &ann()).await.unwrap().server.command.unwrap().value(),
        "rm"
    );
}

#[tokio::test]
async fn a_denial_lasts_until_it_is_revoked() {
    let setup = open().await;
    let mut host = agent(&setup).await;
    let id = ask(&mut host, stdio("wanted")).await.unwrap();
    let registrar = registrar(&setup);
    registrar.deny_request(&id, &ann()).await.unwrap();
    let denied = ask(&mut host, stdio("wanted")).await.unwrap_err();
    assert!(
        denied["message"].as_str().unwrap().contains(&format!("`mgp approve {id} --revoke`")),
        "{denied}"
    );
    registrar.forget_request(&id, &ann()).await.unwrap().unwrap();
    let revoked = setup.sink.events().last().unwrap().clone();
    assert_eq!(revoked.event_type.as_str(), "dev.cloto.mgp.SERVER_DENIAL_REVOKED");
    assert_eq!(ask(&mut host, stdio("wanted")).await.unwrap(), id);
}

#[tokio::test]
async fn a_used_id_looks_like_a_free_one_and_is_not_approved() {
    let setup = start(|kernel, signals| reached(kernel, signals).server(spec("test", signals))).await;
    setup.kernel.access().put(server_rule("agent.other", "granted")).await.unwrap();
    let mut host = agent(&setup).await;
    for id in ["test", "granted"] {
        let id = ask(&mut host, stdio(id)).await.unwrap();
        registrar(&setup).approve_request(&id, &ann()).await.unwrap_err();
        assert!(
            registrar(&setup).requests().await.unwrap().iter().any(|row| row.request_id == id),
            "it still waits"
        );
    }
    assert_eq!(setup.known(), ["test"]);
}

#[tokio::test]
async fn requests_are_bounded_and_only_for_the_caller_itself() {
    let setup = start(|kernel, signals| reached(kernel, signals).server(spec("test", signals))).await;
    let mut host = agent(&setup).await;
    let mut on_behalf = stdio("x");
    on_behalf["_mgp"] = json!({"delegation": ["agent.other"]});
    let refused = ask(&mut host, on_behalf).await.unwrap_err();
    assert_eq!(refused["code"], 1000, "{refused}");
    let invalid = ask(&mut host, json!({"id": "y", "transport": "pigeon"})).await.unwrap_err();
    assert!(invalid["message"].as_str().unwrap().contains("pigeon"), "{invalid}");
    let mut long = stdio("y");
    long["args"] = json!(["x".repeat(20_000)]);
    let long = ask(&mut host, long).await.unwrap_err();
    assert!(long["message"].as_str().unwrap().contains("expected at most 16384 bytes"), "{long}");
    assert_eq!(registrar(&setup).requests().await.unwrap(), []);
    for i in 0..8 {
        ask(&mut host, stdio(&format!("s{i}"))).await.unwrap();
    }
    let full = ask(&mut host, stdio("s8")).await.unwrap_err();
    assert!(full["message"].as_str().unwrap().contains("8 requests for servers wait"), "{full}");
    let other = As { principal: Principal::agent("agent.other"), ..As::mgp(Era::Initialize) };
    ask(&mut setup.raw_host(other).await, stdio("mine")).await.unwrap();
}
