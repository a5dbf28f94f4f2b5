//! Calls the MCP server.

use http::{HeaderValue, Method, header::AUTHORIZATION};
use mgp_client_sdk::{
    HttpClientConfig, RawJson,
    auth::{HeadlessAgent, OAuth},
};
use mgp_transport::{
    connection::Connection,
    http::client::{Authorize, HttpClient, HttpConnection},
    seam::{BoxError, CallError, Incoming, Reply},
};
use std::sync::Arc;
use url::Url;
use xtask_testing::within;

pub(crate) fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// A user who goes where they are sent and says what the rules say.
pub(crate) fn agent() -> HeadlessAgent {
    HeadlessAgent::new(url("http://127.0.0.1:3000/callback")).unwrap()
}

pub(crate) fn connect(server: &str, oauth: &Arc<OAuth>) -> HttpConnection {
    let silent =
        tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) });
    let config = HttpClientConfig { authorize: Some(oauth.clone()), ..Default::default() };
    HttpClient::connect(server, config, Connection::builder(silent)).unwrap()
}

/// One call; an error is its text.
pub(crate) async fn call(server: &str, oauth: &Arc<OAuth>, method: &'static str) -> Result<(), String> {
    let connection = connect(server, oauth);
    let call = connection.peer().request_raw(method, RawJson::empty_object());
    match within(call).await {
        Ok(_) => Ok(()),
        Err(CallError::Peer(error)) => Err(format!("{} {}", error.code, error.message)),
        Err(error) => Err(error.to_string()),
    }
}

/// The `Authorization` of a request to an endpoint.
pub(crate) async fn authorization(oauth: &OAuth, endpoint: &Url) -> Option<HeaderValue> {
    oauth.headers(&Method::POST, endpoint).await.unwrap().remove(AUTHORIZATION)
}
