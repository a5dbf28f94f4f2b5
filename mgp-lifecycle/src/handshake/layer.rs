//! The layer that puts the gate of the handshake around a server.

use super::HandshakeGate;
use tower_layer::Layer;

/// Stands at the outside of a server's face: before `initialize` was answered, it lets only `initialize`, `ping` and the
/// methods of the lane through; afterwards, everything but another `initialize`.
///
/// What the session has reached is in its [`HandshakeProgress`](super::HandshakeProgress). The answer itself is the inner service's.
/// A message without a session has had no handshake.
#[derive(Debug, Clone, Copy, Default)]
pub struct HandshakeLayer;

impl HandshakeLayer {
    /// The layer.
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
