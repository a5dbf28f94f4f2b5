//! The limits of a server: on sessions, requests and bytes of bodies, of all callers and of each, and on TCP connections.

mod bodies;
mod connections;
mod descriptors;
mod room;

pub(super) use bodies::{Bodies, BodyLease};
pub(super) use connections::{ConnectionPlace, Connections, End, Limits, RequestGuard};
pub(super) use room::Room;
