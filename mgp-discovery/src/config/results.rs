//! `[servers.mgp.results]`: the treatment of a server's results.

use mgp_types::tool_security::SecretPolicy;
use serde::{Deserialize, Serialize};

/// The `[servers.mgp.results]` table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ResultsConfig {
    /// The treatment of secrets in the server's results, see [results.md](https://github.com/mgp-rs/mgp/blob/main/docs/results.md). `warn` records
    /// them, `mask` also replaces them.
    pub secrets: SecretPolicy,
}
