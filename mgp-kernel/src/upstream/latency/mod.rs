//! The latency of each of a server's tools.

mod histogram;
mod latencies;

pub(super) use latencies::Latencies;
