//! `[references]` and `[results]`: results that the kernel keeps, and hosts get by reference.

use serde::{Deserialize, Serialize};

/// The `[references]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ReferencesConfig {
    /// The time for which a result is kept, in seconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 604_800)))]
    pub ttl_secs: u64,
    /// The most results that are kept for one agent. With 0, none are kept.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 10_000)))]
    pub max_results: usize,
    /// The most bytes that are kept for one agent.
    pub max_bytes: u64,
    /// The most results that are kept for all agents. With 0, none are kept.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 10_000)))]
    pub max_total_results: usize,
    /// The most bytes that are kept for all agents.
    pub max_total_bytes: u64,
    /// The most bytes of a result that is also stored in the database of `store.url`, where other gateways find it. A longer one is
    /// in `references.object_store`, or only in its gateway. With 0, none are in the database.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 67_108_864)))]
    pub store_bytes: u64,
    /// The bucket of longer results in a store that speaks S3, and the folder in it, such as `s3://bucket/mgp`. Needs `store.url`, and the
    /// feature `s3` of `mgp`. Credentials, region and endpoint are in the variables `AWS_*`. See
    /// [Long results](https://github.com/mgp-rs/mgp/blob/main/docs/references.md#long-results).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_store: Option<String>,
    /// The hosts from which the data of servers' own references is fetched, each as `host` or `host:port`.
    pub hosts: Vec<String>,
}

impl Default for ReferencesConfig {
    fn default() -> Self {
        Self {
            ttl_secs: 900,
            max_results: 64,
            max_bytes: 256 * 1024 * 1024,
            max_total_results: 256,
            max_total_bytes: 1024 * 1024 * 1024,
            store_bytes: 1024 * 1024,
            object_store: None,
            hosts: Vec::new(),
        }
    }
}

/// The `[results]` table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ResultLimits {
    /// The most tokens of a result that a host is sent. A longer result is kept, and the host gets its beginning and a reference
    /// ([references.md](https://github.com/mgp-rs/mgp/blob/main/docs/references.md#reading-in-parts)).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 100, max = 1_000_000_000)))]
    pub max_tokens: Option<u64>,
}
