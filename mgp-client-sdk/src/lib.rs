//! MGP clients: a [`Client`](client::Client) of one server, and the [`Kernel`](kernel::Kernel) that stands between any host
//! and many servers. With the feature `cli`, the program `mgp`.
//!
//! | module | what it holds |
//! |---|---|
//! | [`client`] | a client of one server, which talks to it directly |
//! | [`kernel`] | many servers behind one pipeline: access, permissions, validators, audit, the tool index |

#[cfg(feature = "cli")]
pub mod cli;
pub mod client;
mod handshake;
pub mod kernel;

pub use handshake::{Greeting, HandshakeError};
