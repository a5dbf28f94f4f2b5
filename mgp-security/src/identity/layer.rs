//! The layer that knows the caller.

use super::Identity;
use tower_layer::Layer;

/// Refuses tool calls on sessions that belong to nobody, and tells the inner layers who calls.
#[derive(Debug, Clone, Copy, Default)]
pub struct IdentityLayer;

impl IdentityLayer {
    /// A layer.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl<S> Layer<S> for IdentityLayer {
    type Service = Identity<S>;

    fn layer(&self, inner: S) -> Identity<S> {
        Identity { inner }
    }
}
