//! The profile of a tool, which every gate reads.

use super::{DefinitionHash, ReadonlySettings, SandboxSettings, ValidatorName};
use crate::{code_safety::CodeSafety, context::RiskLevel, permission::Permission};

/// The kernel's assessment of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolProfile {
    /// The permissions that a call needs, each once.
    pub permissions: Vec<Permission>,
    /// The names that were declared as permissions but are not. A tool that has any is never called.
    pub invalid_permissions: Vec<String>,
    /// The risk of the tool, as the kernel judges it (§4.4).
    pub risk: RiskLevel,
    /// The factor that gives the tool its risk, in a few words.
    pub risk_reason: Box<str>,
    /// The validators that check the arguments, each once (§4.5).
    pub validators: Vec<ValidatorName>,
    /// The confirmation that a call needs.
    pub confirmation: Confirmation,
    /// The strings of the arguments that the validators check.
    pub leaves: Leaves,
    /// The declarations about the code that the tool takes (§7.3), the operator's first.
    pub code_safety: Vec<CodeSafety>,
    /// True if anything suggests that the tool takes a command or a program. `sandbox` then checks all strings, and otherwise only those that
    /// the configuration points to.
    pub takes_commands: bool,
    /// The operator's settings of `sandbox`.
    pub sandbox: SandboxSettings,
    /// The operator's settings of `readonly`.
    pub readonly: ReadonlySettings,
    /// The server's own message for the person who confirms a call, with `{parameter}` for arguments.
    pub confirmation_message: Option<Box<str>>,
    /// The largest arguments that the tool takes, in bytes of their JSON.
    pub max_input_bytes: Option<u64>,
    /// True if the tool is known to change nothing: its metadata or hints state it, and nothing contradicts it.
    pub reads_only: bool,
    /// The units of quotas that the server claims a call costs; 0 without a claim.
    pub claimed_units: u32,
    /// The hash of the definition that was assessed.
    pub definition: DefinitionHash,
}

impl ToolProfile {
    /// Returns the profile of an unknown tool: the strictest, which every gate refuses.
    #[must_use]
    pub fn of_no_tool() -> Self {
        Self {
            permissions: Vec::new(),
            invalid_permissions: vec!["no such tool".to_owned()],
            risk: RiskLevel::Dangerous,
            risk_reason: "there is no such tool".into(),
            validators: Vec::new(),
            confirmation: Confirmation::Always,
            leaves: Leaves::All,
            code_safety: Vec::new(),
            takes_commands: true,
            sandbox: SandboxSettings::default(),
            readonly: ReadonlySettings::default(),
            confirmation_message: None,
            max_input_bytes: None,
            reads_only: false,
            claimed_units: 0,
            definition: DefinitionHash::new([0; 32]),
        }
    }

    /// Returns the reason for or against a confirmation of the tool's calls, as a part of a sentence (§4.4).
    ///
    /// ```
    /// use mgp_types::tool_security::ToolProfile;
    /// let reason = ToolProfile::of_no_tool().confirmation_reason();
    /// assert_eq!(reason, "every call of this tool needs a confirmation, by the configuration or its server");
    /// ```
    #[must_use]
    pub fn confirmation_reason(&self) -> String {
        let Self { risk, risk_reason, .. } = self;
        match (self.confirmation, risk) {
            (Confirmation::Always, _) => {
                "every call of this tool needs a confirmation, by the configuration or its server".to_owned()
            }
            (Confirmation::UnlessApproved, _) => format!(
                "the tool is {risk} ({risk_reason}), and no dangerous permission that it needs was approved"
            ),
            (Confirmation::Never, RiskLevel::Dangerous) => {
                format!("the tool is {risk} ({risk_reason}), and the configuration turns confirmations off")
            }
            (Confirmation::Never, _) => {
                format!("the tool is {risk} ({risk_reason}), and calls of such tools need no confirmation")
            }
        }
    }
}

/// The confirmation that a call of a tool needs (§4.4). Ordered: the last is the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Confirmation {
    /// No confirmation is needed.
    Never,
    /// A confirmation is needed, unless the tool needs dangerous permissions (§3.2), and the operator, the configuration or the policy
    /// `auto_approve` approved them.
    UnlessApproved,
    /// A confirmation is needed before every call.
    Always,
}

/// The strings of the arguments that the validators check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Leaves {
    /// Every string.
    #[default]
    All,
    /// The strings at or below these JSON pointers (RFC 6901).
    At(Vec<String>),
}

impl Leaves {
    /// Returns whether the string at a pointer is checked.
    #[must_use]
    pub fn includes(&self, pointer: &str) -> bool {
        let below = |top: &String| {
            pointer.strip_prefix(top.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match self {
            Self::All => true,
            Self::At(pointers) => pointers.iter().any(below),
        }
    }
}
