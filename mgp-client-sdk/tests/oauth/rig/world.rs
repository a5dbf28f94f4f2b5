//! The state that both servers share: the rules that they follow, and the requests that they got.

use super::{authorization_server, mcp_server::mcp_server};
use axum::Router;
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use tokio::net::TcpListener;

/// The rules of the servers' answers. Each test changes the rules that it is about.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    /// The resource that the metadata names instead of the right one.
    pub(crate) resource: Option<String>,
    /// True if there is no protected resource metadata.
    pub(crate) old_server: bool,
    /// True if there is no protected resource metadata, and the MCP server's host publishes the metadata of an authorization server.
    pub(crate) names_no_issuer: bool,
    /// `scopes_supported` of the resource.
    pub(crate) resource_scopes: Option<Vec<&'static str>>,
    /// The scope of a 401's challenge.
    pub(crate) challenge: Option<&'static str>,
    /// The scope that a method needs.
    pub(crate) needs: BTreeMap<&'static str, &'static str>,
    /// The fault of the answer to `server/discover`, whoever asks.
    pub(crate) probe: Option<ProbeFault>,
    /// True if every token is refused.
    pub(crate) refuses_all: bool,
    /// The authorization server that the resource names.
    pub(crate) issuer: String,
    /// The authorization servers that the resource names before that one.
    pub(crate) more_issuers: Vec<String>,
    /// The members that are merged into the metadata of authorization servers; `null` removes a member.
    pub(crate) metadata: BTreeMap<&'static str, serde_json::Value>,
    /// The members that are merged into the metadata of the authorization server with this URL alone.
    pub(crate) metadata_at: BTreeMap<String, BTreeMap<&'static str, serde_json::Value>>,
    /// The `iss` of redirects; empty for none, and `None` for the right one.
    pub(crate) iss: Option<&'static str>,
    /// True if the user refuses.
    pub(crate) denies: bool,
    /// The most scopes that are granted.
    pub(crate) gives: Option<Vec<&'static str>>,
    pub(crate) expires_in: Option<u64>,
    pub(crate) refresh_tokens: bool,
    /// The client that is known, with its secret.
    pub(crate) known_client: Option<(&'static str, &'static str)>,
    /// The `issued_token_type` of an exchange, instead of the one that was asked for.
    pub(crate) issued: Option<&'static str>,
    /// The tokens that the authorization server binds to a key, and the server demands.
    pub(crate) proofs: Option<ProofRules>,
    /// The status and body that the token endpoint answers instead of a token.
    pub(crate) token_answer: Option<(u16, &'static str)>,
}

/// The rules on proofs of possession.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ProofRules {
    /// The challenge of a 401.
    pub(crate) challenge: &'static str,
    /// The nonce that the token endpoint demands.
    pub(crate) token_nonce: Option<&'static str>,
    /// The nonce that the server demands.
    pub(crate) nonce: Option<&'static str>,
    /// The nonce that the server supplies instead of the one that it demands.
    pub(crate) supplied: Option<&'static str>,
    /// True if the authorization server binds no tokens.
    pub(crate) bearer: bool,
}

/// A fault of the answer to `server/discover`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ProbeFault {
    /// There is none.
    Silent,
    /// 403, without a challenge.
    Forbidden,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Code {
    pub(super) challenge: String,
    pub(super) redirect_uri: String,
    pub(super) client: String,
    pub(super) resource: Option<String>,
    pub(super) scope: String,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) rules: Rules,
    /// Every request to an authorization server, as `METHOD path?query body`.
    pub(crate) log: Vec<String>,
    /// The methods that the MCP server ran.
    pub(crate) ran: Vec<String>,
    pub(super) codes: BTreeMap<String, Code>,
    /// The valid access tokens, with their scopes.
    pub(crate) tokens: BTreeMap<String, BTreeSet<String>>,
    /// The valid refresh tokens, with their client and scopes.
    pub(super) refresh: BTreeMap<String, (String, BTreeSet<String>)>,
    /// The keys that access and refresh tokens are bound to.
    pub(crate) keys: BTreeMap<String, String>,
    /// The ids of the proofs so far.
    pub(super) proofs: BTreeSet<String>,
    pub(super) next: u32,
}

impl State {
    pub(super) fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    pub(crate) fn forget_refresh_tokens(&mut self) {
        self.refresh.clear();
    }

    pub(super) fn issue(&mut self, scopes: BTreeSet<String>) -> String {
        let token = format!("hush-access-{}", self.number());
        self.tokens.insert(token.clone(), scopes);
        token
    }
}

/// Both servers.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) state: Arc<Mutex<State>>,
    /// The URL of the authorization server, which is its issuer.
    pub(crate) auth: String,
    /// The URL of the MCP server.
    pub(crate) mcp: String,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Rules)) -> Self {
        let state = Arc::<Mutex<State>>::default();
        let auth = serve(|base| authorization_server(state.clone(), base)).await;
        let mcp = serve(|base| mcp_server(state.clone(), base)).await;
        let world = Self { state, auth: auth.clone(), mcp: format!("{mcp}/mcp") };
        world.change(|rules| {
            rules.issuer = auth;
            change(rules);
        });
        world
    }

    /// Starts one more authorization server, which shares the rules and the log.
    pub(crate) async fn another_authorization_server(&self) -> String {
        serve(|base| authorization_server(self.state.clone(), base)).await
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Rules)) {
        change(&mut self.state.lock().rules);
    }

    /// Returns the URL of the MCP server's host, which is an authorization server too.
    pub(crate) fn host(&self) -> &str {
        self.mcp.strip_suffix("/mcp").unwrap()
    }

    /// Makes all access tokens invalid.
    pub(crate) fn revoke(&self) {
        self.state.lock().tokens.clear();
    }

    /// Returns the requests to authorization servers whose line begins with `start`.
    pub(crate) fn asked(&self, start: &str) -> Vec<String> {
        self.state.lock().log.iter().filter(|line| line.starts_with(start)).cloned().collect()
    }
}

async fn serve(router: impl FnOnce(String) -> Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let router = router(base.clone());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    base
}
