//! The operator's settings of the validator `sandbox`.

use serde::{Deserialize, Serialize};

/// The operator's settings of the validator `sandbox` for a server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxSettings {
    /// Programs that pass with any further arguments, each with the arguments that it must begin with: `terraform plan`.
    pub programs: Vec<String>,
    /// Hosts that commands may reach. Their subdomains are included.
    pub hosts: Vec<String>,
    /// The folder of the project in which commands begin, as an absolute path. Files inside it may be built, tested and removed; files
    /// outside it, or run outside later, may not. `None` judges each folder by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}
