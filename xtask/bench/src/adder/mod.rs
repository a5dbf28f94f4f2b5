//! The server that every bench calls, one file for each contestant.

mod add;
mod ours;
mod peer;

pub(crate) use add::{Add, NAME};
pub(crate) use ours::server;
pub(crate) use peer::Adder;
