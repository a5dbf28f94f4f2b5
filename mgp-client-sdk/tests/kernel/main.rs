//! The kernel between real hosts and real servers, all over byte streams.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod announce;
mod calls;
mod ending;
mod gates;
#[cfg(all(unix, feature = "http"))]
mod http;
mod life;
mod shown;
mod support;
