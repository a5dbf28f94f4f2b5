//! §11 over real connections and through real stacks.

// The lint recognises test functions, but not the helpers that they share.
#![allow(clippy::unwrap_used)]

mod drain;
mod gate;
mod handshake;
mod health;
mod shutdown;
mod support;
