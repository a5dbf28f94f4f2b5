//! `[limits]`: limits on the calls of agents, keys, servers and tools.

use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    num::{NonZeroU32, NonZeroU64},
};

/// The `[limits]` table. In the names, `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct LimitsConfig {
    /// The limits of agents, by their id.
    pub agents: BTreeMap<String, CallerLimit>,
    /// The limits of API keys, by their name.
    pub keys: BTreeMap<String, CallerLimit>,
    /// The limits of servers, by their id.
    pub servers: BTreeMap<String, TargetLimit>,
    /// The limits of tools, as `server__tool`.
    pub tools: BTreeMap<String, TargetLimit>,
    /// The units that a call of the tool NAME, written `server__tool`, spends. Default: 1, and at least the number that its server claims.
    #[cfg_attr(feature = "schema", schemars(transform = super::annotate::costs))]
    pub costs: BTreeMap<String, u32>,
}

/// One entry of `limits.agents` or `limits.keys`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct CallerLimit {
    /// The calls that are allowed a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub requests_per_minute: Option<NonZeroU32>,
    /// The calls that may follow at once after a pause. Default: as many as a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub burst: Option<NonZeroU32>,
    /// The units that the calls may spend a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000_000)))]
    pub units_per_day: Option<NonZeroU64>,
}

/// One entry of `limits.servers` or `limits.tools`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct TargetLimit {
    /// The calls that are allowed a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub requests_per_minute: Option<NonZeroU32>,
    /// The calls that may follow at once after a pause. Default: as many as a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub burst: Option<NonZeroU32>,
    /// The units that the calls may spend a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000_000)))]
    pub units_per_day: Option<NonZeroU64>,
    /// True if each agent is counted separately; otherwise all agents are counted together.
    pub per_agent: bool,
}

impl LimitsConfig {
    /// Returns the tool names, with their tables.
    pub(super) fn tool_names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let limits = self.tools.keys().map(|name| ("tools", name.as_str()));
        limits.chain(self.costs.keys().map(|name| ("costs", name.as_str())))
    }

    /// Splits a name of `limits.tools` into the names of the server and the tool.
    #[must_use]
    pub fn tool(name: &str) -> Option<(&str, &str)> {
        name.split_once("__").filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
    }
}
