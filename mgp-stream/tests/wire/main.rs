//! §12 over real connections: the messages on the wire, and their order.

// The lint recognises test functions, but not the helpers that they share.
#![allow(clippy::unwrap_used)]

mod cancel;
mod chunks;
mod progress;
mod relay;
mod support;
