//! The requests, and their answers.

use super::{
    envelope::{failure, of_result, success},
    message::{Request, ask},
    status,
};
use crate::{
    http::server::{
        auth::random_hex,
        refusal::{Refusal, json},
        request::{idempotency_key, media_types},
        state::ServerState,
    },
    seam::TokenGrant,
};
use axum::{
    Extension,
    body::Body,
    extract::{Path, RawQuery, State, rejection::PathRejection},
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header::RETRY_AFTER};
use mgp_types::{
    context::{Principal, TraceId},
    error::{ErrorCode, Recovery},
    idempotency::ReplayNote,
    json::{JsonError, RawJson, RawObject},
    mcp::{CallTool, CallToolResult, stateless::RequestEnvelope},
    openapi::{DescribeApi, DescribeApiParams},
    rpc::{Call, ErrorObject},
    tool_check::CheckTool,
    tool_result::ErrorDetail,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

/// Calls a tool.
pub(super) async fn call(
    State(server): State<Arc<ServerState>>,
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
        media_types::check_json(&headers)?;
        let (arguments, lease) = server.bodies.read_object(&principal, body).await?;
        let params = params(&name, arguments, &headers)?;
        let method = if dry_run { CheckTool::METHOD } else { CallTool::METHOD };
        let request = Request { method, params, granted: granted.as_deref(), lease };
        Ok::<_, Refusal>((dry_run, ask(&server, &principal, request).await?))
    };
    match called.await {
        Ok((true, Ok(judgement))) => json(success(own(CheckTool::METHOD, judgement))),
        Ok((false, Ok(result))) => match result.decode::<CallToolResult>() {
            Ok(result) => with_note(json(of_result(&result)), result.replay_note()),
            Err(error) => {
                refused(ErrorObject::internal(format!("the result cannot be read: {error}")), None, &headers)
            }
        },
        Ok((_, Err(error))) => {
            let note = ReplayNote::of_error(&error);
            with_note(refused(error, None, &headers), note)
        }
        Err(refusal) => of_refusal(refusal, &headers),
    }
}

/// Lists the tools that the caller may see: their names, titles and descriptions. The document has their schemas.
pub(super) async fn list(
    State(server): State<Arc<ServerState>>,
    Extension(principal): Extension<Principal>,
    granted: Option<Extension<TokenGrant>>,
    headers: HeaderMap,
) -> Response {
    match document(&server, &principal, granted.as_deref()).await {
        Ok(Ok(document)) => match tools_in(&document) {
            Ok(tools) => json(success(tools)),
            Err(error) => {
                let problem = format!("the list of tools cannot be made: {error}");
                refused(ErrorObject::internal(problem), None, &headers)
            }
        },
        Ok(Err(error)) => refused(error, None, &headers),
        Err(refusal) => of_refusal(refusal, &headers),
    }
}

/// Describes the tools that the caller may see.
pub(super) async fn describe(
    State(server): State<Arc<ServerState>>,
    Extension(principal): Extension<Principal>,
    granted: Option<Extension<TokenGrant>>,
    headers: HeaderMap,
) -> Response {
    match document(&server, &principal, granted.as_deref()).await {
        Ok(Ok(document)) => json(document.bytes().clone()),
        Ok(Err(error)) => refused(error, None, &headers),
        Err(refusal) => of_refusal(refusal, &headers),
    }
}

/// Returns the document of the tools that the caller may see.
async fn document(
    server: &Arc<ServerState>,
    principal: &Principal,
    granted: Option<&TokenGrant>,
) -> Result<Result<RawJson, ErrorObject>, Refusal> {
    let params = DescribeApiParams {
        server_url: None,
        keys: Some(!server.authority.keys.is_empty()),
        tokens: Some(server.authority.takes_tokens()),
    };
    let params =
        RawJson::from_value(&params).and_then(|json| RawObject::from_json(&json)).unwrap_or_default();
    let request = Request { method: DescribeApi::METHOD, params, granted, lease: None };
    let described = ask(server, principal, request).await?;
    Ok(described.map(|document| own(DescribeApi::METHOD, document)))
}

/// Extracts `{"tools": [{name, title?, description?}]}` from a document.
fn tools_in(document: &RawJson) -> Result<RawJson, JsonError> {
    let document: ToolDocument = document.decode()?;
    let tools = document.paths.into_iter().filter_map(|(path, item)| {
        let name = path.strip_prefix("/tools/")?.to_owned();
        let OperationTexts { title, description } = item.post;
        Some(ListedTool { name, title, description })
    });
    RawJson::from_value(&ToolList { tools: tools.collect() })
}

