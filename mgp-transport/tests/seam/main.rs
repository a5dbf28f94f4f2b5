//! One test or more for each rule of the seam, each over real byte streams.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod bounds;
mod cancel;
mod flood;
mod frames;
mod lane;
mod log;
mod order;
mod support;
