//! The report in an error's `data`, for hosts without MGP.

use super::{ErrorCode, ProposedCategory, Recovery};
use crate::{
    json::{RawJson, RawObject},
    rpc::{ErrorObject, JsonRpcCode},
};
use serde::Serialize;

/// The details of an advice that are copied to the report: the end of a quota's day, and the id of the question that a call waits for.
const DETAILS: [&str; 2] = ["resets_at", "request_id"];

impl ErrorObject {
    /// Returns the error with a report on it in its data: `error_type`, `category`, `reason`, `retryable` and, if they are
    /// known, `retry_after_seconds`, `resets_at` and `request_id`.
    ///
    /// The category is the proposals', whose readers decide by it whether to try again. It is `transient` or `rate_limited` only if a retry
    /// is safe and may help. MGP's own category is in the advice for MGP peers.
    ///
    /// Members that the data already has are unchanged. An error is returned unchanged if its code is neither in the
    /// table nor one of JSON-RPC's five, or if its data is not an object.
    ///
    /// ```
    /// use mgp_types::error::{ErrorCode, Recovery};
    /// let advice = Recovery::of(ErrorCode::RateLimited).after_ms(1500);
    /// let data = ErrorCode::RateLimited.error_with("10 calls a minute", advice).with_report().data.unwrap();
    /// assert!(data.as_str().contains(r#""error_type":"ApiLimitExceeded""#));
    /// assert!(data.as_str().contains(r#""retry_after_seconds":2"#));
    /// ```
    #[must_use]
    pub fn with_report(mut self) -> Self {
        let code = ErrorCode::from_code(self.code);
        let Some((error_type, of_code)) =
            code.map_or_else(|| of_json_rpc(self.code), |code| Some(of_table(code)))
        else {
            return self;
        };
        let Some(mut data) = self.data.as_ref().map_or(Some(RawObject::new()), object) else { return self };
        let advice = Recovery::from_error(&self).or_else(|| code.map(Recovery::of));
        let retryable = advice.as_ref().is_some_and(|advice| advice.retryable);
        let category = match of_code {
            // Another attempt may be unsafe, or waiting does not help.
            ProposedCategory::Transient | ProposedCategory::RateLimited if !retryable => {
                ProposedCategory::Permanent
            }
            category => category,
        };
        add(&mut data, "error_type", &error_type);
        add(&mut data, "category", &category);
        add(&mut data, "reason", &self.message);
        add(&mut data, "retryable", &retryable);
        if let Some(ms) = advice.as_ref().and_then(|advice| advice.retry_after_ms) {
            add(&mut data, "retry_after_seconds", &ms.div_ceil(1000));
        }
        for key in DETAILS {
            let details = advice.as_ref().and_then(|advice| advice.details.as_ref());
            if let Some(text) = details.and_then(|details| details.text(key)) {
                add(&mut data, key, &text);
            }
        }
        self.data = Some(data.to_json());
        self
    }
}

/// Returns the type and the proposals' category of an error of the table.
fn of_table(code: ErrorCode) -> (&'static str, ProposedCategory) {
    (code.error_type(), code.proposed_category())
}

/// Returns the type and the proposals' category of an error with only a JSON-RPC code.
fn of_json_rpc(code: i64) -> Option<(&'static str, ProposedCategory)> {
    let is = |known: JsonRpcCode| i64::from(known) == code;
    if is(JsonRpcCode::InternalError) {
        return Some(of_table(ErrorCode::UpstreamError));
    }
    let wrong = [
        JsonRpcCode::ParseError,
        JsonRpcCode::InvalidRequest,
        JsonRpcCode::MethodNotFound,
        JsonRpcCode::InvalidParams,
    ];
    wrong.into_iter().any(is).then(|| of_table(ErrorCode::InvalidToolArgs))
}

fn add(data: &mut RawObject, key: &'static str, value: &impl Serialize) {
    if data.get(key).is_some() {
        return;
    }
    // Strings, numbers and names of variants always serialize.
    if let Ok(value) = RawJson::from_value(value) {
        data.insert(key, value);
    }
}

