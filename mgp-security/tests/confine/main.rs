//! Confined processes, each a few lines of shell. What a hostile one tries is in `cargo xtask confine`.
#![cfg(all(target_os = "linux", feature = "confine"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod files;
mod network;
mod start;
mod support;
