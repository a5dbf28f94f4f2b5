//! The table of statuses.

use http::StatusCode;
use mgp_types::{
    error::{ErrorCode, Recovery},
    mcp::McpErrorCode,
    rpc::{ErrorObject, JsonRpcCode},
    tool_result::ErrorType,
};

/// Returns the status of an error. A call that waits for a person's answer is a conflict: the same call succeeds after the
/// answer.
pub(super) fn of(error: &ErrorObject, advice: Option<&Recovery>) -> StatusCode {
    let Some(code) = ErrorCode::from_code(error.code) else { return of_json_rpc(error.code) };
    match code {
        ErrorCode::PermissionDenied if waits(advice) => StatusCode::CONFLICT,
        ErrorCode::PermissionDenied | ErrorCode::AccessDenied => StatusCode::FORBIDDEN,
        ErrorCode::AuthRequired | ErrorCode::AuthExpired => StatusCode::UNAUTHORIZED,
        ErrorCode::ValidationBlocked
        | ErrorCode::CodeSafetyViolation
        | ErrorCode::InvalidToolArgs
        | ErrorCode::ToolNameConflict => StatusCode::BAD_REQUEST,
        ErrorCode::ToolNotFound | ErrorCode::ToolDisabled | ErrorCode::ResourceNotFound => {
            StatusCode::NOT_FOUND
        }
        ErrorCode::ServerAlreadyRegistered => StatusCode::CONFLICT,
        ErrorCode::RateLimited | ErrorCode::QuotaExceeded => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::ServerNotReady
        | ErrorCode::ServerDraining
        | ErrorCode::ServerRestarting
        | ErrorCode::ResourceExhausted => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Timeout | ErrorCode::UpstreamTimeout => StatusCode::GATEWAY_TIMEOUT,
        ErrorCode::UpstreamError | ErrorCode::UpstreamUnavailable => StatusCode::BAD_GATEWAY,
    }
}

/// Returns the type of an error of the endpoint itself, whose code only means that the request is invalid.
pub(super) fn type_of(status: StatusCode) -> ErrorType {
    match status {
        StatusCode::UNAUTHORIZED => ErrorType::AuthenticationError,
        StatusCode::FORBIDDEN => ErrorType::PermissionError,
        StatusCode::NOT_FOUND => ErrorType::ResourceNotFound,
        StatusCode::REQUEST_TIMEOUT | StatusCode::GATEWAY_TIMEOUT => ErrorType::TimeoutError,
        StatusCode::TOO_MANY_REQUESTS => ErrorType::ApiLimitExceeded,
        status if status.is_client_error() => ErrorType::ValidationError,
        _ => ErrorType::ToolExecutionError,
    }
}

/// Returns whether the call cannot continue because of an open question.
fn waits(advice: Option<&Recovery>) -> bool {
    let details = advice.and_then(|advice| advice.details.as_ref());
    let open = |state: &str| matches!(state, "open" | "deferred" | "expired");
    details.is_some_and(|details| {
        details.text("request_id").is_some() && details.text("state").is_some_and(|state| open(&state))
    })
}

fn of_json_rpc(code: i64) -> StatusCode {
    let is_wrong = [
        JsonRpcCode::InvalidParams.into(),
        JsonRpcCode::InvalidRequest.into(),
        // For example, a tool that requires task execution.
        McpErrorCode::MissingRequiredClientCapability.into(),
    ];
    if is_wrong.contains(&code) {
        StatusCode::BAD_REQUEST
    } else if code == i64::from(JsonRpcCode::MethodNotFound) {
        StatusCode::NOT_FOUND
    } else {
        StatusCode::INTERNAL_SERVER_ERROR
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{
        json::{RawJson, RawObject},
        openapi::REST_STATUSES,
    };

    #[test]
    fn every_code_has_a_status_of_its_kind() {
        for code in ErrorCode::ALL {
            let status = of(&code.error("why"), None);
            assert!(status.is_client_error() || status.is_server_error(), "{code} {status}");
            assert!(REST_STATUSES.iter().any(|known| known.code == status.as_u16()), "{code} {status}");
            // What is retryable is the server's to mend, or comes too early.
            let is_later = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
            assert!(!code.retryable() || is_later, "{code} {status}");
        }
    }

    #[test]
    fn an_open_question_is_a_conflict_and_a_denied_one_is_not() {
        for (state, expected) in [("open", 409), ("deferred", 409), ("denied", 403)] {
            let details: RawObject =
                [("request_id", RawJson::string("conf-1")), ("state", RawJson::string(state))]
                    .into_iter()
                    .collect();
            let advice = Recovery::of(ErrorCode::PermissionDenied).with_details(details);
            let error = ErrorCode::PermissionDenied.error_with("why", advice.clone());
            assert_eq!(of(&error, Some(&advice)).as_u16(), expected, "{state}");
        }
    }
}
