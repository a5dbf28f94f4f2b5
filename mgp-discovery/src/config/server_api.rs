//! `servers[].include` and `servers[].exclude`: the operations of an HTTP API that are tools.

use serde::{Deserialize, Serialize};

/// A rule about operations of an API. All of its keys must match.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ApiRule {
    /// A tag of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// A pattern of the document's paths: `*` stands for any text within a segment, `**` for any text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<ApiMethod>,
    /// A pattern of `operationId`, with `*` and `**` as in `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
}

/// A method of HTTP that an operation may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ApiMethod {
    Get,
    Put,
    Post,
    Delete,
    Options,
    Head,
    Patch,
    Trace,
}

impl ApiMethod {
    /// Returns the method's name, in capital letters.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Head => "HEAD",
            Self::Patch => "PATCH",
            Self::Trace => "TRACE",
        }
    }
}
