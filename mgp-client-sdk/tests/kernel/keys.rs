//! API keys with scopes, over HTTP.

use crate::support::{code, json, number, rule, spec, start, within};
use jiff::Timestamp;
use mgp_client_sdk::client::{Client, RetryPolicy};
use mgp_security::keys::{KeyStore as _, Keys, MemoryKeyStore, StoredKey};
use mgp_transport::http::{
    client::HttpClientConfig,
    server::{ApiKey, RunningServer},
};
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    error::ErrorCode,
};
use std::sync::Arc;

fn key(text: &str, scopes: &str) -> StoredKey {
    StoredKey {
        name: text.to_owned(),
        hash: ApiKey::of(text).into(),
        agent: "agent.test".to_owned(),
        admin: false,
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

#[tokio::test]
async fn a_scope_narrows_what_the_agent_may_and_tells_nothing_of_tools_that_it_may_not_see() {
    let store = Arc::new(MemoryKeyStore::new());
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
    let keys = Keys::open(store.clone()).await.unwrap();
    let serving = setup.kernel.http().key_ring(keys).build().bind("127.0.0.1:0").await.unwrap();
    let (add, count) = (json(r#"{"a":1,"b":1}"#), json(r#"{"steps":1}"#));
    for (key, may_add, may_count) in
        [("whole", true, true), ("narrow", true, false), ("wide", true, true), ("other", false, false)]
    {
        let host = host(&serving, key).await;
        let through = json(r#"{"name":"test__count","arguments":{"steps":1}}"#);
        for (name, arguments, expected) in [
            ("add", add.clone(), may_add),
            ("count", count.clone(), may_count),
            ("mgp_tools_call", through, may_count),
        ] {
            let answer = within(host.call_tool(name, arguments)).await;
            let refused = answer.as_ref().err().map(code);
            assert_eq!(refused, (!expected).then(|| number(ErrorCode::AccessDenied)), "{key} {name}");
        }
        // Neither a scope opens a tool, nor a narrow one tells that it is there.
        for hidden in ["secret", "absent"] {
            let error = within(host.call_tool(hidden, json("{}"))).await.unwrap_err();
            assert_eq!(code(&error), number(ErrorCode::ToolNotFound), "{key} {hidden}: {error}");
        }
    }
    let told =
        within(host(&serving, "narrow").await.call_tool("count", count)).await.unwrap_err().to_string();
    assert!(
        told.contains("the API key \"narrow\" does not allow tool \"count\": it can use test__add"),
        "{told}"
    );
    serving.shutdown().await;
}
