//! Other people's clients, as hosts.

mod client;
mod host;
mod inspector;
mod output;
mod script;

pub(crate) use client::HostClient;
pub(crate) use host::{Answer, Call, HostResults, HostUser, Reach};
pub(crate) use output::output;
