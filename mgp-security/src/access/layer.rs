//! The gate of access control.

use super::{Access, AccessControl};
use tower_layer::Layer;

/// Refuses calls of tools that the caller, or an agent that it acts for, may not use.
#[derive(Debug, Clone)]
pub struct AccessLayer {
    control: AccessControl,
}

impl AccessLayer {
    /// Creates a gate that enforces the rules of `control`.
    #[must_use]
    pub fn new(control: AccessControl) -> Self {
        Self { control }
    }
}

impl<S> Layer<S> for AccessLayer {
    type Service = Access<S>;

    fn layer(&self, inner: S) -> Access<S> {
        Access { inner, control: self.control.clone() }
    }
}
