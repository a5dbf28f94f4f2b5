//! The client at an authorization server: one that the server knows, one that it can look up, or one that is registered
//! dynamically.

mod choose;
mod client;
mod dynamic;
mod method;

pub(super) use choose::{Choice, is_usable};
pub(super) use client::Client;
