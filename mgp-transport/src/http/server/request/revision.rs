//! The revision of MCP that a request names in its header.

use crate::http::{era, header::PROTOCOL_VERSION, server::refusal::Refusal};
use http::{HeaderMap, HeaderValue, StatusCode, header::ALLOW};

/// Refuses a session method if the revision has no sessions.
pub(in crate::http::server) fn check_has_sessions(headers: &HeaderMap) -> Result<(), Refusal> {
    if !era::names_stateless(headers) {
        return Ok(());
    }
    let message = "there are no sessions in this revision of MCP: expected POST";
    let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message);
    Err(refusal.header(ALLOW, HeaderValue::from_static("POST")))
}

/// Refuses a revision that is not served.
pub(in crate::http::server) fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    let version = headers.get(PROTOCOL_VERSION).map(|value| value.to_str().unwrap_or_default());
    era::version(version).map_err(|error| Refusal::with(StatusCode::BAD_REQUEST, error))?;
    Ok(())
}
