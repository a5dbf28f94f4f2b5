//! §4.3 The `security` member of a tool definition.

use super::ValidatorName;
use crate::{
    code_safety::CodeSafety,
    context::RiskLevel,
    json::{RawJson, RawObject},
};

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

    /// Reads a `security` member that cannot be read as a whole, as strictly as it can be meant: dangerous, with `sandbox`
    /// where it names no validator, and with what else can be read of it.
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
        // One name is a list of one to many who write it.
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

    /// The permissions that a call needs, by name.
    #[must_use]
    pub fn permissions(&self) -> &[String] {
        self.permissions_required.as_deref().unwrap_or_default()
    }
}
