//! §2, §11 The handshake gate of a server: nothing is served before `initialize` is answered.

mod layer;
mod phase;
mod service;

pub use layer::HandshakeLayer;
pub use phase::{HandshakePhase, HandshakeProgress};
pub use service::{AdmittedFuture, HandshakeGate};
