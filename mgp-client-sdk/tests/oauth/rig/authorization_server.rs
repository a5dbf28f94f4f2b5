//! An authorization server that is strict about what it is given.

use super::{
    Json,
    proof::ProvenRequest,
    world::{Code, State},
};
use axum::{
    Router,
    extract::Request,
    response::{IntoResponse, Redirect, Response},
};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use http::{HeaderMap, Method, StatusCode};
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use url::{Url, form_urlencoded};

type SharedState = Arc<Mutex<State>>;
type Fields = BTreeMap<String, String>;

pub(crate) fn authorization_server(state: SharedState, base: String) -> Router {
    Router::new().fallback(move |request: Request| async move { answer(&state, &base, request).await })
}

async fn answer(state: &SharedState, base: &str, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let proof = Proof { headers: parts.headers.clone(), url: format!("{base}{}", parts.uri.path()) };
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    let basic = parts.headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let mut state = state.lock();
    let line = format!("{} {}{} {body} {}", parts.method, base, parts.uri, basic.clone().unwrap_or_default());
    state.log.push(line);
    let query = fields(parts.uri.query().unwrap_or_default());
    match (parts.method, parts.uri.path()) {
        (Method::GET, "/.well-known/oauth-authorization-server") if !state.rules.old_server => {
            Json(metadata(&state, base)).into_response()
        }
        (Method::GET, "/authorize") => authorize(&mut state, base, &query),
        (Method::POST, "/register") => register(&mut state, &body),
        (Method::POST, "/token") => match token(&mut state, &fields(&body), basic.as_deref(), &proof) {
            Ok(tokens) => Json(tokens).into_response(),
            Err((status, "use_dpop_nonce")) => {
                let nonce = state.rules.proofs.and_then(|rules| rules.token_nonce).unwrap();
                let error = Json(json!({ "error": "use_dpop_nonce" }));
                (StatusCode::from_u16(status).unwrap(), [("dpop-nonce", nonce)], error).into_response()
            }
            Err((status, error)) => {
                let error = json!({ "error": error, "error_description": "as the rules say" });
                (StatusCode::from_u16(status).unwrap(), Json(error)).into_response()
            }
        },
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn fields(text: &str) -> Fields {
    form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

fn metadata(state: &State, base: &str) -> Value {
    let mut metadata = json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"),
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
        "authorization_response_iss_parameter_supported": true,
    });
    let of_this_one = state.rules.metadata_at.get(base).into_iter().flatten();
    for (key, value) in state.rules.metadata.iter().chain(of_this_one) {
        match value {
            Value::Null => metadata.as_object_mut().unwrap().remove(*key),
            value => metadata.as_object_mut().unwrap().insert((*key).to_owned(), value.clone()),
        };
    }
    metadata
}

fn authorize(state: &mut State, base: &str, query: &Fields) -> Response {
    let get = |name: &str| query.get(name).cloned().unwrap_or_default();
    if get("response_type") != "code" || get("code_challenge_method") != "S256" || get("state").len() < 22 {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let code = format!("code-{}", state.number());
    let mut location = Url::parse(&get("redirect_uri")).unwrap();
    {
        let mut answer = location.query_pairs_mut();
        answer.append_pair("state", &get("state"));
        match state.rules.iss {
            None if !state.rules.old_server => drop(answer.append_pair("iss", base)),
            None | Some("") => {}
            Some(iss) => drop(answer.append_pair("iss", iss)),
        }
        if state.rules.denies {
            answer.append_pair("error", "access_denied");
        } else {
            answer.append_pair("code", &code);
        }
    }
    let grant = Code {
        challenge: get("code_challenge"),
        redirect_uri: get("redirect_uri"),
        client: get("client_id"),
        resource: query.get("resource").cloned(),
        scope: get("scope"),
    };
    state.codes.insert(code, grant);
    Redirect::to(location.as_str()).into_response()
}

fn register(state: &mut State, body: &str) -> Response {
    let request: Value = serde_json::from_str(body).unwrap();
    let id = format!("registered-{}", state.number());
    let mut answer = json!({ "client_id": id, "redirect_uris": request["redirect_uris"] });
    if request["token_endpoint_auth_method"] != "none" {
        answer["client_secret"] = "hush-registered".into();
    }
    (StatusCode::CREATED, Json(answer)).into_response()
}

/// The headers of a request, and its URL.
struct Proof {
    headers: HeaderMap,
    url: String,
}

impl Proof {
    /// Returns the key of the request's proof, if the rules ask for one.
    fn key(&self, state: &mut State) -> Result<Option<String>, (u16, &'static str)> {
        let Some(rules) = state.rules.proofs.filter(|rules| !rules.bearer) else { return Ok(None) };
        let request = ProvenRequest { method: "POST", url: &self.url, token: None, nonce: rules.token_nonce };
        match request.key(&self.headers, &mut state.proofs) {
            Ok(key) => Ok(Some(key)),
            Err(error) if error == "use_dpop_nonce" => Err((400, "use_dpop_nonce")),
            Err(_) => Err((400, "invalid_dpop_proof")),
        }
    }
}

fn token(
    state: &mut State,
    form: &Fields,
    basic: Option<&str>,
    proof: &Proof,
) -> Result<Value, (u16, &'static str)> {
    let key = proof.key(state)?;
    if let Some((status, error)) = state.rules.token_answer {
        return Err((status, error));
    }
    let get = |name: &str| form.get(name).cloned().unwrap_or_default();
    let (client, secret) = match basic.and_then(|basic| basic.strip_prefix("Basic ")) {
        Some(basic) => {
            let text = String::from_utf8(STANDARD.decode(basic).unwrap()).unwrap();
            let (id, secret) = text.split_once(':').unwrap();
            (id.to_owned(), secret.to_owned())
        }
        None => (get("client_id"), get("client_secret")),
    };
    if let Some((id, expected)) = state.rules.known_client
        && (id != client || expected != secret && !form.contains_key("client_assertion"))
    {
        return Err((401, "invalid_client"));
    }
    let scopes = match &*get("grant_type") {
        "authorization_code" => {
            let code = state.codes.remove(&get("code")).ok_or((400, "invalid_grant"))?;
            let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(get("code_verifier")));
            let right = code.challenge == challenge
                && code.redirect_uri == get("redirect_uri")
                && code.client == client
                && code.resource.as_ref() == form.get("resource");
            if !right {
                return Err((400, "invalid_grant"));
            }
            code.scope
        }
        "refresh_token" => {
            // Each can be used once.
            let (owner, scopes) =
                state.refresh.remove(&get("refresh_token")).ok_or((400, "invalid_grant"))?;
            if owner != client || state.keys.get(&get("refresh_token")) != key.as_ref() {
                return Err((400, "invalid_grant"));
            }
            scopes.into_iter().collect::<Vec<_>>().join(" ")
        }
        "client_credentials" | "urn:ietf:params:oauth:grant-type:jwt-bearer" => get("scope"),
        "urn:ietf:params:oauth:grant-type:token-exchange" => {
            return Ok(json!({
                "access_token": format!("jag.{}.{}", get("audience"), get("subject_token")),
                "issued_token_type": state.rules.issued.unwrap_or(&get("requested_token_type")),
                "token_type": "N_A",
            }));
        }
        _ => return Err((400, "unsupported_grant_type")),
    };
    let scopes: BTreeSet<String> =
        scopes.split(' ').filter(|one| !one.is_empty()).map(str::to_owned).collect();
    let scopes = match &state.rules.gives {
        Some(gives) => scopes.into_iter().filter(|scope| gives.contains(&scope.as_str())).collect(),
        None => scopes,
    };
    let token = state.issue(scopes.clone());
    let kind = if key.is_some() { "DPoP" } else { "bearer" };
    let mut answer = json!({ "access_token": token, "token_type": kind });
    state.keys.extend(key.clone().map(|key| (token, key)));
    if let Some(seconds) = state.rules.expires_in {
        answer["expires_in"] = seconds.into();
    }
    if state.rules.refresh_tokens {
        let token = format!("hush-refresh-{}", state.number());
        state.refresh.insert(token.clone(), (client, scopes));
        state.keys.extend(key.map(|key| (token.clone(), key)));
        answer["refresh_token"] = token.into();
    }
    Ok(answer)
}
