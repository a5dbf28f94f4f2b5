//! A local authorization server, whose behavior a test sets.

use crate::signer::Signer;
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{net::TcpListener, task::JoinHandle};

/// An authorization server.
pub(crate) struct Authority {
    /// The name of the issuer, which is also its address.
    pub(crate) issuer: String,
    pub(crate) shared: Arc<SharedState>,
    task: JoinHandle<()>,
}

#[derive(Default)]
pub(crate) struct SharedState {
    /// The answer to a request for the keys.
    pub(crate) keys: Mutex<Answer>,
    pub(crate) metadata: Mutex<Answer>,
    /// The answers to requests about tokens, by token.
    pub(crate) tokens: Mutex<BTreeMap<String, Answer>>,
    pub(crate) keys_asked: AtomicUsize,
    pub(crate) tokens_asked: AtomicUsize,
    /// The credentials in the last request about a token.
    pub(crate) asker: Mutex<String>,
}

/// The answer to a request.
#[derive(Clone, Default)]
pub(crate) enum Answer {
    #[default]
    Nothing,
    Json(Value),
    Status(u16),
    /// Never answers.
    Silence,
    /// Answers with more than any client reads.
    Flood,
    /// Redirects the client.
    Elsewhere(String),
}

impl Authority {
    pub(crate) async fn start() -> Self {
        let shared = Arc::new(SharedState::default());
        let router = Router::new()
            .route("/keys", get(keys))
            .route("/moved", get(keys))
            .route("/introspect", post(introspect))
            .route("/.well-known/oauth-authorization-server", get(metadata))
            .with_state(shared.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { issuer, shared, task }
    }

    pub(crate) fn keys_url(&self) -> String {
        format!("{}/keys", self.issuer)
    }

    pub(crate) fn publish(&self, signers: &[&Signer]) {
        let keys: Vec<_> = signers.iter().map(|signer| signer.jwk()).collect();
        self.answer_keys(Answer::Json(json!({ "keys": keys })));
    }

    pub(crate) fn answer_keys(&self, answer: Answer) {
        *self.shared.keys.lock() = answer;
    }

    pub(crate) fn answer_token(&self, token: &str, answer: Answer) {
        self.shared.tokens.lock().insert(token.to_owned(), answer);
    }

    pub(crate) fn keys_asked(&self) -> usize {
        self.shared.keys_asked.load(Ordering::SeqCst)
    }

    pub(crate) fn tokens_asked(&self) -> usize {
        self.shared.tokens_asked.load(Ordering::SeqCst)
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type HttpAnswer = (StatusCode, HeaderMap, String);

async fn say(answer: Answer) -> HttpAnswer {
    let mut headers = HeaderMap::new();
    let (status, body) = match answer {
        Answer::Nothing => (StatusCode::NOT_FOUND, String::new()),
        Answer::Json(value) => (StatusCode::OK, value.to_string()),
        Answer::Status(status) => (StatusCode::from_u16(status).unwrap(), "{}".to_owned()),
        Answer::Silence => std::future::pending().await,
        Answer::Flood => (StatusCode::OK, " ".repeat(4 * 1024 * 1024)),
        Answer::Elsewhere(url) => {
            headers.insert("location", url.parse().unwrap());
            (StatusCode::FOUND, String::new())
        }
    };
    (status, headers, body)
}

async fn keys(State(shared): State<Arc<SharedState>>) -> HttpAnswer {
    shared.keys_asked.fetch_add(1, Ordering::SeqCst);
    let answer = shared.keys.lock().clone();
    say(answer).await
}

async fn metadata(State(shared): State<Arc<SharedState>>) -> HttpAnswer {
    let answer = shared.metadata.lock().clone();
    say(answer).await
}

async fn introspect(State(shared): State<Arc<SharedState>>, headers: HeaderMap, body: String) -> HttpAnswer {
    shared.tokens_asked.fetch_add(1, Ordering::SeqCst);
    let asker = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
    *shared.asker.lock() = asker.unwrap_or_default();
    let token = body.strip_prefix("token=").and_then(|rest| rest.split('&').next()).unwrap().to_owned();
    let answer = shared.tokens.lock().get(&token).cloned();
    say(answer.unwrap_or(Answer::Json(json!({ "active": false })))).await
}
