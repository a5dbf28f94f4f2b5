//! §7 Code safety: the levels, a tool's declaration, and the answer to code that was refused.

use crate::json::Nullable;
use serde::{Deserialize, Serialize};

spelled! {
    /// How strictly code is checked (§7.2). Ordered: unrestricted is the least.
    #[derive(PartialOrd, Ord, Default)]
    pub enum SafetyLevel as "safety level" {
        /// Not at all.
        Unrestricted = "unrestricted",
        /// What is known to be dangerous is blocked.
        #[default]
        Standard = "standard",
        /// Only imports that are allowed, and a size limit.
        Strict = "strict",
        /// The same, and nothing that writes.
        Readonly = "readonly",
    }
}

/// How to check the code that a tool takes (§7.3).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeSafety {
    /// How strictly.
    pub level: SafetyLevel,
    /// The language of the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The longest code, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_code_size_bytes: Option<u64>,
    /// What must not be imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_imports: Option<Vec<String>>,
    /// What must not stand in the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_patterns: Option<Vec<String>>,
    /// All that may be imported, from `strict` up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_imports: Option<Vec<String>>,
}

spelled! {
    /// The `status` of a [`CodeRejection`].
    #[derive(Default)]
    pub enum RejectionStatus as "rejection status" {
        /// The only one.
        #[default]
        Rejected = "rejected",
    }
}

/// What an agent is told about code, or a call, that was refused (§7.4), so that it can do better.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeRejection {
    /// Always `rejected`.
    pub status: RejectionStatus,
    /// Why, in one sentence.
    pub reason: String,
    /// What was found.
    pub violations: Vec<String>,
    /// What would be accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<CodeHints>,
    /// The error code that a protocol method would have got (§14.3).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub code: Nullable<i64>,
    /// Whether the same call may be sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
}

/// What would be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeHints {
    /// What must not be imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_imports: Option<Vec<String>>,
    /// What may be imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_imports: Option<Vec<String>>,
    /// The longest code, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_code_size_bytes: Option<u64>,
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
