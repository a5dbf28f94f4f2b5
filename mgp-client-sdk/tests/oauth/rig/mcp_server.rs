//! A protected MCP server of the `initialize` era: it answers every request that brings a right token.

use super::{
    Json,
    proof::ProvenRequest,
    world::{ProbeFault, State},
};
use axum::{
    Router,
    extract::Request,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use http::{StatusCode, header::WWW_AUTHENTICATE};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;

type SharedState = Arc<Mutex<State>>;

pub(super) fn mcp_server(state: SharedState, base: String) -> Router {
    let metadata = {
        let (state, base) = (state.clone(), base.clone());
        async move || {
            let rules = state.lock().rules.clone();
            if rules.old_server || rules.names_no_issuer {
                return StatusCode::NOT_FOUND.into_response();
            }
            let resource = rules.resource.unwrap_or(format!("{base}/mcp"));
            let issuers = [rules.more_issuers, vec![rules.issuer]].concat();
            let mut body = json!({ "resource": resource, "authorization_servers": issuers });
            if let Some(scopes) = rules.resource_scopes {
                body["scopes_supported"] = scopes.into();
            }
            Json(body).into_response()
        }
    };
    let old = super::authorization_server(state.clone(), base.clone());
    Router::new()
        .route("/.well-known/oauth-protected-resource/mcp", get(metadata))
        .route("/mcp", post(async move |request: Request| answer(&state, &base, request).await))
        // A server of 2025-03-26 is its own authorization server.
        .merge(old)
}

async fn answer(state: &SharedState, base: &str, request: Request) -> Response {
    let headers = request.headers().clone();
    let bearer = request.headers().get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
    let message: Value = serde_json::from_slice(&body).unwrap();
    let method = message["method"].as_str().unwrap_or_default().to_owned();
    let fault = state.lock().rules.probe.filter(|_| method == "server/discover");
    match fault {
        Some(ProbeFault::Silent) => std::future::pending().await,
        Some(ProbeFault::Forbidden) => return StatusCode::FORBIDDEN.into_response(),
        None => {}
    }
    let mut state = state.lock();
    let (scheme, proofs) = match state.rules.proofs {
        Some(proofs) if !proofs.bearer => ("DPoP ", Some(proofs)),
        _ => ("Bearer ", None),
    };
    let token = bearer.as_deref().and_then(|bearer| bearer.strip_prefix(scheme));
    if let (Some(rules), Some(token)) = (proofs, token) {
        let url = format!("{base}/mcp");
        let request = ProvenRequest { method: "POST", url: &url, token: Some(token), nonce: rules.nonce };
        match request.key(&headers, &mut state.proofs) {
            Ok(key) => assert_eq!(state.keys.get(token), Some(&key), "the key of the token"),
            Err(error) if error == "use_dpop_nonce" => {
                let challenge = (WWW_AUTHENTICATE.as_str(), r#"DPoP error="use_dpop_nonce""#);
                let nonce = ("dpop-nonce", rules.supplied.or(rules.nonce).unwrap());
                return (StatusCode::UNAUTHORIZED, [challenge, nonce]).into_response();
            }
            Err(error) => panic!("{error}"),
        }
    }
    let scopes = token.and_then(|token| state.tokens.get(token)).filter(|_| !state.rules.refuses_all);
    let named = format!(r#"resource_metadata="{base}/.well-known/oauth-protected-resource/mcp""#);
    let is_bare = state.rules.old_server || state.rules.names_no_issuer;
    let named = if is_bare { "realm=x".to_owned() } else { named };
    let refuse =
        |status: StatusCode, challenge: String| (status, [(WWW_AUTHENTICATE, challenge)], "").into_response();
    let Some(scopes) = scopes else {
        let scope = state.rules.challenge.map(|scope| format!(r#", scope="{scope}""#)).unwrap_or_default();
        let challenge = match state.rules.proofs {
            Some(rules) => rules.challenge.replace("..", &named),
            None => format!("Bearer {named}{scope}"),
        };
        return refuse(StatusCode::UNAUTHORIZED, challenge);
    };
    if let Some(scope) = state.rules.needs.get(method.as_str()).filter(|scope| !scopes.contains(**scope)) {
        let challenge = format!(r#"Bearer error="insufficient_scope", scope="{scope}", {named}"#);
        return refuse(StatusCode::FORBIDDEN, challenge);
    }
    if message["id"].is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    let (key, answer) = said(&method);
    state.ran.push(method);
    Json(json!({ "jsonrpc": "2.0", "id": message["id"], key: answer })).into_response()
}

fn said(method: &str) -> (&'static str, Value) {
    let result = match method {
        "server/discover" => return ("error", json!({ "code": -32601, "message": "no such method" })),
        "initialize" => json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
            "serverInfo": { "name": "protected", "version": "1" } }),
        "tools/list" => json!({ "tools": [{ "name": "look", "inputSchema": { "type": "object" } }] }),
        "tools/call" => json!({ "content": [{ "type": "text", "text": "seen" }] }),
        _ => json!({}),
    };
    ("result", result)
}
