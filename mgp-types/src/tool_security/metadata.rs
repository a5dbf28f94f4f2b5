//! §4.3 The `security` member of a tool definition.

use super::ValidatorName;
use crate::{
    code_safety::CodeSafety,
    context::RiskLevel,
    json::{RawJson, RawObject},
};

spelled_open! {
    /// A side effect of a tool (§4.3 `side_effects`).
    pub enum SideEffect {
        /// Files.
        Filesystem = "filesystem",
        /// The network.
        Network = "network",
        /// Processes.
        Process = "process",
        /// A database.
        Database = "database",
        /// Notifications to the user.
        Notification = "notification",
    } else
    /// A side effect that the specification does not name.
    Other
}

open_object! {
    described
    /// A server's claims about a tool's risks (§4.3). They can raise the risk that the kernel assumes, never lower it.
    pub struct SecurityMetadata {
        /// The risk.
        required risk_level: RiskLevel = "risk_level",
        /// The permissions that a call needs, by name.
        optional permissions_required: Vec<String> = "permissions_required",
        /// The side effects.
        optional side_effects: Vec<SideEffect> = "side_effects",
        /// The validator to apply.
        optional validator: ValidatorName = "validator",
        /// True if the tool's effects can be undone.
        optional reversible: bool = "reversible",
        /// True if the user must be asked before a call.
        optional confirmation_required: bool = "confirmation_required",
        /// The checks to make on the code that the tool takes (§7.3).
        optional code_safety: CodeSafety = "code_safety",
    }
}

impl SecurityMetadata {
    /// Creates metadata with only a risk.
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

    /// Reads a `security` member that cannot be read as a whole, as strictly as possible: dangerous, with the validator
    /// `sandbox` if the member names none, and with the other members that can be read.
    ///
    /// ```
    /// use mgp_types::{context::RiskLevel, json::RawJson, tool_security::{SecurityMetadata, ValidatorName}};
    /// let member = RawJson::parse(r#"{"risk_level":"destructive","permissions_required":["camera"]}"#)?;
    /// let security = SecurityMetadata::of_unreadable(&member);
    /// assert_eq!(security.risk_level, RiskLevel::Dangerous);
    /// assert_eq!(security.validator, Some(ValidatorName::Sandbox));
    /// assert_eq!(security.permissions(), ["camera"]);
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    #[must_use]
    pub fn of_unreadable(member: &RawJson) -> Self {
        let mut member = RawObject::from_json(member).unwrap_or_default();
        let permissions = member.take_readable::<Option<_>>("permissions_required").flatten();
        // Many servers write a list with one name as only the name.
        let only = |member: &mut RawObject| Some(vec![member.take_readable("permissions_required")?]);
        let validator = member.take_readable("validator").filter(|name| *name != ValidatorName::None);
        Self {
            risk_level: RiskLevel::Dangerous,
            permissions_required: permissions.or_else(|| only(&mut member)),
            side_effects: member.take_readable("side_effects"),
            validator: validator.or(Some(ValidatorName::Sandbox)),
            reversible: member.take_readable("reversible"),
            confirmation_required: member.take_readable("confirmation_required"),
            code_safety: member.take_readable("code_safety"),
            other: RawObject::new(),
        }
    }

    /// Returns the permissions that a call needs, by name.
    #[must_use]
    pub fn permissions(&self) -> &[String] {
        self.permissions_required.as_deref().unwrap_or_default()
    }
}
