//! §2, §11 The gate of the handshake, on a server's face: nothing is served before `initialize` was answered.

mod layer;
mod phase;
mod service;

pub use layer::HandshakeLayer;
pub use phase::{HandshakePhase, HandshakeProgress};
pub use service::{HandshakeGate, ResponseFuture};
