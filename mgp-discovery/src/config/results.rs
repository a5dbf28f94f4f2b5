//! `[servers.mgp.results]`: the treatment of a server's results.

use mgp_types::tool_security::SecretPolicy;
use serde::{Deserialize, Serialize};

/// The `[servers.mgp.results]` table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultsConfig {
    /// The policy for secrets in the server's results.
    pub secrets: SecretPolicy,
}