/// The part of a document that a list shows.
#[derive(Debug, Deserialize)]
struct ToolDocument {
    paths: BTreeMap<String, PathItem>,
}

#[derive(Debug, Deserialize)]
struct PathItem {
    post: OperationTexts,
}

#[derive(Debug, Deserialize)]
struct OperationTexts {
    // If a tool has no title, the summary is generated.
    #[serde(rename = "x-title")]
    title: Option<String>,
    description: Option<String>,
}

#[derive(Debug, Serialize)]
struct ToolList {
    tools: Vec<ListedTool>,
}

#[derive(Debug, Serialize)]
struct ListedTool {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// Responds 404 to an unknown path. A path below that of the tools gets the body of every refusal.
pub(super) async fn unknown_address(uri: Uri, headers: HeaderMap) -> Response {
    let below = uri.path().strip_prefix("/tools");
    if below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        let message = "unknown address: expected /tools, or /tools/NAME";
        of_refusal(Refusal::new(StatusCode::NOT_FOUND, message), &headers)
    } else {
        StatusCode::NOT_FOUND.into_response()
    }
}

/// Responds 405 to a method that a path does not support. The router adds `Allow`.
pub(super) async fn wrong_method(headers: HeaderMap) -> Response {
    let message = "wrong method for this address: expected one of those in the header Allow";
    of_refusal(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message), &headers)
}

/// Returns a result without MCP's own members, which have no meaning for a program without MCP.
fn own(method: &str, result: RawJson) -> RawJson {
    match RawObject::from_json(&result) {
        Ok(mut object) => {
            RequestEnvelope::strip_result(method, &mut object);
            object.to_json()
        }
        Err(_) => result,
    }
}

/// Parses the query, which may hold only `dry_run`.
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

/// The header that states whether the answer to a call with a key is that of an earlier call.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Adds the mark of an answer that belongs to an idempotency key.
fn with_note(mut response: Response, note: Option<ReplayNote>) -> Response {
    if let Some(note) = note {
        let value = if note.was_replay { "true" } else { "false" };
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static(value));
    }
    response
}

/// Answers with a refusal of the endpoint, which has its own status.
fn of_refusal(refusal: Refusal, headers: &HeaderMap) -> Response {
    let mut response = refused(refusal.error, Some(refusal.status), headers);
    if let Some(headers) = refusal.headers {
        response.headers_mut().extend(*headers);
    }
    if let Some(reason) = refusal.denial {
        response.extensions_mut().insert(reason);
    }
    response
}

/// Answers with an error. An error of the endpoint has its own status.
fn refused(error: ErrorObject, own_status: Option<StatusCode>, headers: &HeaderMap) -> Response {
    let advice = Recovery::from_error(&error);
    let status = own_status.unwrap_or_else(|| status::of(&error, advice.as_ref()));
    let is_known = ErrorCode::from_code(error.code).is_some();
    let mut detail = ErrorDetail::from(&traced(error, headers));
    if own_status.is_some() && !is_known {
        detail.error_type = status::type_of(status);
    }
    let mut response = (status, json(failure(detail))).into_response();
    if let Some(ms) = advice.and_then(|advice| advice.retry_after_ms) {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(ms.div_ceil(1000)));
    }
    response
}

/// Returns an error with a trace: its own, that of the header `traceparent`, or a new one, which the log contains too.
fn traced(error: ErrorObject, headers: &HeaderMap) -> ErrorObject {
    let mut data = match error.data.as_ref().map(RawObject::from_json) {
        None => RawObject::new(),
        Some(Ok(data)) => data,
        // A text or a list has no place for a trace.
        Some(Err(_)) => return error,
    };
    if data.get("trace_id").is_some() {
        return error;
    }
    let sent = headers.get("traceparent").and_then(|value| value.to_str().ok());
    let trace = sent
        .and_then(TraceId::from_traceparent)
        .or_else(|| TraceId::new(random_hex().ok()?.get(..TRACE_DIGITS)?));
    let Some(trace) = trace else { return error };
    tracing::info!(%trace, %error, "refused over REST");
    data.insert("trace_id", RawJson::string(trace.as_str()));
    error.with_data(data.to_json())
}

/// The number of hexadecimal digits of a trace.
const TRACE_DIGITS: usize = 32;
