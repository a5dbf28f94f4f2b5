//! The time that a server takes for the calls of each of its tools.

mod histogram;
mod latencies;

pub(super) use latencies::Latencies;
