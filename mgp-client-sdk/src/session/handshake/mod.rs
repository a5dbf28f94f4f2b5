//! §2 The client's side of the handshake: it determines a server's era of MCP, and reads the server's capabilities. Code
//! outside of this module is the same for both eras.

mod discover;
mod era;
mod greeting;
mod initialize;
mod shake;
mod valid;

pub use era::{Era, EraChoice};
pub use greeting::Hello;
pub use greeting::{Greeting, HandshakeError};
pub(super) use shake::shake_hands;
