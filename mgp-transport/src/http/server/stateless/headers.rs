//! The check of a request's headers against its body: intermediaries that route by the headers must not be misled.

use crate::{
    http::{header, param_header::decode_header},
    seam::Extensions,
};
use http::{HeaderMap, HeaderName};
use mgp_types::{
    json::RawObject,
    mcp::{McpErrorCode, subject_key},
    rpc::ErrorObject,
};

/// The headers of a `tools/call` that repeat arguments, in `Incoming.ext`. They are checked against the arguments by code that
/// has the tool's schema.
#[derive(Debug, Clone, Default)]
pub struct ParamHeaders(HeaderMap);

impl ParamHeaders {
    /// Returns the headers of a request that repeat arguments.
    pub(in crate::http::server) fn of(headers: &HeaderMap) -> Self {
        let named = headers.iter().filter(|(name, _)| name.as_str().starts_with("mcp-param-"));
        Self(named.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// Removes the headers from the context of a call whose arguments they no longer repeat.
    pub fn remove(context: &mut Extensions) {
        context.remove::<Self>();
    }

    /// Returns the value of a header, by its whole name; `None` if the header is absent, cannot be read, or occurs twice.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.get_all(name).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().ok(),
            _ => None,
        }
    }
}

/// Refuses a request whose headers are missing or do not agree with its body.
///
/// # Errors
/// Returns error -32020 if a header is missing or does not agree.
pub(in crate::http::server) fn check_headers(
    headers: &HeaderMap,
    method: &str,
    params: &RawObject,
    version: &str,
) -> Result<(), ErrorObject> {
    agree(headers, &header::PROTOCOL_VERSION, "MCP-Protocol-Version", version)?;
    agree(headers, &header::METHOD, "Mcp-Method", method)?;
    match subject_key(method).and_then(|key| params.text(key)) {
        Some(subject) => agree(headers, &header::NAME, "Mcp-Name", &subject),
        None => Ok(()),
    }
}

fn agree(headers: &HeaderMap, name: &HeaderName, shown: &str, expected: &str) -> Result<(), ErrorObject> {
    let mut values = headers.get_all(name).iter();
    let found = match (values.next(), values.next()) {
        (None, _) => {
            return Err(mismatch(&format!("missing {shown}: expected {expected:?}, as in the body")));
        }
        (Some(value), None) => value.to_str().ok().and_then(|value| decode_header(value).ok()),
        (Some(_), Some(_)) => return Err(mismatch(&format!("more than one {shown}: expected one"))),
    };
    match found {
        Some(found) if found == expected => Ok(()),
        Some(found) => Err(mismatch(&format!("{shown} is {found:?}: expected {expected:?}, as in the body"))),
        None => Err(mismatch(&format!("{shown} cannot be read: expected {expected:?}, as in the body"))),
    }
}

fn mismatch(message: &str) -> ErrorObject {
    ErrorObject::new(McpErrorCode::HeaderMismatch, format!("header mismatch: {message}"))
}
