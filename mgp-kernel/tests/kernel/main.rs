//! The kernel between real hosts and real servers, all over byte streams.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::needless_pass_by_value, reason = "json! makes a value")]

mod boot;
mod catalog;
mod engine;
mod exchange;
mod features;
mod ground;
mod host;
mod log;
mod path;
mod raw_host;
mod raw_server;
mod rights;
#[cfg(all(unix, feature = "child"))]
mod shell_server;
mod support;
mod upstream;
