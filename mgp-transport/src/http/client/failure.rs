//! Errors of calls that failed over HTTP, with advice on whether the call may have run.

use super::body::short_body;
use http::{HeaderMap, StatusCode, header::RETRY_AFTER};
use mgp_types::{
    error::{ErrorCode, Recovery},
    printable::on_one_line,
    rpc::{ErrorObject, Frame},
};
use reqwest::Response;
use std::time::{Duration, SystemTime};

/// The most characters of a body that an error quotes.
const SHOWN: usize = 300;

/// An error of a message that was sent, or was to be sent.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: ErrorObject,
    /// True if the server certainly did nothing with the message: it never received it, or refused it up front.
    pub(super) is_unrun: bool,
}

impl Failure {
    /// Creates the failure of a message with which the server certainly did nothing.
    pub(super) fn unrun(error: ErrorObject) -> Self {
        Self { error, is_unrun: true }
    }
}

impl From<ErrorObject> for Failure {
    fn from(error: ErrorObject) -> Self {
        Self { error, is_unrun: false }
    }
}

/// Returns the failure of a message that was answered with a status other than success.
pub(super) async fn of_refusal(response: Response) -> Failure {
    let is_unrun = is_at_the_door(response.status());
    Failure { error: of_response(response).await, is_unrun }
}

/// Reads the body of a response that carries no answer, and returns the error for it.
pub(super) async fn of_response(response: Response) -> ErrorObject {
    let (status, wait) = (response.status(), retry_after(response.headers()));
    of_status(status, wait, &short_body(response).await)
}

/// Returns the error for a response without an answer. A JSON-RPC error in its body is passed on unchanged, unless an
/// intermediary may have written it: an intermediary's error says nothing about the server.
///
/// A call that is refused with 429, 401 or 403 did not run. After a 5xx, for example of a gateway that lost its server, the
/// outcome of the call is unknown, even if the response has a `Retry-After`.
pub(super) fn of_status(status: StatusCode, wait: Option<Duration>, body: &[u8]) -> ErrorObject {
    if let Ok(Frame::Response { id, outcome: Err(error) }) = Frame::parse(&body.to_vec().into())
        && !may_be_of_the_way(status, id.is_some())
    {
        return error;
    }
    let code = match status {
        StatusCode::UNAUTHORIZED => ErrorCode::AuthRequired,
        StatusCode::FORBIDDEN => ErrorCode::AccessDenied,
        StatusCode::PAYMENT_REQUIRED => ErrorCode::QuotaExceeded,
        StatusCode::TOO_MANY_REQUESTS => ErrorCode::RateLimited,
        status if status.is_server_error() => ErrorCode::UpstreamUnavailable,
        _ => ErrorCode::UpstreamError,
    };
    let text: String = String::from_utf8_lossy(body).trim().chars().take(SHOWN).collect();
    let text = on_one_line(&text);
    let colon = if text.is_empty() { "" } else { ": " };
    let mut advice = match status {
        StatusCode::TOO_MANY_REQUESTS => Recovery::unsent(code),
        status if status.is_server_error() => Recovery::outcome_unknown(code),
        _ => Recovery::of(code),
    };
    // For a tool that may run twice, the wait is useful whether or not the call ran.
    let is_load = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    advice.retry_after_ms =
        wait.filter(|_| is_load).map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
    code.error_with(format!("the server answered with HTTP {status}{colon}{text}"), advice)
}

/// Returns the wait that a response requests before the next attempt: a number of seconds, or until a date.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    Some(until.duration_since(SystemTime::now()).unwrap_or_default())
}

/// Returns `true` if a request with this 4xx status may succeed a moment later.
pub(super) fn may_pass(status: StatusCode) -> bool {
    matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY | StatusCode::TOO_MANY_REQUESTS)
}

/// Returns `true` if a body is a JSON-RPC error, and so comes from a server of the protocol.
pub(super) fn is_of_protocol(body: &[u8]) -> bool {
    matches!(Frame::parse(&body.to_vec().into()), Ok(Frame::Response { outcome: Err(_), .. }))
}

/// Returns the error for a call that was in flight when the server forgot its session.
pub(super) fn of_lost_session() -> ErrorObject {
    ErrorCode::UpstreamUnavailable
        .error_outcome_unknown("the server forgot the session while the call was under way")
}

/// Returns `true` if an error may come from an intermediary. If the server itself failed, its error names the request.
fn may_be_of_the_way(status: StatusCode, names_request: bool) -> bool {
    is_at_the_door(status) || (status.is_server_error() && !names_request)
}

/// Returns `true` if a status refuses a request up front, for its credentials, its payment or its rate.
fn is_at_the_door(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::UNAUTHORIZED
            | StatusCode::PAYMENT_REQUIRED
            | StatusCode::FORBIDDEN
            | StatusCode::TOO_MANY_REQUESTS
    )
}

/// Returns the failure of a request that got no response.
pub(super) fn of_sending(error: reqwest::Error) -> Failure {
    let is_unrun = error.is_connect();
    Failure { error: of_transport(error), is_unrun }
}

