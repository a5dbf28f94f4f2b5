//! `[store]`: the database of a gateway's state.

use super::text::Secret;
use serde::{Deserialize, Serialize};

/// The `[store]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct StoreConfig {
    /// The PostgreSQL database of the state, which gateways on several machines may share. `$MGP_STORE_URL` overrides it. Without either, files in
    /// the state folder. Needs the feature `postgres` of `mgp`. See [A database for several machines](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#a-database-for-several-machines).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Secret>,
    /// The calls that are allowed while the store cannot be asked whether a right was revoked: none (`refuse`), or those that were allowed before
    /// (`snapshot`).
    pub on_outage: OnOutage,
}

/// The calls that are allowed while the store cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnOutage {
    /// None.
    #[default]
    Refuse,
    /// Those that the rules allowed when they were read last.
    Snapshot,
}
