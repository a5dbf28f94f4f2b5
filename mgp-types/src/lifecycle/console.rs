//! The console of a running kernel. No part of the specification.

use serde::{Deserialize, Serialize};

calls! {
    /// Opens the console of a program's kernel, and asks for an address that signs an operator in. For principals with the admin role.
    call OpenConsole = "dev.cloto/kernel/console": OpenConsoleParams => OpenConsoleResult;
}

/// The params of [`OpenConsole`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OpenConsoleParams {
    /// The role of the operator in the console: `viewer`, `approver` or `admin`.
    pub role: String,
    /// The name under which the operator's decisions and changes are recorded.
    pub name: String,
}

/// The result of [`OpenConsole`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenConsoleResult {
    /// The address, which can be used once, within two minutes.
    pub address: String,
}
