//! §11 over real connections and through real stacks.

// The lint knows test functions, but not what they share.
#![allow(clippy::unwrap_used)]

mod drain;
mod gate;
mod handshake;
mod health;
mod shutdown;
mod support;
