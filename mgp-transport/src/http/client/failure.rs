//! What a call is told that HTTP could not carry.

use http::StatusCode;
use mgp_types::{
    error::ErrorCode,
    rpc::{ErrorObject, Frame},
};

/// How much of a body is told.
const SHOWN: usize = 300;

/// The error for a response that carries no answer. A JSON-RPC error in its body is told as it is.
pub(super) fn of_status(status: StatusCode, body: &[u8]) -> ErrorObject {
    if let Ok(Frame::Response { outcome: Err(error), .. }) = Frame::parse(body.to_vec().into()) {
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
    }
}
