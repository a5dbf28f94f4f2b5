//! A server and its client, over a connection in memory.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod build;
mod callbacks;
mod calls;
#[cfg(feature = "check-arguments")]
mod checked;
mod checkpoints;
#[cfg(feature = "code-safety")]
mod code_safety;
mod composed;
mod events;
mod extractors;
mod handshake;
#[cfg(feature = "http")]
mod http;
mod lifecycle;
mod limits;
mod lists;
mod metadata;
mod notices;
mod outcomes;
mod permissions;
mod plain;
mod plain_functions;
mod prompts;
mod resources;
mod schema_table;
mod session_state;
mod stateless;
mod streaming;
mod support;
mod tasks;
mod testing;
mod urls;
