//! The persons who use the console.

use serde::{Deserialize, Serialize};

/// The rights of an operator. A later role has the rights of all earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OperatorRole {
    /// Sees everything, and changes nothing.
    Viewer,
    /// Also decides on what waits for a decision.
    Approver,
    /// Also changes servers, rights and settings.
    Admin,
}

impl OperatorRole {
    /// Returns the name of the role, as in the configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Approver => "approver",
            Self::Admin => "admin",
        }
    }
}

/// A person who has signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The name under which the audit trail records the operator's decisions and changes.
    pub name: String,
    /// The rights.
    pub role: OperatorRole,
}
