//! The output of `mgp config` and `mgp reload`, as far as the page shows it.

use crate::commands::PlacedProblem;
use mgp_types::lifecycle::ConfigurationChange;
use serde::Deserialize;

/// The output of `mgp config show`.
#[derive(Debug, Deserialize)]
pub(super) struct ConfigurationReport {
    /// The configuration, and the files that it names, such as the file of policies.
    pub(super) files: Vec<ConfigurationFile>,
}

/// A file of the configuration.
#[derive(Debug, Deserialize)]
pub(super) struct ConfigurationFile {
    /// The name with which other commands name the file, such as `configuration`.
    pub(super) name: String,
    pub(super) path: String,
    pub(super) text: String,
    /// The hash of the whole file. A file is only replaced if it still has this hash.
    pub(super) sha256: String,
    /// False if the account of the gateway may not write the file.
    #[serde(default)]
    pub(super) writable: bool,
    #[serde(default)]
    pub(super) problems: Vec<PlacedProblem>,
}

/// The output of `mgp config check`.
#[derive(Debug, Deserialize)]
pub(super) struct CheckReport {
    /// The hash of the checked text.
    pub(super) sha256: String,
    #[serde(default)]
    pub(super) problems: Vec<PlacedProblem>,
    /// The lines of the difference to the file, each with `+`, `-` or a space in front.
    #[serde(default)]
    pub(super) difference: Vec<String>,
    /// The changes of a reload; `None` if the text has problems.
    #[serde(default)]
    pub(super) change: Option<ConfigurationChange>,
}

/// The output of `mgp config write`.
#[derive(Debug, Deserialize)]
pub(super) struct SaveReport {
    pub(super) path: String,
    /// The hash of the file after the change.
    pub(super) sha256: String,
    #[serde(default)]
    pub(super) kernels: Vec<GatewayReload>,
}

/// The output of `mgp reload`.
#[derive(Debug, Deserialize)]
pub(super) struct ReloadReport {
    pub(super) kernels: Vec<GatewayReload>,
}

/// The changes that took effect in one gateway.
#[derive(Debug, Deserialize)]
pub(super) struct GatewayReload {
    pub(super) pid: u32,
    #[serde(flatten)]
    pub(super) change: ConfigurationChange,
}
