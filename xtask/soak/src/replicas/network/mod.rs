//! The network of a run: a bridge, and machines that are network namespaces.

mod bridge;
mod enter;
mod machine;

pub(crate) use bridge::Network;
pub(crate) use enter::{Entry, enter};
pub(crate) use machine::Machine;
