//! The signs that a server has forgotten a connection's session.
//!
//! The specification has one sign, the status 404. Servers also use 410, 400 or 401 for an unknown session, and JSON-RPC errors
//! with any status. An ambiguous sign is checked with a `ping` ([`ping`](super::ping)).

use super::failure::may_pass;
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header::WWW_AUTHENTICATE};
use mgp_types::{
    json::RawJson,
    rpc::{ErrorObject, Frame, RequestId},
};

/// The parts of words that show that an error is about the session, or the handshake that opens it.
const WORDS: [&str; 3] = ["session", "initializ", "initialis"];

/// The most bytes of a text that are searched.
const LOOKED_AT: usize = 4096;

/// The loss of a session, according to the refusal of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionLoss {
    /// The status means that the session is gone.
    Certain,
    /// The refusal may have another cause.
    Suspected,
}

impl SessionLoss {
    /// Reads a response that refuses a message on a session. Returns `None` if the refusal has nothing to do with the session.
    pub(super) fn of(status: StatusCode, headers: &HeaderMap, body: &Bytes) -> Option<Self> {
        let error = error_in(body);
        let says_so = says_so(error.as_ref(), body);
        // An error that names its request comes from code that has read the request.
        let is_of_request = matches!(error, Some((Some(_), _)));
        match status {
            StatusCode::NOT_FOUND | StatusCode::GONE if is_of_request && !says_so => Some(Self::Suspected),
            StatusCode::NOT_FOUND | StatusCode::GONE => Some(Self::Certain),
            status if may_pass(status) => None,
            _ if says_so => Some(Self::Suspected),
            StatusCode::BAD_REQUEST if !is_of_request => Some(Self::Suspected),
            StatusCode::UNAUTHORIZED if !headers.contains_key(WWW_AUTHENTICATE) => Some(Self::Suspected),
            _ => None,
        }
    }
}

/// Returns whether an error names the session or the handshake.
pub(super) fn names_session(error: &ErrorObject) -> bool {
    let data = error.data.as_ref().map(RawJson::as_str).unwrap_or_default();
    is_about_session(error.message.as_bytes()) || is_about_session(data.as_bytes())
}

/// Returns whether the body of a refusal names the session or the handshake.
pub(super) fn body_names_session(body: &Bytes) -> bool {
    says_so(error_in(body).as_ref(), body)
}

fn says_so(error: Option<&(Option<RequestId>, ErrorObject)>, body: &Bytes) -> bool {
    match error {
        Some((_, error)) => names_session(error),
        None => is_about_session(body),
    }
}

fn is_about_session(text: &[u8]) -> bool {
    let start = &text[..text.len().min(LOOKED_AT)];
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    WORDS.iter().any(|word| start.contains(word))
}

/// Reads an error of JSON-RPC, with the id of its request.
pub(super) fn error_in(body: &Bytes) -> Option<(Option<RequestId>, ErrorObject)> {
    match Frame::parse(body) {
        Ok(Frame::Response { id, outcome: Err(error) }) => Some((id, error)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(status: u16, challenge: bool, body: &'static str) -> Option<SessionLoss> {
        let mut headers = HeaderMap::new();
        if challenge {
            headers.insert(WWW_AUTHENTICATE, "Bearer".parse().unwrap());
        }
        SessionLoss::of(StatusCode::from_u16(status).unwrap(), &headers, &Bytes::from_static(body.as_bytes()))
    }

    #[test]
    fn a_status_decides_if_the_session_is_lost() {
        for (status, challenge, expected) in [
            (404, false, Some(SessionLoss::Certain)),
            (410, false, Some(SessionLoss::Certain)),
            (400, false, Some(SessionLoss::Suspected)),
            (401, false, Some(SessionLoss::Suspected)),
            (401, true, None),
            (402, false, None),
            (403, false, None),
            (405, false, None),
            (413, false, None),
            (429, false, None),
            (500, false, None),
            (503, false, None),
        ] {
            assert_eq!(loss(status, challenge, ""), expected, "{status} {challenge}");
        }
    }

    #[test]
    fn a_body_about_an_unknown_session_is_a_suspicion() {
        for body in [
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"Session not found"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"Internal error","data":{"cause":"unknown sessionId"}}}"#,
            "Unauthorized: Session not found",
            "Invalid session ID",
            "Mcp-Session-Id header is required",
            r#"{"error":"SESSION_EXPIRED"}"#,
        ] {
            for (status, challenge) in [(400, false), (401, true), (403, false), (422, false), (500, false)] {
                assert_eq!(loss(status, challenge, body), Some(SessionLoss::Suspected), "{status} {body}");
            }
            assert_eq!(loss(429, false, body), None, "{body}");
        }
    }

    #[test]
    fn a_request_s_own_error_is_not_a_suspicion() {
        let of_params = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"missing argument"}}"#;
        for status in [400, 403, 422, 500] {
            assert_eq!(loss(status, false, of_params), None, "{status}");
        }
        // There are servers that answer an unknown method with 404.
        let unknown = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"unknown method"}}"#;
        assert_eq!(loss(404, false, unknown), Some(SessionLoss::Suspected));
        let of_session = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session has been terminated"}}"#;
        assert_eq!(loss(404, false, of_session), Some(SessionLoss::Certain));
    }
}
