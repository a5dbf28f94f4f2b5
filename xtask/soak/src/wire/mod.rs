//! HTTP/1.1 by hand: just enough for a host, and a way to break off in the middle.

mod connection;
mod head;
mod sse;

pub(crate) use connection::{Body, Connection};
pub(crate) use head::request;
pub(crate) use sse::Events;
