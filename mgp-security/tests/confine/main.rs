//! Confined processes, each a few lines of shell. The attempts of a hostile one are in `cargo xtask confine`.
#![cfg(all(target_os = "linux", feature = "confine"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod container;
mod files;
mod network;
mod start;
mod support;
