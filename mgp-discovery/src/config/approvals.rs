//! `[approvals]`: the targets that are notified when something waits for a decision of the operator.

use super::text::{Secret, Text};
use serde::{Deserialize, Serialize};

/// The `[approvals]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalsConfig {
    /// The targets that are notified when something waits for a decision, at most 8. See [Notifications](https://github.com/mgp-rs/mgp/blob/main/docs/asking.md#notifications).
    pub notify: Vec<NotifyTarget>,
}

/// One target of `approvals.notify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct NotifyTarget {
    /// The kind of the target.
    pub kind: NotifyKind,
    /// The URL of an ntfy topic, or of a Slack webhook: over `https`, or on this machine. It may name a secret, such as `${keyring:slack}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Secret>,
    /// The access token of an ntfy server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Secret>,
    /// The program of a target of the kind `command` and its arguments. It is started without a shell, and gets the notification as JSON on stdin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<Text>,
}

/// The kind of a notified target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum NotifyKind {
    /// A topic of ntfy.
    Ntfy,
    /// An incoming webhook of Slack, or of a service with the same form.
    Slack,
    /// A program of this machine.
    Command,
}

impl NotifyKind {
    /// Returns the name of the kind in the configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ntfy => "ntfy",
            Self::Slack => "slack",
            Self::Command => "command",
        }
    }
}
