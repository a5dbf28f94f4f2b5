//! The checks: one file for each area, and the list of all.

mod all;
mod basics;
mod degradation;
mod errors;
mod idempotency;
mod lists;
mod manifest;
mod messages;
mod mgp;
mod schemas;
mod scopes;
mod streaming;

pub use all::ALL;
pub(crate) use basics::HANDSHAKE;
