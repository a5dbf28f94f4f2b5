//! The rights to register and remove servers, and the requests that are refused.

use super::support::{
    BUILDER, builder, deregister, open, operator, reached, register, stdio, with_registrar,
};
use crate::{
    raw_host::As,
    support::{Setup, rule, server_rule, spec, start, until_some},
};
use mgp_discovery::config::Config;
use mgp_kernel::Era;
use mgp_types::{access::AccessDecision, context::Principal, permission::Permission};
use serde_json::{Value, json};

fn code(error: &Value) -> i64 {
    error["code"].as_i64().unwrap()
}

/// Checks that a refused request changed nothing and left only its events.
#[track_caller]
fn nothing_came(setup: &Setup, events: &[&str]) {
    assert_eq!(setup.known(), ["test"]);
    assert_eq!(setup.registrations(), events);
}

#[tokio::test]
async fn an_agent_without_the_right_cannot_register_or_remove() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    assert_eq!(code(&host.refused("mgp/discovery/register", stdio("dynamic.tool")).await), 1000);
    assert_eq!(code(&host.refused("mgp/discovery/deregister", json!({"id": "test"})).await), 1000);
    nothing_came(
        &setup,
        &["SERVER_REGISTERED BLOCKED agent.test dynamic.tool", "SERVER_DEREGISTERED BLOCKED agent.test test"],
    );
}

#[tokio::test]
async fn by_default_only_the_admin_role_registers() {
    let setup = start(|kernel, signals| reached(kernel, signals).server(spec("test", signals))).await;
    let mut agent = builder(&setup).await;
    assert_eq!(code(&agent.refused("mgp/discovery/register", stdio("a")).await), 1000);
    let mut admin = operator(&setup).await;
    assert_eq!(register(&mut admin, "a").await["status"], "connected");
    assert_eq!(setup.registrations()[1], "SERVER_REGISTERED SUCCESS ann a");
}

#[tokio::test]
async fn nobody_registers_on_another_s_behalf() {
    let setup = open().await;
    let mut host = builder(&setup).await;
    for (place, mgp) in [
        ("_mgp", json!({"delegation": ["agent.test"]})),
        ("_meta", json!({"mgp": {"delegation": ["agent.test"]}})),
    ] {
        let mut request = stdio("a");
        request[place] = mgp;
        assert_eq!(code(&host.refused("mgp/discovery/register", request).await), 1000);
    }
    let event = format!("SERVER_REGISTERED BLOCKED {BUILDER} ");
    nothing_came(&setup, &[&event, &event]);
}

#[tokio::test]
async fn a_registered_server_is_always_sandboxed_and_its_caller_s() {
    let setup = open().await;
    let mut host = builder(&setup).await;
    let mut request = stdio("dynamic.tool");
    request["mgp"] = json!({"trust_level": "trusted", "permissions_required": ["network.outbound"]});
    request["created_by"] = "ann".into();
    let result = host.get("mgp/discovery/register", request).await;
    assert_eq!(result, json!({"id": "dynamic.tool", "status": "connected", "trust_level": "sandboxed"}));
    assert_eq!(setup.registrations(), [format!("SERVER_REGISTERED SUCCESS {BUILDER} dynamic.tool")]);
    let filter = json!({"filter": {"permissions": ["network.outbound"], "status": "connected"}});
    let mut admin = operator(&setup).await;
    let listed = admin.get("mgp/discovery/list", filter).await;
    let servers = listed["servers"].as_array().unwrap();
    assert_eq!((servers.len(), &servers[0]["trust_level"]), (1, &json!("sandboxed")));
}

#[tokio::test]
async fn the_justification_and_the_reason_are_in_the_events() {
    let setup = open().await;
    let mut host = builder(&setup).await;
    let mut request = stdio("dynamic.tool");
    request["justification"] = "for the report".into();
    host.get("mgp/discovery/register", request).await;
    deregister(&mut host, "dynamic.tool").await;
    let events = setup.sink.events();
    for (kind, key, expected) in [
        ("dev.cloto.mgp.SERVER_REGISTERED", "justification", "for the report"),
        ("dev.cloto.mgp.SERVER_DEREGISTERED", "reason", "no_longer_needed"),
    ] {
        let event = events.iter().rfind(|event| event.event_type.as_str() == kind).unwrap();
        assert_eq!(event.details.as_ref().unwrap().text(key).as_deref(), Some(expected), "{event:?}");
    }
}

#[tokio::test]
async fn a_configured_server_is_neither_replaced_nor_removed() {
    let text = "[[servers]]\nid = \"off\"\ncommand = \"x\"\ndisabled = true\n";
    let config = Config::parse("x".as_ref(), text.as_bytes(), &|_| None).unwrap();
    let setup = start(|kernel, signals| {
        with_registrar(kernel.configure(&config).unwrap(), signals).server(spec("test", signals))
    })
    .await;
    let mut host = operator(&setup).await;
    for id in ["test", "off"] {
        assert_eq!(code(&host.refused("mgp/discovery/register", stdio(id)).await), 4101, "{id}");
        assert_eq!(code(&host.refused("mgp/discovery/deregister", json!({"id": id})).await), 1000, "{id}");
    }
    nothing_came(
        &setup,
        &[
            "SERVER_REGISTERED FAILURE ann test",
            "SERVER_DEREGISTERED BLOCKED ann test",
            "SERVER_REGISTERED FAILURE ann off",
            "SERVER_DEREGISTERED BLOCKED ann off",
        ],
    );
}

