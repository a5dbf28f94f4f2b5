//! §7.4 The answer to rejected code: 1011, with the rejection in its details.

use mgp_types::{
    code_safety::CodeRejection,
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};

/// Returns the error for rejected code, which helps the agent to fix it.
pub(super) fn refusal(rejection: &CodeRejection) -> ErrorObject {
    let code = ErrorCode::CodeSafetyViolation;
    let text = format!("{}: {}", rejection.reason, rejection.violations.join("; "));
    match RawJson::from_value(rejection).and_then(|json| RawObject::from_json(&json)) {
        Ok(details) => code.error_with(text, Recovery::of(code).with_details(details)),
        Err(_) => code.error(text),
    }
}

/// Returns the rejection in an error as JSON, for an answer that a model reads.
pub(super) fn rejection_text(error: &ErrorObject) -> Option<String> {
    if error.code != i64::from(ErrorCode::CodeSafetyViolation) {
        return None;
    }
    let details = Recovery::from_error(error)?.details?;
    Some(details.to_json().as_str().to_owned())
}
