//! The layer that refuses duplicate keys.

use super::UniqueKeys;
use tower_layer::Layer;

/// Refuses calls that hold a key twice in one object, at any level.
#[derive(Debug, Clone, Copy, Default)]
pub struct UniqueKeysLayer;

impl UniqueKeysLayer {
    /// Creates a layer.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl<S> Layer<S> for UniqueKeysLayer {
    type Service = UniqueKeys<S>;

    fn layer(&self, inner: S) -> UniqueKeys<S> {
        UniqueKeys { inner }
    }
}
