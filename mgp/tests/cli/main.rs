//! The program `mgp`, run as its users run it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod approvals;
mod audit;
mod calls;
mod closed;
mod configuration;
mod documents;
mod first_steps;
mod keys;
mod messages;
#[cfg(unix)]
mod parting;
mod refusals;
mod registered;
mod registry;
mod serve;
mod state;
mod support;
#[cfg(unix)]
mod tokens;
mod unconfigured;
mod waiting;
