//! The parts of MCP that only the stateless revisions have (2026-07-28): the envelope of each request,
//! `server/discover`, `subscriptions/listen`, rounds of input, and the members that every result has.

mod cache;
mod complete;
mod discover;
mod envelope;
mod input;
mod listen;
mod methods;
mod result_type;

pub use cache::{CacheHint, CacheScope};
pub use complete::Completion;
pub use discover::{Discover, DiscoverResult};
pub use envelope::{EnvelopeMembers, RequestEnvelope, SERVER_INFO_KEY, SUBSCRIPTION_ID_KEY};
pub use input::{InputRequest, InputRequired, InputResponses};
pub use listen::{Listen, ListenParams, MgpFilter, SubscriptionFilter, SubscriptionsAcknowledged};
pub use methods::{asks_for_input, is_removed, subject_key};
pub use result_type::ResultType;
