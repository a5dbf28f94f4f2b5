//! Holds what the headers of a request say against what its body says: whoever routes by the headers must not be misled.

use crate::http::{header, param_header::decode_header};
use http::{HeaderMap, HeaderName};
use mgp_types::{
    json::RawObject,
    mcp::{McpErrorCode, stateless},
    rpc::ErrorObject,
};

/// The headers of a `tools/call` that repeat arguments, in `Incoming.ext`. Who knows the tool's schema holds them against the
/// arguments.
#[derive(Debug, Clone, Default)]
pub struct ParamHeaders(HeaderMap);

impl ParamHeaders {
    /// Those of a request.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let named = headers.iter().filter(|(name, _)| name.as_str().starts_with("mcp-param-"));
        Self(named.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// The value of a header, by its whole name; `None` where it is absent, cannot be read, or stands there twice.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.get_all(name).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().ok(),
            _ => None,
        }
    }
}

/// Refuses a request whose headers are missing or say something else than its body.
///
/// # Errors
/// -32020.
pub(super) fn check(
    headers: &HeaderMap,
    method: &str,
    params: &RawObject,
    version: &str,
) -> Result<(), ErrorObject> {
    agree(headers, &header::PROTOCOL_VERSION, "MCP-Protocol-Version", version)?;
    agree(headers, &header::METHOD, "Mcp-Method", method)?;
    match stateless::subject_key(method).and_then(|key| params.text(key)) {
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
