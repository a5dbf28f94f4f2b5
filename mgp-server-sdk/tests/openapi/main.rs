//! Servers of HTTP APIs, against an API on loopback.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod api;
mod calls;
mod setup;
