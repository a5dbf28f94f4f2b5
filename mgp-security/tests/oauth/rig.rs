//! An MCP server that requires tokens, and requests to it.

use crate::{authority::Authority, signer::Signer};
use http::{Method, Request, Response};
use mgp_security::identity::oauth::{Issuer, ResourceServer, ResourceServerBuilder};
use mgp_transport::{
    http::{
        fetch::HttpFetch,
        server::{HttpServer, RunningServer},
    },
    seam::{BoxError, Fetch, Incoming, Reply, Session, boxed},
};
use mgp_types::{context::Principal, json::RawJson};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

pub(crate) struct Rig {
    serving: RunningServer,
    pub(crate) authority: Authority,
    /// The name of the server as a resource: its URL.
    pub(crate) resource: String,
    client: HttpFetch,
}

pub(crate) const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;

impl Rig {
    /// Starts a server that trusts the issuers that `set` adds.
    pub(crate) async fn new(
        set: impl FnOnce(ResourceServerBuilder, &Authority) -> ResourceServerBuilder,
    ) -> Self {
        let authority = Authority::start().await;
        let client = HttpFetch::new(Duration::from_secs(120)).unwrap();
        let builder = set(ResourceServer::builder().fetch(client.clone()), &authority);
        let server = HttpServer::builder(|_: &Session| (boxed(tower::service_fn(serve)), None))
            .authenticate(builder.build().unwrap())
            .build();
        let serving = server.bind("127.0.0.1:0").await.unwrap();
        let resource = format!("http://{}/mcp", serving.address());
        Self { serving, authority, resource, client }
    }

    /// Starts a server that trusts one authority with these keys.
    pub(crate) async fn trusting(signers: &[&Signer]) -> Self {
        let rig = Self::new(by_keys).await;
        rig.authority.publish(signers);
        rig
    }

    /// Returns the claims of a valid token, with those in `instead` changed; `null` leaves a claim out.
    pub(crate) fn claims(&self, instead: &Value) -> Value {
        let mut claims = json!({
            "iss": self.authority.issuer, "sub": "alice", "aud": self.resource,
            "iat": now(), "exp": now() + 600, "scope": "mcp",
        });
        for (claim, value) in instead.as_object().unwrap() {
            match value {
                Value::Null => claims.as_object_mut().unwrap().remove(claim),
                value => claims.as_object_mut().unwrap().insert(claim.clone(), value.clone()),
            };
        }
        claims
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> HttpAnswer {
        let uri = format!("http://{}{path}", self.serving.address());
        let mut request = Request::builder()
            .method(method)
            .uri(uri)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.to_owned()).unwrap();
        HttpAnswer(self.client.fetch(request, 1024 * 1024).await.unwrap())
    }

    /// Opens a session with a token.
    pub(crate) async fn open(&self, token: &str) -> HttpAnswer {
        let bearer = format!("Bearer {token}");
        self.send(Method::POST, "/mcp", &[("authorization", &bearer)], INITIALIZE).await
    }

    /// Sends a request on a session.
    pub(crate) async fn ask(&self, token: &str, session: &str, method: &str, params: &Value) -> HttpAnswer {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", &*bearer), ("mcp-session-id", session)];
        self.send(Method::POST, "/mcp", &headers, &body).await
    }

    /// Returns the id of the principal that the server derives from a token, and whether it has the admin role.
    pub(crate) async fn whoami(&self, token: &str) -> (String, bool) {
        let opened = self.open(token).await;
        assert_eq!(opened.status(), 200, "{opened:?}");
        let answer = self.ask(token, opened.header("mcp-session-id"), "whoami", &json!({})).await;
        serde_json::from_value(answer.json()["result"].clone()).unwrap()
    }
}

/// Trusts the authority by the keys at its URL.
pub(crate) fn by_keys(builder: ResourceServerBuilder, authority: &Authority) -> ResourceServerBuilder {
    builder.issuer(Issuer::new(&authority.issuer).jwks_url(&authority.keys_url()))
}

/// Returns the present time, in seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

/// The answer of the server.
#[derive(Debug)]
pub(crate) struct HttpAnswer(Response<Vec<u8>>);

impl HttpAnswer {
    pub(crate) fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    /// Returns a header's text, which is empty if the header is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.0.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(self.0.body()).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that the token was refused, for a reason that contains `reason`.
    #[track_caller]
    pub(crate) fn is_no_token(&self, reason: &str) {
        let challenge = self.header("www-authenticate");
        assert_eq!(self.status(), 401, "{reason}: {self:?}");
        assert!(challenge.contains(r#"error="invalid_token""#), "{challenge}");
        assert!(challenge.contains(reason), "{reason}: {challenge}");
        assert!(challenge.contains("/.well-known/oauth-protected-resource/mcp"), "{challenge}");
    }

    /// Asserts that the token could not be judged.
    #[track_caller]
    pub(crate) fn is_no_fault_of_the_token(&self) {
        assert_eq!(self.status(), 503, "{self:?}");
        assert!(self.header("retry-after").parse::<u64>().unwrap() >= 1);
        assert_eq!(self.header("www-authenticate"), "");
    }
}

async fn serve(incoming: Incoming) -> Result<Reply, BoxError> {
    Ok(match &*incoming.method {
        "initialize" => Reply::ok(RawJson::parse(r#"{"protocolVersion":"2025-06-18","capabilities":{}}"#)?),
        "whoami" => {
            let principal: Principal = incoming.session().and_then(Session::get).ok_or("no principal")?;
            Reply::from_value(&(principal.id(), principal.is_admin()))
        }
        _ => Reply::ok(RawJson::empty_object()),
    })
}
