//! §3.6 What was decided.

use crate::json::{Nullable, RawObject};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

spelled! {
    /// A decision on one permission (§3.6).
    pub enum GrantValue as "grant value" {
        /// The server has it.
        Approved = "approved",
        /// The server does not get it.
        Denied = "denied",
        /// Nobody decided yet.
        Deferred = "deferred",
    }
}

spelled! {
    /// Where one permission of a server stands: a decision, or one that has run out.
    pub enum PermissionState as "permission state" {
        /// The server has it.
        Approved = "approved",
        /// The server does not get it.
        Denied = "denied",
        /// Nobody decided yet.
        Deferred = "deferred",
        /// The server had it; it must be asked for again.
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

/// The decision on a permission request (§3.6): the params of
/// [`RespondPermission`](super::RespondPermission). One that a server sends is never believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionDecision {
    /// Which request it decides.
    pub request_id: String,
    /// The decision by permission name.
    pub grants: BTreeMap<String, GrantValue>,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub approved_by: Nullable<String>,
    /// When the grants run out (RFC 3339); `null` is never.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub expires_at: Nullable<String>,
    /// What a grant is limited to, by permission name: paths, commands, hosts; absent is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<RawObject>,
}
