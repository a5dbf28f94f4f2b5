//! The gate of permissions.

use super::{Permissions, RequirePermission};
use tower_layer::Layer;

/// Refuses calls whose tool needs a permission that is not approved, after asking for it if the policy says so.
#[derive(Debug, Clone)]
pub struct PermissionLayer {
    permissions: Permissions,
}

impl PermissionLayer {
    /// Creates a gate that enforces `permissions`.
    #[must_use]
    pub fn new(permissions: Permissions) -> Self {
        Self { permissions }
    }
}

impl<S> Layer<S> for PermissionLayer {
    type Service = RequirePermission<S>;

    fn layer(&self, inner: S) -> RequirePermission<S> {
        RequirePermission { inner, permissions: self.permissions.clone() }
    }
}
