//! §2 The server's side of the handshake, for every server's face: a tool server's and a kernel's.

mod answer;

pub use answer::Handshake;
