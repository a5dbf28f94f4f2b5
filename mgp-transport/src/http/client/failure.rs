//! What a call is told that HTTP could not carry.

use http::StatusCode;
use mgp_types::{
    error::ErrorCode,
    rpc::{ErrorObject, Frame},
};

/// How much of a body is told.
const SHOWN: usize = 300;

/// The error for a response that carries no answer. A JSON-RPC error in its body is told as it is, unless what stands before the
/// server may have written it: such an error says nothing of what the server can do.
pub(super) fn of_status(status: StatusCode, body: &[u8]) -> ErrorObject {
    if let Ok(Frame::Response { id, outcome: Err(error) }) = Frame::parse(body.to_vec().into())
        && !may_be_of_the_way(status, id.is_some())
    {
        return error;
    }
    let code = match status {
        StatusCode::UNAUTHORIZED => ErrorCode::AuthRequired,
        StatusCode::FORBIDDEN => ErrorCode::AccessDenied,
        StatusCode::TOO_MANY_REQUESTS => ErrorCode::RateLimited,
        status if status.is_server_error() => ErrorCode::UpstreamUnavailable,
        _ => ErrorCode::UpstreamError,
    };
    let text = String::from_utf8_lossy(body);
    let text: String =
        text.trim().chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let colon = if text.is_empty() { "" } else { ": " };
    code.error(format!("the server answered with HTTP {status}{colon}{text}"))
}

/// Whether a body is an error of the protocol, and so comes from a server that speaks it.
pub(super) fn is_of_protocol(body: &[u8]) -> bool {
    matches!(Frame::parse(body.to_vec().into()), Ok(Frame::Response { outcome: Err(_), .. }))
}

/// The error for a call that was under way when the server forgot its session.
pub(super) fn of_lost_session() -> ErrorObject {
    ErrorCode::UpstreamUnavailable.error("the server forgot the session while the call was under way")
}

/// Whether a status tells of the way to the server. One that failed with a request names it.
fn may_be_of_the_way(status: StatusCode, names_request: bool) -> bool {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS => true,
        status => status.is_server_error() && !names_request,
    }
}

/// The error for a request that got no response. The URL, which may hold a secret, is left out.
pub(super) fn of_transport(error: reqwest::Error) -> ErrorObject {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    ErrorCode::UpstreamUnavailable.error(format!("failed to reach the server: {text}"))
}

/// The error for a response that cannot be read.
pub(super) fn of_content(message: impl Into<String>) -> ErrorObject {
    ErrorCode::UpstreamError.error(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_told_with_the_start_of_its_body_on_one_line() {
        let error = of_status(StatusCode::BAD_GATEWAY, format!(" no\nluck{}", "!".repeat(900)).as_bytes());
        assert_eq!(error.code, 5002);
        assert!(error.message.starts_with("the server answered with HTTP 502 Bad Gateway: no luck!!"));
        assert!(error.message.len() < 400);
        assert_eq!(
            of_status(StatusCode::UNAUTHORIZED, b"").message,
            "the server answered with HTTP 401 Unauthorized"
        );
    }

    #[test]
    fn an_error_of_the_protocol_is_told_as_it_is() {
        let body =
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Server not initialized"}}"#;
        let error = of_status(StatusCode::BAD_REQUEST, body);
        assert_eq!((error.code, error.message.as_str()), (-32000, "Server not initialized"));
        let named = br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"failed"}}"#;
        assert_eq!(of_status(StatusCode::INTERNAL_SERVER_ERROR, named).code, -32603);
    }

    #[test]
    fn an_error_of_what_stands_before_the_server_is_told_by_its_status() {
        let body =
            |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32001,"message":"no"}}}}"#);
        for (status, id, expected) in [
            (StatusCode::UNAUTHORIZED, "7", ErrorCode::AuthRequired),
            (StatusCode::FORBIDDEN, "7", ErrorCode::AccessDenied),
            (StatusCode::TOO_MANY_REQUESTS, "null", ErrorCode::RateLimited),
            (StatusCode::BAD_GATEWAY, "null", ErrorCode::UpstreamUnavailable),
        ] {
            let error = of_status(status, body(id).as_bytes());
            assert_eq!(error.code, i64::from(expected), "{status}");
            assert!(error.message.contains(r#""message":"no""#), "{error}");
        }
    }
}
