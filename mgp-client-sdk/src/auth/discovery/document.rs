//! Fetches JSON documents, with the errors of the step that needs them.

use crate::auth::{OAuthError, error::shown};
use http::StatusCode;
use mgp_transport::http::fetch::{FetchResponse, Fetcher, shown_url};
use serde::{Deserialize, de::DeserializeOwned};
use url::Url;

/// Fetches a document. Returns `None` if the server has none.
pub(super) async fn fetch<T: DeserializeOwned>(
    fetcher: &Fetcher,
    what: &'static str,
    url: &Url,
) -> Result<Option<T>, OAuthError> {
    let fetched = fetcher.get(url).await.map_err(|source| OAuthError::Fetch { what, source })?;
    match fetched.status {
        StatusCode::OK => read_json(what, &fetched).map(Some),
        // An overloaded or broken server may still have the document.
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => Err(status(what, &fetched)),
        status if status.is_client_error() => Ok(None),
        _ => Err(status(what, &fetched)),
    }
}

/// Parses a document. The error contains the position of the problem, but none of the content.
pub(in crate::auth) fn read_json<T: DeserializeOwned>(
    what: &'static str,
    fetched: &FetchResponse,
) -> Result<T, OAuthError> {
    serde_json::from_slice(&fetched.body).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let problem = match error.classify() {
            serde_json::error::Category::Data => {
                format!("a member is missing or of another type, at line {line}, column {column}")
            }
            _ => format!("expected JSON, found something else at line {line}, column {column}"),
        };
        OAuthError::Content { what, url: shown_url(&fetched.url), problem }
    })
}

#[derive(Debug, Deserialize)]
struct RefusalDocument {
    error: String,
    #[serde(default)]
    error_description: Option<String>,
}

/// Returns the error of a response without success: the refusal by `by` in its body, or else its status.
pub(in crate::auth) fn refusal(what: &'static str, by: &str, fetched: &FetchResponse) -> OAuthError {
    match serde_json::from_slice::<RefusalDocument>(&fetched.body) {
        Ok(refusal) => OAuthError::Refused {
            what,
            by: shown(by),
            error: shown(&refusal.error),
            description: shown(&refusal.error_description.unwrap_or_default()),
        },
        Err(_) => status(what, fetched),
    }
}

/// Returns the error for a response's status.
pub(in crate::auth) fn status(what: &'static str, fetched: &FetchResponse) -> OAuthError {
    OAuthError::Status { what, url: shown_url(&fetched.url), status: fetched.status }
}