fn object(data: &RawJson) -> Option<RawObject> {
    RawObject::from_json(data).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::RetryStrategy;

    #[test]
    fn every_code_has_a_report_and_other_errors_stay_unchanged() {
        for code in ErrorCode::ALL {
            let data = object(&code.error("why").with_report().data.unwrap()).unwrap();
            assert_eq!(data.text("error_type").as_deref(), Some(code.error_type()));
            let category = match code.proposed_category() {
                // It is not known here whether the call was sent, or when the quota is restored.
                ProposedCategory::Transient | ProposedCategory::RateLimited if !code.retryable() => {
                    ProposedCategory::Permanent
                }
                category => category,
            };
            assert_eq!(data.text("category").as_deref(), Some(category.as_str()), "{code}");
            assert_eq!(
                data.object("_mgp").unwrap().text("category").as_deref(),
                Some(code.category().as_str())
            );
            assert_eq!(data.text("reason").as_deref(), Some("why"));
            assert_eq!(data.decode("retryable").unwrap(), Some(code.retryable()));
            assert!(data.get("_mgp").is_some(), "{code}");
        }
        for (code, error_type, category) in [
            (-32700, "ValidationError", "invalid_input"),
            (-32600, "ValidationError", "invalid_input"),
            (-32601, "ValidationError", "invalid_input"),
            (-32602, "ValidationError", "invalid_input"),
            (-32603, "ToolExecution", "permanent"),
        ] {
            let data = ErrorObject::new(code, "why").with_report().data.unwrap();
            let expected = format!(
                r#"{{"error_type":"{error_type}","category":"{category}","reason":"why","retryable":false}}"#
            );
            assert_eq!(data.as_str(), expected, "{code}");
        }
        let other = ErrorObject::new(-32042_i64, "x");
        assert_eq!(other.clone().with_report(), other);
        let list = ErrorCode::Timeout.error("x").with_data(RawJson::parse("[1]").unwrap());
        assert_eq!(list.clone().with_report(), list);
    }

    #[test]
    fn a_report_says_transient_only_if_a_retry_is_harmless() {
        let category =
            |error: ErrorObject| object(&error.with_report().data.unwrap()).unwrap().text("category");
        let lost = ErrorCode::Timeout.error_outcome_unknown("no answer");
        assert_eq!(category(lost).as_deref(), Some("permanent"));
        assert_eq!(category(ErrorCode::Timeout.error_unsent("not sent")).as_deref(), Some("transient"));
        assert_eq!(category(ErrorCode::RateLimited.error("slow down")).as_deref(), Some("rate_limited"));
        assert_eq!(category(ErrorCode::QuotaExceeded.error("too small")).as_deref(), Some("permanent"));
        let until = Recovery::of(ErrorCode::QuotaExceeded).with_retry(RetryStrategy::FixedDelay).after_ms(5);
        let used_up = ErrorCode::QuotaExceeded.error_with("used up", until);
        assert_eq!(category(used_up).as_deref(), Some("rate_limited"));
    }

    #[test]
    fn a_report_names_the_quota_reset_and_the_open_question() {
        let advice = r#"{"_mgp":{"details":{"resets_at":"then","request_id":"conf-1","limit":"l"}}}"#;
        let error = ErrorCode::QuotaExceeded.error("x").with_data(RawJson::parse(advice).unwrap());
        let data = object(&error.with_report().to_plain_mcp().data.unwrap()).unwrap();
        assert_eq!(data.text("resets_at").as_deref(), Some("then"));
        assert_eq!(data.text("request_id").as_deref(), Some("conf-1"));
        assert!(data.get("limit").is_none() && data.get("_mgp").is_none(), "{data:?}");
        let unasked = RawJson::parse(r#"{"_mgp":{"details":{"request_id":null}}}"#).unwrap();
        let error = ErrorCode::PermissionDenied.error("x").with_data(unasked).with_report();
        assert!(object(&error.data.unwrap()).unwrap().get("request_id").is_none());
    }

    #[test]
    fn the_sender_s_own_members_stay() {
        let data = RawJson::parse(r#"{"reason":"mine","_mgp":{"retryable":true,"retry_after_ms":2001}}"#);
        let error = ErrorCode::ToolNotFound.error("x").with_data(data.unwrap()).with_report();
        let data = object(&error.data.unwrap()).unwrap();
        assert_eq!(data.text("reason").as_deref(), Some("mine"));
        assert_eq!(data.decode("retryable").unwrap(), Some(true));
        assert_eq!(data.decode("retry_after_seconds").unwrap(), Some(3));
    }
}
