//! The permissions that were announced to a server (§3.5, §3.6).

use mgp_types::permission::{GrantScope, GrantValue};
use std::collections::{BTreeMap, BTreeSet};

/// The requests and grants of permissions that were announced to a server.
#[derive(Debug, Default)]
pub(crate) struct PermissionNews {
    /// The undecided permissions in the request to the server.
    pub(crate) requested: BTreeSet<String>,
    /// The id of the request, until all permissions are decided.
    pub(crate) request_id: Option<String>,
    /// The announced grants.
    pub(crate) told: BTreeMap<String, Grant>,
}

/// The decision on one permission, as announced to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) value: GrantValue,
    pub(crate) approved_by: Option<String>,
    pub(crate) expires_at: Option<String>,
    pub(crate) scope: Option<GrantScope>,
}
