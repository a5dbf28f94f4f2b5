//! The layer that puts the handshake gate around a server.

use super::HandshakeGate;
use tower_layer::Layer;

/// The outermost layer of a server. Before `initialize` is answered, it lets only `initialize`, `ping` and the
/// methods of the lane through; afterwards, everything except another `initialize`.
///
/// The phase of a session is in its [`HandshakeProgress`](super::HandshakeProgress). The inner service
/// makes the answer to `initialize`. A message without a session is treated as sent before any handshake.
#[derive(Debug, Clone, Copy, Default)]
pub struct HandshakeLayer;

impl HandshakeLayer {
    /// Creates the layer.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl<S> Layer<S> for HandshakeLayer {
    type Service = HandshakeGate<S>;

    fn layer(&self, inner: S) -> HandshakeGate<S> {
        HandshakeGate::new(inner)
    }
}
