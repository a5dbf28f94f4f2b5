//! The role of an operator in the console, as an argument.

use clap::ValueEnum;
use mgp_types::lifecycle::OperatorRole;

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RoleArg {
    /// See everything, and change nothing
    Viewer,
    /// Also decide on what waits for a decision
    Approver,
    /// Also change servers, rights and settings
    Admin,
}

impl RoleArg {
    pub(crate) const fn role(self) -> OperatorRole {
        match self {
            Self::Viewer => OperatorRole::Viewer,
            Self::Approver => OperatorRole::Approver,
            Self::Admin => OperatorRole::Admin,
        }
    }
}
