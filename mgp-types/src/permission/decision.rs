//! §3.6 Decisions on permissions.

use super::grant_forms::WrittenDecision;
use crate::json::{Nullable, RawObject};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

spelled! {
    /// A decision on one permission (§3.6).
    pub enum GrantValue as "grant value" {
        /// The server has the permission.
        Approved = "approved",
        /// The server does not get the permission.
        Denied = "denied",
        /// The decision is pending.
        Deferred = "deferred",
    }
}

spelled! {
    /// The state of one permission of a server: a decision, or one that has expired.
    pub enum PermissionState as "permission state" {
        /// The server has the permission.
        Approved = "approved",
        /// The server does not get the permission.
        Denied = "denied",
        /// The decision is pending.
        Deferred = "deferred",
        /// The server had the permission; it must be requested again.
        Expired = "expired",
    }
}

impl From<GrantValue> for PermissionState {
    fn from(value: GrantValue) -> Self {
        match value {
            GrantValue::Approved => Self::Approved,
            GrantValue::Denied => Self::Denied,
            GrantValue::Deferred => Self::Deferred,
        }
    }
}

/// The decision on a permission request (§3.6): the params of [`RespondPermission`](super::RespondPermission). A decision sent by a server is
/// never trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "WrittenDecision")]
pub struct PermissionDecision {
    /// The id of the request that is decided.
    pub request_id: String,
    /// The decision by permission name.
    pub grants: BTreeMap<String, GrantValue>,
    /// The party that decided.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub approved_by: Nullable<String>,
    /// The time at which the grants expire (RFC 3339); never if `null`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub expires_at: Nullable<String>,
    /// The limits of a grant, by permission name: paths, commands, hosts; no limit if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<RawObject>,
    /// The times at which single grants expire, instead of `expires_at`, by permission name. Read from the objects of later drafts, and never
    /// written.
    #[serde(skip_serializing)]
    pub expirations: BTreeMap<String, String>,
}
