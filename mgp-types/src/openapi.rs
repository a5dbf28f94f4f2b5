//! A kernel's description of its tools as a document of OpenAPI 3.1. No part of the specification.

use crate::json::RawJson;
use serde::{Deserialize, Serialize};

calls! {
    /// Describes the tools that the caller may see, as `POST /tools/{name}`.
    call DescribeApi = "dev.cloto/openapi": DescribeApiParams => RawJson;
}

/// The params of [`DescribeApi`]: the document's facts about the server that serves it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DescribeApiParams {
    /// The URL below which the tools are served, for the document's `servers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_url: Option<String>,
    /// True if the server takes API keys; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<bool>,
    /// True if the server takes tokens; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<bool>,
}

/// A status of the answers over REST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestStatus {
    /// The number of the status.
    pub code: u16,
    /// The situation in which a request gets this status.
    pub meaning: &'static str,
    /// True if the gate of the endpoint also responds with this status, with a JSON-RPC error as the body, before the request becomes a call.
    pub is_of_gate: bool,
}

/// The statuses of the answers over REST: the single table that the document, the documentation and the answers follow.
pub const REST_STATUSES: [RestStatus; 15] = [
    of_call(200, "the tool ran, or the dry run was judged"),
    of_gate(400, "the request or the arguments are wrong, or a validator refused them"),
    of_gate(401, "the key or token is missing or wrong, or has expired"),
    of_gate(
        403,
        "the caller may not do this, or the request comes from a page or for a host that is not allowed",
    ),
    of_call(404, "there is no such tool, or none that the caller may see, or no such address below `/tools`"),
    of_call(405, "the address takes another method, which `Allow` names"),
    of_call(408, "the body did not come in time"),
    of_call(
        409,
        "somebody has to approve the call first: `error_details.request_id` is the question, and the message has the command that decides it",
    ),
    of_call(413, "the body is too large"),
    of_call(415, "the body is not of the type `application/json`"),
    of_gate(429, "too many calls or connections; `Retry-After` says when to come again"),
    of_gate(500, "the gateway failed"),
    of_call(502, "the tool's server failed"),
    of_gate(503, "the tool's server cannot be reached now, or the gateway has no room"),
    of_call(504, "the tool's server took too long"),
];

const fn of_call(code: u16, meaning: &'static str) -> RestStatus {
    RestStatus { code, meaning, is_of_gate: false }
}

const fn of_gate(code: u16, meaning: &'static str) -> RestStatus {
    RestStatus { code, meaning, is_of_gate: true }
}
