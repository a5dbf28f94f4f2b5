//! The console of a running kernel. No part of the specification.

use serde::{Deserialize, Serialize};

calls! {
    /// Opens the console of a program's kernel, and asks for an address that signs an operator in. For principals with the admin role.
    call OpenConsole = "dev.cloto/kernel/console": OpenConsoleParams => OpenConsoleResult;
}

/// The rights of an operator in the console. A later role has the rights of all earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OperatorRole {
    /// Sees everything, and changes nothing.
    #[default]
    Viewer,
    /// Also decides on what waits for a decision.
    Approver,
    /// Also changes servers, rights and settings.
    Admin,
}

impl OperatorRole {
    /// The roles, in their order.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Approver, Self::Admin];

    /// Returns the name of the role, as in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Approver => "approver",
            Self::Admin => "admin",
        }
    }
}

/// The params of [`OpenConsole`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OpenConsoleParams {
    /// The role of the operator in the console.
    pub role: OperatorRole,
    /// The name under which the operator's decisions and changes are recorded.
    pub name: String,
}

/// The result of [`OpenConsole`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenConsoleResult {
    /// The address, which can be used once, within two minutes.
    pub address: String,
}
