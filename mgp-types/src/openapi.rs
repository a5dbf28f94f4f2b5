//! A kernel's description of its tools as a document of OpenAPI 3.1. No part of the specification.

use crate::json::RawJson;
use serde::{Deserialize, Serialize};

calls! {
    /// Describes the tools that the caller may see, as `POST /tools/{name}`.
    call DescribeApi = "dev.cloto/openapi": DescribeApiParams => RawJson;
}

/// The use of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DescribeApiParams {
    /// The URL below which the tools are served, for the document's `servers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_url: Option<String>,
}
