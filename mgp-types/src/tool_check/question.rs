//! A question that a tool call would lead to.

use crate::context::RiskLevel;
use serde::{Deserialize, Serialize};

spelled! {
    /// The kind of a question that a tool call would lead to.
    pub enum QuestionKind as "kind of question" {
        /// §3: whether the tool's server may have a permission.
        Permission = "permission",
        /// §4.4: whether the call may be made.
        Confirmation = "confirmation",
        /// A question of a gate that the kernel's program added.
        Gate = "gate",
    }
}

/// A question that would be asked before a tool call is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallQuestion {
    /// The kind of the question.
    pub kind: QuestionKind,
    /// The reason for the question, in one sentence.
    pub reason: String,
    /// The permission that the question is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<String>,
    /// The risk of the call, as the kernel judges it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_level: Option<RiskLevel>,
    /// The id of the question, if it is open already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl CallQuestion {
    /// Creates a question that is not about a permission and not asked yet.
    pub fn new(kind: QuestionKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), permission: None, risk_level: None, request_id: None }
    }
}
