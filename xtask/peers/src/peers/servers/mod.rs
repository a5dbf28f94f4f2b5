//! Other people's servers, as data: the command that starts each, and the requests to it.
//!
//! The sentences are phrased like those of a model without knowledge of the server. They were written down before any was tried.

mod all;
mod instance;
mod node;
mod peer;
mod products;
mod python;

pub(crate) use all::{all, server};
pub(crate) use instance::Instance;
pub(crate) use peer::{Eras, Probe, ServerPeer, Stability, Transport};
