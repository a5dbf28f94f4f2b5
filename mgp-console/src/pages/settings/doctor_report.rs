//! The output of `mgp doctor --json`, as far as the page shows it.

use serde::Deserialize;

/// The findings, and where the doctor looked.
#[derive(Debug, Deserialize)]
pub(super) struct DoctorReport {
    #[serde(default)]
    pub(super) version: String,
    #[serde(default)]
    pub(super) program: String,
    #[serde(default)]
    pub(super) configuration: Option<String>,
    #[serde(default)]
    pub(super) state: Option<String>,
    #[serde(default)]
    pub(super) confinement: Vec<Runner>,
    #[serde(default)]
    pub(super) findings: Vec<Finding>,
}

/// A means by which a server can be confined.
#[derive(Debug, Deserialize)]
pub(super) struct Runner {
    pub(super) runner: String,
    #[serde(default)]
    pub(super) missing: Option<String>,
}

/// A fault, or something else that an operator should know.
#[derive(Debug, Deserialize)]
pub(super) struct Finding {
    pub(super) id: String,
    pub(super) severity: String,
    pub(super) subject: String,
    pub(super) problem: String,
    /// The command that mends it.
    #[serde(default)]
    pub(super) command: Option<String>,
    /// The key of the configuration that mends it.
    #[serde(default)]
    pub(super) key: Option<String>,
    #[serde(default)]
    pub(super) docs: String,
    #[serde(default)]
    pub(super) fixable: bool,
    #[serde(default)]
    pub(super) fixed: bool,
}
