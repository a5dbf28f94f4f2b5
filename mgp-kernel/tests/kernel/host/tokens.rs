//! Hosts over HTTP whose tokens allow some tools.

use crate::support::{Setup, open};
use async_trait::async_trait;
use http::{HeaderMap, Request, header::AUTHORIZATION};
use mgp_transport::{
    http::{fetch::HttpFetch, server::RunningServer},
    seam::{Authenticate, Authentication, CredentialError, Fetch, ResourceMetadata, Scopes},
};
use mgp_types::context::Principal;
use serde_json::{Value, json};
use std::time::Duration;

/// A token is the scopes that it has. The tool `add` of the server `test` needs the scope `math`.
#[derive(Debug)]
struct ByName;

#[async_trait]
impl Authenticate for ByName {
    async fn authenticate(&self, headers: &HeaderMap, _: &str) -> Result<Authentication, CredentialError> {
        let value = headers.get(AUTHORIZATION).ok_or_else(CredentialError::missing)?;
        let scopes = Scopes::parse(value.to_str().unwrap().strip_prefix("Bearer ").unwrap());
        Ok(Authentication { scopes, ..Authentication::new(Principal::agent("agent.test")) })
    }

    fn check(&self, who: &Authentication, method: &str, name: Option<&str>) -> Result<(), CredentialError> {
        if method == "tools/call" && name == Some("test__add") && !who.scopes.contains("math") {
            return Err(CredentialError::insufficient_scope("no math", Scopes::parse("math")));
        }
        Ok(())
    }

    fn metadata(&self) -> ResourceMetadata {
        ResourceMetadata::default()
    }
}

struct Host {
    client: HttpFetch,
    serving: RunningServer,
}

impl Host {
    async fn open(setup: &Setup) -> Self {
        let serving = setup.kernel.http().authenticate(ByName).build().bind("127.0.0.1:0").await.unwrap();
        Self { client: HttpFetch::new(Duration::from_secs(120)).unwrap(), serving }
    }

    async fn post(&self, token: &str, session: &str, body: &Value) -> (u16, String, Value) {
        let mut request = Request::post(format!("http://{}/mcp", self.serving.address()))
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("authorization", format!("Bearer {token}"));
        if !session.is_empty() {
            request = request.header("mcp-session-id", session);
        }
        let answer = self.client.fetch(request.body(body.to_string()).unwrap(), 1_000_000).await.unwrap();
        let session = answer.headers().get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
        let body = serde_json::from_slice(answer.body()).unwrap_or_default();
        (answer.status().as_u16(), session.unwrap_or_default(), body)
    }

    async fn session(&self) -> String {
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" } });
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello });
        let (_, session, _) = self.post("read", "", &hello).await;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post("read", &session, &ready).await.0, 202);
        session
    }
}

#[tokio::test]
async fn a_tool_needs_its_scope_under_every_name_and_by_every_way() {
    let setup = open().await;
    let host = Host::open(&setup).await;
    let session = host.session().await;
    let numbers = json!({ "a": 1, "b": 2 });
    for (name, arguments, at_the_door) in [
        ("test__add", numbers.clone(), true),
        ("mgp_tools_call", json!({ "name": "test__add", "arguments": numbers }), true),
        ("add", numbers.clone(), false),
        ("mgp_tools_call", json!({ "name": "add", "arguments": numbers }), false),
    ] {
        let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": { "name": name, "arguments": arguments } });
        let (status, _, refused) = host.post("read", &session, &call).await;
        assert_eq!(status, if at_the_door { 403 } else { 200 }, "{refused}");
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        // What the same session may do depends on the token of each request.
        let (_, _, answer) = host.post("read math", &session, &call).await;
        assert_eq!(answer["result"]["content"][0]["text"], "3", "{answer}");
    }
    let blocked = setup.calls().into_iter().filter(|call| call == "TOOL_BLOCKED BLOCKED test.add").count();
    assert_eq!(blocked, 2, "{:?}", setup.calls());
    host.serving.shutdown().await;
}
