//! The stateless revisions of MCP (2026-07-28), on a server's face. Nothing else of a server knows of them, but what asks a
//! client ([`ask`](crate::ask)).
//!
//! A request of such a revision says itself who asks and what they can do. The layer puts that into a session that holds for
//! this request alone, so that everything inside finds it where the handshake of earlier revisions puts it; and it adds to the
//! answer what answers say of themselves in these revisions.

mod client;
mod finish;
mod layer;
mod service;

pub use layer::StatelessLayer;
pub use service::{ResponseFuture, Stateless};
