//! API keys with scopes.

use crate::{
    features::eras::everything,
    raw_host::{As, ERAS},
    rights::delegation::{reaches, shows},
    support::{code, full, json, number, rule, server_rule, spec, start, until, within},
};
use jiff::Timestamp;
use mgp_client_sdk::client::{Client, RetryPolicy};
use mgp_kernel::Era;
use mgp_security::keys::{KeyStore as _, Keys, SqlKeyStore, SqlStore, StoredKey};
use mgp_transport::{
    http::{
        client::HttpClientConfig,
        server::{ApiKey, RunningServer},
    },
    seam::{Decision, KeyRing as _, ToolCall},
};
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    context::{KeyScopes, Principal},
    error::ErrorCode,
    json::RawJson,
};
use serde_json::json as value;
use std::sync::Arc;

fn key(text: &str, scopes: &str) -> StoredKey {
    StoredKey {
        name: text.to_owned(),
        hash: ApiKey::of(text).into(),
        agent: "agent.test".to_owned(),
        admin: false,
        console: None,
        scopes: scopes.to_owned(),
        created_at: Timestamp::now(),
        expires_at: None,
        last_used: None,
    }
}

async fn host(serving: &RunningServer, key: &str) -> Client {
    let config = HttpClientConfig { bearer: Some(key.to_owned()), ..HttpClientConfig::default() };
    let client = Client::builder("host", "1").retries(RetryPolicy::never());
    within(client.connect_http(&serving.url(), config)).await.unwrap()
}

fn one() -> RawJson {
    json(r#"{"a":1,"b":1}"#)
}

#[tokio::test]
async fn a_scope_narrows_the_agent_and_reveals_no_hidden_tool() {
    let store = Arc::new(SqlKeyStore::in_memory());
    for (text, scopes) in [("whole", ""), ("narrow", "test__add"), ("wide", "*"), ("other", "elsewhere")] {
        store.add(key(text, scopes)).await.unwrap();
    }
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.default_policy = DefaultPolicy::OptIn;
        kernel.server(spec)
    })
    .await;
    for tool in ["add", "count"] {
        setup.kernel.access().put(rule("test", Some(tool), AccessDecision::Allow)).await.unwrap();
    }
    let keys = Keys::open(store, setup.kernel.access().clone()).await.unwrap();
    let serving = setup.kernel.http().key_ring(keys).build().bind("127.0.0.1:0").await.unwrap();
    let count = json(r#"{"steps":1}"#);
    for (key, may_add, may_count) in
        [("whole", true, true), ("narrow", true, false), ("wide", true, true), ("other", false, false)]
    {
        let host = host(&serving, key).await;
        let through = json(r#"{"name":"test__count","arguments":{"steps":1}}"#);
        for (name, arguments, expected) in [
            ("add", one(), may_add),
            ("count", count.clone(), may_count),
            ("mgp_tools_call", through, may_count),
        ] {
            let answer = within(host.call_tool(name, arguments)).await;
            let refused = answer.as_ref().err().map(code);
            assert_eq!(refused, (!expected).then(|| number(ErrorCode::AccessDenied)), "{key} {name}");
        }
        // No scope opens a tool, and none tells that it is there.
        for hidden in ["secret", "absent"] {
            let error = within(host.call_tool(hidden, json("{}"))).await.unwrap_err();
            assert_eq!(code(&error), number(ErrorCode::ToolNotFound), "{key} {hidden}: {error}");
        }
    }
    let refused = within(host(&serving, "narrow").await.call_tool("count", count)).await.unwrap_err();
    let told = refused.to_string();
    for part in [
        r#"the API key "narrow" does not allow tool "count": it can use test__add; it cannot use test__count"#,
        "`mgp keys add NAME --agent agent.test --scope test__count`",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    serving.shutdown().await;
}

#[tokio::test]
async fn scopes_narrow_everything_that_shows_or_reaches_a_server() {
    for era in ERAS {
        let mut server = crate::features::eras::spec("all", Era::Initialize, &everything());
        server.default_policy = DefaultPolicy::OptIn;
        let setup = start(|kernel, _| kernel.server(server).config(full)).await;
        setup.kernel.access().put(server_rule("agent.test", "all")).await.unwrap();
        let with = |scopes: &str| {
            let principal = Principal::agent("agent.test").narrowed_to(KeyScopes::new("ci", scopes));
            As { principal, ..As::mgp(era) }
        };
        for (scopes, sees) in [("all", true), ("*", true), ("elsewhere", false), ("all__other", false)] {
            let mut host = setup.raw_host(with(scopes)).await;
            for (method, params, word) in shows() {
                let shown = host.get(method, params).await.to_string();
                assert_eq!(shown.contains(word), sees, "{era:?} {scopes} {method}: {shown}");
            }
            let count = |setup: &crate::support::Setup| {
                let forwarded = ["TOOL_EXECUTED", "dev.cloto.mgp.REQUEST_FORWARDED"];
                let events = setup.sink.events();
                events.iter().filter(|event| forwarded.contains(&&*event.event_type.to_string())).count()
            };
            for (method, params) in reaches(era) {
                let before = count(&setup);
                if sees {
                    host.get(method, params).await;
                } else {
                    host.refused(method, params).await;
                    assert_eq!(count(&setup), before, "{era:?} {scopes} {method}");
                }
            }
        }
        // A scope of one tool is not about resources and prompts.
        let mut host = setup.raw_host(with("all__talk")).await;
        for (method, params, word) in shows() {
            let shown = host.get(method, params).await.to_string();
            let is_of_tools = method.contains("tools/");
            assert!(!is_of_tools || shown.contains(word), "{era:?} {method}: {shown}");
            assert!(!method.starts_with("resources/") || !shown.contains(word), "{era:?} {method}: {shown}");
            assert!(!method.starts_with("prompts/") || !shown.contains(word), "{era:?} {method}: {shown}");
        }
    }
}

#[tokio::test]
async fn a_dry_run_names_the_scope_that_a_key_lacks() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals))).await;
    let principal = Principal::agent("agent.test").narrowed_to(KeyScopes::new("ci", "read:test"));
    let mut host = setup.raw_host(As { principal, ..As::mgp(Era::Initialize) }).await;
    let asked = value!({"tool": "add", "scopes_held": ["*"], "parameters": {"a": 1, "b": 1}});
    let told = host.get("check_permissions", asked).await;
    assert_eq!(
        (&told["allowed"], &told["missing_scopes"]),
        (&false.into(), &value!(["test__add"])),
        "{told}"
    );
    assert!(
        told["reason"].as_str().unwrap().contains("it can read test; it cannot write with test__add"),
        "{told}"
    );
}

