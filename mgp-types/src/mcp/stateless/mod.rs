//! The parts of MCP that only an adapter to peers of the stateless revisions (2026-07-28) needs: the envelope of each request, the
//! members that every result has, and the removed methods.

mod complete;
mod envelope;
mod methods;

pub use complete::Completion;
pub use envelope::{
    EnvelopeMembers, EnvelopeTail, RequestEnvelope, SERVER_INFO_KEY, SUBSCRIPTION_ID_KEY, VERSION_KEY,
};
pub use methods::is_removed;
