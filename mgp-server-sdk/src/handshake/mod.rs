//! §2 The server's side of the handshake, for tool servers and for a kernel.

mod answer;

pub use answer::Handshake;
