//! A whole server: its builder, its stack, and the ways to serve it.

mod build;
mod builder;
#[cfg(feature = "http")]
mod http;
mod merge;
mod profile;
mod shutdown;
mod stack;
#[cfg(feature = "stdio")]
mod stdio;

pub use builder::Server;
pub use stack::ServerStack;