#[tokio::test]
async fn an_id_is_registered_once_and_servers_are_bounded() {
    let config = Config::parse("x".as_ref(), b"[kernel.limits]\nmax_servers = 2\n", &|_| None).unwrap();
    let setup = start(|kernel, signals| {
        with_registrar(kernel.configure(&config).unwrap(), signals).server(spec("test", signals))
    })
    .await;
    let mut host = builder(&setup).await;
    register(&mut host, "a").await;
    assert_eq!(code(&host.refused("mgp/discovery/register", stdio("a")).await), 4101);
    let full = host.refused("mgp/discovery/register", stdio("b")).await;
    assert_eq!(code(&full), 3001);
    assert!(full["message"].as_str().unwrap().contains("at most 2 servers"), "{full}");
    assert_eq!(setup.known(), ["test", "a"]);
    assert_eq!(setup.registrations().len(), 3);
    deregister(&mut host, "a").await;
}

#[tokio::test]
async fn an_invalid_registration_is_refused_by_field_and_recorded() {
    let setup = open().await;
    let mut host = builder(&setup).await;
    for (request, expected) in [
        (json!({"id": "a", "transport": "stdio"}), "command: missing"),
        (json!({"id": "a", "transport": "http", "url": "file:///etc"}), "url: a URL of scheme"),
        (json!({"id": "mgp.x", "transport": "stdio", "command": "x"}), "id: "),
        (json!({"id": "a", "transport": "stdio", "command": "x", "env": {"K": "${HOME}"}}), "env.K: holds"),
        (json!({"transport": "stdio"}), "missing field `id`"),
    ] {
        let error = host.refused("mgp/discovery/register", request).await;
        assert!(code(&error) == -32602 && error["message"].as_str().unwrap().contains(expected), "{error}");
    }
    let mut events: Vec<_> =
        ["a", "a", "mgp.x", "a"].map(|id| format!("SERVER_REGISTERED FAILURE {BUILDER} {id}")).into();
    events.push(format!("SERVER_REGISTERED FAILURE {BUILDER} "));
    nothing_came(&setup, &events.iter().map(String::as_str).collect::<Vec<_>>());
}

#[tokio::test]
async fn only_the_admin_role_registers_an_id_with_grants() {
    let setup = open().await;
    let shell: Permission = "shell.execute".parse().unwrap();
    setup.kernel.access().put(rule("ruled", None, AccessDecision::Allow)).await.unwrap();
    setup.kernel.access().put(rule("denied", None, AccessDecision::Deny)).await.unwrap();
    let ann = Principal::operator("ann");
    setup.kernel.permissions().grant("approved", &shell, &ann, None).await.unwrap();
    let mut host = builder(&setup).await;
    for id in ["ruled", "approved"] {
        let error = host.refused("mgp/discovery/register", stdio(id)).await;
        assert!(code(&error) == 1000 && error["message"].as_str().unwrap().contains("granted"), "{error}");
    }
    register(&mut host, "denied").await;
    let mut admin = operator(&setup).await;
    register(&mut admin, "ruled").await;
    assert_eq!(setup.known(), ["test", "denied", "ruled"]);
}

#[tokio::test]
async fn an_agent_removes_its_own_registration_with_its_grants() {
    let setup = start(|kernel, signals| {
        reached(kernel, signals)
            .config(|config| config.access.registrars = [BUILDER, "agent.test"].map(String::from).into())
            .server(spec("test", signals))
    })
    .await;
    let (mut own, mut admin) = (builder(&setup).await, operator(&setup).await);
    let mut other = setup.raw_host(As::mgp(Era::Initialize)).await;
    register(&mut own, "a").await;
    register(&mut admin, "b").await;
    setup.kernel.access().put(server_rule("agent.test", "a")).await.unwrap();
    setup.knows(&["test", "a", "b"]).await;
    let pinned = async |id: &str| {
        let pins = setup.kernel.definitions().rows().await.unwrap();
        pins.iter().any(|pin| *pin.tool.server_id == *id)
    };
    assert!(pinned("a").await && pinned("b").await);
    assert_eq!(code(&other.refused("mgp/discovery/deregister", json!({"id": "a"})).await), 1000);
    assert_eq!(code(&own.refused("mgp/discovery/deregister", json!({"id": "b"})).await), 1000);
    assert_eq!(deregister(&mut own, "a").await, json!({"id": "a", "removed": true}));
    assert_eq!(setup.kernel.access().entries().await.unwrap(), []);
    let rows = setup.kernel.permissions().rows().await.unwrap();
    assert!(rows.iter().all(|row| row.server_id != "a"), "{rows:?}");
    until_some(async || (!pinned("a").await).then_some(())).await;
    assert!(pinned("b").await);
    assert_eq!(deregister(&mut own, "a").await, json!({"id": "a", "removed": false}));
    assert_eq!(
        setup.registrations()[2..],
        [
            "SERVER_DEREGISTERED BLOCKED agent.test a".to_owned(),
            format!("SERVER_DEREGISTERED BLOCKED {BUILDER} b"),
            format!("SERVER_DEREGISTERED SUCCESS {BUILDER} a"),
        ]
    );
}
