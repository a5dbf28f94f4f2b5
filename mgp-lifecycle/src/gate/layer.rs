//! The layer that puts the gate around a server.

use super::{Gate, Lifecycle};
use tower_layer::Layer;

/// Stands around dispatch to one server: refuses calls while it is not connected, and counts those in flight.
///
/// A kernel puts one around each of its servers, inside the limits. A server puts one around its tools, but not around
/// health and shutdown, which must be answered while it drains.
#[derive(Debug, Clone)]
pub struct LifecycleLayer {
    gate: Gate,
}

impl LifecycleLayer {
    /// A layer for the server that the gate belongs to.
    #[must_use]
    pub fn new(gate: Gate) -> Self {
        Self { gate }
    }
}

impl<S> Layer<S> for LifecycleLayer {
    type Service = Lifecycle<S>;

    fn layer(&self, inner: S) -> Lifecycle<S> {
        Lifecycle::new(inner, self.gate.clone())
    }
}
