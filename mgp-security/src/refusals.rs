//! The refusals that several sections share.

use mgp_types::{context::Principal, error::ErrorCode, rpc::ErrorObject};

/// Refuses a caller without the admin role.
pub(crate) fn admin(caller: &Principal) -> Result<(), ErrorObject> {
    if caller.is_admin() {
        return Ok(());
    }
    Err(ErrorCode::PermissionDenied.error(format!("{:?} does not have the admin role", caller.id())))
}

/// Returns the answer to a request that failed internally.
pub(crate) fn internal(error: impl std::fmt::Display) -> ErrorObject {
    ErrorObject::internal(error.to_string())
}
