//! The URLs in OAuth metadata: an issuer's keys are fetched only from the URL that a document of that issuer names, and
//! the metadata of a resource is on the resource's own host, where clients look first.

use async_trait::async_trait;
use http::{HeaderMap, HeaderValue, Request, Response, header::AUTHORIZATION};
use mgp_security::identity::oauth::{Issuer, ResourceServer};
use mgp_transport::{
    http::server::ResourceUrl,
    seam::{Authenticate, Fetch, FetchError},
};
use serde_json::value::RawValue;
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex},
};
use tokio::runtime::{Builder, Runtime};
use url::Url;

// Compiled here a second time: the module uses nothing else of the client, which would add a whole database.
#[allow(dead_code, reason = "the rest looks for authorization servers")]
#[path = "../../../../mgp-client-sdk/src/auth/discovery/well_known.rs"]
mod well_known;

const ISSUER: &str = "https://auth.example/a";
/// A token of that issuer with an invalid signature: header, claims, signature.
const TOKEN: &str =
    "Bearer eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS9hIn0.AAAA";

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime starts"));

/// A network that answers every request with the same document.
#[derive(Debug, Clone)]
struct Same {
    document: Vec<u8>,
    asked: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Fetch for Same {
    async fn fetch(&self, request: Request<String>, _: usize) -> Result<Response<Vec<u8>>, FetchError> {
        self.asked.lock().expect("nobody panicked").push(request.uri().to_string());
        Ok(Response::new(self.document.clone()))
    }
}

/// Returns the URLs that were requested: first those of an issuer's metadata, then that of its keys.
fn asked(document: &[u8]) -> Vec<String> {
    let network = Same { document: document.to_vec(), asked: Arc::default() };
    let server = ResourceServer::builder().issuer(Issuer::new(ISSUER)).fetch(network.clone()).build();
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_static(TOKEN));
    let judged =
        RUNTIME.block_on(server.expect("it has an issuer").authenticate(&headers, "https://x.example"));
    assert!(judged.is_err());
    let asked = network.asked.lock().expect("nobody panicked");
    asked.clone()
}

fn keys(document: &[u8]) {
    let places = asked(document);
    let (metadata, elsewhere): (Vec<_>, Vec<_>) = places
        .iter()
        .partition(|url| url.starts_with("https://auth.example/") && url.contains("/.well-known/"));
    assert!(!metadata.is_empty() && metadata.len() <= 4 && elsewhere.len() <= 1, "{places:?}");
    for url in elsewhere {
        // The other members are not read, so a number in them may be one that no type holds.
        let said: HashMap<String, &RawValue> =
            serde_json::from_slice(document).expect("what leads somewhere is JSON");
        let text = |key: &str| serde_json::from_str::<String>(said[key].get()).expect("it is a text");
        assert_eq!(text("issuer"), ISSUER, "{url}");
        let named = text("jwks_uri");
        assert_eq!(named.parse::<http::Uri>().map(|named| named.to_string()).ok(), Some(url.clone()));
    }
}

fn resource(text: &str) {
    let Ok(resource) = text.parse::<ResourceUrl>() else { return };
    assert_eq!(resource.as_str(), text);
    // No client can reach a resource whose URL does not parse.
    let (Ok(url), Ok(metadata)) = (Url::parse(text), Url::parse(&resource.metadata_url())) else { return };
    assert_eq!(metadata.origin(), url.origin(), "{text}");
    let is_plain = !text.contains("/.") && !text.contains('%') && !url.path().ends_with("//");
    if is_plain {
        assert_eq!(well_known::of_resource(&url)[0].path(), metadata.path(), "{text}");
    }
}

pub(super) fn run(data: &[u8]) {
    keys(data);
    if let Ok(text) = std::str::from_utf8(data) {
        resource(text);
    }
}
