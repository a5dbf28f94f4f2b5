//! A whole server: what it is made of, how it is built, how it is served.

mod build;
mod builder;
#[cfg(feature = "http")]
mod http;
mod profile;
mod shutdown;
mod stack;
#[cfg(feature = "stdio")]
mod stdio;

pub use builder::Server;
pub use stack::ServerStack;
