//! Both eras of MCP, at the boundary of a server: the one with `initialize` and the stateless one (2026-07-28). No other part of a server
//! knows the era of its client; where the eras differ, it asks this module a question that both answer.
//!
//! A request of such a revision describes its client and the client's capabilities. The layer puts the description into a session that
//! lasts for this request alone, so that the inner services find it in the place where the handshake of earlier revisions puts it; and
//! it adds to each answer the members that answers have in these revisions.

mod client;
mod finish;
mod layer;
mod service;
mod session;

pub use layer::ErasLayer;
pub use service::{Eras, FinishedFuture};
pub use session::{has_session, tasks_of};
