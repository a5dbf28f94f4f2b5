//! Finds the URL of an issuer's keys (RFC 8414, OpenID Connect Discovery).

use http::{Request, StatusCode, header::ACCEPT};
use mgp_transport::seam::{Fetch, FetchError};
use mgp_types::{json::RawObject, oauth::issuer_metadata_urls};

/// The longest document of an issuer that is read, in bytes.
pub(super) const MAX_DOCUMENT: usize = 512 * 1024;

/// The error returned when an issuer's keys cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeysNotFetched {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("the answer has the status {0}: expected 200")]
    Status(StatusCode),
    #[error("no document names the issuer and its jwks_uri")]
    NoMetadata,
    #[error(transparent)]
    KeySet(#[from] super::InvalidKeySet),
    #[error("{0:?} is not a URL")]
    Url(String),
    #[error("no answer in time")]
    TimedOut,
}

/// Fetches a document.
pub(super) async fn get(fetch: &dyn Fetch, url: &str) -> Result<Vec<u8>, KeysNotFetched> {
    let request = Request::get(url).header(ACCEPT, "application/json").body(String::new());
    let request = request.map_err(|_| KeysNotFetched::Url(url.to_owned()))?;
    let answer = fetch.fetch(request, MAX_DOCUMENT).await?;
    match answer.status() {
        StatusCode::OK => Ok(answer.into_body()),
        status => Err(KeysNotFetched::Status(status)),
    }
}

/// Returns the URL of an issuer's keys, from the issuer's metadata. A document that names another issuer is ignored.
pub(super) async fn jwks_url(fetch: &dyn Fetch, issuer: &str) -> Result<String, KeysNotFetched> {
    let mut last = KeysNotFetched::NoMetadata;
    for url in issuer_metadata_urls(issuer) {
        match get(fetch, &url).await {
            Ok(document) => {
                let document = RawObject::parse(document).ok();
                let document = document.filter(|it| it.text("issuer").as_deref() == Some(issuer));
                if let Some(url) = document.and_then(|it| it.text("jwks_uri")) {
                    return Ok(url);
                }
                last = KeysNotFetched::NoMetadata;
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
