//! The server `jobs`: slow work that streams, and commands that are shown and never run.

mod commands;
mod report;
mod server;

pub(crate) use server::{ID, stack};
