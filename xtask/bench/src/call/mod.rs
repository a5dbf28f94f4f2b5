//! Bench `call`: a tool call, JSON bytes on a byte stream in memory between client and server.

mod events;
mod features;
mod forwarder;
mod kernel;
mod ours;
mod peer;
mod rows;
mod run;
mod spans;

pub(crate) use run::run;

/// The capacity of one direction of the stream, in bytes, for both sides.
const STREAM: usize = 64 * 1024;
