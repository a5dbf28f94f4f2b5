//! The errors of requests about transactions.

use super::StoreError;
use mgp_types::{
    error::{ErrorCode, Recovery},
    idempotency::IdempotencyKey,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
    transaction::TRANSACTION_CONFLICT,
};

/// The longest description and reason, in bytes.
const MAX_TEXT: usize = 4096;

/// Checks the name of a transaction or a step, which becomes part of keys.
pub(super) fn checked_name(field: &str, name: &str) -> Result<(), ErrorObject> {
    if IdempotencyKey::new(name).is_some() {
        return Ok(());
    }
    let shown: String = name.chars().take(140).collect();
    Err(ErrorObject::invalid_params(format!(
        "invalid {field}: expected 1 to 128 letters, digits and _-:., found {shown:?}"
    )))
}

pub(super) fn checked_text(field: &str, text: Option<&str>) -> Result<(), ErrorObject> {
    match text.map_or(0, str::len) {
        0..=MAX_TEXT => Ok(()),
        found => Err(ErrorObject::invalid_params(format!(
            "invalid {field}: expected at most {MAX_TEXT} bytes, found {found}"
        ))),
    }
}

/// Returns the error of a request that does not fit the state of its transaction.
pub(super) fn conflict(problem: &str) -> ErrorObject {
    let error = ErrorCode::InvalidToolArgs.error(format!("{TRANSACTION_CONFLICT}: {problem}"));
    let mut data = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok()).unwrap_or_default();
    data.insert("code", RawJson::string(TRANSACTION_CONFLICT));
    error.with_data(data.to_json())
}

pub(super) fn unknown(id: &str) -> ErrorObject {
    let shown: String = id.chars().take(140).collect();
    ErrorCode::ResourceNotFound.error(format!("unknown transaction {shown:?}: begin it first"))
}

pub(super) fn unstored(error: &StoreError) -> ErrorObject {
    let advice = Recovery::unsent(ErrorCode::ResourceExhausted);
    ErrorCode::ResourceExhausted.error_with(format!("transactions cannot be kept: {error}"), advice)
}