/// Returns the error for a request that got no response. The URL, which may hold a secret, is left out.
pub(super) fn of_transport(error: reqwest::Error) -> ErrorObject {
    let (no_connection, error) = (error.is_connect(), error.without_url());
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        // If no connection was made, the last cause is enough: refused, no such name, a certificate.
        text = if no_connection { cause.to_string() } else { format!("{text}: {cause}") };
        source = cause.source();
    }
    let message = format!("failed to reach the server: {text}");
    if error.is_connect() {
        return ErrorCode::UpstreamUnavailable.error_unsent(message);
    }
    ErrorCode::UpstreamUnavailable.error_outcome_unknown(message)
}

/// Returns the error for a response that cannot be read.
pub(super) fn of_content(message: impl Into<String>) -> ErrorObject {
    ErrorCode::UpstreamError.error_outcome_unknown(message)
}

/// Returns an error that states that the outcome is unknown. For a call that had already been sent, for example if its stream
/// could not be resumed.
pub(super) fn after_sending(error: ErrorObject) -> ErrorObject {
    match ErrorCode::from_code(error.code) {
        Some(code) => Recovery::outcome_unknown(code).attach(error),
        None => error,
    }
}

/// Returns the error for a redirect that is not followed: the server did not accept the message.
pub(super) fn of_redirect(message: impl Into<String>) -> ErrorObject {
    ErrorCode::UpstreamError.error(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_shown_with_its_body_s_start_on_one_line() {
        let error =
            of_status(StatusCode::BAD_GATEWAY, None, format!(" no\nluck{}", "!".repeat(900)).as_bytes());
        assert_eq!(error.code, 5002);
        assert!(error.message.starts_with("the server answered with HTTP 502 Bad Gateway: no luck!!"));
        assert!(error.message.len() < 400);
        assert_eq!(
            of_status(StatusCode::UNAUTHORIZED, None, b"").message,
            "the server answered with HTTP 401 Unauthorized"
        );
    }

    #[test]
    fn a_protocol_error_is_passed_on_unchanged() {
        let body =
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Server not initialized"}}"#;
        let error = of_status(StatusCode::BAD_REQUEST, None, body);
        assert_eq!((error.code, error.message.as_str()), (-32000, "Server not initialized"));
        let named = br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"failed"}}"#;
        assert_eq!(of_status(StatusCode::INTERNAL_SERVER_ERROR, None, named).code, -32603);
    }

    #[test]
    fn only_a_rate_limited_caller_may_send_again() {
        let wait = Some(Duration::from_secs(7));
        for (status, wait, expected) in [
            (StatusCode::TOO_MANY_REQUESTS, wait, (true, Some(7000), false)),
            (StatusCode::TOO_MANY_REQUESTS, None, (true, None, false)),
            (StatusCode::SERVICE_UNAVAILABLE, wait, (false, Some(7000), true)),
            (StatusCode::SERVICE_UNAVAILABLE, None, (false, None, true)),
            (StatusCode::BAD_GATEWAY, wait, (false, None, true)),
            (StatusCode::INTERNAL_SERVER_ERROR, None, (false, None, true)),
            (StatusCode::BAD_REQUEST, wait, (false, None, false)),
        ] {
            let advice = Recovery::from_error(&of_status(status, wait, b"")).unwrap();
            let found = (advice.retryable, advice.retry_after_ms, advice.is_outcome_unknown());
            assert_eq!(found, expected, "{status}");
        }
    }

    #[test]
    fn the_time_to_wait_is_read_as_seconds_and_as_a_date() {
        let read = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            retry_after(&headers)
        };
        assert_eq!(read("120"), Some(Duration::from_secs(120)));
        assert_eq!(read("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO), "it is over");
        assert!(read("Fri, 31 Dec 9999 23:59:59 GMT") > Some(Duration::from_secs(60)));
        assert_eq!(read(&u64::MAX.to_string()), Some(Duration::from_secs(u64::MAX)));
        for unreadable in ["", "-1", "soon", "99999999999999999999"] {
            assert_eq!(read(unreadable), None, "{unreadable}");
        }
        let longest = of_status(StatusCode::TOO_MANY_REQUESTS, read(&u64::MAX.to_string()), b"");
        assert_eq!(Recovery::from_error(&longest).unwrap().retry_after_ms, Some(u64::MAX));
    }

    #[test]
    fn a_proxy_s_error_is_reported_by_its_status() {
        let body =
            |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32001,"message":"no"}}}}"#);
        for (status, id, expected) in [
            (StatusCode::UNAUTHORIZED, "7", ErrorCode::AuthRequired),
            (StatusCode::FORBIDDEN, "7", ErrorCode::AccessDenied),
            (StatusCode::TOO_MANY_REQUESTS, "null", ErrorCode::RateLimited),
            (StatusCode::PAYMENT_REQUIRED, "null", ErrorCode::QuotaExceeded),
            (StatusCode::BAD_GATEWAY, "null", ErrorCode::UpstreamUnavailable),
        ] {
            let error = of_status(status, None, body(id).as_bytes());
            assert_eq!(error.code, i64::from(expected), "{status}");
            assert!(error.message.contains(r#""message":"no""#), "{error}");
        }
    }
}
