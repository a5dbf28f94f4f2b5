//! §4.3 The `security` member of a tool definition.

use super::ValidatorName;
use crate::{code_safety::CodeSafety, context::RiskLevel, json::RawObject};

spelled_open! {
    /// What a tool changes (§4.3 `side_effects`).
    pub enum SideEffect {
        /// Files.
        Filesystem = "filesystem",
        /// The network.
        Network = "network",
        /// Processes.
        Process = "process",
        /// A database.
        Database = "database",
        /// What the user is told.
        Notification = "notification",
    } else
    /// Something that is not named in the specification.
    Other
}

open_object! {
    /// What a server says of a tool's risks (§4.3). It can raise what the kernel assumes, never lower it.
    pub struct SecurityMetadata {
        /// How dangerous it is.
        required risk_level: RiskLevel = "risk_level",
        /// The permissions that a call needs, by name.
        optional permissions_required: Vec<String> = "permissions_required",
        /// What it changes.
        optional side_effects: Vec<SideEffect> = "side_effects",
        /// The validator to apply.
        optional validator: ValidatorName = "validator",
        /// Whether its effects can be undone.
        optional reversible: bool = "reversible",
        /// Whether to ask the user before a call.
        optional confirmation_required: bool = "confirmation_required",
        /// How to check the code that it takes (§7.3).
        optional code_safety: CodeSafety = "code_safety",
    }
}

impl SecurityMetadata {
    /// Metadata with nothing but a risk.
    #[must_use]
    pub const fn new(risk_level: RiskLevel) -> Self {
        Self {
            risk_level,
            permissions_required: None,
            side_effects: None,
            validator: None,
            reversible: None,
            confirmation_required: None,
            code_safety: None,
            other: RawObject::new(),
        }
    }

    /// The permissions that a call needs, by name.
    #[must_use]
    pub fn permissions(&self) -> &[String] {
        self.permissions_required.as_deref().unwrap_or_default()
    }
}
