//! Other people's servers, as data: how each is started, and what is asked of it.
//!
//! The sentences are what a model might say that knows nothing of the server. They were written down before any was tried.

mod all;
mod instance;
mod node;
mod peer;
mod products;
mod python;

pub(crate) use all::{all, server};
pub(crate) use instance::Instance;
pub(crate) use peer::{Eras, Probe, ServerPeer, Steady, Transport};
