//! The metadata document of RFC 9728, which names the authorization servers for clients.

use super::{Gate, ResourceUrl, WELL_KNOWN};
use crate::{
    http::server::refusal::{Refusal, json},
    seam::ResourceMetadata,
};
use axum::{
    Router,
    extract::State,
    response::{IntoResponse, Response},
    routing,
};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode, Uri,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        CACHE_CONTROL, ORIGIN, VARY,
    },
};
use serde::Serialize;
use std::sync::Arc;

/// Returns the document's routes; none if the server accepts no tokens. The document needs no token, but Host and Origin are
/// checked. `endpoint` is the path of the endpoint.
pub(in crate::http::server) fn router(gate: &Arc<Gate>, endpoint: &str) -> Router {
    if !gate.authority.takes_tokens() {
        return Router::new();
    }
    let state = DocumentState { gate: gate.clone(), endpoint: endpoint.into() };
    let document = routing::get(document).options(document);
    // The path of the resource may contain characters that a route cannot, so it is compared and not routed.
    Router::new()
        .route(WELL_KNOWN, document.clone())
        .route(&format!("{WELL_KNOWN}/{{*path}}"), document)
        .with_state(state)
}

/// The state of the document's handler.
#[derive(Clone)]
struct DocumentState {
    gate: Arc<Gate>,
    /// The path of the endpoint.
    endpoint: Arc<str>,
}

/// The document of RFC 9728.
#[derive(Debug, Serialize)]
struct Document<'a> {
    resource: &'a str,
    #[serde(flatten)]
    metadata: ResourceMetadata,
    bearer_methods_supported: [&'static str; 1],
}

async fn document(
    State(DocumentState { gate, endpoint }): State<DocumentState>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = gate.origins.check(&uri, &headers) {
        return refusal.into_response();
    }
    let (Some(resource), Some(authenticate)) = (gate.authority.resource.get(), &gate.authority.authenticate)
    else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if !is_of(resource, &endpoint, uri.path()) {
        return StatusCode::NOT_FOUND.into_response();
    }
    if method == Method::OPTIONS {
        return with_headers(StatusCode::NO_CONTENT.into_response(), headers.get(ORIGIN));
    }
    let (resource, bearer_methods_supported) = (resource.as_str(), ["header"]);
    let document = Document { resource, bearer_methods_supported, metadata: authenticate.metadata() };
    match serde_json::to_vec(&document) {
        Ok(text) => with_headers(json(text), headers.get(ORIGIN)),
        Err(error) => Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Returns `true` if a path is the root form, or the form of the endpoint: by its path here, or by its path before a proxy.
fn is_of(resource: &ResourceUrl, endpoint: &str, path: &str) -> bool {
    let of = path.strip_prefix(WELL_KNOWN).map(|of| of.trim_end_matches('/'));
    of.is_some_and(|of| of.is_empty() || of == endpoint.trim_end_matches('/') || of == resource.path())
}

/// Adds the headers of the document. A page that may use the server may read the document, to find out where to get a token.
fn with_headers(mut response: Response, origin: Option<&HeaderValue>) -> Response {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("max-age=300"));
    headers.insert(VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, OPTIONS"));
        headers.insert(
            ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static("accept, content-type, mcp-protocol-version"),
        );
    }
    response
}
