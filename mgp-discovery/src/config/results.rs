//! `[servers.mgp.results]`: what a server returns.

use mgp_types::tool_security::SecretPolicy;
use serde::{Deserialize, Serialize};

/// The `[servers.mgp.results]` table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultsConfig {
    /// The answer to secrets in what the server returns.
    pub secrets: SecretPolicy,
}
