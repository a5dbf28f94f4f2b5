//! The layer that puts the gate around a server.

use super::{Gate, Lifecycle};
use tower_layer::Layer;

/// The layer that applies the gate of one server around dispatch to that server. It refuses calls while the server is not connected, and
/// counts the calls in flight.
///
/// A kernel puts one around each of its servers, inside the limits. A server puts one around its tools, but not around
/// health and shutdown, which must be answered while the server drains.
#[derive(Debug, Clone)]
pub struct LifecycleLayer {
    gate: Gate,
}

impl LifecycleLayer {
    /// Creates a layer for the server that the gate belongs to.
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
