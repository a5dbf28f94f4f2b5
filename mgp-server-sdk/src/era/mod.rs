//! Both eras of MCP, at the boundary of a server: the one with `initialize` and the stateless one (2026-07-28). No other part of
//! a server depends on the era of its client. If the eras differ, the part calls a function of this module.
//!
//! A request of a stateless revision describes its client and the client's capabilities. The layer puts the description into a
//! session for this request only, where the inner services expect the result of a handshake. To each answer, the layer adds the
//! members that answers have in these revisions.

mod client;
mod finish;
mod layer;
mod service;
mod session;

pub use layer::{ClientDescription, ErasLayer};
pub use service::{Eras, FinishedFuture};
pub use session::{has_session, tasks_of};
