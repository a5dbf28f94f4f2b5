//! §3 Permissions: their names and risks, the policies, and the four methods that ask and decide.

mod decision;
mod grant_forms;
mod methods;
mod name;
mod policy;
mod scope;
mod waiting;

pub use decision::{GrantValue, PermissionDecision, PermissionState};
pub use methods::{
    AwaitPermission, DECISION_METHODS, GrantPermission, PermissionAck, PermissionRequestParams,
    REQUEST_METHODS, RequestPermission, RespondPermission,
};
pub use name::{InvalidPermission, Permission, StandardPermission};
pub use policy::PermissionPolicy;
pub use scope::{GrantScope, InvalidScope};
pub use waiting::{PendingPermission, WaitingTools};
