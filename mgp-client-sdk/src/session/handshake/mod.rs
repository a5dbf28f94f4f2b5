//! §2 The client's side of the handshake: it determines the era of MCP in which a server is spoken to, and reads the server's
//! capabilities. The code above is the same for both eras.

mod discover;
mod era;
mod greeting;
mod initialize;
mod shake;
mod valid;

pub use era::{Era, EraChoice};
pub(crate) use greeting::Hello;
pub use greeting::{Greeting, HandshakeError};
pub(crate) use shake::shake_hands;
