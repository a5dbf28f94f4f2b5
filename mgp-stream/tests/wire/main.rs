//! §12 over real connections: what stands on the wire, and in which order.

// The lint knows test functions, but not what they share.
#![allow(clippy::unwrap_used)]

mod cancel;
mod chunks;
mod progress;
mod relay;
mod support;
