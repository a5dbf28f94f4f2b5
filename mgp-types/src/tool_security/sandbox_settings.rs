//! The operator's settings of the validator `sandbox`.

use serde::{Deserialize, Serialize};

/// The operator's settings of the validator `sandbox` for a server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SandboxSettings {
    /// Programs that `sandbox` lets pass, such as `"terraform"` or `"terraform plan"`.
    pub programs: Vec<String>,
    /// Hosts, with their subdomains, that `sandbox` lets commands reach, such as `"example.com"`.
    pub hosts: Vec<String>,
    /// The folder of the project in which commands begin: an absolute path without variables. See
    /// [Project](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#project). Default: folders are judged by their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}
