//! The differences between the eras of MCP over HTTP. The rest of the HTTP transport calls this module and does not depend on the revision.
//!
//! One endpoint serves two eras. In the era of `initialize` and sessions (2024-11-05 to 2025-11-25), closing a stream is not a
//! cancellation: calls belong to the session. In the stateless era (from 2026-07-28 on), each POST is independent, and closing
//! its response cancels it.

#[cfg(feature = "http-server")]
use {
    http::HeaderMap,
    mgp_types::{
        mcp::{ProtocolVersion, stateless::RequestEnvelope},
        rpc::{ErrorObject, Frame},
    },
};

/// The notification after which a client may open the session's stream.
#[cfg(feature = "http-client")]
pub(crate) const SESSION_IS_OPEN: &str = "notifications/initialized";
/// The notification that cancels a request. A server may then leave the request's stream open forever.
#[cfg(feature = "http-client")]
pub(crate) const CANCELS: &str = "notifications/cancelled";

/// The revision of a request that names none: the last one before the header existed.
#[cfg(feature = "http-server")]
const WITHOUT_HEADER: ProtocolVersion = ProtocolVersion::V2025_03_26;

/// Returns `true` if a message is one of a stateless revision: its header names one, or its body has members that only these
/// revisions have.
#[cfg(feature = "http-server")]
pub(crate) fn is_stateless(headers: &HeaderMap, frame: &Frame) -> bool {
    if names_stateless(headers) {
        return true;
    }
    match frame {
        Frame::Request { params, .. } => {
            params.object().is_ok_and(|params| RequestEnvelope::version_in(params).is_some())
        }
        Frame::Notification { .. } | Frame::Response { .. } => false,
    }
}

/// Returns `true` if the header names a stateless revision.
#[cfg(feature = "http-server")]
pub(crate) fn names_stateless(headers: &HeaderMap) -> bool {
    let named = headers.get(super::header::PROTOCOL_VERSION).and_then(|value| value.to_str().ok());
    named.and_then(|name| name.parse::<ProtocolVersion>().ok()).is_some_and(ProtocolVersion::is_stateless)
}

/// Returns the revision that a request after `initialize` speaks.
///
/// # Errors
/// Returns the error to answer with for a revision that is not served.
#[cfg(feature = "http-server")]
pub(crate) fn version(header: Option<&str>) -> Result<ProtocolVersion, ErrorObject> {
    let Some(header) = header else { return Ok(WITHOUT_HEADER) };
    let served: Vec<_> = ProtocolVersion::ALL.iter().copied().filter(|v| !v.is_stateless()).collect();
    match header.parse::<ProtocolVersion>() {
        Ok(version) if served.contains(&version) => Ok(version),
        _ => {
            let names: Vec<_> = served.iter().map(|version| version.as_str()).collect();
            let message = format!(
                "invalid MCP-Protocol-Version: expected one of {}, found {header:?}",
                names.join(", ")
            );
            let data = ProtocolVersion::unsupported(header, &served, false).data;
            Err(ErrorObject { data, ..ErrorObject::invalid_request(message) })
        }
    }
}

/// Returns `true` if clients of a revision reconnect to a stream that the server closed before the answer, and can read events
/// without data.
#[cfg(feature = "http-server")]
pub(crate) fn comes_back(version: ProtocolVersion) -> bool {
    version >= ProtocolVersion::V2025_11_25 && !version.is_stateless()
}

#[cfg(all(test, feature = "http-server"))]
mod tests {
    use super::*;

    #[test]
    fn every_revision_of_the_era_is_served_and_no_other() {
        for name in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            assert_eq!(version(Some(name)).unwrap().as_str(), name);
        }
        assert_eq!(version(None).unwrap().as_str(), "2025-03-26");
        for name in ["2026-07-28", "1999-01-01", ""] {
            let error = version(Some(name)).unwrap_err();
            assert!(error.message.contains("2025-11-25") && error.message.contains(name), "{error}");
        }
    }
}
