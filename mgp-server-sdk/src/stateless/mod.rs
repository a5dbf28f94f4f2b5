//! The stateless revisions of MCP (2026-07-28), at the boundary of a server. No other part of a server knows them, except questions to
//! the client ([`ask`](crate::ask)).
//!
//! A request of such a revision describes its client and the client's capabilities. The layer puts the description into a session that
//! lasts for this request alone, so that the inner services find it in the place where the handshake of earlier revisions puts it; and
//! it adds to each answer the members that answers have in these revisions.

mod client;
mod finish;
mod layer;
mod service;

pub use layer::StatelessLayer;
pub use service::{ResponseFuture, Stateless};
