//! §14.5 The advice to a caller about an error.

use super::{ErrorCategory, ErrorCode, RetryStrategy};
use crate::{
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use serde::Serialize;

/// The advice in an error's `data._mgp` (§14.5).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recovery {
    /// The category of the error.
    pub category: ErrorCategory,
    /// True if a retry is safe: the call was certainly not handed to its server, or running it twice has the same
    /// effect as once.
    pub retryable: bool,
    /// The least time to wait before the first retry, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The spacing of the attempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_strategy: Option<RetryStrategy>,
    /// The most retries to make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// A tool to try if all retries failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_tool: Option<String>,
    /// More about this error, in the sender's own form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<RawObject>,
}

/// The member of the details that states the outcome of the call.
const OUTCOME: &str = "outcome";

/// The value of [`OUTCOME`] for a call that was sent and not answered.
const UNKNOWN: &str = "unknown";

impl Recovery {
    /// Returns the advice of the table for a code.
    #[must_use]
    pub const fn of(code: ErrorCode) -> Self {
        Self {
            category: code.category(),
            retryable: code.retryable(),
            retry_after_ms: None,
            retry_strategy: if code.retryable() { code.strategy() } else { None },
            max_retries: None,
            fallback_tool: None,
            details: None,
        }
    }

    /// Returns the advice for a call that was certainly not handed to its server: a retry is safe, unless the code stands for an error that
    /// no retry can help.
    #[must_use]
    pub fn unsent(code: ErrorCode) -> Self {
        let strategy = code.strategy();
        Self { retryable: strategy.is_some(), retry_strategy: strategy, ..Self::of(code) }
    }

    /// Returns the advice for a call that was sent and not answered. The tool may have run, so the call is not retried,
    /// and `details.outcome` is `"unknown"`.
    #[must_use]
    pub fn outcome_unknown(code: ErrorCode) -> Self {
        let mut details = RawObject::new();
        details.insert(OUTCOME, RawJson::string(UNKNOWN));
        Self::of(code).without_retry().with_details(details)
    }

    /// Returns whether the call was sent and its outcome is unknown: the tool may have run.
    #[must_use]
    pub fn is_outcome_unknown(&self) -> bool {
        self.details.as_ref().and_then(|details| details.text(OUTCOME)).as_deref() == Some(UNKNOWN)
    }

    /// Returns the same advice for a call that may safely run twice.
    #[must_use]
    pub fn with_retry(mut self, strategy: RetryStrategy) -> Self {
        (self.retryable, self.retry_strategy) = (true, Some(strategy));
        self
    }

    /// Returns the same advice without a retry.
    #[must_use]
    pub fn without_retry(mut self) -> Self {
        (self.retryable, self.retry_strategy, self.retry_after_ms) = (false, None, None);
        self
    }

    /// Sets the least time to wait before a retry, in milliseconds.
    #[must_use]
    pub const fn after_ms(mut self, ms: u64) -> Self {
        self.retry_after_ms = Some(ms);
        self
    }

    /// Sets the details.
    #[must_use]
    pub fn with_details(mut self, details: RawObject) -> Self {
        self.details = Some(details);
        self
    }

    /// Reads the advice from an error, or returns `None` if the error carries none.
    ///
    /// A member that cannot be read counts as absent, and the table supplies what is absent. An error whose code is not in the table, and
    /// that does not state whether to retry, is not retried.
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

    /// Puts the advice into an error's data, and keeps the other members.
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
    fn an_error_carries_the_table_s_advice() {
        let error = ErrorCode::ServerDraining.error("filesystem is stopping");
        assert_eq!(
            error.data.as_ref().map(RawJson::as_str),
            Some(r#"{"_mgp":{"category":"lifecycle","retryable":true,"retry_strategy":"fixed_delay"}}"#)
        );
        assert_eq!(Recovery::from_error(&error), Some(Recovery::of(ErrorCode::ServerDraining)));
    }

    #[test]
    fn explicit_advice_replaces_the_table_s() {
        let advice = Recovery { max_retries: Some(2), ..Recovery::of(ErrorCode::RateLimited) }.after_ms(5000);
        let error = ErrorCode::RateLimited.error_with("slow down", advice.clone());
        assert_eq!(Recovery::from_error(&error), Some(advice));
    }

    #[test]
    fn advice_depends_on_whether_the_call_was_sent() {
        let sent = ErrorCode::Timeout.error_outcome_unknown("no answer");
        assert_eq!(
            sent.data.as_ref().map(RawJson::as_str),
            Some(r#"{"_mgp":{"category":"resource","retryable":false,"details":{"outcome":"unknown"}}}"#)
        );
        let read = Recovery::from_error(&sent).unwrap();
        assert!(read.is_outcome_unknown());
        let read = read.with_retry(RetryStrategy::FixedDelay);
        assert!(read.retryable && read.is_outcome_unknown());
        let unsent = Recovery::from_error(&ErrorCode::UpstreamUnavailable.error_unsent("no route")).unwrap();
        assert!(unsent.retryable && !unsent.is_outcome_unknown());
        assert_eq!(unsent.retry_strategy, Some(RetryStrategy::ExponentialBackoff));
        let refused = Recovery::unsent(ErrorCode::AccessDenied);
        assert!(!refused.retryable, "no retry helps");
        // By default the code is worth a retry.
        let full = Recovery::of(ErrorCode::ResourceExhausted);
        assert!(full.retryable && full.after_ms(7).without_retry().retry_after_ms.is_none());
        let sent = Recovery::outcome_unknown(ErrorCode::ResourceExhausted);
        assert!(!sent.retryable && sent.retry_strategy.is_none() && sent.is_outcome_unknown());
    }

    #[test]
    fn unreadable_members_count_as_absent_and_allow_no_retry() {
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
    fn advice_is_added_next_to_other_data() {
        let error = ErrorObject::new(3000_i64, "x").with_data(RawJson::parse(r#"{"a":1e500}"#).unwrap());
        let error = Recovery::of(ErrorCode::RateLimited).attach(error);
        assert!(error.data.unwrap().as_str().starts_with(r#"{"a":1e500,"_mgp":"#));
    }
}
