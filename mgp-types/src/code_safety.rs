//! §7 Code safety: the levels, a tool's declaration, and the answer to code that was refused.

use crate::json::Nullable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

spelled! {
    /// The strictness of checks on code (§7.2). Ordered: unrestricted is the least.
    #[derive(PartialOrd, Ord, Default)]
    pub enum SafetyLevel as "safety level" {
        /// Code is not checked.
        Unrestricted = "unrestricted",
        /// Code that is known to be dangerous is blocked.
        #[default]
        Standard = "standard",
        /// Only allowed imports pass, up to a size limit.
        Strict = "strict",
        /// The same as `Strict`, and code that writes is blocked.
        Readonly = "readonly",
    }
}

/// The checks to make on code that a tool takes (§7.3).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodeSafety {
    /// The strictness of the checks.
    pub level: SafetyLevel,
    /// The language of the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The longest code, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_code_size_bytes: Option<u64>,
    /// The imports that are blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_imports: Option<Vec<String>>,
    /// The patterns that the code must not contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_patterns: Option<Vec<String>>,
    /// The only imports that are allowed, from `strict` up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_imports: Option<Vec<String>>,
}

spelled! {
    /// The `status` of a [`CodeRejection`].
    #[derive(Default)]
    pub enum RejectionStatus as "rejection status" {
        /// The only status.
        #[default]
        Rejected = "rejected",
    }
}

/// The message to an agent whose code, or call, was refused (§7.4). It helps the agent to correct the code.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodeRejection {
    /// Always `rejected`.
    pub status: RejectionStatus,
    /// The reason for the refusal, in one sentence.
    pub reason: String,
    /// The violations in the code.
    pub violations: Vec<String>,
    /// Hints about code that would be accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<CodeHints>,
    /// The error code that a protocol method would have returned (§14.3).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub code: Nullable<i64>,
    /// True if the same call may be sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
}

/// Hints about code that would be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodeHints {
    /// The imports that are blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_imports: Option<Vec<String>>,
    /// The imports that are allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_imports: Option<Vec<String>>,
    /// The longest code, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_code_size_bytes: Option<u64>,
    /// Names that do the work of blocked ones, by the blocked name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacements: Option<BTreeMap<String, String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stricter_levels_are_greater() {
        assert!(SafetyLevel::ALL.is_sorted());
        assert_eq!(SafetyLevel::Standard.max(SafetyLevel::Strict), SafetyLevel::Strict);
    }
}
