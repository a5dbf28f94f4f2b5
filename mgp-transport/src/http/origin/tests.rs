//! Requests to an origin that a test answers.

use super::{OriginClient, OriginError, OriginLimits, OriginRequest};
use crate::http::{
    client::{Authorize, AuthorizeError, Challenge, HttpClientConfig},
    fetch::DocumentError,
};
use async_trait::async_trait;
use axum::{Router, extract::Request, response::IntoResponse};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use parking_lot::Mutex;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use url::Url;

type Log = Arc<Mutex<Vec<String>>>;

/// An origin that logs each request, and answers by its path.
async fn serve() -> (SocketAddr, Log) {
    let log = Log::default();
    let seen = log.clone();
    let router = Router::new().fallback(move |request: Request| {
        let header = |name: &str| {
            request.headers().get(name).map_or(String::new(), |value| value.to_str().unwrap().to_owned())
        };
        let (token, path) = (header("authorization"), request.uri().path().to_owned());
        seen.lock().push(format!("{} {} {token} {}", request.method(), request.uri(), header("x-key")));
        async move {
            match &*path {
                "/v1/moved" => (StatusCode::FOUND, [(header::LOCATION, "/v1/there")]).into_response(),
                "/v1/circle" => (StatusCode::FOUND, [(header::LOCATION, "circle")]).into_response(),
                "/v1/away" => {
                    (StatusCode::FOUND, [(header::LOCATION, "http://127.0.0.1:1/x")]).into_response()
                }
                "/v1/long" => "x".repeat(5000).into_response(),
                "/v1/silent" => std::future::pending().await,
                "/v1/private" if token != "Bearer new" => {
                    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response()
                }
                _ => "here".into_response(),
            }
        }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (address, log)
}

fn client(address: SocketAddr, config: HttpClientConfig, limits: OriginLimits) -> OriginClient {
    OriginClient::new(&format!("http://{address}/v1/"), config, limits).unwrap()
}

async fn send(client: &OriginClient, method: Method, path: &str) -> Result<Response<Vec<u8>>, OriginError> {
    let mut headers = HeaderMap::new();
    headers.insert("x-key", HeaderValue::from_static("of-agent"));
    let path_and_query = path.to_owned();
    client.send(OriginRequest { method, path_and_query, headers, body: Vec::new() }).await
}

#[tokio::test]
async fn credentials_go_with_each_request_and_are_not_replaced() {
    let (address, log) = serve().await;
    let mut config = HttpClientConfig { bearer: Some("token".to_owned()), ..HttpClientConfig::default() };
    config.headers.insert("x-key", HeaderValue::from_static("of-operator"));
    let client = client(address, config, OriginLimits::default());
    assert_eq!(client.base_url(), format!("http://{address}/v1"));
    let response = send(&client, Method::GET, "/moved?a=b").await.unwrap();
    assert_eq!((response.status(), response.body().as_slice()), (StatusCode::OK, &b"here"[..]));
    assert_eq!(
        *log.lock(),
        ["GET /v1/moved?a=b Bearer token of-operator", "GET /v1/there Bearer token of-operator"]
    );
}

#[tokio::test]
async fn no_request_leaves_the_origin() {
    let (address, log) = serve().await;
    let client = client(address, HttpClientConfig::default(), OriginLimits::default());
    // A redirect elsewhere, and one of a request that changes something, are answers.
    for (method, path) in [(Method::GET, "/away"), (Method::POST, "/moved")] {
        assert_eq!(send(&client, method, path).await.unwrap().status(), StatusCode::FOUND, "{path}");
    }
    log.lock().clear();
    for path in ["@127.0.0.1:1/", ".evil.example/", ":1/", "x", "\\\\evil.example"] {
        let error = send(&client, Method::GET, path).await.unwrap_err();
        assert!(matches!(error, OriginError::Path { .. }), "{path}: {error}");
    }
    assert!(log.lock().is_empty());
    // It stays at the host, whatever the path says.
    send(&client, Method::GET, "//evil.example/..//x").await.unwrap();
    assert_eq!(log.lock().len(), 1);
}

#[tokio::test]
async fn a_response_is_bounded_in_size_and_redirects() {
    let (address, _) = serve().await;
    let limits = OriginLimits { size: 4999, redirects: 2, ..OriginLimits::default() };
    let client = client(address, HttpClientConfig::default(), limits);
    for (path, expected) in [("/long", "is longer than 4999 bytes"), ("/circle", "redirects")] {
        let error = send(&client, Method::GET, path).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{path}: {error}");
    }
}

#[tokio::test]
async fn a_silent_origin_is_given_up_at_the_time_limit() {
    let (address, log) = serve().await;
    let limits = OriginLimits { time: Duration::from_millis(50), ..OriginLimits::default() };
    let client = client(address, HttpClientConfig::default(), limits);
    let error = send(&client, Method::GET, "/silent").await.unwrap_err();
    assert!(matches!(error, OriginError::Exchange(DocumentError::Timeout { .. })), "{error}");
    assert!(log.lock().len() <= 1);
}

/// An authorization that has a new token after the first challenge.
#[derive(Debug, Default)]
struct RenewedRights(Mutex<Vec<Challenge>>);

#[async_trait]
impl Authorize for RenewedRights {
    async fn headers(&self, _: &Method, _: &Url) -> Result<HeaderMap, AuthorizeError> {
        let token = if self.0.lock().is_empty() { "Bearer old" } else { "Bearer new" };
        Ok(HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(token))]))
    }

    async fn challenged(&self, challenge: Challenge) -> Result<bool, AuthorizeError> {
        self.0.lock().push(challenge);
        Ok(true)
    }
}

#[tokio::test]
async fn a_refused_request_is_sent_again_with_new_rights() {
    let (address, log) = serve().await;
    let renewed = Arc::new(RenewedRights::default());
    let config = HttpClientConfig { authorize: Some(renewed.clone()), ..HttpClientConfig::default() };
    let client = client(address, config, OriginLimits::default());
    assert_eq!(send(&client, Method::POST, "/private").await.unwrap().status(), StatusCode::OK);
    assert_eq!(renewed.0.lock().len(), 1);
    assert_eq!(*log.lock(), ["POST /v1/private Bearer old of-agent", "POST /v1/private Bearer new of-agent"]);
}

#[test]
fn a_base_url_that_is_not_one_is_refused() {
    for url in ["", "/v1", "ftp://a/", "https://a:b@c/", "https://a/?x", "https://a/#x"] {
        let client = OriginClient::new(url, HttpClientConfig::default(), OriginLimits::default());
        assert!(client.is_err(), "{url}");
    }
}
