//! §5 Access control: rules for which agent may use which server and tool.

mod entry;
mod methods;
mod role;

pub use entry::{AccessDecision, AccessEntry, AccessSource, AccessSubject, DefaultPolicy, EntryType};
pub use methods::{
    AccessChange, AccessChangeStatus, AccessGrantParams, AccessQueryParams, AccessQueryResult,
    AccessRevokeParams, GrantAccess, QueryAccess, RevokeAccess,
};
pub use role::{RoleRule, Roles};
