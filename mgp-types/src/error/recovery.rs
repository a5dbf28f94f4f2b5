//! §14.5 What a caller may do about an error.

use super::{ErrorCategory, ErrorCode, RetryStrategy};
use crate::{
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use serde::Serialize;

/// The advice in an error's `data._mgp` (§14.5).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recovery {
    /// What kind of thing went wrong.
    pub category: ErrorCategory,
    /// Whether a retry may help.
    pub retryable: bool,
    /// The least time to wait before the first retry, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// How to space the attempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_strategy: Option<RetryStrategy>,
    /// How many retries to make at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// A tool to try when all retries failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_tool: Option<String>,
    /// More about this error, in the sender's own form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<RawObject>,
}

impl Recovery {
    /// What the table says about a code.
    #[must_use]
    pub const fn of(code: ErrorCode) -> Self {
        Self {
            category: code.category(),
            retryable: code.retryable(),
            retry_after_ms: None,
            retry_strategy: code.strategy(),
            max_retries: None,
            fallback_tool: None,
            details: None,
        }
    }

    /// The same advice with the least time to wait, in milliseconds.
    #[must_use]
    pub const fn after_ms(mut self, ms: u64) -> Self {
        self.retry_after_ms = Some(ms);
        self
    }

    /// The same advice with details.
    #[must_use]
    pub fn with_details(mut self, details: RawObject) -> Self {
        self.details = Some(details);
        self
    }

    /// Reads the advice that an error carries; `None` where it carries none.
    ///
    /// A member that cannot be read counts as absent, and what is absent comes from the table. An error whose code the
    /// table does not have, and that does not say whether to retry, is not retried.
    #[must_use]
    pub fn from_error(error: &ErrorObject) -> Option<Self> {
        let advice = RawObject::from_json(error.data.as_ref()?).ok()?.object("_mgp")?;
        let code = ErrorCode::from_code(error.code);
        let retryable = read(&advice, "retryable").unwrap_or(code.is_some_and(ErrorCode::retryable));
        Some(Self {
            category: read(&advice, "category").or(code.map(ErrorCode::category))?,
            retryable,
            retry_after_ms: read(&advice, "retry_after_ms"),
            retry_strategy: read(&advice, "retry_strategy")
                .or(code.and_then(ErrorCode::strategy).filter(|_| retryable)),
            max_retries: read(&advice, "max_retries"),
            fallback_tool: read(&advice, "fallback_tool"),
            details: read(&advice, "details"),
        })
    }

    /// Puts the advice into an error's data, beside what is there.
    #[must_use]
    pub fn attach(self, error: ErrorObject) -> ErrorObject {
        let mut data =
            error.data.as_ref().and_then(|data| RawObject::from_json(data).ok()).unwrap_or_default();
        // Every member is a plain value or valid JSON, so writing cannot fail.
        data.insert("_mgp", RawJson::from_value(&self).unwrap_or_else(|_| RawJson::empty_object()));
        error.with_data(data.to_json())
    }
}

fn read<T: serde::de::DeserializeOwned>(object: &RawObject, key: &str) -> Option<T> {
    object.decode(key).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_carries_what_the_table_says() {
        let error = ErrorCode::ServerDraining.error("filesystem is stopping");
        assert_eq!(
            error.data.as_ref().map(RawJson::as_str),
            Some(r#"{"_mgp":{"category":"lifecycle","retryable":true,"retry_strategy":"fixed_delay"}}"#)
        );
        assert_eq!(Recovery::from_error(&error), Some(Recovery::of(ErrorCode::ServerDraining)));
    }

    #[test]
    fn own_advice_replaces_the_table_s() {
        let advice = Recovery { max_retries: Some(2), ..Recovery::of(ErrorCode::RateLimited) }.after_ms(5000);
        let error = ErrorCode::RateLimited.error_with("slow down", advice.clone());
        assert_eq!(Recovery::from_error(&error), Some(advice));
    }

    #[test]
    fn unreadable_members_count_as_absent_and_never_turn_into_a_retry() {
        let error = |code, data: &'static str| {
            Recovery::from_error(&ErrorObject::new(code, "x").with_data(RawJson::parse(data).unwrap()))
        };
        let read =
            error(4001_i64, r#"{"_mgp":{"retryable":"yes","retry_after_ms":-1,"category":7}}"#).unwrap();
        assert_eq!(read, Recovery::of(ErrorCode::ToolNotFound));
        assert!(!error(9999_i64, r#"{"_mgp":{"category":"external"}}"#).unwrap().retryable);
        assert_eq!(error(9999_i64, r#"{"_mgp":{}}"#), None);
        assert_eq!(error(3000_i64, r#"{"_mgp":[]}"#), None);
        assert_eq!(error(3000_i64, r#""text""#), None);
    }

    #[test]
    fn advice_stands_beside_other_data() {
        let error = ErrorObject::new(3000_i64, "x").with_data(RawJson::parse(r#"{"a":1e500}"#).unwrap());
        let error = Recovery::of(ErrorCode::RateLimited).attach(error);
        assert!(error.data.unwrap().as_str().starts_with(r#"{"a":1e500,"_mgp":"#));
    }
}
