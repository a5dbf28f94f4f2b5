//! The client of one server, against servers of our own in both eras, over byte streams and HTTP, and against servers by hand.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answered_callbacks;
mod answers;
mod cache;
mod call_options;
mod callbacks;
mod cancelling;
mod changes;
#[cfg(feature = "http")]
mod changes_over_http;
mod eras;
#[cfg(all(unix, feature = "child"))]
mod eras_of_children;
#[cfg(feature = "http")]
mod eras_over_http;
mod events;
mod gaps;
#[cfg(feature = "http")]
mod headers;
mod health;
#[cfg(feature = "http")]
mod http_by_hand;
mod lists;
mod log;
mod plain;
mod results;
mod retries;
mod rounds;
mod scripted;
mod streaming;
#[cfg(feature = "check-results")]
mod structured;
mod support;
mod tasks;
mod timeouts;
mod tools;
mod typed;
mod values;
