//! §7.4 The rejection of a call.

use mgp_transport::seam::{Refusal, RefusalKind, Reply};
use mgp_types::{
    code_safety::CodeHints,
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    tool_result::ErrorDetail,
};
use serde::Serialize;
use std::fmt;

/// The reason why a validator refused a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The error code: `ValidationBlocked`, `CodeSafetyViolation` for submitted code, or `Timeout`.
    pub code: ErrorCode,
    /// The reason, in one sentence.
    pub reason: String,
    /// The individual problems, so that the caller can correct them all at once.
    pub violations: Vec<String>,
    /// The hints about arguments that would pass.
    pub hints: Option<Box<CodeHints>>,
}

/// The most violations that one rejection lists.
const LISTED: usize = 20;

impl Violation {
    /// Creates a refusal of the arguments (1010).
    pub fn new(reason: impl Into<String>, violations: Vec<String>) -> Self {
        Self { code: ErrorCode::ValidationBlocked, reason: reason.into(), violations, hints: None }
    }

    /// Creates a refusal of arguments that were not judged within the time limit (3003). `size` is the size of the arguments.
    pub(super) fn late(size: impl fmt::Display) -> Self {
        let expected = "expected shorter arguments, or a longer time limit (kernel.validation_timeout_ms)";
        let violation = format!("{size}: {expected}");
        let reason = "the validators did not finish within their time limit";
        Self { code: ErrorCode::Timeout, ..Self::new(reason, vec![violation]) }
    }

    /// Creates a refusal of arguments that a validator could not judge because of its own failure.
    pub(super) fn failed() -> Self {
        Self::new("a validator failed, so the call is refused", Vec::new())
    }

    /// Returns the reason with every problem that a rejection lists.
    #[must_use]
    pub fn listed(&self) -> String {
        match &self.violations[..self.violations.len().min(LISTED)] {
            [] => self.reason.clone(),
            listed => format!("{}: {}", self.reason, listed.join("; ")),
        }
    }

    /// Returns the kind of refusal for the call's record.
    #[must_use]
    pub fn kind(&self) -> RefusalKind {
        match self.code {
            ErrorCode::CodeSafetyViolation => RefusalKind::CodeSafety,
            _ => RefusalKind::Validation,
        }
    }

    /// Returns the answer to the call: a failed tool result, whose first text is the rejection as JSON, so that a model can read it
    /// and correct itself.
    fn answer(&self) -> Reply {
        let none = CodeHints::default();
        let rejection = Rejection {
            status: "rejected",
            reason: &self.reason,
            violations: &self.violations[..self.violations.len().min(LISTED)],
            hints: self.hints.as_deref().unwrap_or(&none),
            code: self.code.into(),
            retryable: false,
        };
        match RawJson::from_value(&rejection) {
            Ok(text) => {
                let error = ErrorDetail::new(self.code.result_error_type(), self);
                let details = RawObject::from_json(&text).unwrap_or_default();
                Reply::from_value(&CallToolResult::text(text.as_str()).with_error(error.details(details)))
            }
            Err(_) => Reply::error(self.code.error(self.to_string())),
        }
    }
}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        Self { kind: violation.kind(), reason: violation.to_string(), answer: violation.answer() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match self.violations.first() {
            Some(first) => write!(f, ": {first}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Violation {}

#[derive(Serialize)]
struct Rejection<'a> {
    status: &'static str,
    reason: &'a str,
    violations: &'a [String],
    hints: &'a CodeHints,
    code: i64,
    retryable: bool,
}

/// Returns the start of a text, for an error message.
pub(super) fn shown(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_long_text_is_shown_by_its_start_and_a_mark() {
        let text = "ä".repeat(60);
        assert_eq!(shown(&text), text);
        assert_eq!(shown(&format!("{text}x")), format!("{text}…"));
    }
}
