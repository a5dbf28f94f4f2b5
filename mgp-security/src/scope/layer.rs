//! The gate of scopes.

use super::Scope;
use tower_layer::Layer;

/// Refuses calls of tools that the caller's token does not allow. A caller without a token passes.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScopeLayer;

impl ScopeLayer {
    /// Creates a layer.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl<S> Layer<S> for ScopeLayer {
    type Service = Scope<S>;

    fn layer(&self, inner: S) -> Scope<S> {
        Scope { inner }
    }
}
