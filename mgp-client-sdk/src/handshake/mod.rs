//! §2 The client's side of the handshake, for the client of one server and for the kernel alike: in which era of MCP a server is
//! spoken to, and what it says of itself there. Everything above speaks to it in one way.

mod discover;
mod era;
mod greeting;
mod initialize;
mod shake;

pub use era::{Era, EraChoice};
pub(crate) use greeting::Hello;
pub use greeting::{Greeting, HandshakeError};
pub(crate) use shake::shake_hands;
