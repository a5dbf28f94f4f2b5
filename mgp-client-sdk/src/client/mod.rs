//! A client of one server.

mod builder;
#[expect(clippy::module_inception, reason = "the client is named for what it is")]
mod client;
mod inbound;

pub use builder::ClientBuilder;
pub use client::{Client, ClientError};
