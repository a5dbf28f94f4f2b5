//! A hand-written HTTP/1.1: only the parts that a host needs, and a way to break off in the middle.

mod connection;
mod endpoint;
mod head;
mod sse;

pub(crate) use connection::{Body, Connection};
pub(crate) use endpoint::Endpoint;
pub(crate) use head::request;
pub(crate) use sse::Events;
