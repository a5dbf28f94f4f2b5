//! The requests, and their answers.

use super::{
    envelope::{failure, of_result, success},
    message::{Request, ask},
    status,
};
use crate::{
    http::server::{accept, body, builder::Inner, endpoint::json, idempotency_key, refusal::Refusal},
    seam::TokenGrant,
};
use axum::{
    Extension,
    body::Body,
    extract::{Path, RawQuery, State, rejection::PathRejection},
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header::RETRY_AFTER};
use mgp_types::{
    context::Principal,
    error::Recovery,
    json::{RawJson, RawObject},
    mcp::{CallTool, CallToolResult, stateless::RequestEnvelope},
    openapi::DescribeApi,
    rpc::{Call, ErrorObject},
    tool_check::CheckTool,
};
use std::sync::Arc;

/// Calls a tool.
pub(super) async fn call(
    State(server): State<Arc<Inner>>,
    Extension(principal): Extension<Principal>,
    granted: Option<Extension<TokenGrant>>,
    name: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let called = async {
        let Path(name) = name.map_err(|_| {
            Refusal::bad_request("invalid name of a tool in the address: expected UTF-8, percent-encoded")
        })?;
        let dry_run = is_dry_run(query.as_deref())?;
        accept::check_json(&headers)?;
        let (arguments, lease) = body::read_object(&server, &principal, body).await?;
        let params = params(&name, arguments, &headers)?;
        let method = if dry_run { CheckTool::METHOD } else { CallTool::METHOD };
        let request = Request { method, params, granted: granted.as_deref(), lease };
        Ok::<_, Refusal>((dry_run, ask(&server, &principal, request).await?))
    };
    match called.await {
        Ok((true, Ok(judgement))) => json(success(own(CheckTool::METHOD, judgement))),
        Ok((false, Ok(result))) => match result.decode::<CallToolResult>() {
            Ok(result) => json(of_result(&result)),
            Err(error) => {
                refused(&ErrorObject::internal(format!("the result cannot be read: {error}")), None)
            }
        },
        Ok((_, Err(error))) => refused(&error, None),
        Err(refusal) => of_refusal(refusal),
    }
}

/// Describes the tools that the caller may see.
pub(super) async fn describe(
    State(server): State<Arc<Inner>>,
    Extension(principal): Extension<Principal>,
    granted: Option<Extension<TokenGrant>>,
) -> Response {
    let request = Request {
        method: DescribeApi::METHOD,
        params: RawObject::new(),
        granted: granted.as_deref(),
        lease: None,
    };
    match ask(&server, &principal, request).await {
        Ok(Ok(document)) => json(own(DescribeApi::METHOD, document).bytes().clone()),
        Ok(Err(error)) => refused(&error, None),
        Err(refusal) => of_refusal(refusal),
    }
}

/// Refuses an address that is none. One below that of the tools has the body of every refusal.
pub(super) async fn unknown_address(uri: Uri) -> Response {
    let below = uri.path().strip_prefix("/tools");
    if below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        of_refusal(Refusal::new(StatusCode::NOT_FOUND, "unknown address: expected /tools/NAME"))
    } else {
        StatusCode::NOT_FOUND.into_response()
    }
}

/// Refuses a method that an address does not take. The router adds `Allow`.
pub(super) async fn wrong_method() -> Response {
    let message = "wrong method for this address: expected one of those in the header Allow";
    of_refusal(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message))
}

/// Returns a result without the members by which MCP describes results, which are nothing to a program that speaks no MCP.
fn own(method: &str, result: RawJson) -> RawJson {
    match RawObject::from_json(&result) {
        Ok(mut object) => {
            RequestEnvelope::strip_result(method, &mut object);
            object.to_json()
        }
        Err(_) => result,
    }
}

/// Reads the query, which may hold `dry_run` and nothing else.
fn is_dry_run(query: Option<&str>) -> Result<bool, Refusal> {
    match query.unwrap_or_default() {
        "" | "dry_run=false" => Ok(false),
        "dry_run=true" => Ok(true),
        other => {
            let shown: String = other.chars().take(64).collect();
            Err(Refusal::bad_request(format!("invalid query {shown:?}: expected dry_run=true, or none")))
        }
    }
}

fn params(name: &str, arguments: RawJson, headers: &HeaderMap) -> Result<RawObject, Refusal> {
    let mut params = RawObject::new();
    params.insert("name", RawJson::string(name));
    params.insert("arguments", arguments);
    if let Some(key) = idempotency_key::key_of(headers)? {
        idempotency_key::put(&mut params, key)?;
    }
    Ok(params)
}

/// Answers with a refusal of the endpoint, which has a status of its own.
fn of_refusal(refusal: Refusal) -> Response {
    let mut response = refused(&refusal.error, Some(refusal.status));
    if let Some(headers) = refusal.headers {
        response.headers_mut().extend(*headers);
    }
    if let Some(reason) = refusal.denial {
        response.extensions_mut().insert(reason);
    }
    response
}

fn refused(error: &ErrorObject, status: Option<StatusCode>) -> Response {
    let advice = Recovery::from_error(error);
    let status = status.unwrap_or_else(|| status::of(error, advice.as_ref()));
    let mut response = (status, json(failure(error))).into_response();
    if let Some(ms) = advice.and_then(|advice| advice.retry_after_ms) {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(ms.div_ceil(1000)));
    }
    response
}
