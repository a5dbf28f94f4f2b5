//! `[audit]`: which audit events are stored, and how durably (§6).

use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// The `[audit]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct AuditConfig {
    /// The failures that a stored event survives. `normal`: the end of the process, `kill -9` included; `full`: a loss of power too.
    pub synchronous: Synchronous,
    /// The place that an event must have reached before its call is answered. `local`: a journal of the gateway, from which a thread moves it into the
    /// trail's file; `store`: that file, and the database if there is one.
    pub journal: AuditJournal,
    /// The calls for which an event is also stored before they go to their server: none, calls of tools whose risk is dangerous, or all. See [Events
    /// before a call](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#events-before-a-call).
    pub before: AuditBefore,
    /// The id of a server in `[[servers]]` to which all events are
    /// [forwarded](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#forwarded-events). It must negotiate MGP's extension `audit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The age in days from which on gateways remove events while they run, and whole days from the database of `store.url`. Without it, events are
    /// kept for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_days: Option<NonZeroU32>,
    /// The size in megabytes from which on the oldest tenth of the events is removed. The file does not become smaller, but its room is used again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_mb: Option<NonZeroU32>,
}

/// The calls before which an event is stored, in addition to the one at their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AuditBefore {
    /// None.
    Off,
    /// Calls of dangerous tools.
    #[default]
    Dangerous,
    /// All calls.
    All,
}

/// The place that an event must have reached before its call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AuditJournal {
    /// A journal of the gateway.
    #[default]
    Local,
    /// The trail's file, and the database if there is one.
    Store,
}

/// The failures that a stored event survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    /// The end of the process, `kill -9` included.
    #[default]
    Normal,
    /// A loss of power too, at the price of a disk flush for each group of events.
    Full,
}
