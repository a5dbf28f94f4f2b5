//! Which client we are to an authorization server: one that it knows, one that it can look up, or one that is registered on
//! the way.

mod choose;
mod client;
mod dynamic;
mod method;

pub use client::RegisteredClient;

pub(super) use choose::{Choice, is_usable};
pub(super) use client::Client;
