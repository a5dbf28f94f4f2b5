//! One test or more for each rule of the seam, each over real byte streams.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod bounds;
mod cancel;
mod frames;
mod lane;
mod order;
mod support;