#[tokio::test]
async fn a_key_with_scopes_registers_no_server_and_is_not_admin() {
    let setup = start(|kernel, signals| {
        kernel
            .server(spec("test", signals))
            .config(|config| config.access.registrars = ["agent.test"].map(String::from).into())
    })
    .await;
    let admin = Principal::operator("agent.test").narrowed_to(KeyScopes::new("ci", "*"));
    let mut host = setup.raw_host(As { principal: admin, ..As::mgp(Era::Initialize) }).await;
    for (method, params) in [
        ("mgp/access/query", value!({"agent_id": "agent.test", "server_id": "test"})),
        ("mgp/audit/replay", value!({})),
        ("mgp/discovery/register", value!({"id": "new", "transport": "stdio", "command": "true"})),
    ] {
        let error = host.refused(method, params).await;
        assert_eq!(error["code"], 1000, "{method}: {error}");
    }
}

#[tokio::test]
async fn a_server_s_default_policy_covers_agents_known_only_by_a_key() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals))).await;
    let store = Arc::new(SqlKeyStore::in_memory());
    let of = |agent: &str, text: &str| StoredKey { agent: agent.to_owned(), ..key(text, "") };
    store.add(of("agent.first", "first")).await.unwrap();
    let keys = Keys::open(store.clone(), setup.kernel.access().clone()).await.unwrap();
    let http = setup.kernel.http().key_ring(keys.clone());
    let serving = http.build().bind("127.0.0.1:0").await.unwrap();
    within(host(&serving, "first").await.call_tool("add", one())).await.unwrap();
    store.add(of("agent.late", "late")).await.unwrap();
    until(|| keys.owner(&ApiKey::of("late").into()).is_some()).await;
    within(host(&serving, "late").await.call_tool("add", one())).await.unwrap();
    serving.shutdown().await;
}

#[tokio::test]
async fn a_call_whose_key_was_revoked_while_it_waited_is_not_sent() {
    for revokes in [true, false] {
        let store = Arc::new(SqlKeyStore::in_memory());
        store.add(key("ci", "")).await.unwrap();
        let ring = Arc::new(std::sync::OnceLock::<Keys>::new());
        let somebody = {
            let (store, ring) = (store.clone(), ring.clone());
            move |_: &ToolCall| {
                let (store, keys) = (store.clone(), ring.get().unwrap().clone());
                Decision::wait(async move {
                    if revokes {
                        store.revoke("ci").await.unwrap();
                        until(|| keys.owner(&ApiKey::of("ci").into()).is_none()).await;
                    }
                    Ok(())
                })
            }
        };
        let setup = start(|kernel, signals| kernel.server(spec("test", signals)).gate(somebody)).await;
        let keys = Keys::open(store, setup.kernel.access().clone()).await.unwrap();
        ring.set(keys.clone()).unwrap();
        let serving = setup.kernel.http().key_ring(keys).build().bind("127.0.0.1:0").await.unwrap();
        let host = host(&serving, "ci").await;
        let answer = within(host.call_tool("add", one())).await;
        let refused = answer.as_ref().err().map(code);
        assert_eq!(refused, revokes.then(|| number(ErrorCode::AuthExpired)), "{answer:?}");
        let expected =
            if revokes { "TOOL_BLOCKED BLOCKED test.add" } else { "TOOL_EXECUTED SUCCESS test.add" };
        assert_eq!(setup.calls_recorded(1).await, [expected]);
        if let Err(error) = answer {
            assert!(error.to_string().contains("the API key \"ci\" was revoked or has expired"), "{error}");
        }
        serving.shutdown().await;
    }
}
