//! The permissions that were announced to a server (§3.5, §3.6).

use mgp_types::permission::{GrantScope, GrantValue};
use std::collections::{BTreeMap, BTreeSet};

/// The requests and grants of permissions that were announced to a server.
#[derive(Debug, Default)]
pub(in crate::kernel) struct PermissionNews {
    /// The undecided permissions in the request to the server.
    pub(in crate::kernel) requested: BTreeSet<String>,
    /// The id of the request, until all permissions are decided.
    pub(in crate::kernel) request_id: Option<String>,
    /// The announced grants.
    pub(in crate::kernel) told: BTreeMap<String, Grant>,
}

/// The decision on one permission, as announced to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::kernel) struct Grant {
    pub(in crate::kernel) value: GrantValue,
    pub(in crate::kernel) approved_by: Option<String>,
    pub(in crate::kernel) expires_at: Option<String>,
    pub(in crate::kernel) scope: Option<GrantScope>,
}
