//! What every gate reads of a tool.

use super::DefinitionHash;
use mgp_types::{context::RiskLevel, permission::Permission, tool_security::ValidatorName};

/// What the kernel holds of a tool. `resolve` puts it into `Incoming.ext` behind an `Arc`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolProfile {
    /// The permissions that a call needs, each once.
    pub permissions: Vec<Permission>,
    /// Names that were declared as permissions and are none. A tool that has one is never called.
    pub invalid_permissions: Vec<String>,
    /// How dangerous the kernel holds the tool (§4.4).
    pub risk: RiskLevel,
    /// The validators that look at the arguments, each once (§4.5).
    pub validators: Vec<ValidatorName>,
    /// Whether somebody is asked before a call.
    pub confirmation: Confirmation,
    /// Which strings of the arguments the validators look at.
    pub leaves: Leaves,
    /// Whether the tool takes a command or a program, as far as anything says so. `sandbox` looks at the strings of those that
    /// do, and else only at what the configuration points to.
    pub takes_commands: bool,
    /// Whether all that is known says that the tool changes nothing.
    pub reads_only: bool,
    /// The hash of the definition that was judged.
    pub definition: DefinitionHash,
}

/// Whether somebody is asked before a call (§4.4). Ordered: the last is the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Confirmation {
    /// Nobody.
    Never,
    /// Somebody, unless the operator, the configuration or the policy `auto_approve` approved a dangerous permission (§3.2) that the
    /// tool needs.
    UnlessApproved,
    /// Somebody, each time.
    Always,
}

/// Which strings of the arguments the validators look at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Leaves {
    /// Every one.
    #[default]
    All,
    /// Those at or below these JSON pointers (RFC 6901).
    At(Vec<String>),
}

impl Leaves {
    /// Whether the string at a pointer is looked at.
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
