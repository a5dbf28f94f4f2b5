//! Test support that several crates share: time limits, JSON, examples as programs, and calls for gates and layers.
//!
//! A crate takes it as a development dependency. A failure panics, as in a test.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod call;
mod counting_service;
mod example;
mod json;
mod polled;
mod within;

pub use call::{TestCall, context, plain_profile};
pub use counting_service::CountingService;
pub use example::{example, run_example};
pub use json::json;
pub use polled::PolledFuture;
pub use within::within;
